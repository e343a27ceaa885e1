"""
Figures of retrieval quality, as trec_eval computes them, and their reports.

Reports can be compared. Every figure is in `[0, 1]`, higher is better.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Grades = Mapping[str, float]
"""Document id to its grade. Above 0 is relevant, a missing one is not."""


def ndcg(ranked: Sequence[str], grades: Grades, k: int) -> float:
    """
    Return the normalised discounted cumulative gain at *k*.

    It is 0 when nothing is relevant. Gains are linear, `grade / log2(place + 1)`, over those of the
    ideal ranking (Järvelin & Kekäläinen 2002).
    """
    ideal = _gain(sorted(grades.values(), reverse=True)[:k])
    return (
        _gain([grades.get(document_id, 0.0) for document_id in ranked[:k]]) / ideal
        if ideal
        else 0.0
    )


def recall(ranked: Sequence[str], grades: Grades, k: int) -> float:
    """Return the share of relevant documents among the first *k*."""
    wanted = _relevant(grades)
    return len(wanted.intersection(ranked[:k])) / len(wanted) if wanted else 0.0


def hit(ranked: Sequence[str], grades: Grades, k: int) -> float:
    """Return 1 if one of the first *k* is relevant, else 0."""
    return float(not _relevant(grades).isdisjoint(ranked[:k]))


def reciprocal_rank(ranked: Sequence[str], grades: Grades) -> float:
    """Return the reciprocal rank of the first relevant document."""
    wanted = _relevant(grades)
    return next(
        (1 / place for place, document_id in enumerate(ranked, 1) if document_id in wanted), 0.0
    )


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the nearest-rank percentile of *values*, 0 without values."""
    at = math.ceil(len(values) * percent / 100) - 1
    return sorted(values)[max(0, at)] if values else 0.0


def _gain(grades: Sequence[float]) -> float:
    return math.fsum(
        max(0.0, grade) / math.log2(place + 1) for place, grade in enumerate(grades, 1)
    )


def _relevant(grades: Grades) -> set[str]:
    return {document_id for document_id, grade in grades.items() if grade > 0}


ANSWERS = 10

FEW = 5


class MeasuredAnswers(NamedTuple):
    """
    The answers of one policy to one query.

    Attributes:
        ranked: The ids of the answers, best first.
    """

    question_id: str
    ranked: Sequence[str]
    grades: Grades
    ms: float

    @property
    def ndcg(self) -> float:
        """The figure by which queries are compared."""
        return ndcg(self.ranked, self.grades, ANSWERS)


class PolicyFigures(NamedTuple):
    """
    The quality and speed of a policy.

    Quality is a mean over queries, time a percentile in milliseconds.

    Attributes:
        few_recall: Recall at 5.
        few_hit: Share of queries with a relevant answer among 5.
    """

    ndcg: float
    few_recall: float
    recall: float
    mrr: float
    few_hit: float
    p50_ms: float
    p95_ms: float

    @classmethod
    def of(cls, answers: Sequence[MeasuredAnswers]) -> "PolicyFigures":
        """Return the figures of all *answers* of a policy."""
        times = [answer.ms for answer in answers]
        return cls(
            ndcg=_mean([answer.ndcg for answer in answers]),
            few_recall=_mean([recall(answer.ranked, answer.grades, FEW) for answer in answers]),
            recall=_mean([recall(answer.ranked, answer.grades, ANSWERS) for answer in answers]),
            mrr=_mean(
                [reciprocal_rank(answer.ranked[:ANSWERS], answer.grades) for answer in answers]
            ),
            few_hit=_mean([hit(answer.ranked, answer.grades, FEW) for answer in answers]),
            p50_ms=percentile(times, 50),
            p95_ms=percentile(times, 95),
        )

    @classmethod
    def mean(cls, several: Sequence["PolicyFigures"]) -> "PolicyFigures":
        """Return the mean of each figure, with equal weight for every set."""
        return cls(*map(_mean, zip(*several, strict=True)))


QUALITY = ("ndcg", "few_recall", "recall", "mrr", "few_hit")
"""The deterministic figures. The others depend on the machine."""


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


ByPolicy = Mapping[str, PolicyFigures]


class QueryReport(NamedTuple):
    """A query and its nDCG@10 by policy."""

    text: str
    ndcg: Mapping[str, float]


class SetReport(NamedTuple):
    """
    The figures of one set.

    Attributes:
        queries: By id.
        degradations: Capabilities missing for a query, one line each.
    """

    policies: ByPolicy
    queries: Mapping[str, QueryReport]
    degradations: tuple[str, ...] = ()


class EvaluationReport(NamedTuple):
    """The figures of all sets, by name."""

    sets: Mapping[str, SetReport]

    @property
    def mean(self) -> ByPolicy:
        """
        The mean over the sets, by policy.

        It has the policies that all sets have; empty for a single set.
        """
        every = [report.policies for report in self.sets.values()]
        if len(every) <= 1:
            return {}
        shared = [policy for policy in every[0] if all(policy in figures for figures in every)]
        return {
            policy: PolicyFigures.mean([figures[policy] for figures in every]) for policy in shared
        }


class QueryChange(NamedTuple):
    """
    The nDCG@10 of a policy on one query, before and after.

    Both may be of one run: `before` is the figure that is compared with.
    """

    set_name: str
    query_id: str
    text: str
    policy: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """Above 0 for the better."""
        return self.after - self.before


def largest_changes(queries: Sequence[QueryChange], count: int) -> list[QueryChange]:
    """Return the *count* largest changes, worst first, without unchanged queries."""
    changed = [query for query in queries if query.change]
    return sorted(
        sorted(changed, key=lambda query: -abs(query.change))[:count],
        key=lambda query: query.change,
    )


def adaptive_beside_the_better(name: str, report: SetReport) -> list[QueryChange]:
    """
    Return the change from the better of `keyword` and `vector` to `adaptive`.

    It is given by query; empty without them.
    """
    return [
        QueryChange(
            set_name=name,
            query_id=query_id,
            text=query.text,
            policy="adaptive",
            before=max(others),
            after=query.ndcg["adaptive"],
        )
        for query_id, query in report.queries.items()
        if "adaptive" in query.ndcg
        and (
            others := [
                query.ndcg[single] for single in ("keyword", "vector") if single in query.ndcg
            ]
        )
    ]


TOLERANCE = 0.005
"""A figure that falls by no more counts as unchanged."""

MEAN = "mean"


class PolicyChange(NamedTuple):
    """
    The change of a policy's figures on one set.

    Attributes:
        set_name: `mean` for the mean over all sets.
    """

    set_name: str
    policy: str
    before: PolicyFigures
    after: PolicyFigures

    @property
    def differences(self) -> PolicyFigures:
        """The later figures minus the earlier ones."""
        return PolicyFigures(
            *(after - before for after, before in zip(self.after, self.before, strict=True))
        )

    @property
    def regressions(self) -> tuple[str, ...]:
        """
        The names of the figures that fell beyond the tolerance.

        Times are left out: they depend on the machine.
        """
        return tuple(name for name in QUALITY if getattr(self.differences, name) < -TOLERANCE)


def changes(before: EvaluationReport, after: EvaluationReport) -> list[PolicyChange]:
    """
    Return the changes of all figures that both reports have.

    Means are compared only when the sets are the same.
    """
    by_set = [
        change
        for name, report in after.sets.items()
        if name in before.sets
        for change in _changes(name, before.sets[name].policies, report.policies)
    ]
    return by_set + (
        _changes(MEAN, before.mean, after.mean) if before.sets.keys() == after.sets.keys() else []
    )


def moved_queries(name: str, before: SetReport, after: SetReport) -> list[QueryChange]:
    """Return the change of every query, by every policy of both reports."""
    return [
        QueryChange(
            set_name=name,
            query_id=query_id,
            text=query.text,
            policy=policy,
            before=earlier.ndcg[policy],
            after=ndcg,
        )
        for query_id, query in after.queries.items()
        if (earlier := before.queries.get(query_id))
        for policy, ndcg in query.ndcg.items()
        if policy in earlier.ndcg
    ]


def _changes(name: str, before: ByPolicy, after: ByPolicy) -> list[PolicyChange]:
    return [
        PolicyChange(set_name=name, policy=policy, before=before[policy], after=figures)
        for policy, figures in after.items()
        if policy in before
    ]
