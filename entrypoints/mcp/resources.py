"""What a host can attach to a conversation: one memory, and the figures of the store."""

import json

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from hardwon.domain.model.entry_filter import EVERYTHING
from hardwon.domain.model.errors import UnknownEntryError
from hardwon.entrypoints.documents import entry_document, plain
from hardwon.entrypoints.figures import count
from hardwon.entrypoints.mcp.references import find
from hardwon.entrypoints.mcp.worker import MemoryWorker

JSON = "application/json"


def add_resources(server: MCPServer[None], worker: MemoryWorker) -> None:
    """Give *server* its resources."""

    async def stats() -> str:
        """How many memories there are and of what sort, how they are searched, and the settings."""
        return await worker.call(lambda memory: _text(count(memory, EVERYTHING)))

    async def memory(id: str) -> str:  # noqa: A002  # the template's word
        """One memory with all that is known about it; its id is 16 hex digits, or a number."""
        try:
            return await worker.call(lambda memory: _text(entry_document(find(memory, id))))
        except UnknownEntryError as error:
            raise ResourceNotFoundError(str(error)) from error

    server.resource("memory://stats", title="The memory in figures", mime_type=JSON)(stats)
    server.resource("memory://{id}", title="One memory", mime_type=JSON)(memory)


def _text(document: object) -> str:
    return json.dumps(plain(document), indent=2, ensure_ascii=False)
