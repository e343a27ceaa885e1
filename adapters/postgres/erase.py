"""Erasure of forgotten texts from a member's visible rows, also in checkpoints."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from psycopg.types.json import Jsonb

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.query import MAY_DELETE
from hardwon.adapters.postgres.redact_rows import (
    DROP_HEADINGS,
    count_secrets,
    redact_rows,
    redact_saved,
)
from hardwon.adapters.postgres.restore import OF_SECTIONS, SECTIONS, SavedRows
from hardwon.adapters.postgres.session import Row
from hardwon.adapters.postgres.texts import (
    ENTRY_TABLES,
    LABELS,
    Holding,
    StoredRow,
    as_bytes,
    delete_row,
    stored,
    stored_in,
)
from hardwon.adapters.postgres.words import drop_from_index
from hardwon.domain.model.erasure import Erasure, still_unused
from hardwon.ports.erasure import ErasurePlace, KeptElsewhere, Occurrences, OwnedText, StoreTexts
from hardwon.ports.override import override

NOUNS: Mapping[str, str] = {
    "entry_alias": "earlier id",
    "entry_place": "place of an entry",
    "receipt_entry": "line of a receipt",
    "source_heading": "imported heading",
    "trusted_folder": "trusted folder",
}
"""Nouns for tables whose names are unclear to a reader."""

SELECT_IDS = """
    SELECT e.id FROM hardwon.entry e WHERE e.tenant = %(tenant)s AND e.number = ANY(%(numbers)s) ORDER BY e.number
"""
SELECT_TEXTS = f"""
    SELECT e.id, t.description, t.reasoning, t.notes, t.name, {", ".join(f"t.{name}" for name in LABELS)}
    FROM hardwon.entry e JOIN hardwon.entry_text t ON t.tenant = e.tenant AND t.number = e.number
    WHERE e.tenant = %(tenant)s AND e.number = ANY(%(numbers)s) ORDER BY e.number
"""
SELECT_EARLIER = """
    SELECT e.id, h.old_value FROM hardwon.history h
    JOIN hardwon.entry e ON e.tenant = h.tenant AND e.number = h.number
    WHERE h.tenant = %(tenant)s AND h.number = ANY(%(numbers)s) AND h.field_changed = 'description'
        AND h.old_value IS NOT NULL ORDER BY h.id
"""
SELECT_DELETED = (
    "SELECT h.new_value FROM hardwon.history h WHERE h.tenant = %(tenant)s AND h.number ="
    " ANY(%(numbers)s) AND h.field_changed = 'deleted' AND NOT EXISTS (SELECT 1 FROM hardwon.entry e"
    " WHERE e.tenant = h.tenant AND e.id = h.new_value)"
)
DROP_HISTORY = "DELETE FROM hardwon.history WHERE tenant = %(tenant)s AND number = ANY(%(numbers)s)"
DROP_ENTRIES = "DELETE FROM hardwon.entry WHERE tenant = %(tenant)s AND number = ANY(%(numbers)s)"
DROP_SUCCESSORS = """
    UPDATE hardwon.entry e SET superseded_by = NULL WHERE e.tenant = %(tenant)s AND e.superseded_by = ANY(%(ids)s)
        AND NOT EXISTS (SELECT 1 FROM hardwon.entry n WHERE n.tenant = %(tenant)s AND n.id = e.superseded_by)
"""
OF_OTHERS = f"""
    SELECT e.number FROM hardwon.entry e
    WHERE e.tenant = %(tenant)s AND e.number = ANY(%(numbers)s) AND NOT {MAY_DELETE}
"""
OF_AN_ENTRY = frozenset((*ENTRY_TABLES, "entry_alias", "entry_place", "history"))
"""The tables with rows of an entry, which only its author erases."""

RENAME_CHECKPOINT = """
    UPDATE hardwon.checkpoint SET name = %(name)s, description = %(description)s, metadata = %(metadata)s
    WHERE tenant = %(tenant)s AND id = %(id)s
"""

OF_SNAPSHOT = "WHERE tenant = %(tenant)s AND snapshot = %(snapshot)s"
DROP_SAVED = f"DELETE FROM hardwon.saved_row {OF_SNAPSHOT} AND number = ANY(%(numbers)s)"
DROP_SAVED_SECTIONS = f"""
    DELETE FROM hardwon.saved_row {OF_SNAPSHOT} AND relation = ANY(%(relations)s)
        AND (content ->> 'file_path', content ->> 'anchor_id')
        IN (SELECT convert_from(p, 'UTF8'), convert_from(a, 'UTF8') FROM unnest(%(paths)s::bytea[], %(anchors)s::bytea[]) AS s (p, a))
"""
DROP_SAVED_SUCCESSORS = f"""
    UPDATE hardwon.saved_row SET content = jsonb_set(content, '{{superseded_by}}', 'null')
    {OF_SNAPSHOT} AND relation = 'entry' AND content ->> 'superseded_by' = ANY(%(ids)s)
"""
SELECT_SNAPSHOTS = "SELECT DISTINCT snapshot FROM hardwon.saved_row WHERE tenant = %(tenant)s"

ORPHANS = """
    SELECT DISTINCT p.term FROM hardwon.posting p WHERE p.tenant = %(tenant)s
        AND p.term IN (SELECT convert_from(w, 'UTF8') FROM unnest(%(words)s::bytea[]) AS given (w))
        AND NOT EXISTS (SELECT 1 FROM hardwon.entry e WHERE e.tenant = %(tenant)s AND e.number = p.number) ORDER BY 1
"""


class _Rows(NamedTuple):
    """
    Rows of today, or of one snapshot, that match an erasure.

    Attributes:
        entries: Numbers of the matching entries.
        deleted: Numbers of entries deleted earlier whose history matches.
        others: The other matching rows.

    """

    entries: frozenset[int]
    deleted: frozenset[int]
    others: Sequence[StoredRow]


def _sorted_out(rows: Iterable[StoredRow]) -> _Rows:
    found = [*rows]
    return _Rows(
        frozenset(
            row.number for row in found if row.relation in ENTRY_TABLES and row.number is not None
        ),
        frozenset(
            row.number
            for row in found
            if row.relation == "history"
            and row.values["field_changed"] == "deleted"
            and row.number is not None
        ),
        [row for row in found if row.relation not in ENTRY_TABLES],
    )


class PostgresRows(ErasurePlace, StoreTexts):
    """The tenant's rows visible to this member, also in checkpoints."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    @override
    def found(self, erasure: Erasure) -> Sequence[Occurrences]:
        return [
            found
            for snapshot, rows in self._holding(erasure).items()
            for found in _counted(", ".join(filter(None, (self._database.path, snapshot))), rows)
        ]

    @override
    def texts(self, erasure: Erasure) -> Iterable[OwnedText]:
        texts = list[OwnedText]()
        for snapshot, rows in self._holding(erasure).items():
            texts += _texts_of(self._asking(snapshot), rows.entries)
            if not snapshot:
                texts += _ids_of_deleted(self._database.rows, rows.deleted)
        return texts

    @override
    def erase(self, erasure: Erasure) -> None:
        with self._database.patiently(), self._database.transaction():
            held = self._holding(erasure)
            for (snapshot,) in self._database.rows(SELECT_SNAPSHOTS):
                self._erase_saved(snapshot, held.get(snapshot, _sorted_out(())), erasure)
            self._erase_today(held.get("", _sorted_out(())), erasure)
            self._database.note_change()

    @override
    def secrets(self) -> Sequence[Occurrences]:
        count = count_secrets(self._database)
        return [Occurrences(self._database.path, count, "value")] if count else []

    @override
    def redact(self) -> None:
        with self._database.patiently(), self._database.transaction():
            redact_saved(self._database)
            if redact_rows(self._database):
                self._database.note_change()

    @override
    def ids_holding(self, erasure: Erasure) -> Sequence[str]:
        with self._database.snapshot():
            rows = [
                row
                for relation in ENTRY_TABLES
                for row in _held(stored_in(self._database, relation, _holding(erasure)), erasure)
            ]
            return _ids(self._database.rows, _sorted_out(rows).entries)

    @override
    def unused(self, texts: Iterable[str], forgotten: Iterable[str]) -> set[str]:
        left, numbers = {*texts}, self._numbers_of(forgotten)
        with self._database.snapshot():
            for relation in ENTRY_TABLES:
                for row in stored_in(self._database, relation, _holding(Erasure(tuple(left)))):
                    if row.number not in numbers:
                        left = still_unused(left, "\n".join(row.texts()))
        return left

    @override
    def traces(self, words: Iterable[str]) -> Sequence[str]:
        rows = self._database.rows(ORPHANS, words=[as_bytes(word) for word in words])
        found = ", ".join(term for (term,) in rows)
        return (
            [f"{self._database.path}, words of deleted entries in the keyword index: {found}"]
            if found
            else []
        )

    def _numbers_of(self, ids: Iterable[str]) -> set[int]:
        rows = self._database.rows(
            "SELECT number FROM hardwon.entry WHERE tenant = %(tenant)s AND id = ANY(%(ids)s)",
            ids=[*ids],
        )
        return {number for (number,) in rows}

    def of_others(self, erasure: Erasure) -> set[int]:
        """Return the numbers of matching entries that only other members may erase."""
        with self._database.snapshot():
            return self._of_others(_held(stored(self._database, _holding(erasure)), erasure))

    def _of_others(self, rows: Iterable[StoredRow]) -> set[int]:
        numbers = {row.number for row in rows if not row.snapshot and row.relation in OF_AN_ENTRY}
        found = self._database.rows(OF_OTHERS, numbers=[*filter(None, numbers)])
        return {number for (number,) in found}

    def _holding(self, erasure: Erasure) -> dict[str, _Rows]:
        """
        Return matching rows by snapshot, today's first under "".

        Those of entries that only other members may erase are left out.
        """
        found = dict[str, list[StoredRow]]()
        with self._database.snapshot():
            rows = [*_held(stored(self._database, _holding(erasure)), erasure)]
            others = self._of_others(rows)
        for row in rows:
            if row.snapshot or row.relation not in OF_AN_ENTRY or row.number not in others:
                found.setdefault(row.snapshot, []).append(row)
        return {snapshot: _sorted_out(rows) for snapshot, rows in found.items()}

    def _asking(self, snapshot: str) -> Callable[..., list[Row]]:
        return SavedRows(self._database, snapshot).asked if snapshot else self._database.rows

    def _erase_today(self, rows: _Rows, erasure: Erasure) -> None:
        gone = {"numbers": [*rows.entries]}
        ids = [*erasure.ids, *_ids(self._database.rows, rows.entries)]
        sections = [
            (as_bytes(path), as_bytes(anchor))
            for path, anchor in self._database.rows(SECTIONS, **gone)
        ]
        for table in OF_SECTIONS:
            self._database.run_many(
                f"DELETE FROM hardwon.{table} WHERE tenant = %(tenant)s AND file_path ="
                " convert_from(%(path)s, 'UTF8') AND anchor_id = convert_from(%(anchor)s, 'UTF8')",
                ({"path": path, "anchor": anchor} for path, anchor in sections),
            )
        self._database.rows(DROP_HISTORY, numbers=[*rows.entries, *rows.deleted])
        drop_from_index(self._database, rows.entries)
        self._database.rows(DROP_ENTRIES, **gone)
        self._database.rows(DROP_SUCCESSORS, ids=ids)
        for row in rows.others:
            if row.relation == "checkpoint":
                self._rename(row, erasure)
            else:
                delete_row(self._database, row)

    def _rename(self, row: StoredRow, erasure: Erasure) -> None:
        """
        Remove forgotten texts from a checkpoint's name, description and labels.

        The checkpoint's rows are kept.
        """
        name, description, metadata = (
            row.values[column] for column in ("name", "description", "metadata")
        )
        self._database.rows(
            RENAME_CHECKPOINT,
            **row.key,
            name=f"checkpoint {row.key['id']}" if erasure.is_in(name) else name,
            description=None if erasure.is_in(description or "") else description,
            metadata=Jsonb({key: _kept(key, value, erasure) for key, value in metadata.items()}),
        )

    def _erase_saved(self, snapshot: str, rows: _Rows, erasure: Erasure) -> None:
        saved = SavedRows(self._database, snapshot)
        about = {"snapshot": snapshot, "numbers": [*rows.entries, *rows.deleted]}
        ids = [*erasure.ids, *_ids(saved.asked, rows.entries)]
        sections = saved.asked(SECTIONS, numbers=[*rows.entries])
        self._database.rows(
            DROP_SAVED_SECTIONS,
            snapshot=snapshot,
            relations=list(OF_SECTIONS),
            paths=[as_bytes(path) for path, _ in sections],
            anchors=[as_bytes(anchor) for _, anchor in sections],
        )
        self._database.rows(DROP_SAVED, **about)
        self._database.rows(DROP_SAVED_SUCCESSORS, snapshot=snapshot, ids=ids)
        for row in rows.others:
            delete_row(self._database, row)
        self._database.rows(DROP_HEADINGS, snapshot=snapshot)


def _kept(key: str, value: object, erasure: Erasure) -> object:
    return "" if key in {"project", "root", "label"} and erasure.is_in(str(value)) else value


def _holding(erasure: Erasure) -> Holding:
    return Holding.any_of(erasure.words)


def _held(rows: Iterable[StoredRow], erasure: Erasure) -> Iterator[StoredRow]:
    return (row for row in rows if any(map(erasure.is_in, row.texts())))


def _counted(place: str, rows: _Rows) -> Iterator[Occurrences]:
    if rows.entries:
        yield Occurrences(place, len(rows.entries), "entry")
    for relation, count in sorted(Counter(row.relation for row in rows.others).items()):
        yield Occurrences(place, count, NOUNS.get(relation, relation))


def _ids(ask: Callable[..., list[Row]], numbers: Iterable[int]) -> list[str]:
    return [entry_id for (entry_id,) in ask(SELECT_IDS, numbers=[*numbers])]


def _texts_of(ask: Callable[..., list[Row]], numbers: Iterable[int]) -> Iterator[OwnedText]:
    wanted = [*numbers]
    for entry_id, description, *parts in ask(SELECT_TEXTS, numbers=wanted):
        yield OwnedText(entry_id, description)
        for part in parts:
            for text in part if isinstance(part, list) else filter(None, [part]):
                yield OwnedText(entry_id, text, is_identity=False)
    yield from (OwnedText(entry_id, text) for entry_id, text in ask(SELECT_EARLIER, numbers=wanted))


def _ids_of_deleted(ask: Callable[..., list[Row]], numbers: Iterable[int]) -> Iterator[OwnedText]:
    """Yield the ids of deleted entries in place of their lost texts."""
    found = ask(SELECT_DELETED, numbers=[*numbers])
    return (OwnedText(entry_id, entry_id) for (entry_id,) in found)


class ServerCopies(KeptElsewhere):
    """Copies that a server keeps out of its members' reach."""

    def __init__(self, path: str, rows: PostgresRows) -> None:
        self._path = path
        self._rows = rows

    @override
    def holding(self, erasure: Erasure, files: Iterable[str]) -> Sequence[str]:
        line = (
            f"{self._path}: deleted rows stay in the server's files until VACUUM FULL (hardwon"
            " forget --vacuum, by the tables' owner), in its write-ahead log, standbys and"
            " backups, and other members may have kept the text for themselves: ask its owner"
        )
        if not (others := self._rows.of_others(erasure)):
            return [line]
        kept = (
            f"{self._path}: entries of other members that hold it: {len(others)}; only their"
            " authors, or the owner of the tables, can forget them"
        )
        return [kept, line]
