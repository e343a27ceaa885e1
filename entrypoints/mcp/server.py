from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError, UnexpectedResourceError
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_PARAMS, CallToolResult, GetPromptResult, InputRequiredResult, TextContent
from pydantic.networks import AnyUrl

from hardwon.domain.model.errors import HardwonError
from hardwon.entrypoints.mcp.instructions import INSTRUCTIONS
from hardwon.entrypoints.mcp.prompts import add_prompts
from hardwon.entrypoints.mcp.refusals import refusal
from hardwon.entrypoints.mcp.resources import add_resources
from hardwon.entrypoints.mcp.tools_browse import browse_tools
from hardwon.entrypoints.mcp.tools_change import change_tools
from hardwon.entrypoints.mcp.tools_checkpoints import checkpoint_tools
from hardwon.entrypoints.mcp.tools_delete import delete_tools
from hardwon.entrypoints.mcp.tools_documents import document_tools
from hardwon.entrypoints.mcp.tools_search import search_tools
from hardwon.entrypoints.mcp.tools_stats import stats_tools
from hardwon.entrypoints.mcp.tools_store import store_tools
from hardwon.entrypoints.mcp.tools_surfacing import surfacing_tools
from hardwon.entrypoints.mcp.worker import MemoryWorker
from hardwon.entrypoints.streams import on_one_line

NAME = "hardwon"
TOOLS = (
    store_tools,
    search_tools,
    surfacing_tools,
    browse_tools,
    stats_tools,
    change_tools,
    document_tools,
    delete_tools,
    checkpoint_tools,
)


def build_server(worker: MemoryWorker) -> "MemoryServer":
    """Return a server for the memory of *worker*, which is open while it serves."""
    server = MemoryServer(
        NAME,
        title="hardwon: hard-won lessons",
        version=version(NAME),
        instructions=INSTRUCTIONS,
        tools=[tool for make in TOOLS for tool in make(worker)],
        lifespan=lambda _: worker.open(),
        log_level="WARNING",
    )
    add_resources(server, worker)
    add_prompts(server)
    return server


class MemoryServer(MCPServer[None]):
    """The SDK's server, whose tools answer in two ways and refuse in one line."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """
        Call a tool; the text of its answer is the `message` of the structured one.

        Raises:
            ToolError: the arguments or the store are not fit; the message says what to change.
        """
        tool = self._tool_manager.get_tool(name)
        if tool is None:
            raise ToolError(f"unknown tool {name[:80]!r}: tools/list names those there are")
        try:
            result = await super().call_tool(name, arguments, context)
        except ToolError as error:
            raise refusal(error, tool.parameters) from error.__cause__
        return result if isinstance(result, InputRequiredResult) else _readable(result)

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[None, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """
        Read a resource.

        Raises:
            ResourceError: there is none, or the store can't be read; the message says why.
        """
        try:
            return await super().read_resource(uri, context)
        except UnexpectedResourceError as error:
            if isinstance(error.__cause__, HardwonError):
                raise ResourceError(on_one_line(str(error.__cause__))) from error
            raise

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[None, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """
        Return a prompt.

        Raises:
            MCPError: there is none, or its arguments are not fit.
        """
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:
            raise MCPError(INVALID_PARAMS, on_one_line(str(error))) from error

    async def serve(
        self,
        requests: MemoryObjectReceiveStream[SessionMessage | Exception],
        answers: MemoryObjectSendStream[SessionMessage],
    ) -> None:
        """Serve one client until *requests* end; the SDK itself offers this only on transports of its own."""
        server = self._lowlevel_server
        await server.run(requests, answers, server.create_initialization_options())


def _readable(result: CallToolResult) -> CallToolResult:
    message = (result.structured_content or {})["message"]
    return result.model_copy(update={"content": [TextContent(type="text", text=message)]})
