"""Hosts whose hooks speak otherwise than Claude Code's: their JSON in, and out. Standard library only."""

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hardwon.entrypoints.hooking.request import SESSION_START, USAGE, UsageError

OPTION = "--host"
GEMINI = "gemini"
EVENTS = {"BeforeAgent": "UserPromptSubmit", "AfterAgent": "Stop"}
"""Gemini CLI's names, where they are not ours."""

INJECTED = r"(?s)<hook_context>.*?</hook_context>\s*"


class HostPayload(NamedTuple):
    """
    A payload as Claude Code would put it, and how to answer it.

    Attributes:
        payload: The host's JSON.
        answer: What to print for a block.
        complaints: What was odd about the host, one line each.

    """

    payload: bytes
    answer: Callable[[str], str] = lambda text: text
    complaints: tuple[str, ...] = ()


def named_host(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """
    Return the host that *arguments* name, None for one that speaks as Claude Code does, and the options without it.

    Raises:
        UsageError: they name a host and hold options too: a host's JSON says all.
    """
    first, equals, value = arguments[0].partition("=") if arguments else ("", "", "")
    if first != OPTION:
        return None, list(arguments)
    host, others = (value, arguments[1:]) if equals else ("".join(arguments[1:2]), arguments[2:])
    if others:
        raise UsageError(f"{OPTION} {host!r} goes without other options; {USAGE}")
    return host, []


def understood(host: str | None, payload: bytes) -> HostPayload:
    """Return what *host* says; what is no object stays as it is, for whoever reads it to complain."""
    if host is None:
        return HostPayload(payload)
    if host != GEMINI:
        complaint = f"{OPTION} {host!r:.60} is none with a language of its own: leave it out, or name {GEMINI!r}"
        return HostPayload(payload, complaints=(complaint,))
    try:
        document = json.loads(payload.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return HostPayload(payload, _answer_to(SESSION_START))
    event = document.get("hook_event_name")
    answer = _answer_to(event if isinstance(event, str) else SESSION_START)
    return HostPayload(json.dumps(_ours(document)).encode(), answer)


def _ours(document: dict[str, object]) -> dict[str, object]:
    """Return the payload with our names; its transcript is left out, as it is of another format: events say it all."""
    ours = {name: value for name, value in document.items() if name not in ("transcript_path", "prompt")}
    event = document.get("hook_event_name")
    prompt = document.get("prompt")
    if event == "BeforeAgent" and isinstance(prompt, str):
        ours["prompt"] = re.sub(INJECTED, "", prompt).strip()
    if event == "AfterAgent":
        ours["last_assistant_message"] = document.get("prompt_response")
    return {**ours, "hook_event_name": EVENTS.get(event, event)} if isinstance(event, str) else ours


def _answer_to(event: str) -> Callable[[str], str]:
    """Return what makes of a block the only answer that Gemini CLI reads; ASCII, as a pipe's encoding is its guess."""

    def answer(text: str) -> str:
        return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}) + "\n"

    return answer
