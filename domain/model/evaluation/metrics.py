"""How well a ranking answers a question, as trec_eval measures it. Every figure is in `[0, 1]`, higher is better."""

import math
from collections.abc import Mapping, Sequence

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
