"""A call of the hook, by arguments or a host's JSON."""

import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from hardwon.entrypoints.bootstrap import host_session

if TYPE_CHECKING:
    from hardwon.domain.model.injection.entry_text import Length, Measure
    from hardwon.domain.model.injection.receipt import Beginning, LastResponse

OPTIONS = ("--project-root", "--limit", "--global-store")
HELP = (["-h"], ["--help"])
USAGE = (
    "usage: hardwon-hook [--project-root PATH] [--limit N] [--global-store PATH], or hardwon-hook"
    " [--host gemini] with the host's JSON on standard input (other hosts: as Claude Code)"
)
SESSION_START = "SessionStart"
NO_EVENT = ""
NOTED = ("UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
"""Events by which a host reports utterances."""
SUBAGENT_START = "SubagentStart"
MOMENTS = ("PostToolUse", "PostToolUseFailure", SUBAGENT_START)
"""Events after an agent's actions, its subagents' too, and the start of a subagent."""
TASK = "UserPromptSubmit"
"""The event by which Codex gives a subagent its task."""
COMPACTION = "compact"
BEGINNINGS: "Mapping[str, Beginning]" = {
    COMPACTION: "emptied",
    "clear": "emptied",
    "resume": "continued",
    "fork": "continued",
}
"""
By the host's word for the source of a session start.

Others start a new session.
"""

LONGEST_NAME = 200
"""Characters of a session name. No host uses longer ones."""

CODEX_TRANSCRIPT = "rollout-"
"""Prefix of Codex's transcript files. No other host uses it."""

OLDEST_RESPONSE = 10 * 366 * 24 * 60 * 60
"""Seconds. No host existed earlier."""

LARGEST_PAYLOAD = 4 * 1024 * 1024
CHUNK_BYTES = 64 * 1024
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class UsageError(Exception):
    """The arguments can't be used, as its one-line message says."""


class HookRequest(NamedTuple):
    """
    One call of the hook.

    Attributes:
        project_root: The user's working folder.
        event: Claude Code's event name; `NO_EVENT` for events outside the user's session.
        flags: Values from the command line, by option.
        framed: Whether to mark the block for the host.
    """

    project_root: str
    event: str = SESSION_START
    flags: Mapping[str, str] = {}
    framed: bool = False
    complaints: tuple[str, ...] = ()
    payload: Mapping[str, object] = {}

    @property
    def host_event(self) -> str:
        """The event by the host's name."""
        return _text(self.payload.get("hook_event_name")) or self.event

    @property
    def session_id(self) -> str:
        """Session id from the host, empty if missing or not storable."""
        name = _text(self.payload.get("session_id"))
        return name if name.strip() and len(name) <= LONGEST_NAME else ""

    @property
    def transcript_path(self) -> str:
        """Session transcript, which need not exist, empty if the host names none."""
        path = _text(self.payload.get("transcript_path"))
        return os.path.expanduser(path) if path.strip() and "\0" not in path else ""

    @property
    def has_transcript(self) -> bool:
        """Whether there is a transcript whose lines can be read later."""
        return self.transcript_path.endswith(".jsonl") and os.path.isfile(self.transcript_path)

    @property
    def delivery(self) -> Literal["printed", "awaited"]:
        """Whether a transcript will show it, which is that of the agent."""
        return "awaited" if self.session_id and self.transcript_path else "printed"

    @property
    def prompt(self) -> str:
        """
        The user's prompt, without the host's passages.

        Empty for other events, and for messages of the host alone.
        """
        prompt = self._given_prompt
        if "<" not in prompt:
            return prompt
        from hardwon.domain.model.host_text import without_host_text  # compiles patterns

        return without_host_text(prompt).strip()

    @property
    def agent(self) -> str:
        """The name of the subagent, empty for the session's own agent."""
        name = _text(self.payload.get("agent_id"))
        return name if len(name) <= LONGEST_NAME else ""

    @property
    def _given_prompt(self) -> str:
        return _text(self.payload.get("prompt")) if self.event == "UserPromptSubmit" else ""

    @property
    def reply(self) -> str:
        """The agent's reply, empty for other events."""
        return _text(self.payload.get("last_assistant_message")) if self.event == "Stop" else ""

    @property
    def is_of_the_host(self) -> bool:
        """Whether the host itself prompted, not the user."""
        return self.payload.get("source") == "system" or (
            bool(self._given_prompt.strip()) and not self.prompt.strip()
        )

    @property
    def length(self) -> "Length":
        """How the host measures the length of its model's input."""
        from hardwon.domain.model.injection.entry_text import MEASURES  # for a block only

        return MEASURES[self.measure]

    @property
    def measure(self) -> "Measure":
        """The name of that length."""
        is_codex = os.path.basename(self.transcript_path).startswith(CODEX_TRANSCRIPT)
        return "bytes" if is_codex else "units"

    @property
    def beginning(self) -> "Beginning":
        """
        How the session begins.

        A continued session without transcript and last response counts as new.
        """
        source = self.payload.get("source")
        beginning = BEGINNINGS.get(source, "new") if isinstance(source, str) else "new"
        has_history = (
            not self.transcript_path or os.path.isfile(self.transcript_path) or self.last_response
        )
        return beginning if has_history or beginning == "emptied" else "new"

    @property
    def last_response(self) -> "LastResponse | None":
        """Last response of a continued session, None if the host gives none."""
        age, tokens = (
            self.payload.get("seconds_since_last_response"),
            self.payload.get("context_tokens"),
        )
        if not (isinstance(age, int) and isinstance(tokens, int) and 0 <= age <= OLDEST_RESPONSE):
            return None
        from hardwon.domain.model.injection.receipt import LastResponse  # for a continued session

        return LastResponse(age, tokens)

    @property
    def compacted(self) -> str:
        """Id of the session just compacted, empty if none was."""
        return self.session_id if self.payload.get("source") == COMPACTION else ""


def from_arguments(arguments: Sequence[str]) -> HookRequest:
    """Parse the argument form."""
    flags: dict[str, str] = {}
    remaining = list(arguments)
    while remaining:
        option, equals, value = remaining.pop(0).partition("=")
        if option not in OPTIONS:
            raise UsageError(f"unknown argument {option!r}; {USAGE}")
        if not equals and not remaining:
            raise UsageError(f"{option} needs a value; {USAGE}")
        flags[option] = value if equals else remaining.pop(0)
    root = flags.get("--project-root") or _working_folder()
    if not os.path.isdir(root):
        raise UsageError(f"--project-root {root!r} is not a folder")
    return HookRequest(root, flags=flags, payload={"session_id": host_session()})


def read_payload() -> bytes:
    """
    Read the host's JSON from standard input, empty without one.

    Reading stops after the first JSON object, as some hosts leave the pipe open.
    """
    payload = b""
    if sys.stdin is None or sys.stdin.isatty():
        return payload
    with contextlib.suppress(OSError):  # not open for reading
        while len(payload) <= LARGEST_PAYLOAD and (
            chunk := os.read(sys.stdin.fileno(), CHUNK_BYTES)
        ):
            payload += chunk
            if b"}" in chunk and (end := _end_of_object(payload)):
                return payload[:end]
    return payload


def _end_of_object(payload: bytes) -> int:
    text = payload.removeprefix(BYTE_ORDER_MARK).lstrip()
    if not text.startswith(b"{"):
        return 0
    try:
        _, length = json.JSONDecoder().raw_decode(text.decode("latin-1"))  # a byte a character
    except (ValueError, RecursionError):
        return 0
    return len(payload) - len(text) + length


def from_payload(payload: bytes) -> HookRequest:
    """
    Parse the host's JSON, without ever raising.

    Empty stdin means a session start in the working folder, so the hook can be tried by hand. Other
    events, and JSON that is no object, get no block.
    """
    if not payload.strip():
        return HookRequest(_working_folder(), framed=True)
    if len(payload) > LARGEST_PAYLOAD:
        return _refused("stdin holds more than 4 MB: no host sends that")
    try:
        document = json.loads(payload.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        return _refused(f"stdin is not JSON: {error}")
    if not isinstance(document, dict):
        return _refused(f"stdin is JSON but not an object: {document!r:.60}")
    return from_document(document)


def from_document(document: Mapping[str, object]) -> HookRequest:
    """Return the request in the host's JSON object."""
    if (event := document.get("hook_event_name", SESSION_START)) != SESSION_START:
        return _of_other_event(event, document)
    return _from_folder(document.get("cwd"))._replace(payload=document)


def start_of(project_root: str, measure: "Measure", flags: Mapping[str, str]) -> HookRequest:
    """Return the start of a new session in a project."""
    transcript = CODEX_TRANSCRIPT if measure == "bytes" else ""  # its name tells the host
    return HookRequest(
        project_root, flags=flags, framed=True, payload={"transcript_path": transcript}
    )


def _of_other_event(event: object, document: Mapping[str, object]) -> HookRequest:
    """
    Return the request of an event without a block.

    Events of subagents are not the user's session.
    """
    if not (isinstance(event, str) and event.isidentifier()):
        return _refused(f"hook_event_name is {event!r:.60}: only {SESSION_START!r} gets a block")
    root = document.get("cwd")
    root = root if isinstance(root, str) and os.path.isdir(root) else _working_folder()
    if document.get("agent_id"):
        event = _of_subagent(event)
    return HookRequest(root, event, framed=True, payload=document)


def _of_subagent(event: str) -> str:
    if event == TASK:
        return SUBAGENT_START
    return event if event in MOMENTS else NO_EVENT


def _from_folder(root: object) -> HookRequest:
    if isinstance(root, str) and os.path.isdir(root):
        return HookRequest(root, framed=True)
    complaint = f"cwd is {root!r:.200}, not a folder: using the working folder"
    return HookRequest(_working_folder(), framed=True, complaints=(complaint,))


def _text(value: object) -> str:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _refused(complaint: str) -> HookRequest:
    return HookRequest(_working_folder(), NO_EVENT, framed=True, complaints=(complaint,))


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return os.path.sep


OPTION = "--host"
INJECTED = r"(?s)<hook_context>.*?</hook_context>\s*"


class HostPayload(NamedTuple):
    """A payload in Claude Code's terms, and how to answer it."""

    payload: bytes
    answer: Callable[[str], str] = lambda text: text
    complaints: tuple[str, ...] = ()


def named_host(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """
    Return the host named by *arguments*, and the remaining options.

    None stands for hosts that speak as Claude Code does.
    """
    first, equals, value = arguments[0].partition("=") if arguments else ("", "", "")
    if first != OPTION:
        return None, list(arguments)
    host, others = (value, arguments[1:]) if equals else ("".join(arguments[1:2]), arguments[2:])
    if others:
        raise UsageError(f"{OPTION} {host!r} goes without other options; {USAGE}")
    return host, []


def understood(host: str | None, payload: bytes) -> HostPayload:
    """
    Translate the payload of *host* to our terms.

    A payload that is no object stays as it is; its reader complains.
    """
    if host is None:
        return HostPayload(payload)
    from hardwon.entrypoints.bootstrap_agents import gemini_hooks  # few hosts need it

    gemini = gemini_hooks()
    if host != gemini.host:
        complaint = (
            f"{OPTION} {host!r:.60} is none with a language of its own: leave it out, or name"
            f" {gemini.host!r}"
        )
        return HostPayload(payload, complaints=(complaint,))
    try:
        document = json.loads(payload.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return HostPayload(payload, answer_to(SESSION_START))
    event = document.get("hook_event_name")
    answer = answer_to(event if isinstance(event, str) else SESSION_START)
    return HostPayload(json.dumps(_translated(document, gemini.events)).encode(), answer)


def _translated(document: dict[str, object], events: Mapping[str, str]) -> dict[str, object]:
    """
    Rename fields and events, and omit the transcript.

    It is in another format; the events say it all.
    """
    translated = {
        name: value for name, value in document.items() if name not in ("transcript_path", "prompt")
    }
    event = document.get("hook_event_name")
    if not isinstance(event, str):
        return translated
    translated["hook_event_name"] = events.get(event, event)
    prompt = document.get("prompt")
    if translated["hook_event_name"] == "UserPromptSubmit" and isinstance(prompt, str):
        translated["prompt"] = re.sub(INJECTED, "", prompt).strip()
    if translated["hook_event_name"] == "Stop":
        translated["last_assistant_message"] = document.get("prompt_response")
    return translated


def answer_to(event: str) -> Callable[[str], str]:
    """
    Return a function that wraps a block in the JSON that hosts read.

    ASCII only, as the host guesses the pipe's encoding.
    """

    def answer(text: str) -> str:
        return (
            json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
            + "\n"
        )

    return answer
