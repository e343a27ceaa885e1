"""
Transcripts of Codex: rollouts.

Exchanges given as they are: `{"user", "assistant", "timestamp"}` a line.
"""

import re
from collections.abc import Mapping
from typing import Any

from hardwon.adapters.transcripts.records import objects_in, text_or
from hardwon.adapters.transcripts.said import Utterance, moment

_INJECTED = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|turn_aborted|skill)\b|# AGENTS\.md instructions)"
)


def utterance_in_codex(line: Mapping[str, Any]) -> Utterance | None:
    """Return what *line* says, None when that is nothing."""
    payload = line.get("payload")
    if not isinstance(payload, dict) or payload.get("type") != "message":
        return None
    blocks = objects_in(payload.get("content"))
    texts = [text for text in (text_or(block.get("text")) for block in blocks) if text.strip()]
    own = Utterance(moment(line.get("timestamp")))
    if payload.get("role") == "assistant":
        return own._replace(replies=tuple(texts)) if texts else None
    typed = [text for text in texts if not _INJECTED.match(text)]
    return own._replace(prompt="\n\n".join(typed)) if typed and payload.get("role") == "user" else None


def utterance_in_plain(line: Mapping[str, Any]) -> Utterance | None:
    """Return what *line* says, None when it is no exchange."""
    user, assistant = line.get("user") or "", line.get("assistant") or ""
    if not isinstance(user, str) or not isinstance(assistant, str) or not (user + assistant).strip():
        return None
    return Utterance(moment(line.get("timestamp")), prompt=user, replies=(assistant,))
