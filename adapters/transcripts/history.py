"""The history with which a session goes on, which another session's transcript may have. Standard library only."""

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
from hardwon.adapters.transcripts.records import SYNTHETIC, object_in, objects_in, text_or, zoned_time
from hardwon.domain.model.injection.receipt import GivenText, LastResponse

MAX_TAIL_BYTES = 1024 * 1024
"""Bytes at the end of a transcript in which its last response is looked for."""

MAX_CANDIDATES = 20
"""Transcripts whose last response is compared, those first that were written to soonest after it."""

EARLIEST, LATEST = dt.timedelta(seconds=-10), dt.timedelta(seconds=1)
"""How far a response may be from its time by the host's age of it, which is rounded and was taken before the hook began."""

_COMPACTION = re.compile(rb'"(?:sub)?type"\s*:\s*"(?:compact_boundary|compacted)"')
_RESPONSE = re.compile(rb'"type"\s*:\s*"assistant"')
_ORDINAL = re.compile(rb'"ordinal"\s*:\s*(\d+)')
_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
_NO_RESPONSES = ("advisor_message", "compaction")


def history_texts(path: str) -> list[GivenText] | None:
    """
    Return the texts that the model still has beside the conversation as the session at *path* goes on.

    They are those since the last compaction, of the session and of those that it was forked from.

    Returns:
        None where it can't be known: no file, or none with a line that could have such a text.

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
    Return the transcript whose history a fork will copy to *path*; empty where none fits.

    Claude Code writes the copy after the session start, and does not name the original, which lies in the same folder.
    It is known by the last response that the host describes.
    """
    at = now - dt.timedelta(seconds=response.age)
    return next(
        (file for file in _changed_since(os.path.dirname(path), at + EARLIEST) if _ends(file, response, at)), ""
    )


def _history_lines(path: str, end: float = math.inf, origins: frozenset[str] = frozenset()) -> Iterator[bytes]:
    """
    Yield the lines of the sessions from which the one at *path* was forked, then its own before the ordinal *end*.

    Codex copies no history: the first line of a fork names the session that has it, and the ordinal where it ends.
    """
    lines = last_lines(path, MAX_BYTES)
    first = next(lines, b"")
    origin, length = _origin_in(first)
    if origin and origin not in origins:
        for original in glob(_pattern_of(origin, path)):
            yield from _history_lines(original, min(end, length), origins | {origin})
    yield from takewhile(lambda line: _ordinal_in(line) < end, chain([first], lines))


def _origin_in(line: bytes) -> tuple[str, float]:
    """Return the session from which another one was forked, by its first line, and where that one's part ends."""
    payload = object_in(line).get("payload")
    payload = payload if isinstance(payload, dict) else {}
    origin, length = text_or(payload.get("forked_from_id")), payload.get("forked_from_ordinal_exclusive")
    return (origin, length) if origin and isinstance(length, int) else ("", math.inf)


def _pattern_of(session: str, path: str) -> str:
    """Return a pattern of the transcript of *session*, which lies in a folder of a day as that at *path* does."""
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
    """Yield the transcripts in *folder* that were written to since, the first of them first."""
    changed = list[tuple[float, str]]()
    with suppress(OSError), os.scandir(folder) as files:
        for file in files:
            if file.name.endswith(".jsonl") and (time := file.stat().st_mtime) >= at.timestamp():
                changed.append((time, file.path))
    return islice((path for _, path in sorted(changed)), MAX_CANDIDATES)


def _ends(path: str, response: LastResponse, about: dt.datetime) -> bool:
    """Return whether the last response in the transcript at *path* is *response*, which was given *about* then."""
    last = _last_response(path)
    at = zoned_time(last.get("timestamp"))
    return at is not None and EARLIEST <= at - about <= LATEST and _tokens_of(last["message"]) == response.tokens


def _last_response(path: str) -> Mapping[str, Any]:
    """Return the line of the last response that a model gave in Claude Code; an empty one where there is none."""
    lines = [line for line in last_lines(path, MAX_TAIL_BYTES) if _RESPONSE.search(line)]
    return next(filter(_is_response, map(object_in, reversed(lines))), {})


def _is_response(line: Mapping[str, Any]) -> bool:
    message = line.get("message")
    is_of_session = line.get("type") == "assistant" and not line.get("isSidechain")
    return is_of_session and isinstance(message, dict) and message.get("model") != SYNTHETIC


def _tokens_of(message: Mapping[str, Any]) -> int:
    """Return the tokens of the context behind *message*, by its last request where the server called tools in between."""
    usage = message.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    requests = [request for request in objects_in(usage.get("iterations")) if request.get("type") not in _NO_RESPONSES]
    last = requests[-1] if requests else usage
    return sum(count for count in map(last.get, _COUNTS) if isinstance(count, int))
