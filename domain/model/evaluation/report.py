"""
A report beside an earlier one.

How well a ranking answers a question, as trec_eval measures it. Every figure is in `[0, 1]`, higher is better.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Grades = Mapping[str, float]
"""Document id to how relevant it is; above 0 is relevant, what is missing is not."""


def ndcg(ranked: Sequence[str], grades: Grades, k: int) -> float:
    """
    Return the normalised discounted cumulative gain of the first *k*, 0 when nothing is relevant.

    Gains are linear, `grade / log2(place + 1)`, over those of the best ranking there is (Järvelin & Kekäläinen 2002).
    """
    ideal = _gain(sorted(grades.values(), reverse=True)[:k])
    return _gain([grades.get(each, 0.0) for each in ranked[:k]]) / ideal if ideal else 0.0


def recall(ranked: Sequence[str], grades: Grades, k: int) -> float:
    """Return the share of all that is relevant which is among the first *k*, 0 when nothing is."""
    wanted = _relevant(grades)
    return len(wanted.intersection(ranked[:k])) / len(wanted) if wanted else 0.0


def hit(ranked: Sequence[str], grades: Grades, k: int) -> float:
    """Return 1 when something relevant is among the first *k*, else 0."""
    return float(not _relevant(grades).isdisjoint(ranked[:k]))


def reciprocal_rank(ranked: Sequence[str], grades: Grades) -> float:
    """Return 1 over the place of the first that is relevant, 0 when none is."""
    wanted = _relevant(grades)
    return next((1 / place for place, each in enumerate(ranked, 1) if each in wanted), 0.0)


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest of *values* that *percent* of them don't exceed (nearest rank), 0 without values."""
    at = math.ceil(len(values) * percent / 100) - 1
    return sorted(values)[max(0, at)] if values else 0.0


def _gain(grades: Sequence[float]) -> float:
    return math.fsum(max(0.0, grade) / math.log2(place + 1) for place, grade in enumerate(grades, 1))


def _relevant(grades: Grades) -> set[str]:
    return {each for each, grade in grades.items() if grade > 0}


ANSWERS = 10
"""How many answers are asked for, and judged."""

FEW = 5


class Measured(NamedTuple):
    """
    How one policy answered one question.

    Attributes:
        question_id: Which question.
        ranked: The ids of the answers, best first.
        grades: What is relevant.
        ms: How long it took.

    """

    question_id: str
    ranked: Sequence[str]
    grades: Grades
    ms: float

    @property
    def ndcg(self) -> float:
        """The figure that questions are compared by."""
        return ndcg(self.ranked, self.grades, ANSWERS)


class Figures(NamedTuple):
    """
    How well and how fast a policy answers: means over questions, milliseconds by percentile.

    Attributes:
        ndcg: Normalised discounted cumulative gain at 10.
        few_recall: Recall at 5.
        recall: Recall at 10.
        mrr: Mean reciprocal rank, within 10 answers.
        few_hit: Share of questions with a relevant answer among 5.
        p50_ms: The time that half of the answers took at most.
        p95_ms: The time that 95 % of them took at most.

    """

    ndcg: float
    few_recall: float
    recall: float
    mrr: float
    few_hit: float
    p50_ms: float
    p95_ms: float

    @classmethod
    def of(cls, answers: Sequence[Measured]) -> "Figures":
        """Return the figures of all *answers* of a policy."""
        times = [each.ms for each in answers]
        return cls(
            ndcg=_mean([each.ndcg for each in answers]),
            few_recall=_mean([recall(each.ranked, each.grades, FEW) for each in answers]),
            recall=_mean([recall(each.ranked, each.grades, ANSWERS) for each in answers]),
            mrr=_mean([reciprocal_rank(each.ranked[:ANSWERS], each.grades) for each in answers]),
            few_hit=_mean([hit(each.ranked, each.grades, FEW) for each in answers]),
            p50_ms=percentile(times, 50),
            p95_ms=percentile(times, 95),
        )

    @classmethod
    def mean(cls, several: Sequence["Figures"]) -> "Figures":
        """Return the mean of each figure; every set counts the same, however many questions it has."""
        return cls(*map(_mean, zip(*several, strict=True)))


QUALITY = Figures._fields[:-2]
"""The figures that are the same in every run; the others depend on the machine."""


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


ByPolicy = Mapping[str, Figures]


class QueryReport(NamedTuple):
    """
    How well one question was answered.

    Attributes:
        text: What was asked.
        ndcg: The figure, by policy.

    """

    text: str
    ndcg: Mapping[str, float]


class SetReport(NamedTuple):
    """
    How well the questions of one set were answered.

    Attributes:
        policies: The figures of each policy.
        queries: The questions one by one, by id.
        degradations: What was missing when a question was answered, one line each.

    """

    policies: ByPolicy
    queries: Mapping[str, QueryReport]
    degradations: tuple[str, ...] = ()


class Report(NamedTuple):
    """
    How well recall answers.

    Attributes:
        sets: By name.

    """

    sets: Mapping[str, SetReport]

    @property
    def mean(self) -> ByPolicy:
        """The mean over the sets of each policy that all of them have; nothing for a single set."""
        every = [report.policies for report in self.sets.values()]
        if len(every) <= 1:
            return {}
        shared = [policy for policy in every[0] if all(policy in each for each in every)]
        return {policy: Figures.mean([each[policy] for each in every]) for policy in shared}


class Standing(NamedTuple):
    """
    How one question fared beside what it is held against.

    Attributes:
        set_name: The set it is of.
        query_id: Which question.
        text: What was asked.
        policy: Who answered.
        before: What it is held against.
        after: How it was answered; both are nDCG@10.

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


def farthest(standings: Sequence[Standing], count: int) -> list[Standing]:
    """Return the *count* that changed most, worst first; those that did not change are left out."""
    changed = [each for each in standings if each.change]
    return sorted(sorted(changed, key=lambda each: -abs(each.change))[:count], key=lambda each: each.change)


def adaptive_beside_the_better(name: str, report: SetReport) -> list[Standing]:
    """Return for each question how `adaptive` stands to the better of `keyword` and `vector`; nothing without them."""
    return [
        Standing(name, query_id, query.text, "adaptive", max(others), query.ndcg["adaptive"])
        for query_id, query in report.queries.items()
        if "adaptive" in query.ndcg
        and (others := [query.ndcg[single] for single in ("keyword", "vector") if single in query.ndcg])
    ]


TOLERANCE = 0.005
"""A figure that falls by no more is taken for as good as before."""

MEAN = "mean"


class Change(NamedTuple):
    """
    How the figures of one policy on one set moved.

    Attributes:
        set_name: `mean` for the mean over all sets.
        policy: Whose figures.
        before: The earlier ones.
        after: Those of now.

    """

    set_name: str
    policy: str
    before: Figures
    after: Figures

    @property
    def differences(self) -> Figures:
        """Each figure now less what it was."""
        return Figures(*(after - before for after, before in zip(self.after, self.before, strict=True)))

    @property
    def regressions(self) -> tuple[str, ...]:
        """The names of the figures that fell beyond the tolerance; times, which are the machine's, never do."""
        return tuple(name for name in QUALITY if getattr(self.differences, name) < -TOLERANCE)


def changes(before: Report, after: Report) -> list[Change]:
    """Return how all figures moved that both reports have; means only when they are over the same sets."""
    moved = [
        change
        for name, report in after.sets.items()
        if name in before.sets
        for change in _changes(name, before.sets[name].policies, report.policies)
    ]
    return moved + (_changes(MEAN, before.mean, after.mean) if before.sets.keys() == after.sets.keys() else [])


def moved_queries(name: str, before: SetReport, after: SetReport) -> list[Standing]:
    """Return how every question stands to its earlier answer, by every policy that both reports have."""
    return [
        Standing(name, query_id, query.text, policy, earlier.ndcg[policy], ndcg)
        for query_id, query in after.queries.items()
        if (earlier := before.queries.get(query_id))
        for policy, ndcg in query.ndcg.items()
        if policy in earlier.ndcg
    ]


def _changes(name: str, before: ByPolicy, after: ByPolicy) -> list[Change]:
    return [Change(name, policy, before[policy], figures) for policy, figures in after.items() if policy in before]
