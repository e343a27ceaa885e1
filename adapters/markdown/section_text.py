"""
Write captured sections as markdown that can be read back.

A section holds a chunk, or a decision, gotcha or preference of it. Lines of a quote begin with `>
`, so that nothing in them is parsed as a heading or fence; the beginning of a comment becomes
`&lt;!--`, which GitHub renders.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote

from hardwon.domain.model.conversation.options import alternatives, reasons
from hardwon.domain.model.conversation.session import (
    Answered,
    Chunk,
    ChunkMetadata,
    Exchange,
    timestamp,
)
from hardwon.domain.model.identity import IDENTITY
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.settings import BUFFERED

if TYPE_CHECKING:
    from hardwon.domain.model.conversation.details import Detail

_WRITTEN_BEFORE = re.compile(r"&(?=(?:amp;)*(?:lt;!--|#[1-9][0-9]{0,2};))")
_ESCAPE = re.compile(r"&(?P<levels>(?:amp;)*)(?:lt;(?=!--)|#(?P<code>[1-9][0-9]{0,2});)")
_LEADING = "#*>-+`~=|"
_IN_LISTS = ",[]`"


def escaped(text: str, special: str = "") -> str:
    """
    Escape the beginnings of comments and the characters *special*.

    `unescaped` is the inverse.
    """
    kept = _WRITTEN_BEFORE.sub("&amp;", text).replace("<!--", "&lt;!--")
    return (
        kept.translate({ord(character): f"&#{ord(character)};" for character in special})
        if special
        else kept
    )


def unescaped(text: str) -> str:
    """Undo `escaped`."""
    return _ESCAPE.sub(_original, text)


def _original(escape: re.Match[str]) -> str:
    if escape["levels"]:
        return escape[0].replace("amp;", "", 1)
    return chr(int(escape["code"])) if escape["code"] else "<"


def heading(title: str) -> str:
    """Escape HTML in *title*, so that no tag hides later text."""
    return escaped(title, "<")


def paragraph(line: str) -> str:
    """Escape *line* so that it is a paragraph."""
    return (
        escaped(line[:1], _LEADING) + escaped(line[1:]) if line[:1] in _LEADING else escaped(line)
    )


def block_quote(text: str) -> str:
    """Return *text* as a quote."""
    return "\n".join(f"> {line}" if line else ">" for line in escaped(text).split("\n"))


def unquoted(lines: Iterable[str]) -> str:
    """Undo `block_quote`."""
    return unescaped("\n".join(line.removeprefix(">").removeprefix(" ") for line in lines))


def enumeration(items: Iterable[str]) -> str:
    """Return *items* on one line."""
    return ", ".join(escaped(item, _IN_LISTS) for item in items)


def code_enumeration(items: Iterable[str]) -> str:
    """Return *items* on one line, each as code."""
    return ", ".join(f"`{escaped(item, _IN_LISTS)}`" for item in items)


def enumerated(line: str) -> tuple[str, ...]:
    """
    Parse the items of `enumeration` or `code_enumeration`.

    Of links, their texts count.
    """
    texts = (re.sub(r"^\[(.*)\]\(.*\)$", r"\1", item) for item in line.split(", ")) if line else ()
    return tuple(unescaped(text.strip("`")) for text in texts)


PlanOf = Callable[[str], str | None]
"""
The path of a phase's plan by number, from the project's folder.

None without one.
"""

TO_PROJECT = "../../"
"""From the folder of a memory file to the project's."""

PHASE = "Phase "


def plan_link(phase: str, plan_of: PlanOf) -> str:
    """Return the link to the plan of *phase*, or to its usual place."""
    plan = plan_of(phase) or f".planning/phases/{phase.replace('/', '-')}-PLAN.md"
    return f"[{PHASE}{enumeration([phase])}]({TO_PROJECT}{quote(plan)})"


TIME, TOPIC, SESSION = "Time", "Topic", "Session"
PROJECTS, COMMANDS, AREAS, PHASES, PERMANENT = (
    "Projects",
    "Commands",
    "Areas",
    "Phases",
    "Permanent",
)
CONTEXT, EXCHANGES, FILES = "Context", "Exchanges", "Related files"
DECISIONS, GOTCHAS, PREFERENCES = "Decisions", "Gotchas", "Preferences"
USER, ASSISTANT, QUESTION = "User", "Assistant", "Question"
ASKED, OPTION, ANSWER = "Asked", "Option", "Answer"
YES = "yes"
NONE = "None."


def section_text(chunk: Chunk, plan_of: PlanOf) -> str:
    """
    Render *chunk* as a section, from its heading on.

    `section_chunk` is the inverse.
    """
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
    """Return *files* as a list of code, or `None.`."""
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
        yield from (f"**{QUESTION}**", "\n".join(_answered(answered)))
    if exchange.assistant:
        yield from (f"**{ASSISTANT}**", block_quote(exchange.assistant))


def _answered(answered: Answered) -> Iterator[str]:
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


def _statements(about: ChunkMetadata) -> Iterator[str]:
    lists = (
        (DECISIONS, about.decisions),
        (GOTCHAS, about.gotchas),
        (PREFERENCES, about.preferences),
    )
    for part, statements in lists:
        if statements:
            yield from (f"### {part}", item_list(statements))


CONVERSATION = "Conversation"

_LINE = re.compile(rf"^- \*\*{CONVERSATION}:\*\* `(?P<id>{IDENTITY.pattern})`$", re.MULTILINE)


def conversation_line(chunk_id: str) -> str:
    """Return the line that names a conversation whose file is unknown yet."""
    return fact(CONVERSATION, f"`{chunk_id}`")


def conversation_of(text: str) -> str | None:
    """Return the id in the line of `conversation_line`, or None."""
    found = _LINE.search(text)
    return found["id"] if found else None


def with_link(text: str, file_name: str) -> str:
    """
    Replace the line of `conversation_line` by a link to *file_name*.

    The file is in the sibling folder of conversations.
    """
    return _LINE.sub(
        lambda line: fact(CONVERSATION, f"[{line['id']}](../conversations/{file_name})"),
        text,
        count=1,
    )


FULL_CONTEXT, ALTERNATIVES, REASONING = "Full context", "Alternatives", "Reasoning chain"
NONE_MENTIONED = "None were mentioned."
NO_REASON = "No reason was given."


MAX_LINES = 60
"""
Lines of a decision, gotcha or preference.

Its conversation, to which it links, has the rest.
"""

MIN_CONTEXT = 12
MAX_LISTED = 8
"""Alternatives, and files, that are listed."""

REST = "*The rest is in the conversation that is linked above.*"


def detail_text(detail: "Detail", chunk: Chunk, plan_of: PlanOf) -> str:
    """Render *detail* as a section of at most 60 lines, without secrets."""
    head = (
        f"## {heading(detail.title)}",
        "\n".join(_detail_facts(detail, chunk, plan_of)),
        f"### {detail.kind.capitalize()}",
        paragraph(detail.statement),
        f"### {FULL_CONTEXT}",
    )
    rest = (
        *(_reasoning(detail) if detail.kind == "decision" else ()),
        f"### {FILES}",
        file_list(detail.files[:MAX_LISTED]),
    )
    before, after = redact("\n\n".join(head)), redact("\n\n".join(rest))
    room = max(MAX_LINES - len(f"{before}\n\n\n{after}".split("\n")), MIN_CONTEXT)
    return "\n\n".join(
        (before, _shortened([_context(exchange) for exchange in detail.exchanges], room), after)
    )


def _shortened(exchanges: Sequence[str], room: int) -> str:
    """
    Return the last whole *exchanges* that fit into *room* lines.

    If none does, the beginning of the last one.
    """
    fitting = list(exchanges)
    while len(fitting) > 1 and _lines(fitting) > room - (len(fitting) < len(exchanges)) * 2:
        del fitting[0]
    is_whole = len(fitting) == len(exchanges) and _lines(fitting) <= room
    lines = "\n\n".join(fitting).split("\n")
    return "\n".join(lines if is_whole else (*lines[: room - 2], "", REST))


def _lines(blocks: Sequence[str]) -> int:
    return len("\n\n".join(blocks).split("\n"))


@lru_cache(maxsize=BUFFERED)  # several statements come from one exchange
def _context(exchange: Exchange) -> str:
    return redact("\n\n".join(exchange_blocks(exchange)))


def _reasoning(detail: "Detail") -> Iterator[str]:
    others = item_list(alternatives(detail.statement, detail.exchanges)[:MAX_LISTED])
    steps = (
        f"{place}. {escaped(reason)}" for place, reason in enumerate(reasons(detail.exchanges), 1)
    )
    yield from (f"### {ALTERNATIVES}", others or NONE_MENTIONED)
    yield from (f"### {REASONING}", "\n".join(steps) or NO_REASON)


def _detail_facts(detail: "Detail", chunk: Chunk, plan_of: PlanOf) -> Iterator[str]:
    about = chunk.metadata
    yield fact(TIME, timestamp(detail.stated_in.at))
    yield conversation_line(chunk.chunk_id)
    if chunk.session_id is not None:
        yield fact(SESSION, escaped(chunk.session_id))
    if about.areas:
        yield fact(AREAS, enumeration(about.areas))
    if phases := detail.phases:
        yield fact(PHASES, ", ".join(plan_link(phase, plan_of) for phase in phases))
    if chunk.permanent:
        yield fact(PERMANENT, YES)
