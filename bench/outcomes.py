"""
How often the rules of credit and lift are right, on planted lessons.

Run `python -m bench.outcomes`.

It prints the tables of `docs/measurements-of-quality.md#credit-and-lift` and writes the two charts beside it. Everything is
drawn with fixed seeds.
"""

import argparse
import math
import os
from collections.abc import Iterator, Sequence
from random import Random
from statistics import mean
from typing import NamedTuple

from bench.chart import Line, chart
from hardwon.domain.model.credit import Prior, Tally, is_harmful, together
from hardwon.domain.model.lift import Difference, Lift, Showing

DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs")
BASELINE, YEAR, SOON = 0.55, 250, 20
"""
How often it goes well after other lessons, and showings.

They are of a year's working days, or of a month.
"""

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
    """
    Show a lesson at three moments of each session.

    Its credit is computed after each.
    """
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
        effect: By how much a lesson that is shown lowers the share of failures after it.
        share: Of what is withheld.
        alike: How much the moments of a session are alike, from 0 to 1 (intra-class correlation).
    """

    effect: float
    sessions: int
    share: float = 0.3
    alike: float = 0.2

    def showings(self, random: Random) -> list[Showing]:
        """
        Draw up to four moments a session.

        Without a lesson half of the errors come again.
        """
        return [
            self._showing(random, f"{session}", chance)
            for session in range(self.sessions)
            for chance in [self._chance(random)]
            for _ in range(random.randint(1, 4))
        ]

    def more_tries(self) -> float:
        """Return how many more tries a shown lesson has, by very many sessions."""
        many = Lift(self._replace(sessions=40_000, share=0.5).showings(Random(0)))
        shown, withheld = (mean(showing.tries for showing in arm) for arm in many.arms)
        return shown - withheld

    def _chance(self, random: Random) -> float:
        unlike = (1 - self.alike) / self.alike / 2
        return random.betavariate(unlike, unlike)

    def _showing(self, random: Random, session_id: str, chance: float) -> Showing:
        is_withheld = random.random() < self.share
        is_saved = not is_withheld and random.random() < 2 * self.effect
        failed = random.random() < chance and not is_saved
        tries = 1
        while failed and random.random() < 0.4 + chance / 4:
            tries += 1
        return Showing(
            session_id=session_id,
            event="failure",
            is_withheld=is_withheld,
            failed=failed,
            passed=tries < 4,
            tries=tries + failed,
        )


def main() -> None:
    """Print the tables, and write the charts."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.outcomes", description="The error rates of credit and lift."
    )
    parser.add_argument("--runs", type=int, default=1_000, help="simulated trials of each kind")
    parser.add_argument("--out", default=DOCS, help="the folder that the charts are written to")
    options = parser.parse_args()
    for table in (harm_table(), store_table(options.runs // 10), lift_table(options.runs)):
        for line in table:
            print(line, flush=True)
        print()
    _write(options.out, "credit.svg", harm_chart())
    _write(options.out, "lift.svg", lift_chart(options.runs // 5))


def harm_table() -> Iterator[str]:
    """
    Yield the shares that fall silent.

    They depend on what is known of the lesson and of the others.
    """
    rates = (0.1, 0.125, 0.15, 0.2, 0.3, 0.4)
    yield f"| goes well after others | {' | '.join(f'{rate:.1%}' for rate in rates)} | as others, in a year | 10 points better, in a year |"
    yield f"|---:|{'---:|' * (len(rates) + 2)}"
    for baseline in (0.5, 0.55, 0.6, 0.7):
        soon = (share_silenced(rate, baseline, SOON) for rate in rates)
        year = (share_silenced(rate, baseline, YEAR) for rate in (baseline, baseline + 0.1))
        yield f"| {baseline:.0%} | {' | '.join(f'{share:.1%}' for share in (*soon, *year))} |"


def store_table(stores: int) -> Iterator[str]:
    """Yield what became of the planted lessons of some stores."""
    yield "| lessons | go well | error of the chance after 100, 1,000 sessions | fall silent | within 20 showings |"
    yield "|---|---:|---:|---:|---:|"
    after = {
        sessions: [lesson for seed in range(stores) for lesson in follow(Random(seed), sessions)]
        for sessions in (100, 1_000)
    }
    for kind in PLANTED:
        own = {
            sessions: [lesson for lesson in lessons if lesson.planted == kind]
            for sessions, lessons in after.items()
        }
        errors = ", ".join(f"{_error(lessons):.3f}" for lessons in own.values())
        silent = [lesson for lesson in own[1_000] if lesson.is_silent]
        soon = sum(lesson.tally.total <= SOON for lesson in silent)
        of = len(own[1_000])
        yield f"| {kind.name} | {kind.rate:.0%} | {errors} | {len(silent) / of:.1%} | {soon / of:.1%} |"


def _error(lessons: Sequence[Followed]) -> float:
    return math.sqrt(mean((lesson.chance - lesson.planted.rate) ** 2 for lesson in lessons))


def lift_table(runs: int) -> Iterator[str]:
    """Yield how often intervals hold the truth, and how often an effect is claimed."""
    yield "| effect | withheld | sessions | failures: 95 % hold it | tries: 95 % hold it | claimed |"
    yield "|---:|---:|---:|---:|---:|---:|"
    for effect in (0.0, 0.1, 0.3):
        for share, sessions in ((0.1, 200), (0.3, 200), (0.5, 60), (0.5, 400)):
            trial = PlantedTrial(effect, sessions, share)
            lifts = [Lift(trial.showings(Random(seed))) for seed in range(runs)]
            failed = mean(_holds(lift.failed, -effect) for lift in lifts)
            more = trial.more_tries()
            tries = mean(_holds(lift.tries, more) for lift in lifts[: runs // 5])
            claimed = mean(lift.verdict != "open" for lift in lifts)
            yield (
                f"| {effect * 100:.0f} points | {share:.0%} | {sessions} | {failed:.1%} |"
                f" {tries:.1%} | {claimed:.1%} |"
            )


def _holds(found: Difference | None, truth: float) -> bool:
    return bool(found and found.low <= truth <= found.high)


def harm_chart() -> str:
    """Draw the share that falls silent against how often it goes well."""
    rates = [number / 100 for number in range(0, 81, 5)]
    lines = [
        Line(
            title, [(100 * rate, 100 * share_silenced(rate, BASELINE, shown)) for rate in rates], []
        )
        for title, shown in (("10 showings", 10), ("20 showings", SOON), ("250 showings", YEAR))
    ]
    return chart(
        lines,
        "Lessons that fall silent, %, where it goes well after 55 % of other showings",
        "goes well after the lesson, %",
        is_linear=True,
    )


def lift_chart(runs: int) -> str:
    """Draw the share of trials that find an effect against their sessions."""
    lines = [
        Line(
            f"{effect * 100:.0f} points, {share:.0%} withheld",
            [
                (sessions, 100 * _found(PlantedTrial(effect, sessions, share), runs))
                for sessions in (50, 100, 200, 400, 800)
            ],
            [],
        )
        for effect, share in ((0.3, 0.5), (0.3, 0.1), (0.1, 0.5), (0.1, 0.1), (0.0, 0.5))
    ]
    return chart(lines, "Trials that find an effect, %", "sessions", is_linear=True)


def _found(trial: PlantedTrial, runs: int) -> float:
    return mean(Lift(trial.showings(Random(seed))).verdict != "open" for seed in range(runs))


def _write(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
