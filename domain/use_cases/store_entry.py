"""Store a lesson, or count one more observation of it."""

from collections.abc import Callable
from typing import Self

import attrs

from hardwon.domain.model.entry import Entry, PublicEntry
from hardwon.domain.model.filters import Workplace
from hardwon.domain.model.vocabulary import Door, Reach
from hardwon.ports.entries import EntryRepository
from hardwon.ports.projects import Projects
from hardwon.ports.store import Store


@attrs.frozen
class StoredEntry:
    """The outcome of storing an entry."""

    entry: Entry
    merged: bool


@attrs.frozen
class Origin:
    """
    The origin of stored learnings.

    Attributes:
        door: How they come.
        reach: Where they may be shown without being asked for.
    """

    workplace: Workplace
    door: Door
    reach: Reach = "shared"

    def mark(self, entry: Entry) -> Entry:
        """Return *entry* with this origin."""
        return attrs.evolve(
            entry, project=self.workplace.project or None, door=self.door, reach=self.reach
        )

    def widen(self, entry: Entry) -> Entry:
        """Return *entry*, for everywhere if that is the present reach."""
        return self.mark(entry) if self.reach == "everywhere" != entry.reach else entry


@attrs.frozen
class PlaceEntry:
    """
    Store a learning beside the same one of other projects.

    A lesson that several projects have is one entry. An entry that is kept at home elsewhere, or
    comes from a foreign project, never changes an entry here, nor the other way round.
    """

    repository: EntryRepository
    projects: Projects
    origin: Origin

    def place(self, entry: Entry, repeated: Callable[[Entry, Entry], Entry]) -> StoredEntry:
        """
        Put *entry*, which is redacted, within the open transaction.

        An earlier text of a learning stands for it.
        """
        new = self.origin.mark(entry)
        known = self.repository.by_id(new.entry_id)
        if known is None:
            return self._place_unknown(new, repeated)
        now = self._combined(known, new, repeated)
        if now != known:
            self.repository.put(now)
        is_noted = now.reach != "home" and not new.is_of_others
        for project in {known.project, new.project} - {None, now.project} if is_noted else ():
            self.projects.add_place(now.entry_id, project or "")
        return StoredEntry(now, merged=True)

    def _place_unknown(self, new: Entry, repeated: Callable[[Entry, Entry], Entry]) -> StoredEntry:
        """
        Put *new*, unless it is an earlier text of an edited learning here.

        Then it counts for that one.
        """
        edited = self.repository.reworded(new.entry_id)
        if edited is None or not self._is_of_here(edited):
            self.repository.put(new)
            return StoredEntry(new, merged=False)
        now = edited if self._may_not_change(edited) else repeated(edited, new)
        if now != edited:
            self.repository.put(now)
        return StoredEntry(now, merged=True)

    def _may_not_change(self, known: Entry) -> bool:
        here = self.origin.workplace
        return (
            here.visibility.is_foreign
            and known.project not in here.own
            and self.origin.reach != "everywhere"
        )

    def _is_of_here(self, known: Entry) -> bool:
        seen = self.origin.workplace.visibility._replace(is_foreign=False)
        return known.project in self.origin.workplace.own or seen.admits(
            known.project, known.reach, self.projects.places_of(known.entry_id)
        )

    def _combined(
        self, known: Entry, new: Entry, repeated: Callable[[Entry, Entry], Entry]
    ) -> Entry:
        if self._may_not_change(known):
            return known
        if not self._is_of_here(known):
            return attrs.evolve(new, created_at=known.created_at)
        return self.origin.widen(repeated(known, new))


@attrs.frozen
class StoreEntry:
    """Store a lesson, or count one more observation of it."""

    place_entry: PlaceEntry

    @classmethod
    def on(cls, store: Store, origin: Origin) -> Self:
        """Return it on the roles of *store*."""
        return cls(PlaceEntry(store.entries, store.projects, origin))

    @property
    def repository(self) -> EntryRepository:
        """The entries."""
        return self.place_entry.repository

    def keep(self, entry: PublicEntry) -> StoredEntry:
        """Store *entry*, made by `redact_entry`, and return the stored entry."""
        with self.repository.transaction([entry.entry_id]):
            return self.place_entry.place(entry, Entry.observed_again)
