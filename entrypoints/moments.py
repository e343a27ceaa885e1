"""
Moments of action and of a subagent's start, read from a host's JSON.

Hosts name their tools and fields differently. An unknown tool is no moment.
"""

import json
import os
import re
from collections.abc import Mapping
from typing import TypeAlias

from hardwon.domain.model.conversation.actions import Action, Change, Run, run_of
from hardwon.domain.model.edit import Edit
from hardwon.domain.model.failure import Failure
from hardwon.domain.model.moment import Moment, OpenedFile, Task

Document: TypeAlias = Mapping[str, object]

EVENTS = PASSED, FAILED = "PostToolUse", "PostToolUseFailure"
"""Claude Code's names of the events after an action."""

TASKS = ("SubagentStart", "UserPromptSubmit")
"""
The events before the first request of a subagent.

In Codex it is the second, which has the task.
"""

SHELLS = frozenset({"Bash", "PowerShell", "bash", "shell", "run_shell_command"})
EDITS = frozenset({"Edit", "MultiEdit", "Write", "edit", "write", "replace", "write_file"})
READS = frozenset({"Read", "read", "read_file", "apply_patch"})
"""
Tools that open a file.

Codex has no event for reading, so its patches count.
"""

PATH_FIELDS = ("file_path", "filePath", "path", "absolute_path")
OLD_FIELDS = ("old_string", "oldString")
NEW_FIELDS = ("new_string", "newString", "content")
OUTPUT_FIELDS = ("error", "tool_response")
TEXT_FIELDS = ("stdout", "output", "llmContent", "stderr")
STDOUT, BACKGROUND = "stdout", "backgroundTaskId"
"""Claude Code's fields of a command that ended, and of one that still runs."""

_EXIT = re.compile(
    r"^Exit Code: (?!0\b)\d+(?:\s*^(?:Error|Signal|Background PIDs|Process Group PGID): .*)*\s*\Z",
    re.MULTILINE,
)
"""Gemini CLI's last lines, with the exit code if it is not 0."""

_UNENDED = re.compile(
    r"(?i)\b(?:cancelled by|timed out|moved to (?:the )?background|Background PIDs: \d)"
)
"""Gemini CLI's words for a command that did not end by itself."""

_LABEL = re.compile(r"^Output: ", re.MULTILINE)
"""Gemini CLI's word before the output."""

_PATCHED = re.compile(r"^\*\*\* (?:Update|Add) File: (.+)$", re.MULTILINE)
"""A changed file in the patch of Codex's `apply_patch`."""


def with_outcome(payload: Document, transcript_path: str) -> Document:
    """Return *payload* with the outcome of a command, which Codex's hooks are not told."""
    output = payload.get("tool_response")
    if payload.get("hook_event_name") != PASSED or payload.get("tool_name") not in SHELLS:
        return payload
    if not isinstance(output, str) or not transcript_path:
        return payload
    from hardwon.entrypoints.bootstrap_capture import read_exit_code  # only Codex needs it

    command = _command(_table(payload.get("tool_input")).get("command"))
    code = read_exit_code(transcript_path, command)
    if code is None:
        return payload
    if code:
        return {**payload, "hook_event_name": FAILED, "tool_response": None, "error": output}
    return {**payload, "tool_response": {STDOUT: output}}


def moment_of(payload: Document, project_root: str) -> Moment | None:
    """Return what the agent did by *payload*, None for what is no moment."""
    if payload.get("hook_event_name") in TASKS:
        return _task(payload) if payload.get("agent_id") else None
    event, tool = payload.get("hook_event_name"), payload.get("tool_name")
    if event not in EVENTS or not isinstance(tool, str):
        return None
    given = _table(payload.get("tool_input"))
    failed = event == FAILED
    if tool in SHELLS:
        return _failure(_command(given.get("command")), payload, failed=failed)
    if tool.startswith("mcp__"):
        return _failure(tool, payload, failed=True) if failed else None
    return None if failed else _of_file(tool, given, project_root)


def _task(payload: Document) -> Task:
    """Return the task of the subagent, which the transcript has if *payload* has not."""
    if given := _text(payload.get("prompt")):
        return Task(given)
    from hardwon.entrypoints.bootstrap_capture import read_task  # only Claude Code needs it

    names = ("transcript_path", "agent_id", "agent_type")
    return Task(read_task(*(_text(payload.get(name)) for name in names)))


def _of_file(tool: str, given: Document, project_root: str) -> Edit | OpenedFile | None:
    patched = _PATCHED.search(_text(given.get("command")))
    path = patched[1].strip() if patched else _first(given, PATH_FIELDS)
    if not path or tool not in EDITS | READS:
        return None
    path = relative_to(project_root, path)
    if tool in READS:
        return OpenedFile(path)
    return Edit(path, _first(given, OLD_FIELDS), _first(given, NEW_FIELDS))


def passed_run(payload: Document, *, reads_output: bool) -> Run | None:
    """
    Return the run of a command that passed, None for other events.

    The host must tell it. To read the output takes longer, and may show that the command failed.
    """
    result = _table(payload.get("tool_response"))
    if payload.get("hook_event_name") != PASSED or payload.get("tool_name") not in SHELLS:
        return None
    if STDOUT not in result or result.get("interrupted") or result.get(BACKGROUND):
        return None
    command = _command(_table(payload.get("tool_input")).get("command"))
    run = run_of(command, _output(result) if reads_output else "", failed=False)
    return run if run and not run.failed else None


def action_of(payload: Document) -> Action | None:
    """Return the ended run or the change that *payload* reports, None for neither."""
    event, tool = payload.get("hook_event_name"), payload.get("tool_name")
    given = _table(payload.get("tool_input"))
    if event not in EVENTS or not isinstance(tool, str) or payload.get("is_interrupt") is True:
        return None
    if tool in SHELLS:
        output = "\n".join(filter(None, (_output(payload.get(name)) for name in OUTPUT_FIELDS)))
        failed = event == "PostToolUseFailure" or _EXIT.search(output) is not None
        is_ended = failed or _is_ended(payload.get("tool_response"), output)
        command = _command(given.get("command"))
        return run_of(command, _LABEL.sub("", output), failed=failed) if is_ended else None
    path = _first(given, PATH_FIELDS)
    return Change(path) if path and tool in EDITS and event == "PostToolUse" else None


def _is_ended(result: object, output: str) -> bool:
    """Return whether the host says that a command ended by itself."""
    fields = _table(result)
    if STDOUT in fields:
        return not (fields.get("interrupted") or fields.get(BACKGROUND))
    return "llmContent" in fields and not _UNENDED.search(output)


def _failure(command: str, payload: Document, *, failed: bool) -> Failure | None:
    """
    Return the failure of *command*.

    Where the host does not say that it failed, its output must show it.
    """
    if payload.get("is_interrupt") is True:
        return None
    given = "\n".join(filter(None, (_output(payload.get(name)) for name in OUTPUT_FIELDS)))
    failure = Failure(command, _LABEL.sub("", given))
    if failed or _EXIT.search(given):
        return None if failure.is_expected else failure
    return failure if failure.is_shown else None


def _output(value: object) -> str:
    """Return the text of a tool's result, from a string, object or list."""
    fields = _table(value)
    named = (_joined(fields.get(name)) for name in TEXT_FIELDS)
    return "\n".join(filter(None, named)) or _joined(value)


def _joined(value: object) -> str:
    """Return a text, or the texts of a list of parts."""
    parts = value if isinstance(value, list) else [{"text": value}]
    return "\n".join(_text(_table(part).get("text")) for part in parts)


def _first(given: Document, names: tuple[str, ...]) -> str:
    return next(filter(None, (_text(given.get(name)) for name in names)), "")


def relative_to(project_root: str, path: str) -> str:
    """Return *path* as it is named from the project, with slashes."""
    root = os.path.realpath(project_root)
    if "\0" in path:  # no path of a file
        return path
    if os.path.isabs(path) and os.path.realpath(path).startswith(os.path.join(root, "")):
        path = os.path.relpath(os.path.realpath(path), root)
    return path.replace("\\", "/")


def _table(value: object) -> Document:
    """Return *value* as an object, which some hosts send as JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, Mapping) else {}


def _command(value: object) -> str:
    """Return a shell's command, the last of its arguments if they are a list."""
    return _text(value[-1] if isinstance(value, list) and value else value)


def _text(value: object) -> str:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
