"""
The line of a note that leads to the conversation it comes from.

Links from a section to the plans of the phases it names.

Read a section of markdown as the chunk it was written from.

The parts of a section: its title, what is said of it, and what stands under its headings.

What was said in a section, without any formatting: what is searched for.

How a chunk reads as a section of markdown; `section_chunk` reads it back.

When a section was said, as it tells itself.

How any text stands in a markdown section and reads back as it was.

Lines of a quote begin with `> `, so that nothing in them is a heading or a fence
of ours; what would begin a comment is written as `&lt;!--`, as GitHub shows it.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, NoReturn
from urllib.parse import quote

from hardwon.domain.model.conversation.session import Answered, Chunk, Exchange, Metadata, timestamp
from hardwon.domain.model.entry import IDENTITY
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.plain_text import plain_text

_WRITTEN_BEFORE = re.compile(r"&(?=(?:amp;)*(?:lt;!--|#[1-9][0-9]{0,2};))")
_ESCAPE = re.compile(r"&(?P<levels>(?:amp;)*)(?:lt;(?=!--)|#(?P<code>[1-9][0-9]{0,2});)")
_LEADING = "#*>-+`~=|"
_IN_LISTS = ",[]`"


def escaped(text: str, special: str = "") -> str:
    """Return *text* without what begins a comment, and without the characters *special*; `unescaped` undoes it."""
    kept = _WRITTEN_BEFORE.sub("&amp;", text).replace("<!--", "&lt;!--")
    return "".join(f"&#{ord(each)};" if each in special else each for each in kept)


def unescaped(text: str) -> str:
    """Return what `escaped` made *text* of."""
    return _ESCAPE.sub(_original, text)


def _original(escape: re.Match[str]) -> str:
    if escape["levels"]:
        return escape[0].replace("amp;", "", 1)
    return chr(int(escape["code"])) if escape["code"] else "<"


def heading(title: str) -> str:
    """Return *title* so that none of it is taken for HTML, as a tag that is never closed would swallow what follows."""
    return escaped(title, "<")


def paragraph(line: str) -> str:
    """Return *line* so that it begins nothing but a paragraph."""
    return escaped(line[:1], _LEADING) + escaped(line[1:]) if line[:1] in _LEADING else escaped(line)


def block_quote(text: str) -> str:
    """Return *text* as a quote."""
    return "\n".join(f"> {line}" if line else ">" for line in escaped(text).split("\n"))


def unquoted(lines: Iterable[str]) -> str:
    """Return the text that `quote` made *lines* of."""
    return unescaped("\n".join(line.removeprefix(">").removeprefix(" ") for line in lines))


def enumeration(items: Iterable[str]) -> str:
    """Return *items* on one line."""
    return ", ".join(escaped(item, _IN_LISTS) for item in items)


def code_enumeration(items: Iterable[str]) -> str:
    """Return *items* on one line, each as code."""
    return ", ".join(f"`{escaped(item, _IN_LISTS)}`" for item in items)


def enumerated(line: str) -> tuple[str, ...]:
    """Return the items that stand on *line*, written by either of the two; of links their texts."""
    texts = (re.sub(r"^\[(.*)\]\(.*\)$", r"\1", item) for item in line.split(", ")) if line else ()
    return tuple(unescaped(text.strip("`")) for text in texts)


PlanOf = Callable[[str], str | None]
"""Returns the plan of the phase of that number, as a path from the project's folder; None when there is none."""

TO_PROJECT = "../../"
"""From the folder of a memory file to the project's."""

PHASE = "Phase "


def plan_link(phase: str, plan_of: PlanOf) -> str:
    """Return the link to the plan of *phase*; where none is there yet, to the place TLC gives it."""
    plan = plan_of(phase) or f".planning/phases/{phase.replace('/', '-')}-PLAN.md"
    return f"[{PHASE}{enumeration([phase])}]({TO_PROJECT}{quote(plan)})"


_FACT = re.compile(r"- \*\*(?P<name>[A-Z][a-z ]*):\*\*(?: (?P<value>.*))?")


class Outline(NamedTuple):
    """
    A section in its parts; nothing is unescaped but the title.

    Attributes:
        title: Of the whole.
        facts: By name.
        parts: The lines under each heading, without blank ones.
        others: Lines that belong to none of these.

    """

    title: str
    facts: Mapping[str, str]
    parts: Mapping[str, tuple[str, ...]]
    others: tuple[str, ...] = ()


def outline(text: str) -> Outline | None:
    """Return the parts of a section, None when it does not begin with a title or names a part twice."""
    head, *parts = re.split(r"^### ", text, flags=re.MULTILINE)
    title, *lines = _lines(head) or [""]
    if not title.startswith("## "):
        return None
    named = {name.rstrip(): tuple(_lines(rest)) for name, _, rest in (part.partition("\n") for part in parts)}
    if len(named) < len(parts):
        return None
    facts = {found["name"]: found["value"] or "" for line in lines if (found := _FACT.fullmatch(line))}
    others = tuple(line for line in lines if not _FACT.fullmatch(line))
    return Outline(unescaped(title.removeprefix("## ")), facts, named, others)


def named_value(line: str) -> tuple[str, str] | None:
    """Return the name and the value on *line*, None when it holds no such two."""
    found = _FACT.fullmatch(line)
    return (found["name"], unescaped(found["value"] or "")) if found else None


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


_FRAME = re.compile(r"#{2,4} .*|\*\*(?:User|Assistant|Question)\*\*|None\.|None were mentioned\.|No reason was given\.")


def plain_chunk(chunk: Chunk) -> str:
    """Return the summary of *chunk*, then all that was said; what says the same stands there once."""
    parts = (chunk.summary, *(part for exchange in chunk.exchanges for part in _plain_utterance(exchange)))
    return "\n\n".join(dict.fromkeys(filter(None, map(plain_text, parts))))


def plain_section(text: str) -> str:
    """Return what any section says, each paragraph once, without the names of its parts and the facts at its head."""
    head, mark, rest = text.partition("\n### ")
    lines = [line for line in head.split("\n") if not named_value(line)] + (mark + rest).split("\n")
    told = plain_text(unescaped("\n".join(line for line in lines if not _FRAME.fullmatch(line))))
    return "\n\n".join(dict.fromkeys(told.split("\n\n")))


def _plain_utterance(exchange: Exchange) -> Iterator[str]:
    yield exchange.user
    for answered in exchange.answers:
        yield f"{answered.question} {answered.answer}"
    yield exchange.assistant


TIME, TOPIC, SESSION = "Time", "Topic", "Session"
PROJECTS, COMMANDS, AREAS, PHASES, PERMANENT = "Projects", "Commands", "Areas", "Phases", "Permanent"
CONTEXT, EXCHANGES, FILES = "Context", "Exchanges", "Related files"
DECISIONS, GOTCHAS, PREFERENCES = "Decisions", "Gotchas", "Preferences"
USER, ASSISTANT, QUESTION = "User", "Assistant", "Question"
ASKED, OPTION, ANSWER = "Asked", "Option", "Answer"
YES = "yes"
NONE = "None."


def section_text(chunk: Chunk, plan_of: PlanOf) -> str:
    """Return *chunk* as a section, from its heading on."""
    about = chunk.metadata
    blocks = [
        f"## {heading(chunk.title)}",
        "\n".join(_facts(chunk, plan_of)),
        f"### {CONTEXT}",
        paragraph(chunk.summary),
        f"### {EXCHANGES}",
        *(block for exchange in chunk.exchanges for block in exchange_blocks(exchange)),
        *_statements(about),
        f"### {FILES}",
        file_list(about.files),
    ]
    return "\n\n".join(filter(None, blocks))


def fact(name: str, value: str) -> str:
    """Return a line that names a *value*."""
    return f"- **{name}:** {value}".rstrip()


def item_list(items: Iterable[str]) -> str:
    """Return *items* as a list."""
    return "\n".join(f"- {escaped(item)}" for item in items)


def file_list(files: Iterable[str]) -> str:
    """Return *files* as a list, each as code; it says so when there are none."""
    return "\n".join(f"- {code_enumeration([file])}" for file in files) or NONE


def time_span(first: str, last: str) -> str:
    """Return the time from *first* to *last*."""
    return first if first == last else f"{first} to {last}"


def exchange_blocks(exchange: Exchange) -> Iterator[str]:
    """Yield the blocks of *exchange*."""
    yield f"#### {timestamp(exchange.at)}"
    if exchange.user:
        yield from (f"**{USER}**", block_quote(exchange.user))
    for answered in exchange.answers:
        yield from (f"**{QUESTION}**", "\n".join(_answer_lines(answered)))
    if exchange.assistant:
        yield from (f"**{ASSISTANT}**", block_quote(exchange.assistant))


def _answer_lines(answered: Answered) -> Iterator[str]:
    yield fact(ASKED, escaped(answered.question))
    yield from (fact(OPTION, escaped(option)) for option in answered.options)
    yield fact(ANSWER, escaped(answered.answer))


def _facts(chunk: Chunk, plan_of: PlanOf) -> Iterator[str]:
    about = chunk.metadata
    yield fact(TIME, time_span(timestamp(chunk.starts_at), timestamp(chunk.ends_at)))
    yield fact(TOPIC, escaped(chunk.topic))
    if chunk.session_id is not None:
        yield fact(SESSION, escaped(chunk.session_id))
    lists = (
        (PROJECTS, enumeration(about.projects)),
        (COMMANDS, code_enumeration(about.commands)),
        (AREAS, enumeration(about.areas)),
        (PHASES, ", ".join(plan_link(phase, plan_of) for phase in about.phases)),
    )
    yield from (fact(name, line) for name, line in lists if line)
    if chunk.permanent:
        yield fact(PERMANENT, YES)


def _statements(about: Metadata) -> Iterator[str]:
    lists = ((DECISIONS, about.decisions), (GOTCHAS, about.gotchas), (PREFERENCES, about.preferences))
    for part, statements in lists:
        if statements:
            yield from (f"### {part}", item_list(statements))


CONVERSATION = "Conversation"

_LINE = re.compile(rf"^- \*\*{CONVERSATION}:\*\* `(?P<id>{IDENTITY.pattern})`$", re.MULTILINE)


def conversation_line(chunk_id: str) -> str:
    """Return the line, as long as nobody knows which file the conversation stands in."""
    return fact(CONVERSATION, f"`{chunk_id}`")


def conversation_of(text: str) -> str | None:
    """Return the id of the conversation whose file is still to be named in *text*, None when there is none."""
    found = _LINE.search(text)
    return found["id"] if found else None


def with_link(text: str, file_name: str) -> str:
    """Return *text* with a link to that file of the folder of conversations, which lies beside its own."""
    return _LINE.sub(lambda line: fact(CONVERSATION, f"[{line['id']}](../conversations/{file_name})"), text, count=1)


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


class TimeSpan(NamedTuple):
    """The first and the last moment of something, in UTC; both are the same where it has one alone."""

    first: dt.datetime
    last: dt.datetime


def time_span_of(read: Outline) -> TimeSpan | None:
    """Return when a section was said, None where it does not say so."""
    try:
        times = [dt.datetime.fromisoformat(each) for each in read.facts.get(TIME, "").split(" to ")]
        return TimeSpan(times[0].astimezone(dt.UTC), times[-1].astimezone(dt.UTC))
    except (ValueError, OverflowError, OSError):
        return None
