import math
from collections.abc import Sequence
from typing import NamedTuple

from hardwon.domain.model.evaluation.metrics import Grades, hit, ndcg, percentile, recall, reciprocal_rank

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
