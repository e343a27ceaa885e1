"""
Credit: what the outcomes of a lesson say about its chance to help.

The chance is a Beta posterior. Its prior has the rate of all lessons at that kind of moment, and
counts as many outcomes as the rates of lessons are alike (beta-binomial moments, Kleinman 1973)::

    chance = (helped + s m) / (helped + failed + s)
    shift  = logit(chance) - logit(m), within +-MAX_SHIFT

A lesson is harmful by a sequential likelihood ratio test (Wald 1945) of two rates below that of a
baseline. The ratio is a nonnegative supermartingale for every rate of at least `p0`, so it ever
reaches 20 with a probability of at most 1/20 (Ville 1939), however often it is looked at::

    ratio = helped ln(p1 / p0) + failed ln((1 - p1) / (1 - p0))  >=  ln 20

Only sums count: neither the order of outcomes nor the day of the look changes the verdict.
`docs/measurements-of-quality.md` shows how often it is right.
"""

import math
from collections.abc import Collection, Iterable
from typing import NamedTuple, Self

MAX_SHIFT = 0.5
"""
Bound of the shift of log-odds.

It moves a threshold of 0.9 to 0.86 or 0.94 at most.
"""

MIN_STRENGTH, MAX_STRENGTH = 4.0, 40.0
"""
Bounds of the prior's strength, in outcomes.

Few lessons do not show how alike they are.
"""

MIN_SHOWN = 5
"""Outcomes before a lesson may be harmful."""

MIN_BASELINE = 50
"""Outcomes of a baseline. The rate of fewer is too uncertain to compare with."""

MARGIN = 1.15
"""
Odds of a baseline, over those of a lesson just good enough.

All lessons together are a little better than one that changes nothing, if some help.
"""

HARM = 6.0
"""Odds of a lesson just good enough, over those of a harmful one."""

MAX_FALSE_ALARMS = 0.05


class Tally(NamedTuple):
    """
    The outcomes of a lesson at a kind of moment.

    Attributes:
        helped: Showings after which it went well.
        failed: Showings after which it did not.
    """

    helped: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """The number of outcomes."""
        return self.helped + self.failed

    @property
    def rate(self) -> float:
        """The share that went well, by Laplace's rule: never 0 or 1."""
        return (self.helped + 1) / (self.total + 2)

    def without(self, other: "Tally") -> "Tally":
        """Return the outcomes that are not in *other*."""
        return Tally(self.helped - other.helped, self.failed - other.failed)


def together(tallies: Iterable[Tally]) -> Tally:
    """
    Return the sum of *tallies*.

    >>> together([Tally(3, 1), Tally(0, 2)])
    Tally(helped=3, failed=3)
    """
    helped, failed = 0, 0
    for tally in tallies:
        helped, failed = helped + tally.helped, failed + tally.failed
    return Tally(helped, failed)


class Prior(NamedTuple):
    """
    The chance of a lesson without outcomes.

    Attributes:
        mean: The rate of all lessons together.
        strength: The number of outcomes that it counts as.

    Examples:
        >>> prior = Prior(mean=0.5, strength=10.0)
        >>> prior.chance(Tally(8, 2)), prior.shift(Tally(0, 0)), prior.shift(Tally(0, 20))
        (0.65, 0.0, -0.5)
    """

    mean: float
    strength: float

    @classmethod
    def of(cls, tallies: Collection[Tally]) -> Self:
        """Estimate it from the outcomes of all lessons at a kind of moment."""
        return cls(together(tallies).rate, _strength(tallies))

    def chance(self, tally: Tally) -> float:
        """Return the mean of the posterior."""
        return (tally.helped + self.strength * self.mean) / (tally.total + self.strength)

    def shift(self, tally: Tally) -> float:
        """
        Return by how much the log-odds of helping change, at most `MAX_SHIFT`.

        It depends on how outcomes went, not on how often the lesson was shown.
        """
        good, bad = self.strength * self.mean, self.strength * (1 - self.mean)
        change = math.log((tally.helped + good) / good) - math.log((tally.failed + bad) / bad)
        return min(max(change, -MAX_SHIFT), MAX_SHIFT)


def _strength(tallies: Collection[Tally]) -> float:
    sizes = [tally.total for tally in tallies if tally.total]
    outcomes, mean = sum(sizes), together(tallies).rate
    free = len(sizes) - 1
    spare = outcomes - sum(size * size for size in sizes) / outcomes - free if sizes else 0.0
    if spare <= 0:
        return MAX_STRENGTH
    deviation = math.fsum(
        tally.total * (tally.helped / tally.total - mean) ** 2 for tally in tallies if tally.total
    )
    alike = (deviation / (mean * (1 - mean)) - free) / spare
    return min(max(1 / alike - 1, MIN_STRENGTH), MAX_STRENGTH) if alike > 0 else MAX_STRENGTH


def baseline_of(others: Tally, withheld: Tally) -> Tally:
    """
    Return the outcomes that a lesson is compared with.

    Args:
        others: Of all other lessons at that kind of moment.
        withheld: Of all lessons that a trial withheld there. They come first, if there are enough.
    """
    return withheld if withheld.total >= MIN_BASELINE else others


def harm_ratio(tally: Tally, baseline: Tally) -> float:
    """Return the log-likelihood ratio of a harmful lesson to a good enough one."""
    good = _rate(baseline.rate, MARGIN)
    bad = _rate(good, HARM)
    return tally.helped * math.log(bad / good) + tally.failed * math.log((1 - bad) / (1 - good))


def is_harmful(tally: Tally, baseline: Tally) -> bool:
    """
    Return whether a lesson is clearly worse than *baseline*.

    >>> others = Tally(60, 50)
    >>> is_harmful(Tally(0, 5), others), is_harmful(Tally(1, 9), others), is_harmful(Tally(4, 9), others)
    (False, True, False)
    """
    if tally.total < MIN_SHOWN or baseline.total < MIN_BASELINE:
        return False
    return harm_ratio(tally, baseline) >= -math.log(MAX_FALSE_ALARMS)


def _rate(rate: float, ratio: float) -> float:
    """Return the rate whose odds are those of *rate*, divided by *ratio*."""
    odds = rate / (1 - rate) / ratio
    return odds / (1 + odds)
