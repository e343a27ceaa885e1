"""Actions of agents in the JSON of their hosts."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.edit import Edit
from hardwon.domain.model.failure import Failure
from hardwon.domain.model.moment import OpenedFile
from hardwon.entrypoints.moments import EVENTS, moment_of

FAILED = "E   ModuleNotFoundError: No module named 'yaml'\n1 failed"
SIGNATURE = "ModuleNotFoundError: No module named 'yaml'"


def after(tool: str, given: Any, event: str = "PostToolUse", **fields: Any) -> dict[str, Any]:
    return {"hook_event_name": event, "tool_name": tool, "tool_input": given, **fields}


@pytest.mark.parametrize(
    "payload",
    [
        after("Bash", {"command": "pytest"}, "PostToolUseFailure", error=f"Exit code 1\n{FAILED}"),
        after("Bash", {"command": "pytest | tail"}, tool_response={"stdout": FAILED, "stderr": ""}),
        after("PowerShell", {"command": "pytest"}, "PostToolUseFailure", error=FAILED),
        after("Bash", {"command": "pytest"}, tool_response=FAILED),  # Codex
        after("Bash", {"command": ["bash", "-lc", "pytest"]}, tool_response=FAILED),
        after(
            "run_shell_command",  # Gemini CLI
            {"command": "pytest"},
            tool_response={"llmContent": f"Output: {FAILED}\nExit Code: 1\nSignal: (none)"},
        ),
        after(
            "run_shell_command",
            {"command": "pytest"},
            tool_response={"llmContent": [{"text": f"{FAILED}\nExit Code: 1"}]},
        ),
        after(
            "bash", {"command": "pytest"}, "PostToolUseFailure", tool_response={"output": FAILED}
        ),
        after("mcp__db__query", {}, "PostToolUseFailure", error=FAILED),
        after(
            "mcp__db__query",
            {},
            "PostToolUseFailure",
            tool_response=[{"type": "text", "text": FAILED}],
        ),
        after("Bash", {"command": "pytest"}, tool_response={"stdout": f"Exit code: 0\n{FAILED}"}),
        after(  # by an `mcp_tool` hook: objects come as JSON text
            "Bash",
            json.dumps({"command": "pytest"}),
            "PostToolUse",
            tool_response=json.dumps({"stdout": FAILED}),
        ),
    ],
)
def test_a_failed_command_is_a_failure_in_every_hosts_words(payload: dict[str, Any]) -> None:
    moment = moment_of(payload, "/p")

    assert isinstance(moment, Failure)
    assert SIGNATURE in moment.signatures


@pytest.mark.parametrize(
    "payload",
    [
        after("Bash", {"command": "pytest"}, tool_response={"stdout": "3 passed"}),
        after("Bash", {"command": "grep x y"}, "PostToolUseFailure", error="Exit code 1\n"),
        after("Bash", {"command": "pytest"}, "PostToolUseFailure", error=FAILED, is_interrupt=True),
        after("Bash", {"command": "cat log"}, tool_response={"stdout": FAILED}),
        after("PowerShell", {"command": "Get-Content log"}, tool_response={"stdout": FAILED}),
        after(
            "run_shell_command", {"command": "make"}, tool_response={"llmContent": "Exit Code: 0"}
        ),
        after("mcp__db__query", {}, tool_response=FAILED),
        after("Bash", {"command": "cases"}, tool_response={"stdout": "Exit code: 3\nas expected"}),
        after("Edit", {"file_path": "/p/a.py"}, "PostToolUseFailure", error="not found"),
        after("Edit", {}),
        after("WebSearch", {"query": "x"}),
        after("Bash", {"command": "pytest"}, "PreToolUse"),
        {"hook_event_name": "PostToolUse"},
        {},
    ],
)
def test_an_action_that_did_not_fail_is_no_moment(payload: dict[str, Any]) -> None:
    assert moment_of(payload, "/p") is None


def test_an_error_in_json_is_read_as_it_is() -> None:
    error = '{"level":"error","message":"Error: unknown provider zork"}'
    moment = moment_of(
        after("Bash", {"command": "deploy"}, "PostToolUseFailure", error=error), "/p"
    )

    assert isinstance(moment, Failure)
    assert moment.error_lines == (error,)


def test_an_edit_has_its_path_from_the_project(tmp_path: Path) -> None:
    inside, outside = str(tmp_path / "src" / "a b.py"), "/elsewhere/x.py"
    edited = {"old_string": "one", "new_string": "two"}

    assert moment_of(after("Edit", {"file_path": inside, **edited}), str(tmp_path)) == Edit(
        "src/a b.py", "one", "two"
    )
    assert moment_of(after("write", {"filePath": outside, "content": "x"}), str(tmp_path)) == Edit(
        outside, "", "x"
    )


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Read", {"file_path": "src/a b.py"}),
        ("read", {"filePath": "src/a b.py"}),  # opencode
        ("read_file", {"absolute_path": "src/a b.py"}),  # Gemini CLI
        (
            "apply_patch",  # Codex
            {"command": "*** Begin Patch\n*** Update File: src/a b.py\n@@\n-x\n+y\n*** End Patch"},
        ),
    ],
)
@pytest.mark.parametrize("is_absolute", [False, True])
def test_a_read_or_patched_file_is_an_opened_file(
    tmp_path: Path, tool: str, given: dict[str, str], *, is_absolute: bool
) -> None:
    if is_absolute:
        inside = str(tmp_path / "src" / "a b.py")
        given = {name: text.replace("src/a b.py", inside) for name, text in given.items()}

    assert moment_of(after(tool, given), str(tmp_path)) == OpenedFile("src/a b.py")


@pytest.mark.parametrize(
    "payload",
    [
        after("Read", {"file_path": "a.py"}, "PostToolUseFailure", error="File does not exist."),
        after("Read", {}),
        after("apply_patch", {"command": "*** Begin Patch\n*** End Patch"}),
        after("Glob", {"path": "src"}),
    ],
)
def test_a_file_that_was_not_opened_is_no_moment(payload: dict[str, Any]) -> None:
    assert moment_of(payload, "/p") is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(
    st.fixed_dictionaries(
        {
            "hook_event_name": st.sampled_from(EVENTS),
            "tool_name": st.sampled_from(["Bash", "Edit", "Read", "apply_patch"]),
        },
        optional={
            name: json_values | st.just("\ud800") | st.just("[" * 2_000)
            for name in ("tool_input", "tool_response", "error", "is_interrupt")
        },
    )
)
def test_any_payload_is_read(payload: dict[str, Any]) -> None:
    moment_of(payload, "/p")
