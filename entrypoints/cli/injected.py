"""What a session start tells, as the commands show it."""

import time
from collections.abc import Sequence
from typing import NamedTuple

from hardwon.domain.model.block.summary import summarised
from hardwon.domain.model.context_query import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.recall.answer import Answer
from hardwon.domain.model.recall.collection import COLLECTIONS
from hardwon.domain.model.recall.occasion import Occasion
from hardwon.domain.use_cases.asking.recall import Rated, answer_of
from hardwon.domain.use_cases.asking.recall_nearby import POLICY
from hardwon.domain.use_cases.injecting.inject import Injection
from hardwon.domain.use_cases.injecting.relate import Related
from hardwon.entrypoints.cli.answers import Searched, answer_document, explained_document, tell_notes
from hardwon.entrypoints.cli.screen import warn
from hardwon.entrypoints.composition import Memory

SEARCH_SECONDS = 10.0
UNLIMITED = 2**31 - 1
"""UTF-16 units: outside the block only the token budget counts."""

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
        policy: How the lessons were ranked.
        searched: How they were found; without lessons, how the conversations were.

    """

    text: str
    nothing: str = ""
    learnings: tuple[Answer, ...] = ()
    conversations: tuple[Answer, ...] = ()
    policy: str = "none"
    searched: Searched = Searched()

    def documents(self, *, explained: bool) -> list[dict[str, object]]:
        """Return all of it for JSON; the scores of conversations always with all that they are made of."""
        learnings = [
            explained_document(answer, self.policy) if explained else answer_document(answer)
            for answer in self.learnings
        ]
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
    return Told(
        injection.text,
        NO_LEARNING if wanted > 0 else "",
        _learnings(memory, injection),
        conversations,
        injection.selected.policy.name if injection.selected else "none",
        _searched(injection),
    )


def told_of_conversations(memory: Memory, signals: ContextQuery, occasion: Occasion, limit: int | None) -> Told:
    """Return the section of related conversations alone."""
    wanted = COLLECTIONS["conversations"].limit if limit is None else limit
    if wanted <= 0:
        return Told("")
    deadline = Deadline.after(SEARCH_SECONDS, time.monotonic)
    related = memory.relate(signals, occasion, deadline, limit=wanted, most_units=UNLIMITED)
    search = related.nearby.search
    tell_notes(memory, search._replace(degradations=related.degradations))
    nothing = NO_CONVERSATION if occasion.budget_tokens > 0 else ""
    searched = Searched(signals.public, search.found_by_meaning, search.found_by_word)
    return Told(related.section.text, nothing, conversations=_conversations(memory, related), searched=searched)


def _searched(injection: Injection) -> Searched:
    retrieval = injection.retrieval
    if retrieval is None:
        return Searched()
    return Searched(retrieval.query, retrieval.by_vector.count(), retrieval.by_keyword.count())


def _learnings(memory: Memory, injection: Injection) -> tuple[Answer, ...]:
    policy = injection.selected.policy if injection.selected else None
    rated = [
        Rated(
            scored.facts.seq,
            scored.final_score,
            policy.parts(scored.signals) if policy else scored.signals._asdict(),
            scored.candidate.vector,
            scored.candidate.keyword,
        )
        for scored in injection.printed
    ]
    return _answers(memory, rated)


def _conversations(memory: Memory, related: Related) -> tuple[Answer, ...]:
    rated = {each.seq: each for each in related.nearby.best}
    unrated = (Rated(seq, 0.0, {}) for seq in related.section.seqs)  # told for its session or its age alone
    return _answers(memory, [rated.get(each.seq, each) for each in unrated])


def _answers(memory: Memory, rated: Sequence[Rated]) -> tuple[Answer, ...]:
    entries = memory.repository.hydrate([each.seq for each in rated])
    return tuple(map(answer_of, entries, rated))
