"""
`python -m bench.outcomes`: how often the rules of credit and lift are right, on planted lessons.

The figures and the chart of `docs/quality.md#credit-and-lift`. Everything is drawn with fixed seeds.
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from hardwon.domain.model.credit import Prior, Tally, is_harmful, together
from hardwon.domain.model.lift import Showing

MANY = 100_000
"""Outcomes of a baseline whose rate is known."""


def share_silenced(rate: float, baseline: float, showings: int) -> float:
    """
    Return the share of lessons that fall silent, with a look after each showing.

    It is exact: all paths of outcomes are summed.

    Args:
        rate: How often it goes well after the lesson.
        baseline: How often it goes well after the others.
        showings: Those after which the outcome is known.
    """
    others = Tally(round(baseline * MANY), round((1 - baseline) * MANY))
    still_shown, silenced = {0: 1.0}, 0.0
    for shown in range(1, showings + 1):
        following = dict[int, float]()
        for helped, share in still_shown.items():
            following[helped + 1] = following.get(helped + 1, 0.0) + share * rate
            following[helped] = following.get(helped, 0.0) + share * (1 - rate)
        still_shown = dict[int, float]()
        for helped, share in following.items():
            if is_harmful(Tally(helped, shown - helped), others):
                silenced += share
            else:
                still_shown[helped] = share
    return silenced


class PlantedKind(NamedTuple):
    """
    Lessons of one kind.

    Attributes:
        rate: How often it goes well after them.
        lessons: Their number.
    """

    name: str
    rate: float
    lessons: int


PLANTED = (
    PlantedKind("helpful", 0.75, 12),
    PlantedKind("useless", 0.55, 24),
    PlantedKind("harmful", 0.12, 4),
)
"""Without a lesson it goes well in 55 of 100 cases."""


class Followed(NamedTuple):
    """
    A planted lesson after all sessions.

    Attributes:
        tally: Its outcomes, until it fell silent.
        chance: Its estimated chance to help.
    """

    planted: PlantedKind
    tally: Tally
    chance: float
    is_silent: bool


def follow(
    random: Random, sessions: int, planted: Sequence[PlantedKind] = PLANTED
) -> list[Followed]:
    """Show a lesson at three moments of each session, and look at its credit after each."""
    kinds = [kind for kind in planted for _ in range(kind.lessons)]
    tallies, silent = [Tally()] * len(kinds), set[int]()
    for _ in range(3 * sessions):
        lesson = random.choice([number for number in range(len(kinds)) if number not in silent])
        helped = random.random() < kinds[lesson].rate
        before = tallies[lesson]
        tally = Tally(before.helped + helped, before.failed + (not helped))
        tallies[lesson] = tally
        if is_harmful(tally, together(tallies).without(tally)):
            silent.add(lesson)
    prior = Prior.of(tallies)
    return [
        Followed(kind, tally, prior.chance(tally), is_silent=number in silent)
        for number, (kind, tally) in enumerate(zip(kinds, tallies, strict=True))
    ]


class PlantedTrial(NamedTuple):
    """
    A planted trial.

    Attributes:
        effect: By how much a lesson that is shown lowers the share of repeated errors.
        share: Of what is withheld.
        alike: How much the moments of a session are alike, from 0 to 1 (intra-class correlation).
    """

    effect: float
    sessions: int
    share: float = 0.3
    alike: float = 0.2

    def showings(self, random: Random) -> list[Showing]:
        """Draw up to four moments a session. Without a lesson half of the errors come again."""
        return [
            self._showing(random, f"{session}", chance)
            for session in range(self.sessions)
            for chance in [self._chance(random)]
            for _ in range(random.randint(1, 4))
        ]

    def _chance(self, random: Random) -> float:
        unlike = (1 - self.alike) / self.alike / 2
        return random.betavariate(unlike, unlike)

    def _showing(self, random: Random, session_id: str, chance: float) -> Showing:
        is_withheld = random.random() < self.share
        is_saved = not is_withheld and random.random() < 2 * self.effect
        repeated = random.random() < chance and not is_saved
        tries = 1
        while repeated and random.random() < 0.4 + chance / 4:
            tries += 1
        return Showing(
            session_id=session_id,
            event="failure",
            is_withheld=is_withheld,
            repeated=repeated,
            passed=tries < 4,
            tries=tries + repeated,
        )
