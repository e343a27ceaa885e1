"""Bringing entries back from a copy of the store."""

import datetime as dt
import json
from collections.abc import Iterable

from hardwon.adapters.sqlite.database import Database, in_list
from hardwon.adapters.sqlite.entry_rows import SELECT_ENTRY, to_entry
from hardwon.adapters.sqlite.fts import drop_from_index, ensure_index, index_entry, is_available, is_intact
from hardwon.adapters.sqlite.snapshots.fingerprints import KEYS, fingerprints
from hardwon.adapters.sqlite.snapshots.records import (
    LEDGERS,
    bring_back_records,
    bring_back_sections,
    copy_rows,
    decisions,
    note_in_history,
    sections,
    spaces,
)
from hardwon.adapters.sqlite.versions import note_change
from hardwon.domain.model.checkpoint import Contents
from hardwon.domain.model.errors import StorageError
from hardwon.ports.snapshots import Replacement

RESTORED, REMOVED = "restored", "removed"
"""What history says of an entry, in place of a field's name."""

OF_THEM = "IN (SELECT value FROM json_each(?))"


class SqliteSnapshot:
    """
    A checked copy of a store, and the store that takes from it.

    Args:
        past: The copy, at the newest schema.
        present: The store.

    """

    def __init__(self, past: Database, present: Database) -> None:
        self._past = past
        self._present = present

    def bring_back(self, contents: Contents, *, name: str, at: dt.datetime) -> Replacement:
        """Put the entries of *contents* as they were in place of those that are there."""
        only = contents.entries
        with self._present.transaction():
            then, now = fingerprints(self._past, only), fingerprints(self._present, only)
            missing = {seq for seq, digest in then.items() if now.get(seq) != digest}
            surplus = {seq for seq, digest in now.items() if then.get(seq) != digest} | self._in_the_way_of(missing)
            touched = sections(self._past, missing) | sections(self._present, surplus)
            self._remove(surplus)
            self._ensure_free(missing)
            self._add(missing)
            bring_back_sections(self._past, self._present, touched)
            if contents.scope == "all":
                bring_back_records(self._past, self._present)
            note_in_history(self._present, RESTORED, missing, name, at)
            note_in_history(self._present, REMOVED, surplus - missing, name, at)
            note_change(self._present)
            self._verify(contents, then)
        return Replacement(memory_count=len(then), restored=len(missing), removed=len(surplus - missing))

    def _in_the_way_of(self, seqs: Iterable[int]) -> set[int]:
        """Return which entries are of the id, or stand for the section of a file, of those of *seqs* in the past."""
        wanted = json.dumps(
            self._past.rows(
                "SELECT e.id, t.file_path, t.anchor_id FROM json_each(?) wanted JOIN entry e ON e.seq = wanted.value"
                " JOIN entry_text t ON t.entry_seq = e.seq",
                (in_list(seqs),),
            )
        )
        rows = self._present.rows(
            "SELECT e.seq FROM json_each(?1) wanted JOIN entry e ON e.id = json_extract(wanted.value, '$[0]') UNION"
            " SELECT t.entry_seq FROM json_each(?1) wanted JOIN entry_text t ON"
            " t.file_path = json_extract(wanted.value, '$[1]') AND t.anchor_id = json_extract(wanted.value, '$[2]')",
            (wanted,),
        )
        return {seq for (seq,) in rows}

    def _remove(self, seqs: Iterable[int]) -> None:
        self._present.rows(f"DELETE FROM entry WHERE seq {OF_THEM}", (in_list(seqs),))
        for seq in seqs:
            drop_from_index(self._present, seq)

    def _ensure_free(self, seqs: Iterable[int]) -> None:
        """Refuse to take the number of an entry that stays: only another store's entries can have it."""
        taken = self._present.value(f"SELECT seq FROM entry WHERE seq {OF_THEM}", (in_list(seqs),))
        if taken is not None:
            raise StorageError(f"the number {taken} belongs to another entry by now: restore with scope all")

    def _add(self, seqs: Iterable[int]) -> None:
        wanted = in_list(seqs)
        for table, key in KEYS.items():
            copy_rows(self._past, self._present, table, f"{key} {OF_THEM}", wanted)
        numbers = spaces(self._past, self._present)
        vectors = self._past.stream(
            f"SELECT space_id, entry_seq, text_hash, vec FROM vector WHERE entry_seq {OF_THEM}", (wanted,)
        )
        self._present.run_many(
            "INSERT INTO vector (space_id, entry_seq, text_hash, vec) VALUES (?, ?, ?, ?)",
            ((numbers[space], *row) for space, *row in vectors),
        )
        self._index(wanted)

    def _index(self, wanted: str) -> None:
        try:
            for row in self._present.stream(f"{SELECT_ENTRY} WHERE e.retired = 0 AND e.seq {OF_THEM}", (wanted,)):
                index_entry(self._present, row[-1], to_entry(row))
        except ValueError as error:
            raise StorageError(f"the snapshot holds what is no entry: {error}; nothing was changed") from error
        ensure_index(self._present, repair=True)

    def _verify(self, contents: Contents, then: dict[int, str]) -> None:
        is_same = fingerprints(self._present, contents.entries) == then and (
            contents.scope != "all" or self._has_same_records()
        )
        if not is_same:
            raise StorageError("the outcome is not what the snapshot holds; nothing was changed")
        if self._present.rows("PRAGMA foreign_key_check") or (is_available() and not is_intact(self._present)):
            raise StorageError("the store would not be whole after it; nothing was changed, run: hardwon doctor")

    def _has_same_records(self) -> bool:
        tables = all(
            self._past.rows(f"SELECT * FROM {table} ORDER BY 1, 2")
            == self._present.rows(f"SELECT * FROM {table} ORDER BY 1, 2")
            for table in LEDGERS
        )
        numbers = spaces(self._past, self._present)
        return tables and decisions(self._past, numbers) == decisions(
            self._present, {number: number for number in numbers.values()}
        )
