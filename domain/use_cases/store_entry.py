"""Store a lesson where it comes from, or count that it was observed once more."""

from collections.abc import Callable

import attrs

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.vocabulary import Door, Reach
from hardwon.ports.entries import EntryRepository
from hardwon.ports.projects import Projects


@attrs.frozen
class Stored:
    """
    The outcome of storing an entry.

    Attributes:
        entry: The entry as stored now.
        merged: Whether the lesson was known.

    """

    entry: Entry
    merged: bool


@attrs.frozen
class Origin:
    """
    Where learnings that are stored come from.

    Attributes:
        workplace: The project where they stand or were said.
        door: How they come.
        reach: Where they may be shown without being asked for.

    """

    workplace: Workplace
    door: Door
    reach: Reach = "shared"

    def mark(self, entry: Entry) -> Entry:
        """Return *entry* with this origin."""
        return attrs.evolve(entry, project=self.workplace.project or None, door=self.door, reach=self.reach)

    def widen(self, entry: Entry) -> Entry:
        """Return *entry*, for everywhere if that is its reach now."""
        return self.mark(entry) if self.reach == "everywhere" != entry.reach else entry


@attrs.frozen
class PlaceEntry:
    """
    Put a learning into the store beside what other projects have of it.

    A lesson that several projects have is one entry. An entry that is kept at home elsewhere, or comes from a foreign project,
    never changes what stands here, nor the other way round.
    """

    repository: EntryRepository
    projects: Projects
    origin: Origin

    def place(self, entry: Entry, repeated: Callable[[Entry, Entry], Entry]) -> Stored:
        """
        Put *entry*, which has no secrets, within the open transaction.

        Args:
            entry: The learning.
            repeated: Returns a known learning, given first, after the new one.

        Raises:
            StorageError: the store can't be written now.

        """
        new = self.origin.mark(entry)
        known = self.repository.get(new.entry_id)
        if known is None:
            self.repository.put(new)
            return Stored(new, merged=False)
        now = self._combined(known, new, repeated)
        if now != known:
            self.repository.put(now)
        for project in {known.project, new.project} - {None, now.project} if now.reach != "home" else ():
            self.projects.add_place(now.entry_id, project or "")
        return Stored(now, merged=True)

    def _combined(self, known: Entry, new: Entry, repeated: Callable[[Entry, Entry], Entry]) -> Entry:
        here = self.origin.workplace
        seen = here.visibility
        is_own = known.project in here.own
        if seen.is_foreign and not is_own and self.origin.reach != "everywhere":
            return known
        is_shared_here = seen._replace(is_foreign=False).admits(
            known.project, known.reach, self.projects.places_of(known.entry_id)
        )
        if not (is_own or is_shared_here):
            return attrs.evolve(new, created_at=known.created_at)
        return self.origin.widen(repeated(known, new))


@attrs.frozen
class StoreEntry:
    """Store a lesson, or count that it was observed once more."""

    place_entry: PlaceEntry

    @property
    def repository(self) -> EntryRepository:
        """The entries."""
        return self.place_entry.repository

    def keep(self, entry: Entry) -> Stored:
        """
        Store *entry* without its secrets; return the stored entry.

        Raises:
            InvalidEntryError: a text is empty without its secrets.
            StorageError: the store can't be written now; nothing was changed.
        """
        clean = redact_entry(entry)
        with self.repository.transaction():
            return self.place_entry.place(clean, Entry.observed_again)
