"""The values of a file's entry that a user gave: told apart from those of its file, and kept while the file is absent."""

import datetime as dt
import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import attrs

from hardwon.domain.model.activity import FieldChange, PastChange
from hardwon.domain.model.entry import Entry, goes_by_its_anchor
from hardwon.domain.model.entry_change import as_text
from hardwon.domain.model.file_entry import PLAIN, Defaults
from hardwon.domain.model.file_state import AbsentFile, Standing, standing_of
from hardwon.ports.activity import History
from hardwon.ports.file_state import Absences

ALL = 2**31 - 1


def without_file_values(entry: Entry, history: History, defaults: Defaults = PLAIN) -> Entry:
    """
    Return *entry* without the values that its file gave, which are cleared when the file gives them no more.

    A user's are the texts that changes in the history added to a list, and what the last change made of another field.
    A section of a document has no such values of its file. An entry without a number was kept while its file was absent:
    it has only a user's.
    """
    if entry.number is None or _is_part(entry):
        return entry
    changes = history.of(entry.number, ALL)[::-1]
    kept = {
        field: _given(getattr(entry, field), [change for change in changes if change.field == field], bare)
        for field, bare in _bare(defaults).items()
    }
    return attrs.evolve(entry, **kept)


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


def record_kept(history: History, stored: Entry, standing: Standing, at: dt.datetime) -> None:
    """
    Record in the history of *stored*, an entry whose file came back, the values of its *standing* that a user gave.

    Raises:
        StorageError: the store can't be written now.
    """
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


def _given(value: object, changes: Sequence[PastChange], bare: object) -> Any:
    """Return the part of *value* that a user gave, as *changes* of its field tell, the oldest first; *bare* for none."""
    if not isinstance(value, tuple):
        return value if changes and changes[-1].new == as_text(value) else bare
    given = frozenset[str]()
    for change in changes:
        old, new = _items(change.old), _items(change.new)
        given = (given | (new - old)) & new
    return tuple(item for item in value if item in given)


def _items(text: str | None) -> frozenset[str]:
    """Return the texts of a list in the history; none of what is no list."""
    try:
        items = json.loads(text or "[]")
    except ValueError:
        return frozenset()
    return frozenset(map(str, items)) if isinstance(items, list) else frozenset()


def _is_part(entry: Entry) -> bool:
    """Return whether *entry* is a section of a document."""
    return entry.anchor_id != "" and not goes_by_its_anchor(entry.kind, entry.anchor_id)
