"""How a chunk reads as a section of markdown; `section_chunk` reads it back."""

from collections.abc import Iterable, Iterator

from hardwon.domain.model.conversation.chunk import Chunk, Metadata, timestamp
from hardwon.domain.model.conversation.exchange import Answered, Exchange
from hardwon.domain.model.sections.plan_links import PlanOf, plan_link
from hardwon.domain.model.sections.verbatim import code_enumeration, enumeration, escaped, heading, paragraph, quote

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
        yield from (f"**{USER}**", quote(exchange.user))
    for answered in exchange.answers:
        yield from (f"**{QUESTION}**", "\n".join(_answered(answered)))
    if exchange.assistant:
        yield from (f"**{ASSISTANT}**", quote(exchange.assistant))


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


def _statements(about: Metadata) -> Iterator[str]:
    lists = ((DECISIONS, about.decisions), (GOTCHAS, about.gotchas), (PREFERENCES, about.preferences))
    for part, statements in lists:
        if statements:
            yield from (f"### {part}", item_list(statements))
