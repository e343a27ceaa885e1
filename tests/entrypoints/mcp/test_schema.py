"""Schemas of the tools."""

import tempfile
from typing import Annotated, Any

import anyio
import pytest
from pydantic import Field

from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.mcp.protocol import ToolError
from hardwon.entrypoints.mcp.schema import READS, ToolAnswer, tool
from hardwon.entrypoints.mcp.server import MemoryServer
from hardwon.entrypoints.mcp.threads import MemoryWorker


class Found(ToolAnswer):
    """The result."""

    spec_folder: str = Field(description="Where")


async def memory_find(
    spec_folder: Annotated[str, Field(description="Where to look")],
    limit: Annotated[int, Field(description="How many", ge=1, le=50)] = 10,
) -> Found:
    """
    Find.

    All of it.
    """
    if spec_folder == "refused":
        raise ToolError("the folder is refused: use another")
    if spec_folder == "broken":
        raise StorageError("the store is\nbroken: run hardwon doctor")
    if spec_folder == "bug":
        raise RuntimeError("a secret of ours")
    return Found(message=f"{limit} in {spec_folder}", spec_folder=spec_folder)


MADE = tool(memory_find, title="Find", effect=READS)


def call(**arguments: object) -> Any:
    with tempfile.TemporaryDirectory() as store:
        worker = MemoryWorker(Settings(global_store=store), store, pytest.fail)
        return anyio.run(
            MemoryServer(worker, {"memory_find": MADE}).call_tool, "memory_find", arguments
        )


def test_names_are_in_camel_case_on_the_wire() -> None:
    assert list(MADE.description["inputSchema"]["properties"]) == ["specFolder", "limit"]
    assert MADE.description["inputSchema"]["properties"]["limit"] == {
        "default": 10,
        "description": "How many",
        "maximum": 50,
        "minimum": 1,
        "type": "integer",
    }
    assert MADE.description["description"] == "Find.\n\nAll of it."


def test_the_text_of_an_answer_is_its_message_and_the_data_begins_with_it() -> None:
    result = call(specFolder="specs/1")

    assert [block["text"] for block in result["content"]] == ["10 in specs/1"]
    assert list(result["structuredContent"].items()) == [
        ("message", "10 in specs/1"),
        ("specFolder", "specs/1"),
    ]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"specFolder": "x", "limit": 0}, "limit is 0: input should be greater than or equal to 1"),
        (
            {"specFolder": "x", "limit": "many"},
            'limit is "many": input should be a valid integer, unable to parse string as an integer',
        ),
        ({"spec_folder": "x"}, "missing: specFolder; unknown: spec_folder, use specFolder, limit"),
        ({"specFolder": "refused"}, "the folder is refused: use another"),
        ({"specFolder": "broken"}, "the store is\\nbroken: run hardwon doctor"),
    ],
)
def test_a_refusal_is_one_line_that_says_what_to_change(
    arguments: dict[str, object], line: str
) -> None:
    result = call(**arguments)

    assert result["isError"]
    assert [block["text"] for block in result["content"]] == [line]


def test_an_internal_fault_is_logged_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    result = call(specFolder="bug")

    assert result["isError"]
    assert [block["text"] for block in result["content"]] == ["Error executing tool memory_find"]
    assert "a secret of ours" in caplog.text
