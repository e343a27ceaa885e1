"""The SDK's own client, in the newest era of the protocol."""

import anyio
from mcp import Client, StdioServerParameters

from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.mcp.conftest import LESSON, LESSON_ID


def test_the_sdks_client_finds_and_calls_the_tools(world: World) -> None:
    program = StdioServerParameters(
        command=str(BIN / "hardwon-mcp"), env=world.variables, cwd=world.project
    )

    async def visit() -> object:
        async with Client(program) as client:
            assert "store_memory" in [tool.name for tool in (await client.list_tools()).tools]
            return (await client.call_tool("store_memory", dict(LESSON))).structured_content

    answer = anyio.run(visit)

    assert isinstance(answer, dict)
    assert answer["entryId"] == LESSON_ID
