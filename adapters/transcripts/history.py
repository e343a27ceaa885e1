"""The history of a continued or forked session, across transcripts."""

import datetime as dt
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from glob import escape, glob
from itertools import chain, islice, takewhile
from typing import Any

from hardwon.adapters.transcripts.given_texts import MAX_BYTES, texts_given_in
from hardwon.adapters.transcripts.latest_turn import last_lines
from hardwon.adapters.transcripts.records import (
    SYNTHETIC,
    object_in,
    objects_in,
    text_or,
    zoned_time,
)
from hardwon.domain.model.injection.receipt import GivenText, LastResponse

MAX_TAIL_BYTES = 1024 * 1024
"""Bytes at the end of a transcript that are searched for its last response."""

MAX_CANDIDATES = 20
"""Transcripts that are compared, those first that were written soonest after the response."""

EARLIEST, LATEST = dt.timedelta(seconds=-10), dt.timedelta(seconds=1)
"""
Tolerance of a response's time.

The host rounds its age and takes it before the hook began.
"""

_COMPACTION = re.compile(rb'"(?:sub)?type"\s*:\s*"(?:compact_boundary|compacted)"')
_RESPONSE = re.compile(rb'"type"\s*:\s*"assistant"')
_ORDINAL = re.compile(rb'"ordinal"\s*:\s*(\d+)')
_COUNTS = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)
_NO_RESPONSES = ("advisor_message", "compaction")


def history_texts(path: str) -> list[GivenText] | None:
    """
    Return the given texts that the model still has.

    They are those since the last compaction, of the session and of those it was forked from.

    Returns:
        None if it can't be known: no file, or none with a line that could have such a text.
    """
    passages = list[Sequence[GivenText]]()
    for line in _history_lines(path):
        if _is_compaction(line):
            passages = [()]
        elif (texts := texts_given_in(line)) is not None:
            passages.append(texts)
    return [*chain.from_iterable(passages)] if passages else None


def original_of(path: str, response: LastResponse, now: dt.datetime) -> str:
    """
    Return the transcript that a fork will copy to *path*.

    Claude Code writes the copy after the session start and does not name the original, which lies
    in the same folder. It is found by the last response that the host describes.
    """
    at = now - dt.timedelta(seconds=response.age)
    return next(
        (
            file
            for file in _changed_since(os.path.dirname(path), at + EARLIEST)
            if _ends(file, response, at)
        ),
        "",
    )


def _history_lines(
    path: str, end: float = math.inf, origins: frozenset[str] = frozenset()
) -> Iterator[bytes]:
    """
    Yield the lines of the forked sessions, then its own before the ordinal *end*.

    Codex copies no history: a fork's first line names the session that has it, and the ordinal
    where it ends.
    """
    lines = last_lines(path, MAX_BYTES)
    first = next(lines, b"")
    origin, length = _origin_in(first)
    if origin and origin not in origins:
        for original in glob(_pattern_of(origin, path)):
            yield from _history_lines(original, min(end, length), origins | {origin})
    yield from takewhile(lambda line: _ordinal_in(line) < end, chain([first], lines))


def _origin_in(line: bytes) -> tuple[str, float]:
    """Return a fork's original session and the ordinal where that one's part ends."""
    payload = object_in(line).get("payload")
    payload = payload if isinstance(payload, dict) else {}
    origin, length = (
        text_or(payload.get("forked_from_id")),
        payload.get("forked_from_ordinal_exclusive"),
    )
    return (origin, length) if origin and isinstance(length, int) else ("", math.inf)


def _pattern_of(session: str, path: str) -> str:
    days = os.path.join(os.path.dirname(path), *[os.pardir] * 3)
    return os.path.join(escape(days), "*", "*", "*", f"rollout-*-{escape(session)}.jsonl")


def _ordinal_in(line: bytes) -> int:
    found = _ORDINAL.search(line)
    return int(found[1]) if found else 0


def _is_compaction(line: bytes) -> bool:
    if not _COMPACTION.search(line):
        return False
    fields = object_in(line)
    return fields.get("subtype") == "compact_boundary" or fields.get("type") == "compacted"


def _changed_since(folder: str, at: dt.datetime) -> Iterator[str]:
    changed = list[tuple[float, str]]()
    with suppress(OSError), os.scandir(folder) as files:
        for file in files:
            if file.name.endswith(".jsonl") and (time := file.stat().st_mtime) >= at.timestamp():
                changed.append((time, file.path))
    return islice((path for _, path in sorted(changed)), MAX_CANDIDATES)


def _ends(path: str, response: LastResponse, about: dt.datetime) -> bool:
    last = _last_response(path)
    at = zoned_time(last.get("timestamp"))
    return (
        at is not None
        and EARLIEST <= at - about <= LATEST
        and _tokens_of(last["message"]) == response.tokens
    )


def _last_response(path: str) -> Mapping[str, Any]:
    lines = [line for line in last_lines(path, MAX_TAIL_BYTES) if _RESPONSE.search(line)]
    return next(filter(_is_response, map(object_in, reversed(lines))), {})


def _is_response(line: Mapping[str, Any]) -> bool:
    message = line.get("message")
    is_of_session = line.get("type") == "assistant" and not line.get("isSidechain")
    return is_of_session and isinstance(message, dict) and message.get("model") != SYNTHETIC


def _tokens_of(message: Mapping[str, Any]) -> int:
    """
    Return the tokens of the context behind *message*.

    If the server called tools in between, the last request counts.
    """
    usage = message.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    requests = [
        request
        for request in objects_in(usage.get("iterations"))
        if request.get("type") not in _NO_RESPONSES
    ]
    last = requests[-1] if requests else usage
    return sum(count for count in map(last.get, _COUNTS) if isinstance(count, int))
