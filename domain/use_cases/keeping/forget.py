"""Take entries out of the store."""

from collections.abc import Iterable, Sequence

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.importance.history import FieldChange
from hardwon.domain.use_cases.filing.file_entries import depart, stored_of
from hardwon.ports.clock import Clock
from hardwon.ports.departures import Departures
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.history import History
from hardwon.ports.tombstones import Tombstone, Tombstones

ALL = 2**31 - 1


@attrs.frozen(kw_only=True)
class Forget:
    """
    Delete entries, with a line in the history each; files are never touched.

    Attributes:
        repository: The entries.
        tombstones: Keep scans from bringing back what was deleted.
        departures: Keep what is known of files that are gone.
        history: What became of entries.
        clock: The time.

    """

    repository: EntryRepository
    tombstones: Tombstones
    departures: Departures
    history: History
    clock: Clock

    def __call__(self, entries: Iterable[Entry]) -> list[Entry]:
        """
        Delete what `affected` returns for *entries*; return what was deleted.

        A scan brings them back when their file has changed.

        Raises:
            StorageError: the store can't be written now; nothing was deleted.

        """
        with self.repository.transaction():
            deleted = [entry for entry in self.affected(entries) if self.repository.delete(entry.entry_id)]
            for entry in deleted:
                self._bury(entry)
                self._note(entry)
        return deleted

    def affected(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return *entries*, those of a whole file with its sections, no entry twice."""
        return list({each.entry_id: each for entry in entries for each in self._with_sections(entry)}.values())

    def documents(self, spec_folder: str, folders: Sequence[str]) -> list[Entry]:
        """Return the documents of *spec_folder*, and their sections, whose files lie below *folders*."""
        only = EntryFilter(kinds=("document",), spec_folder=spec_folder)
        found = [entry for each in folders for entry in self.repository.find(only._replace(folder=each), limit=ALL)]
        return list({entry.entry_id: entry for entry in found}.values())

    def spec_folder(self, name: str, folders: Sequence[str]) -> list[Entry]:
        """
        Delete what `documents` returns; return it.

        Raises:
            StorageError: the store can't be written now; nothing was deleted.

        """
        with self.repository.transaction():
            return self(self.documents(name, folders))

    def gone(self, path: str) -> None:
        """
        Delete what stands for a file that is gone; what the store has the word on is kept for its return.

        Raises:
            StorageError: the store can't be written now; nothing was deleted.

        """
        with self.repository.transaction():
            entries = stored_of(self.repository, path)
            depart(self.departures, entries, self.clock.now())
            for entry in entries:
                self.repository.delete(entry.entry_id)
                self._note(entry)
            self.tombstones.lift(path)

    def _with_sections(self, entry: Entry) -> list[Entry]:
        is_whole = entry.file_path is not None and not entry.anchor_id
        return stored_of(self.repository, entry.file_path or "") if is_whole else [entry]

    def _bury(self, entry: Entry) -> None:
        if entry.file_path:
            self.departures.forget(entry.place)
        if entry.file_path and entry.file_hash:
            self.tombstones.bury(Tombstone(entry.file_path, entry.anchor_id, entry.file_hash), self.clock.now())

    def _note(self, entry: Entry) -> None:
        if entry.number is not None:
            self.history.record(entry.number, [FieldChange("deleted", entry.name, None)], self.clock.now())
