"""
The calls of tools in a transcript, as actions of the agent.

Claude Code and Codex write them. Of a result nothing is kept but what `run_of` keeps.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hardwon.adapters.transcripts.records import (
    edits_in_codex,
    edits_of_tool,
    objects_in,
    text_or,
    texts_in,
)
from hardwon.domain.model.conversation.actions import Action, Change, run_of
from hardwon.domain.model.redaction import Cleaning

SHELLS_OF_CLAUDE_CODE = frozenset({"Bash", "PowerShell"})
SHELLS_OF_CODEX = frozenset(
    {"shell", "shell_command", "local_shell", "container.exec", "exec_command"}
)
WRITES = frozenset({"Write"})
ADDED = "*** Add File: "
CALLS_OF_CODEX = ("function_call", "custom_tool_call", "local_shell_call")
RESULTS_OF_CODEX = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")

_HOSTS_WORDS = re.compile(
    r"\s*(?:<tool_use_error>|\[Request interrupted|The user doesn't want|Command timed out"
    r"|Claude requested permissions|Permission to use|This command requires approval"
    r"|\w+:\w+ hook error|Command running in background|Error: (?!Exit))"
)
"""The beginning of a result that the host wrote, not the command."""

_EXIT_CODE = re.compile(r"(?:Error: )?(?:Process exited with|Exit) code:? (\d{1,9})", re.IGNORECASE)
_TIMED_OUT = re.compile(r"^Command timed out after ", re.MULTILINE)
INTERRUPTED = frozenset({130, 137, 143})
"""Exit codes of commands that were ended by a signal."""

MAX_HEAD = 2_000
"""Characters of a result in which the host states the exit code."""

_DENIED = {"toolDenialKind": "user-rejected", "toolUseResult": "User rejected tool use"}
"""
Claude Code's marks of a refused call.

Nothing that a tool returns sets them.
"""

_REASON = re.compile(
    r"The user doesn't want to [^\n]{1,300}?(?:the user said|the following reason for the rejection):(.*)",
    re.DOTALL,
)
_NOTE = "\n\nNote: The user's next message may contain a correction"
"""Claude Code's own words after a refusal."""


class ToolCall(NamedTuple):
    """
    A call of a tool that may be part of a repair.

    Attributes:
        command: The shell command; empty for another tool.
        changes: The files that it changes.
    """

    command: str = ""
    changes: tuple[Change, ...] = ()


class ToolEnd(NamedTuple):
    """
    The end of a tool's call.

    Attributes:
        failed: Whether it failed; None if it did not end by itself, or nothing tells.
    """

    output: str
    failed: bool | None


def calls_in_claude_code(content: Any) -> Iterator[tuple[str, ToolCall]]:
    """Yield the calls in a message of the agent, each with its id."""
    for block in objects_in(content):
        given = block.get("input")
        if block.get("type") != "tool_use" or not isinstance(given, dict):
            continue
        name, call_id = text_or(block.get("name")), text_or(block.get("id"))
        if name in SHELLS_OF_CLAUDE_CODE and not given.get("run_in_background"):
            yield call_id, ToolCall(command=text_or(given.get("command")))
        elif changes := _changes(name, given):
            yield call_id, ToolCall(changes=changes)


def _changes(tool: str, given: Mapping[str, Any]) -> tuple[Change, ...]:
    paths = dict.fromkeys(edit.path for edit in edits_of_tool(tool, given) if edit.path)
    return tuple(Change(path, tool in WRITES) for path in paths)


def end_in_claude_code(block: Mapping[str, Any], details: Any) -> ToolEnd:
    """Return the end that a block with a tool's result tells."""
    output = "\n".join(texts_in(block.get("content")))
    is_interrupted = isinstance(details, dict) and details.get("interrupted") is True
    found = _EXIT_CODE.match(output)
    if is_interrupted or _is_ended_by_others(output, int(found[1]) if found else 0):
        return ToolEnd(output, None)
    return ToolEnd(output, block.get("is_error") is True)


def _is_ended_by_others(output: str, exit_code: int) -> bool:
    is_timed_out = _TIMED_OUT.search(output[-MAX_HEAD:] + "\n" + output[:MAX_HEAD])
    return bool(exit_code in INTERRUPTED or _HOSTS_WORDS.match(output) or is_timed_out)


def words_of_refusal(line: Mapping[str, Any], block: Mapping[str, Any]) -> str:
    """Return the words by which the user refused a call, empty without any."""
    if not any(line.get(mark) == value for mark, value in _DENIED.items()):
        return ""
    reason = _REASON.match("\n".join(texts_in(block.get("content"))))
    return reason[1].partition(_NOTE)[0].strip() if reason else ""


def call_in_codex(payload: Mapping[str, Any]) -> tuple[str, ToolCall] | None:
    """Return the call in a rollout's payload with its id, None without one."""
    if payload.get("type") not in CALLS_OF_CODEX:
        return None
    name, given = text_or(payload.get("name")), _arguments(payload)
    changes = tuple(_patched(payload))
    command = _command(given) if name in SHELLS_OF_CODEX or not name else ""
    call = ToolCall(changes=changes) if changes else ToolCall(command=command)
    return text_or(payload.get("call_id")), call


def _patched(payload: Mapping[str, Any]) -> Iterator[Change]:
    text = f"{text_or(payload.get('input'))}{text_or(payload.get('arguments'))}"
    for path in dict.fromkeys(edit.path for edit in edits_in_codex(payload) if edit.path):
        yield Change(path, f"{ADDED}{path}" in text)


def _arguments(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    action = payload.get("action")
    return action if isinstance(action, dict) else _json(text_or(payload.get("arguments")))


def _command(given: Mapping[str, Any]) -> str:
    """Return a shell's command, the last of its arguments if they are a list."""
    command = given.get("command") or given.get("cmd")
    return text_or(command[-1] if isinstance(command, list) and command else command)


def end_in_codex(payload: Mapping[str, Any]) -> tuple[str, ToolEnd] | None:
    """Return a call's id and end in a rollout's payload, None without one."""
    if payload.get("type") not in RESULTS_OF_CODEX:
        return None
    result = payload.get("output")
    document = result if isinstance(result, dict) else _json(text_or(result))
    output = text_or(document.get("output")) or "\n".join(texts_in(result))
    code = _exit_code(document, output)
    failed = None if code is None or _is_ended_by_others(output, code) else code != 0
    return text_or(payload.get("call_id")), ToolEnd(output, failed)


def _exit_code(document: Mapping[str, Any], output: str) -> int | None:
    details = document.get("metadata")
    code = details.get("exit_code") if isinstance(details, dict) else None
    if isinstance(code, int):
        return code
    found = _EXIT_CODE.search(output[:MAX_HEAD])
    return int(found[1]) if found else None


def _json(text: str) -> Mapping[str, Any]:
    try:
        document = json.loads(text) if text.lstrip().startswith("{") else {}
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def actions_of(call: ToolCall, end: ToolEnd, clean: Cleaning) -> Iterator[Action]:
    """Yield the actions of a call, in which paths are those of the project."""
    if call.changes and end.failed is not True:
        yield from (change._replace(path=clean(change.path)) for change in call.changes)
    elif call.command and end.failed is not None:
        run = run_of(call.command, end.output, failed=end.failed)
        if run:
            yield run._replace(
                command=clean(run.command),
                errors=tuple(error._replace(text=clean(error.text)) for error in run.errors),
            )
