"""Exchanges given as they are: `{"user", "assistant", "timestamp"}` a line."""

from collections.abc import Mapping
from typing import Any

from hardwon.adapters.transcripts.said import Said, moment


def said_in_plain(line: Mapping[str, Any]) -> Said | None:
    """Return what *line* says, None when it is no exchange."""
    user, assistant = line.get("user") or "", line.get("assistant") or ""
    if not isinstance(user, str) or not isinstance(assistant, str) or not (user + assistant).strip():
        return None
    return Said(moment(line.get("timestamp")), prompt=user, replies=(assistant,))
