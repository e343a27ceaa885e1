"""Separate values given by a user from those of the file."""

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
    Return *entry* without the values from its file.

    These are cleared when the file gives them no more. The user's values are the texts that changes
    in the history added to a list, and the result of the last change of another field. A section of
    a document has no values of its file. An entry without a number was kept while its file was
    absent: it has only a user's values.
    """
    if entry.number is None or _is_part(entry):
        return entry
    changes = history.changes_of(entry.number, ALL)[::-1]
    kept = {
        field: _given(
            getattr(entry, field), [change for change in changes if change.field == field], bare
        )
        for field, bare in _bare(defaults).items()
    }
    return attrs.evolve(entry, **kept)


def record_given(history: History, before: Entry, after: Entry, at: dt.datetime) -> None:
    """Record changed values of *after* as given by a user."""
    pairs = ((field, getattr(before, field), getattr(after, field)) for field in _bare())
    changes = [
        FieldChange(field, as_text(old), as_text(new)) for field, old, new in pairs if old != new
    ]
    if after.number is not None and changes:
        history.record(after.number, changes, at)


def note_absence(
    absences: Absences, history: History, entries: Iterable[Entry], at: dt.datetime
) -> None:
    """Store the state of *entries* whose files are gone."""
    by_place = sorted(entries, key=lambda entry: entry.place)
    for place, gone in groupby(by_place, key=lambda entry: entry.place):
        standings = {
            entry.anchor_id: standing_of(without_file_values(entry, history)) for entry in gone
        }
        absences.keep(AbsentFile(place, standings), at)


def record_kept(history: History, stored: Entry, standing: Standing, at: dt.datetime) -> None:
    """
    Record the user's values in *standing* in the history of *stored*.

    The file of the entry came back.
    """
    if not _is_part(stored):
        bare = attrs.evolve(stored, **_bare())
        record_given(history, bare, after=standing.over(bare), at=at)


def _bare(defaults: Defaults = PLAIN) -> dict[str, Any]:
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
    """
    Return the part of *value* that a user gave, *bare* for none.

    The *changes* of its field are in order, the oldest first.
    """
    if not isinstance(value, tuple):
        return value if changes and changes[-1].new == as_text(value) else bare
    given = frozenset[str]()
    for change in changes:
        old, new = _items(change.old), _items(change.new)
        given = (given | (new - old)) & new
    return tuple(item for item in value if item in given)


def _items(text: str | None) -> frozenset[str]:
    try:
        items = json.loads(text or "[]")
    except ValueError:
        return frozenset()
    return frozenset(map(str, items)) if isinstance(items, list) else frozenset()


def _is_part(entry: Entry) -> bool:
    return entry.anchor_id != "" and not goes_by_its_anchor(entry.kind, entry.anchor_id)
