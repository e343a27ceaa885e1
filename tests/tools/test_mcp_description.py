"""The prepared description of the MCP server."""

from pathlib import Path

from hardwon.entrypoints.mcp.server import DESCRIPTION
from tools.mcp_description import described


def test_the_description_is_that_of_the_tools_as_they_are() -> None:
    assert Path(DESCRIPTION).read_text(encoding="utf-8") == described(), "run `make generated`"
