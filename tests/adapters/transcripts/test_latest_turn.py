"""The last turn, read from the end of a transcript: edits, and text that is not the agent's."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.transcripts.latest_turn import (
    MAX_TAIL_BYTES,
    latest_turn,
    unanswered_call,
)
from hardwon.domain.model.injection.receipt import SessionTurn
from hardwon.domain.model.injection.usage_signals import LONGEST_TEXT
from tests.strategies import few_examples

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a transcript of lines, as JSON or as they are, and returns its path."""

    def write(*lines: object) -> str:
        path = tmp_path / "transcript.jsonl"
        texts = (line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
        path.write_bytes(b"".join(text + b"\n" for text in texts))
        return str(path)

    return write


def user(content: object, **more: object) -> dict[str, object]:
    return {"type": "user", "message": {"role": "user", "content": content}, **more}


def tool(name: str, **given: object) -> dict[str, object]:
    block = {"type": "tool_use", "id": "1", "name": name, "input": given}
    return {"type": "assistant", "message": {"role": "assistant", "content": [block]}}


def codex(**payload: object) -> dict[str, object]:
    return {"type": "response_item", "payload": payload}


PATCH = """*** Begin Patch
*** Update File: src/a.py
@@ def f
 context
-before
+after
+more
*** Add File: docs/knowledge-bank/patterns.md
+### An entry
*** End Patch"""


def test_every_tool_that_edits_counts_since_the_last_prompt(write: Write) -> None:
    path = write(
        user("first prompt"),
        tool("Write", file_path="/a.py", content="of an earlier turn"),
        user([{"type": "text", "text": "second prompt"}]),
        tool("Edit", file_path="/a.py", old_string="before", new_string="edited"),
        user(
            [{"type": "tool_result", "tool_use_id": "1", "content": "a result"}], toolUseResult={}
        ),
        user("the skill's text", isMeta=True),
        tool(
            "MultiEdit",
            file_path="/a.py",
            edits=[{"old_string": "b1", "new_string": "m1"}, {"new_string": "m2"}],
        ),
        tool("Write", file_path="/b.py", content="written"),
        tool("NotebookEdit", notebook_path="/n.ipynb", new_source="noted"),
        tool("Bash", command="echo no edit"),
    )
    turn = latest_turn(path)

    assert turn.answer == ""
    assert turn.edits.split("\n") == ["noted", "written", "m2", "m1", "edited"]
    assert turn.given.split("\n") == [
        "the skill's text",
        "second prompt",
        "first prompt",
        "b1",
        "before",
    ]


@pytest.mark.parametrize(
    "call",
    [
        {"type": "custom_tool_call", "name": "apply_patch", "input": PATCH},
        {"type": "function_call", "name": "apply_patch", "arguments": json.dumps({"input": PATCH})},
        {
            "type": "function_call",
            "name": "shell",
            "arguments": json.dumps({"command": ["apply_patch", PATCH]}),
        },
    ],
    ids=lambda call: f"{call['type']} {call['name']}",
)
def test_patches_of_codex_count_line_by_line(write: Write, call: dict[str, object]) -> None:
    prompt = codex(
        type="message", role="user", content=[{"type": "input_text", "text": "the prompt"}]
    )
    output = codex(type="function_call_output", output=PATCH)
    turn = latest_turn(write(codex(**call), prompt, codex(**call), output, codex(type="reasoning")))

    assert turn.edits == "after\nmore"
    assert turn.given.split("\n") == ["the prompt", "@ def f", "context", "before"]


@pytest.mark.parametrize(
    "path",
    [
        "/p/docs/knowledge-bank/patterns.md",
        "/p/memory/decisions/a.md",
        "/p/MEMORY.md",
        "CLAUDE.md",
        "C:\\memory\\a.md",
    ],
)
def test_a_write_to_the_memory_folder_is_no_usage_signal(write: Write, path: str) -> None:
    assert latest_turn(write(tool("Write", file_path=path, content="An entry."))).edits == ""
    assert (
        latest_turn(write(tool("Write", file_path="/p/memory/cache.py", content="code"))).edits
        == "code"
    )


def test_injected_memory_and_work_of_subagents_are_left_out(write: Write) -> None:
    path = write(
        {
            "type": "attachment",
            "attachment": {"type": "hook_additional_context", "content": ["injected"]},
        },
        {
            "type": "api-request",
            "body": {
                "messages": [{"type": "tool_use", "name": "Write", "input": {"content": "x"}}]
            },
        },
        {**tool("Write", file_path="/a.py", content="aside"), "isSidechain": True},
        user("aside", isSidechain=True),
    )

    assert latest_turn(path) == SessionTurn()


def test_only_the_tail_is_read_and_its_newest_texts_are_kept(write: Write) -> None:
    filler = {"type": "system", "text": "x" * MAX_TAIL_BYTES}
    tail = [tool("Write", content=f"{number} " + "y" * 9_000) for number in range(4)]
    turn = latest_turn(write(user("far away"), filler, *tail))

    assert turn.given == ""
    assert [line[0] for line in turn.edits.split("\n")] == ["3", "2", "1"]
    assert LONGEST_TEXT - 10 <= len(turn.edits) <= LONGEST_TEXT


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b'{"type":"user"',
        b'{"type":"user","message":' + b"[" * 100_000,
        b'["type", {"type":"user"}]',
        b'{"type":"user","message":null}',
        b'{"type":"user","message":{"content":7}}',
        b'{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":[]}]}}',
        b'{"type":"assistant","message":{"content":[{"type":"tool_use","name":"MultiEdit","input":{"edits":[1]}}]}}',
        b'{"type":"response_item","payload":{"type":"custom_tool_call","input":7,"arguments":"*** Begin Patch {"}}',
        b'{"type":"response_item","payload":{"type":"custom_tool_call","arguments":"[\\"*** Begin Patch\\"]"}}',
        b'{"type":"response_item","payload":[]}',
        b"\xff\x00\x80",
    ],
)
def test_lines_that_make_no_sense_are_passed_over(write: Write, line: bytes) -> None:
    turn = latest_turn(write(line, tool("Write", content="written"), line))

    assert turn.edits == "written"


@given(
    content=st.binary(max_size=200)
    | st.recursive(st.none() | st.text(max_size=5), st.lists).map(repr)
)
@few_examples
def test_whatever_a_line_holds_nothing_is_raised(
    tmp_path_factory: pytest.TempPathFactory, content: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(
        content if isinstance(content, bytes) else f'{{"type":"user","message":{content}}}'.encode()
    )

    assert latest_turn(str(path)).edits == ""


def test_a_path_that_is_no_file_yields_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    paths = [tmp_path / "missing", tmp_path, tmp_path / "pipe", "/dev/null", "\0", "/dev/zero"]

    assert [latest_turn(str(path)) for path in paths] == [SessionTurn()] * len(paths)


def attached(**attachment: object) -> dict[str, object]:
    return {"type": "attachment", "attachment": {"hookEvent": "UserPromptSubmit", **attachment}}


CANCELLED = attached(type="hook_cancelled", command="mine/hardwon_hook", timedOut=True)
GONE = attached(type="hook_non_blocking_error", stderr="MCP server 'mine' not connected")
SLOW = "MCP server 'mine' gave no answer in time"


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ((user("a"), CANCELLED), SLOW),
        ((user("a"), GONE), "MCP server 'mine' not connected"),
        ((user("a"), GONE, tool("Bash", command="x"), CANCELLED), SLOW),
        ((user("a"), CANCELLED, user([{"type": "tool_result", "content": "x"}])), SLOW),
        ((user("a"), CANCELLED, user("expanded", isMeta=True)), SLOW),
        ((user("a"), CANCELLED, user("b")), ""),
        ((user("a"), attached(type="hook_cancelled", command="other/tool")), ""),
        ((user("a"), attached(type="hook_cancelled", command="lint || exit 0")), ""),
        ((user("a"), attached(type="hook_non_blocking_error", stderr="lint: not found")), ""),
        ((user("a"), {"type": "attachment", "attachment": "hook_cancelled"}), ""),
        ((user("a"), b'{"attachment": {"type": "hook_cancelled", "command": "mine/hardwon_h'), ""),
        ((user('"type":"hook_cancelled","command":"mine/hardwon_hook"'),), ""),
        ((user("a"), attached(type="hook_non_blocking_error", stderr=7)), ""),
    ],
    ids=range(13),
)
def test_a_call_of_the_last_turn_that_the_server_did_not_answer(
    write: Write, lines: tuple[object, ...], why: str
) -> None:
    assert unanswered_call(write(*lines)) == why
    assert unanswered_call("/nowhere") == ""
