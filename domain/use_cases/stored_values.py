"""The values of a file's entry that a user gave: told apart from those of its file, and kept while the file is absent."""

import datetime as dt
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import attrs

from hardwon.domain.model.activity import FieldChange
from hardwon.domain.model.entry import Entry, goes_by_its_anchor
from hardwon.domain.model.entry_change import as_text
from hardwon.domain.model.file_entry import PLAIN, Defaults
from hardwon.domain.model.file_state import AbsentFile, standing_of
from hardwon.ports.activity import History, UsageLog
from hardwon.ports.entries import EntryRepository
from hardwon.ports.file_state import Absences

ALL = 2**31 - 1


def without_file_values(entry: Entry, history: History, defaults: Defaults = PLAIN) -> Entry:
    """
    Return *entry* without the values that its file gave, which are cleared when the file gives them no more.

    A value is a user's if the last change of its field in the history made it what it is. Sections of documents have
    none from their file. An entry without a number is as it was kept while its file was absent: it has only a user's.
    """
    if entry.number is None or _is_part(entry):
        return entry
    newest = dict[str, str | None]()
    for change in history.of(entry.number, ALL):
        newest.setdefault(change.field, change.new)
    from_file = {
        field: value for field, value in _bare(defaults).items() if newest.get(field) != as_text(getattr(entry, field))
    }
    return attrs.evolve(entry, **from_file)


def record_given(history: History, before: Entry, after: Entry, at: dt.datetime) -> None:
    """
    Record in the history the values of *after*, a stored entry, that are not those of *before*, as given by a user.

    Raises:
        StorageError: the store can't be written now.
    """
    pairs = ((field, getattr(before, field), getattr(after, field)) for field in _bare())
    changes = [FieldChange(field, as_text(old), as_text(new)) for field, old, new in pairs if old != new]
    if after.number is not None and changes:
        history.record(after.number, changes, at)


def note_absence(absences: Absences, history: History, entries: Iterable[Entry], at: dt.datetime) -> None:
    """
    Store the state of *entries*, whose files or sections are gone, under their places.

    Raises:
        StorageError: the store can't be written now.
    """
    by_place = sorted(entries, key=lambda entry: entry.place)
    for place, gone in groupby(by_place, key=lambda entry: entry.place):
        standings = {entry.anchor_id: standing_of(without_file_values(entry, history)) for entry in gone}
        absences.keep(AbsentFile(place, standings), at)


def restore_activity(
    repository: EntryRepository,
    usage: UsageLog,
    history: History,
    was: AbsentFile,
    entries: Sequence[Entry],
    at: dt.datetime,
) -> None:
    """
    Add the counters of the absent file *was* to the stored *entries*, and record in their history what a user gave.

    Raises:
        StorageError: the store can't be written now.
    """
    for entry in entries:
        stored, standing = repository.get(entry.entry_id), was.standings.get(entry.anchor_id)
        if stored and stored.number is not None and standing:
            usage.add(stored.number, standing.usage)
            if not _is_part(stored):
                bare = attrs.evolve(stored, **_bare())
                record_given(history, bare, standing.over(bare), at)


def _bare(defaults: Defaults = PLAIN) -> dict[str, Any]:
    """Return the fields that a file may give and take back, with their values when it gives none."""
    return {
        "keywords": (),
        "tags": (),
        "references": (),
        "trigger_phrases": (),
        "permanent": False,
        "context_type": defaults.context_type,
        "channel": None,
        "session_id": None,
    }


def _is_part(entry: Entry) -> bool:
    """Return whether *entry* is a section of a document."""
    return entry.anchor_id != "" and not goes_by_its_anchor(entry.kind, entry.anchor_id)
