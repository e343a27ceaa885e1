"""Read a section of markdown as the chunk it was written from."""

import datetime as dt
from collections.abc import Sequence
from typing import NoReturn

from hardwon.domain.model.conversation.chunk import Chunk, Metadata
from hardwon.domain.model.conversation.exchange import Answered, Exchange
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.sections.plan_links import PHASE
from hardwon.domain.model.sections.section_outline import Outline, named_value, outline
from hardwon.domain.model.sections.section_text import (
    ANSWER,
    AREAS,
    ASKED,
    ASSISTANT,
    COMMANDS,
    CONTEXT,
    DECISIONS,
    EXCHANGES,
    FILES,
    GOTCHAS,
    NONE,
    OPTION,
    PERMANENT,
    PHASES,
    PREFERENCES,
    PROJECTS,
    QUESTION,
    SESSION,
    TIME,
    TOPIC,
    USER,
    YES,
)
from hardwon.domain.model.sections.verbatim import enumerated, unescaped, unquoted

_FACTS = {TIME, TOPIC, SESSION, PROJECTS, COMMANDS, AREAS, PHASES, PERMANENT}
_PARTS = {CONTEXT, EXCHANGES, DECISIONS, GOTCHAS, PREFERENCES, FILES}


def section_chunk(chunk_id: str, text: str) -> Chunk | None:
    """Return the chunk that the section *text* was written from, None where it was edited beyond recognition."""
    read = outline(text)
    if read is None or read.others or not _FACTS.issuperset(read.facts) or not _PARTS.issuperset(read.parts):
        return None
    try:
        return _chunk(chunk_id, read)
    except (ValueError, InvalidEntryError):
        return None


def permanence_of(text: str) -> bool | None:
    """
    Return whether a section is kept for good, None where it leaves that to its file.

    One that says when it was, as all that we write do, speaks for itself: it says
    `Permanent: yes`, or it is not. What it is called proves nothing, as anybody can say that.
    """
    read = outline(text)
    return read.facts.get(PERMANENT) == YES if read and {TIME, PERMANENT}.intersection(read.facts) else None


def _chunk(chunk_id: str, read: Outline) -> Chunk:
    session = read.facts.get(SESSION)
    return Chunk(
        chunk_id=chunk_id,
        title=read.title,
        summary=unescaped(" ".join(read.parts.get(CONTEXT, ()))),
        topic=unescaped(read.facts.get(TOPIC, "")),
        exchanges=_exchanges(read.parts.get(EXCHANGES, ())),
        metadata=_metadata(read),
        session_id=None if session is None else unescaped(session),
        permanent=read.facts.get(PERMANENT) == YES,
    )


def _metadata(read: Outline) -> Metadata:
    return Metadata(
        projects=enumerated(read.facts.get(PROJECTS, "")),
        files=files_of(read),
        commands=enumerated(read.facts.get(COMMANDS, "")),
        decisions=_items(read, DECISIONS),
        gotchas=_items(read, GOTCHAS),
        preferences=_items(read, PREFERENCES),
        areas=enumerated(read.facts.get(AREAS, "")),
        phases=tuple(phase.removeprefix(PHASE) for phase in enumerated(read.facts.get(PHASES, ""))),
    )


def files_of(read: Outline) -> tuple[str, ...]:
    """Return the files that a section names as related."""
    lines = read.parts.get(FILES, ())
    return tuple(file for line in lines if line != NONE for file in enumerated(_item(line)))


def _items(read: Outline, part: str) -> tuple[str, ...]:
    return tuple(unescaped(_item(line)) for line in read.parts.get(part, ()))


def _item(line: str) -> str:
    if not line.startswith("- "):
        raise ValueError(f"{line!r} is no item of a list")
    return line.removeprefix("- ")


def _exchanges(lines: Sequence[str]) -> tuple[Exchange, ...]:
    starts = [place for place, line in enumerate(lines) if line.startswith("#### ")]
    if starts[:1] != [0]:
        raise ValueError("the exchanges do not begin with a time")
    stops = [*starts[1:], len(lines)]
    return tuple(_exchange(lines[start:stop]) for start, stop in zip(starts, stops, strict=True))


def _exchange(lines: Sequence[str]) -> Exchange:
    at = dt.datetime.fromisoformat(lines[0].removeprefix("#### ").strip())
    said: dict[str, list[str]] = {USER: [], ASSISTANT: []}
    answers = list[list[str]]()
    current = list[str]()
    for line in lines[1:]:
        speaker = line.strip("*") if line.startswith("**") else ""
        if speaker == QUESTION:
            answers.append(current := [])
        elif speaker:
            current = said[speaker] if speaker in said else _unknown(line)
        else:
            current.append(line)
    return Exchange(_said(said[USER]), _said(said[ASSISTANT]), at, tuple(map(_answered, answers)))


def _said(lines: Sequence[str]) -> str:
    if unquoted_line := next((line for line in lines if not line.startswith(">")), None):
        _unknown(unquoted_line)
    return unquoted(lines)


def _answered(lines: Sequence[str]) -> Answered:
    named = [named_value(line) or _unknown(line) for line in lines]
    asked, *options, answer = named
    if asked[0] != ASKED or answer[0] != ANSWER or any(name != OPTION for name, _ in options):
        _unknown(lines[0])
    return Answered(asked[1], answer[1], tuple(option for _, option in options))


def _unknown(line: str) -> NoReturn:
    raise ValueError(f"{line[:80]!r} is no line of a conversation")
