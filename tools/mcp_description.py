"""
Write what the MCP server tells clients of itself: `make generated`.

The version and the tools, as `make_tools` makes them from their functions; the server reads the
file at its start, where making the tools would take most of the time. A test compares the file with
the tools.
"""

import json
import os
from importlib.metadata import version
from pathlib import Path

from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.mcp.server import DESCRIPTION, NAME
from hardwon.entrypoints.mcp.threads import MemoryWorker
from hardwon.entrypoints.mcp.tools import make_tools


def described() -> str:
    """Return the file's text."""
    worker = MemoryWorker(Settings(global_store=""), os.curdir, lambda _: None)
    tools = [tool.description for tool in make_tools(worker).values()]
    return (
        json.dumps({"version": version(NAME), "tools": tools}, indent=1, ensure_ascii=False) + "\n"
    )


if __name__ == "__main__":
    Path(DESCRIPTION).write_text(described(), encoding="utf-8")
