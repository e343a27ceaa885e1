"""Measure how well recall answers questions whose answers are known."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.evaluation.baselines import MEASURED
from hardwon.domain.model.evaluation.eval_set import EvalSet, JudgedQuery
from hardwon.domain.model.evaluation.report import (
    ANSWERS,
    MeasuredAnswers,
    PolicyFigures,
    QueryReport,
    SetReport,
)
from hardwon.domain.model.filters import ANYWHERE, EntryFilter, Scope, Workplace
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.policy import RecallQuestion
from hardwon.domain.model.redaction import redact
from hardwon.domain.use_cases.embed_pending import EmbedPending
from hardwon.domain.use_cases.rank import QuestionMatches
from hardwon.domain.use_cases.recall import Recall
from hardwon.domain.use_cases.retrieve import embed_query
from hardwon.ports.entries import EntryRepository

Stage = Callable[[str, int, int], None]
"""Called with the name of the stage, the number done and the total."""

T = TypeVar("T")

STANDING_STILL = Deadline(lambda: 0.0)
"""
A deadline that never passes.

Figures must not depend on the load of the machine.
"""


class Evaluate(NamedTuple):
    """
    Measure recall in a temporary store, empty at first.

    Attributes:
        embed: Embeds its entries, with a cache on disk; None for keyword search only.
    """

    repository: EntryRepository
    embed: EmbedPending | None
    recall: Recall
    monotonic: Callable[[], float]

    def measure(self, eval_set: EvalSet, policies: Sequence[str], stage: Stage) -> SetReport:
        """Return how well *policies* answer the questions of *eval_set*."""
        with self.repository.transaction():
            for entry in eval_set.documents.values():
                self.repository.put(entry)
        self._embed(eval_set, stage)
        return _Run(self, eval_set).report(policies, stage)

    def _embed(self, eval_set: EvalSet, stage: Stage) -> None:
        if self.embed is None:
            return
        documents, deadline = len(eval_set.documents), Deadline(self.monotonic)
        total = documents + len(eval_set.queries)
        self.embed.embed(None, deadline, lambda done: stage("embedding", done, total))
        for at, asked in enumerate(eval_set.queries, 1):
            if asked.query.text.strip():
                embed_query(self.embed.embedder, redact(asked.query.text), deadline)
            stage("embedding", documents + at, total)


class _Run:
    def __init__(self, tools: Evaluate, eval_set: EvalSet) -> None:
        self._tools = tools
        self._ids = {
            entry.entry_id: document_id for document_id, entry in eval_set.documents.items()
        }
        # Sorted by group: the index caches the vectors of a few groups.
        self._queries = sorted(eval_set.queries, key=lambda asked: asked.query.group or "")
        self._order = [asked.query for asked in eval_set.queries]
        self._degradations = dict[str, None]()

    def report(self, policies: Sequence[str], stage: Stage) -> SetReport:
        measured: dict[str, list[MeasuredAnswers]] = {policy: [] for policy in policies}
        last: JudgedQuery | None = None
        for at, asked in enumerate(self._queries, 1):
            questions = {policy: self._question(asked, policy) for policy in policies}
            if last is None or asked.query.group != last.query.group:
                self._search(
                    questions[policies[0]]
                )  # loads the group's vectors, which a long-running process does once
            for policy, answer in self._measure(asked, questions).items():
                measured[policy].append(answer)
            stage("queries", at, len(self._queries))
            last = asked
        return SetReport(
            policies={policy: PolicyFigures.of(answers) for policy, answers in measured.items()},
            queries=self._by_query(measured),
            degradations=tuple(self._degradations),
        )

    def _measure(
        self, asked: JudgedQuery, questions: Mapping[str, RecallQuestion]
    ) -> dict[str, MeasuredAnswers]:
        """
        Answer by every policy.

        Policies with the same search share it, and its time counts for each of them.
        """
        searches = {question.by_passage: question for question in questions.values()}
        found = {
            by_passage: self._timed(partial(self._search, question))
            for by_passage, question in searches.items()
        }
        measured = dict[str, MeasuredAnswers]()
        for policy, question in questions.items():
            matches, searching_ms = found[question.by_passage]
            answer = partial(
                self._tools.recall.answer_from, question, matches, MEASURED[policy].baseline
            )
            recollection, judging_ms = self._timed(answer)
            self._degradations |= dict.fromkeys(recollection.degradations)
            ranked = [self._ids[answer.entry.entry_id] for answer in recollection.answers]
            measured[policy] = MeasuredAnswers(
                question_id=asked.query.query_id,
                ranked=ranked,
                grades=asked.grades,
                ms=searching_ms + judging_ms,
            )
        return measured

    def _timed(self, work: Callable[[], T]) -> tuple[T, float]:
        started = self._tools.monotonic()
        done = work()
        return done, (self._tools.monotonic() - started) * 1000

    def _search(self, question: RecallQuestion) -> QuestionMatches:
        return self._tools.recall.search(question, STANDING_STILL)

    def _question(self, asked: JudgedQuery, policy: str) -> RecallQuestion:
        group = asked.query.group
        return RecallQuestion(
            text=asked.query.text,
            only=EntryFilter(
                kinds=("document",), scope=ANYWHERE if group is None else Scope((group,))
            ),
            policy=MEASURED[policy].policy,
            limit=ANSWERS,
            minimum=None,
            workplace=Workplace(group or "", visibility=Visibility(own=(group or "",))),
            distinct=False,  # a judged document counts even if another one has the same text
        )

    def _by_query(self, measured: dict[str, list[MeasuredAnswers]]) -> dict[str, QueryReport]:
        by_policy = {
            policy: {answer.question_id: answer.ndcg for answer in answers}
            for policy, answers in measured.items()
        }
        return {
            query.query_id: QueryReport(
                query.text, {policy: ndcg[query.query_id] for policy, ndcg in by_policy.items()}
            )
            for query in self._order
        }
