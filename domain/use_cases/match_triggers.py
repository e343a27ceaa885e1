"""Match a prompt with trigger phrases, without any search."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.triggers import Trigger, TriggerMatch, TriggerMatcher
from hardwon.domain.use_cases.retrieve import retire_expired
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryState
from hardwon.ports.keyword_index import TriggerOwner, TriggerSource

LOOK_SECONDS = 1.0
"""The time after which the cache notices changes by other processes."""


class BroughtUp(NamedTuple):
    """
    A triggered entry.

    Attributes:
        match: Its phrase that matches with the highest confidence.
    """

    owner: TriggerOwner
    match: TriggerMatch


class TriggerMatches(NamedTuple):
    """
    The matches of a prompt.

    Attributes:
        best: The phrase with the highest confidence, of an entry or a command.
    """

    best: TriggerMatch | None
    entries: tuple[BroughtUp, ...]


class _Cache(NamedTuple):
    version: int
    matcher: TriggerMatcher
    owners: Mapping[int, TriggerOwner]


class MatchTriggers:
    """
    Match prompts with all phrases, cached in memory.

    Once a second a call checks the store for changes.
    """

    def __init__(
        self,
        source: TriggerSource,
        repository: EntryState,
        clock: Clock,
        *,
        monotonic: Callable[[], float],
        commands: Sequence[str],
        only: EntryFilter,
    ) -> None:
        self._source = source
        self._repository = repository
        self._clock = clock
        self._monotonic = monotonic
        self._commands = commands
        self._only = only
        self._cache: _Cache | None = None
        self._looked_at = float("-inf")
        self._changes = -1

    def match(self, prompt: str, limit: int) -> TriggerMatches:
        """Return the best match of *prompt*, and at most *limit* triggered entries."""
        cache = self._up_to_date()
        wanted = limit + len(self._commands)
        while True:
            matches = cache.matcher.match(prompt, wanted)
            entries = _brought_up(matches, cache.owners)
            if len(entries) >= limit or len(matches) < wanted:
                return TriggerMatches(matches[0] if matches else None, tuple(entries[:limit]))
            wanted *= 2  # some entries have several of the phrases

    def _up_to_date(self) -> _Cache:
        is_fresh = self._monotonic() - self._looked_at < LOOK_SECONDS
        if self._cache and is_fresh and self._source.own_changes() == self._changes:
            return self._cache
        retire_expired(self._repository, self._clock.now())
        version = self._source.version()
        if self._cache is None or self._cache.version != version:
            self._cache = self._read(version)
        self._looked_at, self._changes = self._monotonic(), self._source.own_changes()
        return self._cache

    def _read(self, version: int) -> _Cache:
        owners = {owner.number: owner for owner in self._source.owners(self._only)}
        triggers = [
            Trigger(phrase, owner.number) for owner in owners.values() for phrase in owner.phrases
        ]
        return _Cache(version, TriggerMatcher([*map(Trigger, self._commands), *triggers]), owners)


def _brought_up(
    matches: Sequence[TriggerMatch], owners: Mapping[int, TriggerOwner]
) -> list[BroughtUp]:
    best = dict[int, BroughtUp]()
    for match in matches:
        for number in match.owners:
            best.setdefault(number, BroughtUp(owners[number], match))
    return [*best.values()]
