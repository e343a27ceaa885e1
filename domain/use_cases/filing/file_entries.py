import datetime as dt
from collections.abc import Iterable, Sequence
from itertools import groupby

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.importance.standing import Departed, standing_of
from hardwon.ports.departures import Departures
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.usage_log import UsageLog


def stored_of(repository: EntryRepository, path: str) -> list[Entry]:
    """Return the entries that stand for the file at *path*: that of the whole file first, then its sections."""
    whole = repository.with_file(path)
    return [*([whole] if whole else []), *repository.sections_of(path)]


def sections_below(repository: EntryRepository, entry: Entry) -> list[Entry]:
    """Return the sections of the file that *entry* stands for; none for a section and for what has no file."""
    return [] if entry.file_path is None or entry.anchor_id else repository.sections_of(entry.file_path)


def follows(section: Entry, whole: Entry) -> bool:
    """Tell whether *section* is to get the tier of its file: it has another one, which was not set for it alone."""
    return section.tier != whole.tier and not section.own_tier


def put_in_place(repository: EntryRepository, whole: Entry, sections: Sequence[Entry] = ()) -> Entry:
    """
    Let *whole* and *sections* alone stand for a file; return the whole as it is stored.

    Raises:
        StorageError: the store can't be written now; nothing was changed.
    """
    entries = (whole, *sections)
    staying = {entry.entry_id for entry in entries}
    with repository.transaction():
        for earlier in stored_of(repository, whole.file_path or ""):
            if earlier.entry_id not in staying:
                repository.delete(earlier.entry_id)
        for entry in entries:
            repository.put(entry)
        return repository.get(whole.entry_id) or whole


def add_counts(repository: EntryRepository, usage: UsageLog, was: Departed, entries: Sequence[Entry]) -> None:
    """
    Add to the counts of *entries*, which are stored, those of the file that *was*.

    Raises:
        StorageError: the store can't be written now.
    """
    for entry in entries:
        stored = repository.get(entry.entry_id)
        if stored and stored.number is not None and entry.anchor_id in was.standings:
            usage.add(stored.number, was.standings[entry.anchor_id].usage)


def depart(departures: Departures, entries: Iterable[Entry], at: dt.datetime) -> None:
    """
    Remember what the store has the word on of *entries*, which stood for what is gone, each where it belongs.

    Raises:
        StorageError: the store can't be written now.
    """
    by_place = sorted(entries, key=lambda entry: entry.place)
    for place, gone in groupby(by_place, key=lambda entry: entry.place):
        departures.keep(Departed(place, {entry.anchor_id: standing_of(entry) for entry in gone}), at)
