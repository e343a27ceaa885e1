"""Texts that a host gave its model beside the conversation."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from hardwon.adapters.transcripts.latest_turn import last_lines
from hardwon.adapters.transcripts.records import object_in, texts_in, zoned_time
from hardwon.domain.model.injection.receipt import GivenText

MAX_BYTES = 64 * 1024 * 1024
"""
Bytes at the end of the file that are read.

A twentieth of a second.
"""

HOOK_TEXTS = ("hook_success", "hook_additional_context")
"""Claude Code's attachments for a hook's plain output and for its JSON."""

_COULD_HAVE = re.compile(rb'"type"\s*:\s*"(?:attachment|response_item)"')
_HAS_GIVEN = re.compile(
    rb'"type"\s*:\s*"hook_(?:success|additional_context)"|"role"\s*:\s*"developer"'
)


def given_texts(path: str) -> list[GivenText] | None:
    """
    Return the texts that the model got beside the conversation, in order.

    Returns:
        None if it can't be known: no file, or one without a line that could have such a text.
    """
    passages = [
        texts for line in last_lines(path, MAX_BYTES) if (texts := texts_given_in(line)) is not None
    ]
    return [*chain.from_iterable(passages)] if passages else None


def texts_given_in(line: bytes) -> Sequence[GivenText] | None:
    """Return the given texts in a line, None for another kind."""
    if not _COULD_HAVE.search(line):
        return None
    return [*_given_in(object_in(line))] if _HAS_GIVEN.search(line) else ()


def _given_in(line: Mapping[str, Any]) -> Iterator[GivenText]:
    at = zoned_time(line.get("timestamp"))
    attachment, payload = line.get("attachment"), line.get("payload")
    if isinstance(attachment, dict) and attachment.get("type") in HOOK_TEXTS:
        content = attachment.get("content")
        texts = content if isinstance(content, list) else [content]
    elif isinstance(payload, dict) and payload.get("role") == "developer":
        texts = texts_in(payload.get("content"))
    else:
        texts = []
    yield from (GivenText(text, at) for text in texts if isinstance(text, str))
