"""Parse a captured section: outline, time, original chunk and plain text."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, NoReturn

from hardwon.adapters.markdown.section_text import (
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
    PHASE,
    PHASES,
    PREFERENCES,
    PROJECTS,
    QUESTION,
    REST,
    SESSION,
    TIME,
    TOPIC,
    USER,
    YES,
    enumerated,
    unescaped,
    unquoted,
)
from hardwon.domain.model.conversation.session import Answered, Chunk, ChunkMetadata, Exchange
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.plain_text import plain_text

_FACT = re.compile(r"- \*\*(?P<name>[A-Z][a-z ]*):\*\*(?: (?P<value>.*))?")


class Outline(NamedTuple):
    """
    The parts of a section, escaped but for the title.

    Attributes:
        facts: Values by name.
        parts: The lines under each heading, without blank ones.
        others: All other lines.
    """

    title: str
    facts: Mapping[str, str]
    parts: Mapping[str, tuple[str, ...]]
    others: tuple[str, ...] = ()


def outline(text: str) -> Outline | None:
    """
    Split a section into its parts.

    Return None if it does not begin with a title, or has a part twice.
    """
    head, *parts = re.split(r"^### ", text, flags=re.MULTILINE)
    title, *lines = _lines(head) or [""]
    if not title.startswith("## "):
        return None
    named = {
        name.rstrip(): tuple(_lines(rest))
        for name, _, rest in (part.partition("\n") for part in parts)
    }
    if len(named) < len(parts):
        return None
    facts = {
        found["name"]: found["value"] or "" for line in lines if (found := _FACT.fullmatch(line))
    }
    others = tuple(line for line in lines if not _FACT.fullmatch(line))
    return Outline(
        title=unescaped(title.removeprefix("## ")), facts=facts, parts=named, others=others
    )


def named_value(line: str) -> tuple[str, str] | None:
    """Return the name and the value on *line*, None without both."""
    found = _FACT.fullmatch(line)
    return (found["name"], unescaped(found["value"] or "")) if found else None


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


class TimeSpan(NamedTuple):
    """A first and a last time in UTC, which may be equal."""

    first: dt.datetime
    last: dt.datetime


def time_span_of(read: Outline) -> TimeSpan | None:
    """Return the time span that a section states, or None."""
    try:
        times = [
            dt.datetime.fromisoformat(stamp) for stamp in read.facts.get(TIME, "").split(" to ")
        ]
        return TimeSpan(times[0].astimezone(dt.UTC), times[-1].astimezone(dt.UTC))
    except (ValueError, OverflowError, OSError):
        return None


_FACTS = {TIME, TOPIC, SESSION, PROJECTS, COMMANDS, AREAS, PHASES, PERMANENT}
_PARTS = {CONTEXT, EXCHANGES, DECISIONS, GOTCHAS, PREFERENCES, FILES}


def section_chunk(chunk_id: str, text: str) -> Chunk | None:
    """Return the chunk of a section's *text*, or None after other edits."""
    read = outline(text)
    if (
        read is None
        or read.others
        or not _FACTS.issuperset(read.facts)
        or not _PARTS.issuperset(read.parts)
    ):
        return None
    try:
        return _chunk(chunk_id, read)
    except (ValueError, InvalidEntryError):
        return None


def permanence_of(text: str) -> bool | None:
    """
    Return whether a section is permanent, None if its file decides.

    A section with a time, as capture writes all of them, has the line `Permanent: yes` or is not
    permanent. The title proves nothing, as any text can be a title.
    """
    read = outline(text)
    return (
        read.facts.get(PERMANENT) == YES
        if read and {TIME, PERMANENT}.intersection(read.facts)
        else None
    )


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


def _metadata(read: Outline) -> ChunkMetadata:
    return ChunkMetadata(
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
    """Return the related files of a section."""
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
    quoted: dict[str, list[str]] = {USER: [], ASSISTANT: []}
    answers = list[list[str]]()
    current = list[str]()
    for line in lines[1:]:
        speaker = line.strip("*") if line.startswith("**") else ""
        if speaker == QUESTION:
            answers.append(current := [])
        elif speaker:
            current = quoted[speaker] if speaker in quoted else _unknown(line)
        else:
            current.append(line)
    return Exchange(
        user=_read_quote(quoted[USER]),
        assistant=_read_quote(quoted[ASSISTANT]),
        at=at,
        answers=tuple(map(_read_answered, answers)),
    )


def _read_quote(lines: Sequence[str]) -> str:
    if unquoted_line := next((line for line in lines if not line.startswith(">")), None):
        _unknown(unquoted_line)
    return unquoted(lines)


def _read_answered(lines: Sequence[str]) -> Answered:
    named = [named_value(line) or _unknown(line) for line in lines]
    asked, *options, answer = named
    if asked[0] != ASKED or answer[0] != ANSWER or any(name != OPTION for name, _ in options):
        _unknown(lines[0])
    return Answered(asked[1], answer[1], tuple(option for _, option in options))


def _unknown(line: str) -> NoReturn:
    raise ValueError(f"{line[:80]!r} is no line of a conversation")


_FRAME = re.compile(
    r"#{2,4} .*|\*\*(?:User|Assistant|Question)\*\*|None\.|None were mentioned\.|No reason was"
    r" given\.|" + re.escape(REST)
)


def plain_chunk(chunk: Chunk) -> str:
    """Return the summary of *chunk*, then all its texts, without duplicates."""
    parts = (
        chunk.summary,
        *(part for exchange in chunk.exchanges for part in _utterances(exchange)),
    )
    return "\n\n".join(dict.fromkeys(filter(None, map(plain_text, parts))))


def plain_section(text: str) -> str:
    """
    Return the text of any section as plain paragraphs, without duplicates.

    The names of its parts and the facts at its head are removed.
    """
    head, mark, rest = text.partition("\n### ")
    lines = [line for line in head.split("\n") if not named_value(line)] + (mark + rest).split("\n")
    text = plain_text(unescaped("\n".join(line for line in lines if not _FRAME.fullmatch(line))))
    return "\n\n".join(dict.fromkeys(text.split("\n\n")))


def _utterances(exchange: Exchange) -> Iterator[str]:
    yield exchange.user
    for answered in exchange.answers:
        yield f"{answered.question} {answered.answer}"
    yield exchange.assistant
