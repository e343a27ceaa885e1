"""What a session start tells, as the commands show it."""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.block.summary import summarised
from hardwon.domain.model.context_query import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.recall.answer import Answer
from hardwon.domain.model.recall.collection import COLLECTIONS
from hardwon.domain.model.recall.occasion import Occasion
from hardwon.domain.use_cases.asking.recall_nearby import POLICY
from hardwon.domain.use_cases.injecting.inject import Injection
from hardwon.domain.use_cases.injecting.relate import Related
from hardwon.entrypoints.cli.answers import answer_document, explained_document, tell_notes
from hardwon.entrypoints.cli.screen import warn
from hardwon.entrypoints.composition import Memory

SEARCH_SECONDS = 10.0
UNLIMITED = 2**31 - 1
"""UTF-16 units: outside the block only the token budget counts."""

UNRATED: tuple[float, Mapping[str, float]] = (0.0, {})
"""What is told for its session or its age alone."""

SWITCHED_OFF = "memory_injection_enabled is not true: a session start prints nothing"
FILES_ONLY = "memory_semantic_enabled is not true: a session start prints the knowledge-bank files instead"
NO_LEARNING = "There is nothing to tell yet: run hardwon import, or hardwon capture"
NO_CONVERSATION = "No conversation of this project is remembered"


class Told(NamedTuple):
    """
    What a session start tells.

    Attributes:
        text: As it would print it; empty for nothing.
        nothing: What to say of that; empty when nothing was asked for.
        learnings: The lessons in it.
        conversations: The conversations in it.

    """

    text: str
    nothing: str = ""
    learnings: tuple[Answer, ...] = ()
    conversations: tuple[Answer, ...] = ()

    @property
    def documents(self) -> list[dict[str, object]]:
        """All of it for JSON; the scores of conversations with all that they are made of, if they have any."""
        learnings = [answer_document(answer) for answer in self.learnings]
        return learnings + [_summed_up(answer) for answer in self.conversations]


def _summed_up(answer: Answer) -> dict[str, object]:
    """Return *answer* for JSON with its summary for a text: nothing here tells a whole exchange."""
    entry = answer.entry
    return {**explained_document(answer, POLICY), "text": summarised(entry.description, entry.name) or entry.name}


def told_at_start(memory: Memory, signals: ContextQuery, occasion: Occasion, limit: int | None) -> Told:
    """Return the whole block."""
    if not memory.settings.injection_enabled:
        warn(SWITCHED_OFF)
    elif not memory.settings.semantic_enabled:
        warn(FILES_ONLY)
    wanted = memory.settings.injection_limit if limit is None else limit
    injection = memory.inject_at(occasion.workplace)(
        signals,
        limit=wanted,
        deadline=Deadline.after(SEARCH_SECONDS, time.monotonic),
        project=occasion.workplace.project,
        occasion=occasion,
    )
    for line in injection.degradations:
        warn(line)
    conversations = _conversations(memory, injection.related) if injection.related else ()
    return Told(injection.text, NO_LEARNING if wanted > 0 else "", _learnings(memory, injection), conversations)


def told_of_conversations(memory: Memory, signals: ContextQuery, occasion: Occasion, limit: int | None) -> Told:
    """Return the section of related conversations alone."""
    wanted = COLLECTIONS["conversations"].limit if limit is None else limit
    if wanted <= 0:
        return Told("")
    deadline = Deadline.after(SEARCH_SECONDS, time.monotonic)
    related = memory.relate(signals, occasion, deadline, limit=wanted, most_units=UNLIMITED)
    tell_notes(memory, related.nearby.search._replace(degradations=related.degradations))
    nothing = NO_CONVERSATION if occasion.budget_tokens > 0 else ""
    return Told(related.section.text, nothing, conversations=_conversations(memory, related))


def _learnings(memory: Memory, injection: Injection) -> tuple[Answer, ...]:
    rated = [(each.final_score, each.signals._asdict()) for each in injection.printed]
    return _answers(memory, [each.facts.seq for each in injection.printed], rated)


def _conversations(memory: Memory, related: Related) -> tuple[Answer, ...]:
    rated = {each.seq: (each.score, each.parts) for each in related.nearby.best}
    seqs = related.section.seqs
    return _answers(memory, seqs, [rated.get(seq, UNRATED) for seq in seqs])


def _answers(
    memory: Memory, seqs: Sequence[int], rated: Iterable[tuple[float, Mapping[str, float]]]
) -> tuple[Answer, ...]:
    entries = memory.repository.hydrate(seqs)
    return tuple(Answer(entry, score, score, parts) for entry, (score, parts) in zip(entries, rated, strict=True))
