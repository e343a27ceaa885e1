"""The texts that a host gave its model beside the conversation, as its transcript has them. Standard library only."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from typing import Any

from hardwon.adapters.transcripts.latest_turn import last_lines
from hardwon.adapters.transcripts.records import object_in, texts_in
from hardwon.domain.model.injection.delivery import GivenText

MAX_BYTES = 64 * 1024 * 1024
"""Bytes at the end of the file that are read: a twentieth of a second."""

HOOK_TEXTS = ("hook_success", "hook_additional_context")
"""Claude Code's attachments with what the model got of a hook's plain output, and of its JSON."""

_COULD_HAVE = re.compile(rb'"type"\s*:\s*"(?:attachment|response_item)"')
_HAS_GIVEN = re.compile(rb'"type"\s*:\s*"hook_(?:success|additional_context)"|"role"\s*:\s*"developer"')


def given_texts(path: str) -> list[GivenText] | None:
    """
    Return the texts that the model got beside the conversation, in the order of the transcript at *path*.

    Returns:
        None where it can't be known: no file, or one without a line that could have such a text.

    """
    found, could_have = list[GivenText](), False
    for line in last_lines(path, MAX_BYTES):
        could_have = could_have or bool(_COULD_HAVE.search(line))
        if _HAS_GIVEN.search(line):
            found += _given_in(object_in(line))
    return found if could_have else None


def _given_in(line: Mapping[str, Any]) -> Iterator[GivenText]:
    at = _time(line.get("timestamp"))
    attachment, payload = line.get("attachment"), line.get("payload")
    if isinstance(attachment, dict) and attachment.get("type") in HOOK_TEXTS:
        content = attachment.get("content")
        texts = content if isinstance(content, list) else [content]
    elif isinstance(payload, dict) and payload.get("role") == "developer":
        texts = texts_in(payload.get("content"))
    else:
        texts = []
    yield from (GivenText(text, at) for text in texts if isinstance(text, str))


def _time(value: Any) -> dt.datetime | None:
    """Parse a time with its zone; None for anything else."""
    try:
        at = dt.datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at if at and at.tzinfo else None
