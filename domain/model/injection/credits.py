"""The credit of each entry at each kind of moment, by its outcomes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Self, TypeAlias

from hardwon.domain.model.credit import Prior, Tally, baseline_of, is_harmful, together
from hardwon.domain.model.injection.receipt import EVENTS, Event, OutcomeCount

Tallies: TypeAlias = Mapping[Event, Mapping[str, Tally]]
"""By the kind of moment, then by the id of the entry."""

NO_OUTCOMES = Tally()


class Credit(NamedTuple):
    """
    The credit of an entry at a kind of moment.

    Attributes:
        prior: That of all entries there.
        is_harmful: Whether it is clearly worse than the others there.
    """

    tally: Tally
    prior: Prior
    is_harmful: bool

    @property
    def chance(self) -> float:
        """The chance that it helps there."""
        return self.prior.chance(self.tally)

    @property
    def shift(self) -> float:
        """The change of the log-odds that it helps."""
        return self.prior.shift(self.tally)


class Credits(NamedTuple):
    """
    The credit of all entries.

    Attributes:
        tallies: All outcomes.
        unsettled: Those since the entry was last confirmed, by which it may be harmful.
        withheld: Those without the entries, which a trial withheld.

    Examples:
        >>> found = Credits.of([OutcomeCount("a", "failure", True, False, 9)])
        >>> found.at("a", "failure").tally, found.at("b", "failure").shift
        (Tally(helped=9, failed=0), 0.0)
    """

    tallies: Tallies
    unsettled: Tallies
    priors: Mapping[Event, Prior]
    withheld: Mapping[Event, Tally]

    @classmethod
    def of(cls, counts: Iterable[OutcomeCount]) -> Self:
        """Add up *counts*."""
        known = [*counts]
        shown = [count for count in known if not count.is_withheld]
        tallies = _tallies(shown)
        without = _tallies(count for count in known if count.is_withheld)
        return cls(
            tallies,
            _tallies(count for count in shown if not count.is_settled),
            priors={event: Prior.of([*tallies[event].values()]) for event in EVENTS},
            withheld={event: together(without[event].values()) for event in EVENTS},
        )

    def at(self, entry_id: str, event: Event) -> Credit:
        """Return the credit of the entry at that kind of moment."""
        tally = self.tallies[event].get(entry_id, NO_OUTCOMES)
        return Credit(tally, self.priors[event], is_harmful=entry_id in self.harmful_at(event))

    def shifts(self, event: Event) -> dict[str, float]:
        """Return the change of the log-odds of each entry with outcomes there, by id."""
        prior = self.priors[event]
        return {entry_id: prior.shift(tally) for entry_id, tally in self.tallies[event].items()}

    def of_entry(self, entry_id: str) -> Mapping[Event, Credit]:
        """Return the credit of the entry at each kind of moment with an outcome."""
        events = (event for event in EVENTS if entry_id in self.tallies[event])
        return {event: self.at(entry_id, event) for event in events}

    def harmful_at(self, event: Event) -> frozenset[str]:
        """Return the ids of the entries that are clearly worse than their baseline there."""
        tallies, withheld = self.tallies[event], self.withheld[event]
        total = together(tallies.values())
        return frozenset(
            entry_id
            for entry_id, tally in self.unsettled[event].items()
            if is_harmful(tally, baseline_of(total.without(tallies[entry_id]), withheld))
        )

    @property
    def harmful(self) -> frozenset[str]:
        """The ids of the entries that are harmful at any kind of moment."""
        return frozenset().union(*map(self.harmful_at, EVENTS))


def _tallies(counts: Iterable[OutcomeCount]) -> Tallies:
    found: dict[Event, dict[str, Tally]] = {event: defaultdict(Tally) for event in EVENTS}
    for count in counts:
        helped, failed = (count.times, 0) if count.has_helped else (0, count.times)
        before = found[count.event][count.entry_id]
        found[count.event][count.entry_id] = Tally(before.helped + helped, before.failed + failed)
    return {event: dict(tallies) for event, tallies in found.items()}


WITHOUT_OUTCOMES = Credits.of([])
