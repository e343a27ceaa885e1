"""Hosts whose hooks speak otherwise than Claude Code's: their JSON in, and out. Standard library only."""

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

OPTION = "--host"
GEMINI = "gemini"
EVENTS = {"BeforeAgent": "UserPromptSubmit", "AfterAgent": "Stop"}
"""Gemini CLI's names, where they are not ours."""

INJECTED = r"(?s)<hook_context>.*?</hook_context>\s*"


class Spoken(NamedTuple):
    """
    A payload as Claude Code would put it, and how to answer it.

    Attributes:
        payload: The host's JSON.
        answer: What to print for a block.

    """

    payload: bytes
    answer: Callable[[str], str]


def named_host(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the host that *arguments* begin with, empty for one that speaks as Claude Code does, and the others."""
    first, equals, value = arguments[0].partition("=") if arguments else ("", "", "")
    if first != OPTION:
        return "", list(arguments)
    return (value, list(arguments[1:])) if equals else ("".join(arguments[1:2]), list(arguments[2:]))


def understood(host: str, payload: bytes) -> Spoken:
    """Return what *host* says; what is no object stays as it is, for whoever reads it to complain."""
    if host != GEMINI:
        return Spoken(payload, lambda text: text)
    try:
        document = json.loads(payload.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return Spoken(payload, _answer_to("SessionStart"))
    event = document.get("hook_event_name")
    return Spoken(json.dumps(_ours(document)).encode(), _answer_to(event if isinstance(event, str) else "SessionStart"))


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
