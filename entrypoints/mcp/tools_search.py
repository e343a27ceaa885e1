"""The tools that answer questions, and find memories by trigger phrases."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import attrs
from pydantic import Field

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.excerpt import excerpt
from hardwon.domain.model.filters import (
    ANYWHERE,
    COLLECTIONS,
    NOWHERE,
    CollectionName,
    EntryFilter,
    PolicyName,
    ScopeName,
    Workplace,
    answering,
    elsewhere_for,
    seen_from,
)
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.ranking.adaptive import FORMULA as RELEVANCE_FORMULA
from hardwon.domain.model.ranking.decay import CONTEXT_TYPE_PURPOSES, TIER_PURPOSES
from hardwon.domain.model.ranking.policy import RecallAnswer, RecallQuestion
from hardwon.domain.model.vocabulary import KINDS, ContextType, Door, Kind, Reach, Tier
from hardwon.domain.use_cases.match_triggers import BroughtUp, MatchTriggers, TriggerMatches
from hardwon.domain.use_cases.recall import Recall
from hardwon.domain.use_cases.search import SearchResult
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_search
from hardwon.entrypoints.context import workplace_for
from hardwon.entrypoints.mcp.schema import (
    READS,
    MemoryRow,
    Tool,
    ToolAnswer,
    WireModel,
    purposes,
    row_fields,
    tool,
)
from hardwon.entrypoints.mcp.threads import MemoryWorker, PerStore
from hardwon.entrypoints.presenters.answers import ASKED_HERE, FORMULAS, AnswerLayout, shown_share
from hardwon.entrypoints.presenters.projects import origin_document
from hardwon.entrypoints.streams import warn

ANSWER_SECONDS = 10.0
MAX_RESULTS = 100
LONGEST_QUERY = 8_000
"""Characters. The end of a pasted log adds nothing, and takes seconds to split."""

EXCERPT_CHARACTERS = 240
ALL_EXCERPTS = 2400
"""Characters. Hosts truncate answers much longer than 20,000."""


class RuleRow(MemoryRow):
    """A rule that always holds, with its text."""

    content: str


class FoundOrigin(WireModel):
    """Where a memory comes from."""

    project: str | None = Field(description="The project's label")
    door: Door | None = Field(description="How it was stored")
    reach: Reach = Field(description="Where it is shown without a query")


class FoundRow(MemoryRow):
    """A memory that answers the question."""

    score: float = Field(
        description=(
            "How well it answers, 0 to 100; for others and collection all a probability in percent"
        )
    )
    excerpt: str = Field(
        description=("The passage that answers; memory_load returns the whole text")
    )
    concept_counts: dict[str, int] | None = Field(
        description="The number of times its file contains each concept as written"
    )
    parts: dict[str, float] | None = Field(
        description="With explain: the parts of the score, by the formula"
    )
    origin: FoundOrigin


class SearchAnswer(ToolAnswer):
    """The answers to a question."""

    constitutional: list[RuleRow] = Field(
        description="Rules that always hold here, besides the results"
    )
    results: list[FoundRow] = Field(description="Best first")
    others: list[FoundRow] = Field(
        description=(
            "Relevant memories of other collections, if no collection was given; best first"
        )
    )
    count: int = Field(description="The number of results")
    suggestion: str | None = Field(description="What to try if there are no results")
    formula: str | None = Field(
        description=("With explain: the formula of the score, with its parts by name")
    )
    others_formula: str | None = Field(description="The formula for others")
    elsewhere: int = Field(
        description=("The number of relevant memories of other projects; scope global shows them")
    )
    notes: list[str] = Field(description=("Parts of this search that were not available"))


STILL_INDEXING = (
    "the project's files are still being indexed: search again in a moment to find all of them"
)


class SearchTools:
    """Tools that answer questions."""

    def __init__(self, worker: MemoryWorker) -> None:
        self._worker = worker
        self._root = os.path.realpath(worker.project_root)
        self._search = PerStore(build_search)

    async def memory_search(
        self,
        query: Annotated[
            str, Field(description="The question in your own words, or an error message")
        ] = "",
        concepts: Annotated[
            list[str],
            Field(
                description=(
                    "2 to 5 words or terms that a result must all contain, with or without a query"
                )
            ),
        ] = [],  # noqa: B006  # pydantic hands out copies, and a model reads this default in the schema
        limit: Annotated[
            int,
            Field(
                ge=1,
                le=MAX_RESULTS,
                description=(
                    "The maximum number of results; some hosts cut an answer of more than 20"
                ),
            ),
        ] = 10,
        *,
        spec_folder: Annotated[
            str, Field(description=("Only memories of this specification, such as 005-memory"))
        ] = "",
        tier: Annotated[
            Tier | None, Field(description=f"Only of this tier: {purposes(TIER_PURPOSES)}")
        ] = None,
        context_type: Annotated[
            ContextType | None,
            Field(description=f"Only of this sort of work: {purposes(CONTEXT_TYPE_PURPOSES)}"),
        ] = None,
        use_decay: Annotated[bool, Field(description=("Whether old memories score lower"))] = True,
        include_constitutional: Annotated[
            bool, Field(description="Whether to include the rules that always hold")
        ] = True,
        collection: Annotated[
            CollectionName | None,
            Field(
                description=(
                    "Only documents (spec memories), learnings (lessons), sessions or"
                    " conversations, or all of them in one list; by default documents, and"
                    " other relevant memories under others"
                )
            ),
        ] = None,
        scope: Annotated[
            ScopeName | None,
            Field(
                description="Where results may come from; by default this project and its workspace"
            ),
        ] = None,
        explain: Annotated[bool, Field(description="Include the parts of each score")] = False,
    ) -> SearchAnswer:
        """
        Find memories by meaning and by keyword.

        They hold earlier decisions, research, implementations, bugs and their causes. Use it before
        you start on a task, debug an error or change code that may have a history. Give a query, or
        concepts that must all occur, or both. Filters combine. If little is found, ask again in
        other words.
        """
        name = collection or "documents"
        chosen = COLLECTIONS[name]
        question = RecallQuestion(
            text=query[:LONGEST_QUERY],
            only=EntryFilter(
                kinds=chosen.kinds,
                spec_folder=spec_folder or None,
                tier=tier,
                context_type=context_type,
            ),
            policy=chosen.policy,
            limit=limit,
            minimum=chosen.minimum,
            workplace=NOWHERE,
            decays=use_decay,
        )

        is_indexing = self._worker.is_indexing

        def search(memory: Memory) -> tuple[SearchResult, Workplace, int]:
            workplace = workplace_for(
                name, memory, project_root=self._worker.project_root, warn=warn
            )
            here = question._replace(
                workplace=workplace, only=_asked_by_agent(question.only, workplace, scope)
            )
            find, deadline = (
                self._search.built_for(memory),
                Deadline.after(ANSWER_SECONDS, time.monotonic),
            )
            result = find.answers_to(
                here,
                deadline,
                concepts=concepts,
                rules=include_constitutional,
                besides=None if collection else _besides(here, scope),
            )
            if memory.away:
                asked = ASKED_HERE.format(memory.away)
                result = result._replace(degradations=(asked, *result.degradations))
            wanted = question.only if collection else question.only._replace(kinds=KINDS)
            elsewhere = (
                0
                if scope
                else _relevant_elsewhere(
                    find.recall, question, wanted=wanted, workplace=workplace, deadline=deadline
                )
            )
            return result, workplace, elsewhere

        result, here, elsewhere = await self._worker.call(search, or_outbox=True)
        if is_indexing:
            result = result._replace(degradations=(*result.degradations, STILL_INDEXING))
        text = query.strip() or " ".join(concepts)
        return _answer(
            result,
            AnswerLayout(
                query=text,
                policy=chosen.policy,
                project_root=self._root,
                explain=explain,
                here=here,
            ),
            elsewhere,
        )


def _besides(question: RecallQuestion, scope: ScopeName | None) -> EntryFilter:
    kinds = tuple(kind for kind in KINDS if kind not in question.only.kinds)
    only = question.only._replace(kinds=kinds, scope=ANYWHERE, anywhere=())
    return _asked_by_agent(only, question.workplace, scope)


def _asked_by_agent(
    only: EntryFilter, workplace: Workplace, scope: ScopeName | None
) -> EntryFilter:
    seen = workplace.visibility if workplace.visibility.is_foreign else None
    return answering("agent", workplace, only=only._replace(visible_in=seen), scope=scope)


def _relevant_elsewhere(
    recall: Recall,
    question: RecallQuestion,
    wanted: EntryFilter,
    workplace: Workplace,
    deadline: Deadline,
) -> int:
    everywhere = elsewhere_for("agent", workplace, wanted)
    here = question._replace(workplace=workplace, only=answering("agent", workplace, wanted))
    return recall.relevant_elsewhere(here, everywhere, deadline) if everywhere else 0


def _answer(result: SearchResult, report: AnswerLayout, elsewhere: int) -> SearchAnswer:
    more = (
        [f"{elsewhere} more relevant in other projects: scope global shows them"]
        if elsewhere
        else []
    )
    return SearchAnswer(
        message="\n".join([*_lines(result, report), *more]),
        constitutional=[
            RuleRow(**row_fields(rule), content=rule.description) for rule in result.rules
        ],
        results=[*_rows(result.answers, report, result.counts)],
        others=[*_rows(result.others, attrs.evolve(report, policy=COLLECTIONS["all"].policy))],
        count=len(result.answers),
        suggestion=result.suggestion or None,
        formula=_formula(report.policy) if report.explain else None,
        others_formula=(
            _formula(COLLECTIONS["all"].policy) if report.explain and result.others else None
        ),
        elsewhere=elsewhere,
        notes=[*result.degradations],
    )


def _lines(result: SearchResult, report: AnswerLayout) -> Iterator[str]:
    yield from (line.text for line in report.rules(result.rules))
    if result.others:
        yield "Documents:" if result.answers else "Documents: none"
    yield from (line.text for line in report.documents(result.answers, result.counts))
    if result.others:
        yield "\nOthers:"
        yield from (
            line.text
            for line in attrs.evolve(report, policy=COLLECTIONS["all"].policy).documents(
                result.others
            )
        )
    if result.suggestion:
        yield (
            f"{'No other memory answers' if result.rules else 'Nothing found'}: {result.suggestion}"
        )
    yield from (f"Note: {line}" for line in result.degradations)


def _rows(
    answers: Sequence[RecallAnswer], report: AnswerLayout, counts: Sequence[Mapping[str, int]] = ()
) -> Iterator[FoundRow]:
    terms = search_terms(report.query)
    room = min(EXCERPT_CHARACTERS, ALL_EXCERPTS // max(len(answers), 1))
    for at, item in enumerate(answers):
        yield FoundRow(
            **row_fields(item.entry),
            score=_of_a_hundred(item, report.policy),
            excerpt=excerpt(item.entry.description, terms, room).text,
            concept_counts=dict(counts[at]) if counts else None,
            parts=dict(item.parts) if report.explain else None,
            origin=FoundOrigin.model_validate(origin_document(item.entry, report.here.labels)),
        )


def _formula(policy: PolicyName) -> str:
    """
    Return the formula of the score shown.

    A calibrated policy shows relevance in percent.
    """
    return (
        f"100 * ({RELEVANCE_FORMULA})" if policy == COLLECTIONS["all"].policy else FORMULAS[policy]
    )


def _of_a_hundred(answer: RecallAnswer, policy: PolicyName) -> float:
    share = shown_share(answer, policy)
    return answer.score if share is None else 100 * share


def search_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools that answer questions."""
    return [tool(SearchTools(worker).memory_search, title="Search the memory", effect=READS)]


MAX_SURFACED = 20


class TriggeredRow(WireModel):
    """A memory whose phrase occurs in the prompt."""

    id: int = Field(description="Its number, for memory_load")
    entry_id: str
    kind: Kind
    title: str
    spec_folder: str | None
    file_path: str | None
    anchor_id: str | None
    importance_tier: Tier
    trigger: str = Field(description="Its phrase that occurs in the prompt")
    confidence: float = Field(
        description="1.0 for the whole prompt, 0.95 for a part of it, 0.7 for scattered words"
    )


class TriggerAnswer(ToolAnswer):
    """Trigger phrases in a prompt."""

    matched: bool
    trigger: str | None = Field(
        description="The phrase of highest confidence, of a command or a memory"
    )
    confidence: float = Field(description="The confidence, 0 to 1")
    memories: list[TriggeredRow]


class SurfacingTools:
    """Tools that find memories by trigger phrases."""

    def __init__(self, worker: MemoryWorker) -> None:
        self._worker = worker
        self._match = PerStore(
            lambda memory: MatchTriggers(
                memory.store.triggers,
                memory.repository,
                memory.clock,
                monotonic=time.monotonic,
                commands=memory.settings.trigger_phrases,
                only=seen_from(worker.workplace(memory)),
            )
        )

    async def memory_match_triggers(
        self,
        prompt: Annotated[str, Field(description="The user's prompt, unchanged")],
        limit: Annotated[
            int, Field(ge=1, le=MAX_SURFACED, description=("The maximum number of memories"))
        ] = 3,
    ) -> TriggerAnswer:
        """
        Find stored trigger phrases in a prompt, and their memories.

        It is fast and does not search. Use it at the start of a turn. If the trigger is a command
        such as "save context" and belongs to no memory, the user wants the present work remembered:
        write it down and call memory_save or store_memory.
        """
        triggered = await self._worker.call(
            lambda memory: self._match.built_for(memory).match(prompt, limit)
        )
        best = triggered.best
        return TriggerAnswer(
            message=_message(triggered),
            matched=best is not None,
            trigger=best.phrase if best else None,
            confidence=best.confidence if best else 0.0,
            memories=[*map(_row, triggered.entries)],
        )


def _message(triggered: TriggerMatches) -> str:
    if triggered.best is None:
        return "no trigger phrase in this prompt"
    first = f"trigger: {triggered.best.phrase} ({triggered.best.confidence:.2f})"
    rows = (
        f"{item.owner.number}: {item.owner.title} (by {item.match.phrase!r})"
        for item in triggered.entries
    )
    return "\n".join([first, *rows])


def _row(item: BroughtUp) -> TriggeredRow:
    owner = item.owner
    return TriggeredRow(
        id=owner.number,
        entry_id=owner.entry_id,
        kind=owner.kind,
        title=owner.title,
        spec_folder=owner.spec_folder,
        file_path=owner.file_path,
        anchor_id=owner.anchor_id or None,
        importance_tier=owner.tier,
        trigger=item.match.phrase,
        confidence=item.match.confidence,
    )


def surfacing_tools(worker: MemoryWorker) -> list[Tool]:
    """Return the tools that find memories by trigger phrases."""
    return [
        tool(
            SurfacingTools(worker).memory_match_triggers,
            title="What a prompt brings up",
            effect=READS,
        )
    ]
