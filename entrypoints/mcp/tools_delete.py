"""The tool that deletes memories."""

from collections.abc import Sequence
from typing import Annotated

import attrs
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from hardwon.domain.model.entry import Entry
from hardwon.entrypoints.composition import Memory
from hardwon.entrypoints.mcp.references import Reference, find
from hardwon.entrypoints.mcp.tool import DELETES, Answer, tool
from hardwon.entrypoints.mcp.tools_documents import first_lines
from hardwon.entrypoints.mcp.worker import MemoryWorker
from hardwon.entrypoints.streams import visible

WHICH = "give either id, or specFolder with confirm true"


class DeletedMemories(Answer):
    """What was deleted."""

    success: bool = True
    deleted: int = Field(description="How many memories are gone, sections of documents included")


@attrs.frozen
class DeleteTools:
    """Tools that take memories out."""

    worker: MemoryWorker

    async def memory_delete(
        self,
        id: Reference = "",  # noqa: A002  # requirement D-T6's word
        spec_folder: Annotated[str, Field(description="Instead of id: all documents of this spec folder")] = "",
        confirm: Annotated[bool, Field(description="Must be true to delete a spec folder")] = False,  # noqa: FBT002  # the tool's argument
    ) -> DeletedMemories:
        """
        Delete one memory, or all documents of a spec folder; with a document its sections go too.

        Use it when a memory is wrong or the user asks for it; what is merely outdated is better
        made deprecated with memory_update. Files stay: a document comes back when its file
        changes, or by memory_index_scan with force.
        """
        folder = spec_folder.strip()
        if (id == "") == (folder == ""):
            raise ToolError(WHICH)
        deleted = await self.worker.call(
            lambda memory: (
                self._delete_folder(memory, folder, confirm=confirm) if folder else memory.forget([find(memory, id)])
            )
        )
        return DeletedMemories(message=_deletion(deleted), deleted=len(deleted))

    def _delete_folder(self, memory: Memory, name: str, *, confirm: bool) -> list[Entry]:
        folders = memory.document_folders(self.worker.project_root)
        found = memory.forget.documents(name, folders)
        if not found:
            raise ToolError(f"no document belongs to the spec folder {name[:80]!r}: memory_list shows those there are")
        if not confirm:
            raise ToolError(f"this deletes {len(found)} memories of {name!r}: ask the user, then give confirm true")
        return memory.forget.spec_folder(name, folders)


def _deletion(deleted: Sequence[Entry]) -> str:
    names = [f"Deleted: {visible(entry.name)} (id: {entry.number})" for entry in deleted]
    return "\n".join(first_lines(names)) if names else "Nothing was left to delete"


def delete_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools that take memories out."""
    return [tool(DeleteTools(worker).memory_delete, title="Delete memories", effect=DELETES)]
