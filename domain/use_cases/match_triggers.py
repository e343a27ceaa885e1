"""Bring up what a prompt speaks of, without any search."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.triggers import Trigger, TriggerMatch, TriggerMatcher
from hardwon.domain.use_cases.retrieve import retire_expired
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryState
from hardwon.ports.keyword_index import TriggerOwner, TriggerSource

LOOK_SECONDS = 1.0
"""How long what other processes wrote may go unseen."""


class BroughtUp(NamedTuple):
    """
    An entry and the phrase that brings it up.

    Attributes:
        owner: The entry.
        match: The phrase of it that the prompt says with most confidence.

    """

    owner: TriggerOwner
    match: TriggerMatch


class Triggered(NamedTuple):
    """
    What a prompt says.

    Attributes:
        best: The phrase it says with most confidence, of an entry or a command; None for none.
        entries: What its phrases bring up, by confidence.

    """

    best: TriggerMatch | None
    entries: tuple[BroughtUp, ...]


class _Kept(NamedTuple):
    """What was read at some version of the store."""

    version: int
    matcher: TriggerMatcher
    owners: Mapping[int, TriggerOwner]


class MatchTriggers:
    """
    Keeps all phrases in memory: a call reads nothing, but that once a second it looks whether others wrote.

    Args:
        source: The phrases.
        repository: What has expired is taken out of it.
        clock: When that is.
        monotonic: Seconds that never go back.
        commands: Phrases that belong to no entry.
        project: Where the user works; of other projects only lessons come up.

    """

    def __init__(
        self,
        source: TriggerSource,
        repository: EntryState,
        clock: Clock,
        *,
        monotonic: Callable[[], float],
        commands: Sequence[str],
        project: str,
    ) -> None:
        self._source = source
        self._repository = repository
        self._clock = clock
        self._monotonic = monotonic
        self._commands = commands
        self._project = project
        self._kept: _Kept | None = None
        self._looked_at = float("-inf")
        self._changes = -1

    def match(self, prompt: str, limit: int) -> Triggered:
        """
        Return what *prompt* says, and the *limit* entries that brings up.

        Args:
            prompt: As the user wrote it.
            limit: At least 1.

        Raises:
            StorageError: the store can't be read.

        """
        kept = self._up_to_date()
        wanted = limit + len(self._commands)
        while True:
            matches = kept.matcher.match(prompt, wanted)
            entries = _brought_up(matches, kept.owners)
            if len(entries) >= limit or len(matches) < wanted:
                return Triggered(matches[0] if matches else None, tuple(entries[:limit]))
            wanted *= 2  # some entries own several of the phrases

    def _up_to_date(self) -> _Kept:
        """Return all phrases, read again if anything was written since they were read."""
        is_fresh = self._monotonic() - self._looked_at < LOOK_SECONDS
        if self._kept and is_fresh and self._source.own_changes() == self._changes:
            return self._kept
        retire_expired(self._repository, self._clock.now())
        version = self._source.version()
        if self._kept is None or self._kept.version != version:
            self._kept = self._read(version)
        self._looked_at, self._changes = self._monotonic(), self._source.own_changes()
        return self._kept

    def _read(self, version: int) -> _Kept:
        owners = {owner.number: owner for owner in self._source.owners(self._project)}
        triggers = [Trigger(phrase, owner.number) for owner in owners.values() for phrase in owner.phrases]
        return _Kept(version, TriggerMatcher([*map(Trigger, self._commands), *triggers]), owners)


def _brought_up(matches: Sequence[TriggerMatch], owners: Mapping[int, TriggerOwner]) -> list[BroughtUp]:
    """Return each entry of *matches* once, by confidence, then in the order of numbers."""
    best = dict[int, BroughtUp]()
    for match in matches:
        for number in match.owners:
            best.setdefault(number, BroughtUp(owners[number], match))
    return [*best.values()]
