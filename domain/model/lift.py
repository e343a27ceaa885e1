"""
Lift: the difference that lessons make, by a trial that withholds some of them.

Arms are drawn within sessions, so what the moments of a session have in common falls out of the
difference. The interval for two proportions is Newcombe's hybrid score interval (1998, method 10),
of the Wilson intervals `l..u` of both::

    d - sqrt((p1 - l1)^2 + (u2 - p2)^2)  ..  d + sqrt((u1 - p1)^2 + (p2 - l2)^2)

That for two means is the percentile bootstrap over whole sessions, with a fixed seed and its
percentiles expanded for few sessions (Hesterberg 2015). A difference is clear if the interval of three standard errors excludes 0: a person
looks often, and at two of them chance alone would soon look like an effect.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from random import Random
from statistics import NormalDist
from typing import Literal, NamedTuple, TypeAlias

from hardwon.domain.model.credit import Tally
from hardwon.domain.model.injection.receipt import Event

Z_95 = 1.959964
"""Standard errors of an interval of 95 %."""

Z_CLEAR = 3.0
"""Standard errors of a clear difference."""

Z_POWER = 4.0
"""Standard errors of a difference that becomes clear in five of six trials."""

VISIBLE = (0.2, 0.1, 0.05)
"""Differences that a trial should make visible, one after the other."""

RESAMPLES = 1_000
MIN_ARM = 10
"""
Lessons in an arm.

Of fewer nothing is clear, and a bootstrap is too narrow.
"""

Verdict: TypeAlias = Literal["helps", "harms", "open"]


class Showing(NamedTuple):
    """
    A lesson at a moment, shown or withheld, with a known outcome.

    Attributes:
        failed: Whether the same error came again, or the tests after an edit failed.
        passed: Whether the command passed in the session.
        tries: Its runs until it passed, or until the session ended.
    """

    session_id: str
    event: Event
    is_withheld: bool
    failed: bool
    passed: bool
    tries: int


class Difference(NamedTuple):
    """A figure of both arms, with the bounds of shown minus withheld."""

    shown: float
    withheld: float
    low: float
    high: float

    @property
    def value(self) -> float:
        """The figure of what was shown minus that of what was withheld."""
        return self.shown - self.withheld


def newcombe(shown: Tally, withheld: Tally, z: float = Z_95) -> Difference:
    """
    Return the difference of two proportions of outcomes.

    >>> found = newcombe(Tally(56, 14), Tally(48, 32))  # Newcombe 1998, table II, a
    >>> f"{found.value:.4f} {found.low:.4f} {found.high:.4f}"
    '0.2000 0.0524 0.3339'
    """
    p1, p2 = (tally.helped / tally.total for tally in (shown, withheld))
    (l1, u1), (l2, u2) = wilson(shown, z), wilson(withheld, z)
    low, high = p1 - p2 - math.hypot(p1 - l1, u2 - p2), p1 - p2 + math.hypot(u1 - p1, p2 - l2)
    return Difference(p1, p2, low=low, high=high)


def wilson(tally: Tally, z: float = Z_95) -> tuple[float, float]:
    """Return the score interval of a proportion (Wilson 1927)."""
    total, share = tally.total, tally.helped / tally.total
    middle = share + z * z / (2 * total)
    reach = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (middle - reach) / (1 + z * z / total), (middle + reach) / (1 + z * z / total)


class Lift(NamedTuple):
    """The outcomes of a trial, at all moments or at one kind."""

    showings: Sequence[Showing]

    def at(self, event: Event) -> "Lift":
        """Return the lift at one kind of moment."""
        return Lift([showing for showing in self.showings if showing.event == event])

    @property
    def sessions(self) -> int:
        """The number of sessions."""
        return len({showing.session_id for showing in self.showings})

    @property
    def arms(self) -> tuple[list[Showing], list[Showing]]:
        """The showings of lessons that were shown, and of those that were withheld."""
        shown = [showing for showing in self.showings if not showing.is_withheld]
        return shown, [showing for showing in self.showings if showing.is_withheld]

    @property
    def failed(self) -> Difference | None:
        """The shares of failures after it, None without both arms."""
        return self._proportions(_has_failed)

    @property
    def passed(self) -> Difference | None:
        """The shares after which the command passed, None without both arms."""
        return self._proportions(lambda showing: showing.passed)

    @property
    def tries(self) -> Difference | None:
        """The mean tries after failed commands, None if an arm is small."""
        failures = self.at("failure")
        return difference_of_means(failures.showings) if failures.is_enough else None

    @property
    def verdict(self) -> Verdict:
        """Whether lessons clearly change how often it fails afterwards."""
        clear = self._proportions(_has_failed, Z_CLEAR)
        if clear is None or not self.is_enough:
            return "open"
        return "helps" if clear.high < 0 else "harms" if clear.low > 0 else "open"

    @property
    def next_goal(self) -> "Goal | None":
        """The next difference to become visible, None if all are."""
        rate = _tally(map(_has_failed, self.showings)).rate
        variance = rate * (1 - rate) * sum(1 / max(len(arm), 1) for arm in self.arms)
        for difference in VISIBLE:
            missing = self.sessions * (variance / (difference / Z_POWER) ** 2 - 1)
            if missing > 0:
                return Goal(difference, math.ceil(missing))
        return None

    @property
    def is_enough(self) -> bool:
        """Whether both arms are large enough for a verdict."""
        return min(map(len, self.arms)) >= MIN_ARM

    def _proportions(self, hit: Callable[[Showing], bool], z: float = Z_95) -> Difference | None:
        shown, withheld = (_tally(map(hit, arm)) for arm in self.arms)
        return newcombe(shown, withheld, z) if shown.total and withheld.total else None


class Goal(NamedTuple):
    """
    A difference that will be visible.

    Attributes:
        sessions: About how many more are needed.
    """

    difference: float
    sessions: int


def _has_failed(showing: Showing) -> bool:
    return showing.failed


def _tally(hits: Iterable[bool]) -> Tally:
    counts = Counter(hits)
    return Tally(counts[True], counts[False])


def difference_of_means(showings: Collection[Showing]) -> Difference:
    """Return the difference of the mean numbers of tries of both arms."""
    sums = defaultdict[str, list[int]](lambda: [0, 0, 0, 0])
    for showing in showings:
        of_session, arm = sums[showing.session_id], 2 * showing.is_withheld
        of_session[arm] += showing.tries
        of_session[arm + 1] += 1
    sessions = sorted(sums.values())
    random = Random(0)  # noqa: S311  # nothing secret: the same data give the same interval
    drawn = (_total(random.choices(sessions, k=len(sessions))) for _ in range(RESAMPLES))
    means = (_means(total) for total in drawn if total[1] and total[3])
    differences = sorted(shown - withheld for shown, withheld in means)
    smaller = min(sum(own[1] > 0 for own in sessions), sum(own[3] > 0 for own in sessions))
    cut = int(len(differences) * NormalDist().cdf(-Z_95 * _expansion(smaller)))
    shown, withheld = _means(_total(sessions))
    return Difference(shown, withheld, low=differences[cut], high=differences[-1 - cut])


def _expansion(sessions: int) -> float:
    """Return the width of a t interval, over that of a normal one."""
    free = max(sessions - 1, 1)
    return math.sqrt((free + 1) / free) * (1 + (Z_95 * Z_95 + 1) / (4 * free))


def _total(sessions: Iterable[Sequence[int]]) -> Sequence[int]:
    return [sum(column) for column in zip(*sessions, strict=True)]


def _means(total: Sequence[int]) -> tuple[float, float]:
    shown, of_shown, withheld, of_withheld = total
    return shown / of_shown, withheld / of_withheld
