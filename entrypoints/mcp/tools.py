"""The registry of all tools."""

from collections.abc import Mapping

from hardwon.entrypoints.mcp.schema import Tool
from hardwon.entrypoints.mcp.threads import MemoryWorker
from hardwon.entrypoints.mcp.tools_change import change_tools, delete_tools, store_tools
from hardwon.entrypoints.mcp.tools_checkpoints import checkpoint_tools
from hardwon.entrypoints.mcp.tools_documents import document_tools
from hardwon.entrypoints.mcp.tools_entries import browse_tools, stats_tools
from hardwon.entrypoints.mcp.tools_search import search_tools, surfacing_tools

GROUPS = (
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


def make_tools(worker: MemoryWorker) -> Mapping[str, Tool]:
    """Return the tools of *worker* by name."""
    return {tool.description["name"]: tool for make in GROUPS for tool in make(worker)}
