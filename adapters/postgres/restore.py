"""
Restore entries and records on the server from saved rows.

Only rows that differ are written; the outcome is compared with the snapshot.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from psycopg.errors import InsufficientPrivilege, UniqueViolation

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.query import where
from hardwon.adapters.postgres.rows import SELECT_ENTRY, to_entry
from hardwon.adapters.postgres.session import Row
from hardwon.adapters.postgres.vectors import SPACE_COLUMNS
from hardwon.adapters.postgres.words import VERSION_KEY, drop_from_index, index_entry
from hardwon.adapters.sql.filter import Where
from hardwon.domain.model.checkpoint import Contents
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.forgotten import SECRET
from hardwon.ports.override import override
from hardwon.ports.snapshots import Replacement, Snapshot

OF_ENTRIES = (
    "entry",
    "entry_text",
    "recall",
    "usage",
    "influence",
    "entry_place",
    "entry_alias",
    "vector",
)
"""Tables with rows of an entry, in the order of insertion."""

OF_SECTIONS = ("tombstone", "departed")
"""Tables about sections of files without an entry."""

LEDGERS = ("source", "source_heading", *OF_SECTIONS, "metadata")
"""Tables restored as a whole by the scope `all`, after those that they reference."""

NUMBERED = (*OF_ENTRIES, "history")
SAVED = (*NUMBERED, *LEDGERS, "space", "project")
"""
All tables that a checkpoint saves.

Keyword postings are rebuilt. Receipts and forgotten texts stay as they are.
"""

RESTORED_METADATA = f"x.key != '{SECRET}' AND NOT starts_with(x.key, '{VERSION_KEY}')"
"""Excludes the present store's secret of forgotten texts and its versions of indexes."""

ROWS: Mapping[str, str] = {"metadata": RESTORED_METADATA, "project": "x.owner = current_user"}
"""Conditions for the rows that are saved, where not all are."""

SAVE = """
    INSERT INTO hardwon.saved_row (tenant, snapshot, relation, place, number, content)
    SELECT x.tenant, %(snapshot)s, '{table}', row_number() OVER (), {number}, to_jsonb(x)
    FROM hardwon.{table} x WHERE x.tenant = %(tenant)s AND {rows}
"""
DROP = "DELETE FROM hardwon.saved_row WHERE tenant = %(tenant)s AND snapshot = %(snapshot)s"

CONTENTS: Mapping[str, str] = {
    "vector": (
        """
        s.content || jsonb_build_object('space', coalesce(%(spaces)s::jsonb -> (s.content ->> 'space'), s.content -> 'space'))
    """
    ),
    "metadata": (
        """
        s.content || CASE s.content ->> 'key' WHEN 'active_space' THEN jsonb_build_object('value',
            coalesce(%(spaces)s::jsonb ->> (s.content ->> 'value'), s.content ->> 'value')) ELSE '{}' END
    """
    ),
}
"""Contents of rows that refer to a vector space, with its number of today."""

TABLE = """
    past_{table} AS (
        SELECT x.* FROM hardwon.saved_row s
        CROSS JOIN LATERAL jsonb_populate_record(NULL::hardwon.{table}, {content}) x
        WHERE s.tenant = %(tenant)s AND s.snapshot = %(snapshot)s AND s.relation = '{table}'
            AND (s.number IS NULL OR s.number != ALL(%(gone)s::bigint[]))
    )
"""


def past(sql: str) -> str:
    """Rewrite a query of today's tables for the saved ones."""
    return sql.replace("hardwon.", "past_")


class SavedRows:
    """
    The rows that a checkpoint saved.

    Args:
        snapshot: The snapshot's name.

    Attributes:
        spaces: Today's numbers of vector spaces by the snapshot's; missing spaces keep their
            number.
        gone: Numbers of entries that are left out.

    """

    def __init__(self, database: PostgresDatabase, snapshot: str) -> None:
        self._database = database
        self._snapshot = snapshot
        self.spaces = dict[str, int]()
        self.gone = list[int]()

    def save(self) -> None:
        """Save all rows of the tenant that this member may see."""
        about = {"snapshot": self._snapshot}
        self._database.together([(_save(table), about) for table in SAVED])

    def drop(self) -> None:
        """Delete the saved rows."""
        self._database.rows(DROP, snapshot=self._snapshot)

    def rows(self, sql: str, **parameters: object) -> list[Row]:
        """
        Run a statement on saved tables, such as `past_entry` for `entry`.

        Nested loops are off: the planner has no statistics of saved rows, and would compare all
        pairs.
        """
        tables = ", ".join(_table(table) for table in SAVED if f"past_{table}" in sql)
        about = {"snapshot": self._snapshot, "spaces": self.spaces, "gone": self.gone}
        with self._database.snapshot():
            self._database.rows("SET LOCAL enable_nestloop = off")
            rows = self._database.rows(f"WITH {tables} {sql}", **about, **parameters)
            self._database.rows("SET LOCAL enable_nestloop = on")
        return rows

    def asked(self, sql: str, **parameters: object) -> list[Row]:
        """Run a query of today's tables on the saved ones."""
        return self.rows(past(sql), **parameters)


def _save(table: str) -> str:
    number = "x.number" if table in NUMBERED else "NULL"
    return SAVE.format(table=table, number=number, rows=ROWS.get(table, "true"))


def _table(table: str) -> str:
    return TABLE.format(table=table, content=CONTENTS.get(table, "s.content"))


AT_ONCE = 500
"""Entries read in one query."""

Ask = Callable[..., list[Row]]
"""Runs a query of today's tables, on those or on saved ones."""

ROWS_OF_ENTRIES = " UNION ALL ".join(
    f"SELECT '{table}' AS relation, x.number, to_jsonb(x)::text AS content FROM hardwon.{table} x"
    " WHERE x.tenant = %(tenant)s AND x.number = ANY(%(numbers)s)"
    for table in OF_ENTRIES
)
FINGERPRINTS = f"""
    SELECT number, encode(sha256(convert_to(string_agg(relation || content, chr(10) ORDER BY relation, content), 'UTF8')), 'hex')
    FROM ({ROWS_OF_ENTRIES}) stored GROUP BY number
"""
NUMBERS = "SELECT e.number FROM hardwon.entry e WHERE {within} AND e.author = current_user"
"""A restore leaves the entries of other members as they are."""

TAKEN = """
    SELECT p.number FROM past_entry p JOIN hardwon.entry e ON e.tenant = p.tenant AND e.number = p.number
    WHERE e.tenant = %(tenant)s AND e.author != current_user
    UNION SELECT p.number FROM past_entry p JOIN hardwon.entry e ON e.tenant = p.tenant AND e.owner = p.owner AND e.id = p.id
    WHERE e.tenant = %(tenant)s AND e.author != current_user
"""
"""Selects past entries whose number or text is another member's today."""

FIXED = ('"author"', '"tier"')
"""Columns of an entry that only functions change."""

SET_TIERS = "SELECT hardwon.change_tier(x.number, x.tier) FROM past_entry x WHERE x.number = ANY(%(numbers)s)"

REGISTER_SPACES = f"""
    INSERT INTO hardwon.space (tenant, space, {SPACE_COLUMNS})
    SELECT %(tenant)s, row_number() OVER (ORDER BY p.space)
        + (SELECT coalesce(max(s.space), 0) FROM hardwon.space s WHERE s.tenant = %(tenant)s), {SPACE_COLUMNS}
    FROM past_space p WHERE ({SPACE_COLUMNS}) NOT IN
        (SELECT {SPACE_COLUMNS} FROM hardwon.space s WHERE s.tenant = %(tenant)s)
"""
SPACES = f"""
    SELECT p.space, s.space FROM past_space p JOIN hardwon.space s USING (tenant, {SPACE_COLUMNS})
    WHERE s.tenant = %(tenant)s
"""

# Numbers are never reused: a past and a present entry with the same number are the same entry.
GIVING_WAY = """
    SELECT e.number FROM hardwon.entry e WHERE e.tenant = %(tenant)s AND e.number = ANY(%(numbers)s)
    UNION SELECT e.number FROM past_entry p
        JOIN hardwon.entry e ON e.tenant = p.tenant AND e.owner = p.owner AND e.id = p.id
        WHERE e.tenant = %(tenant)s AND p.number = ANY(%(numbers)s)
    UNION SELECT t.number FROM past_entry_text p
        JOIN hardwon.entry_text t ON t.tenant = p.tenant AND t.author = p.author AND t.file_path = p.file_path
            AND t.anchor_id = p.anchor_id
        WHERE t.tenant = %(tenant)s AND p.number = ANY(%(numbers)s)
"""
SECTIONS = """
    SELECT t.file_path, t.anchor_id FROM hardwon.entry_text t
    WHERE t.tenant = %(tenant)s AND t.number = ANY(%(numbers)s) AND t.file_path IS NOT NULL
"""
OF_SECTION = (
    "(x.file_path, x.anchor_id) IN (SELECT * FROM unnest(%(paths)s::text[], %(anchors)s::text[]))"
)

COLUMNS = """
    SELECT attname FROM pg_attribute
    WHERE attrelid = ('hardwon.' || %(table)s)::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
# Changes the id, but keeps the row: it is locked, so a process that counts a use of it waits.
SET_ASIDE = """
    UPDATE hardwon.entry SET id = 'restored ' || number WHERE tenant = %(tenant)s AND number = ANY(%(numbers)s)
"""
HAND_OVER = """
    UPDATE hardwon.history h SET owner = e.owner FROM hardwon.entry e
    WHERE h.tenant = %(tenant)s AND e.tenant = %(tenant)s AND e.number = h.number
        AND e.number = ANY(%(numbers)s) AND h.owner != e.owner
"""
# Only a refusal of trust in a project is restored.
ADD_PROJECTS = """
    INSERT INTO hardwon.project (
        tenant, id, machine, key, label, root, is_repository, device, inode, remote, first_commit, authorship, trust
    )
    SELECT p.tenant, p.id, p.machine, p.key, p.label, p.root, p.is_repository, p.device, p.inode, p.remote, p.first_commit,
        p.authorship, CASE WHEN p.trust = 'revoked' THEN p.trust ELSE 'unsaid' END
    FROM past_project p WHERE p.owner = current_user
        AND p.id IN (SELECT e.project FROM past_entry e WHERE e.number = ANY(%(numbers)s))
    ON CONFLICT DO NOTHING
"""
DECISIONS = f"""
    INSERT INTO hardwon.metadata (tenant, key, value) SELECT x.tenant, x.key, x.value FROM past_metadata x
    WHERE {RESTORED_METADATA} ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value
"""
DIFFERENCES = """
    SELECT 1 FROM (({then} EXCEPT {now}) UNION ALL ({now} EXCEPT {then})) d
"""
EARLIER_HISTORY = """
    INSERT INTO hardwon.history (tenant, number, owner, field_changed, old_value, new_value, changed_at)
    SELECT p.tenant, p.number, p.owner, p.field_changed, p.old_value, p.new_value, p.changed_at FROM past_history p
    WHERE NOT EXISTS (SELECT 1 FROM hardwon.history h WHERE h.tenant = %(tenant)s AND h.number = p.number
        AND h.field_changed = p.field_changed AND h.old_value IS NOT DISTINCT FROM p.old_value
        AND h.new_value IS NOT DISTINCT FROM p.new_value AND h.changed_at = p.changed_at)
    ORDER BY p.id
"""
NOTE = """
    INSERT INTO hardwon.history (tenant, number, owner, field_changed, new_value, changed_at)
    SELECT %(tenant)s, number, owner, %(field)s, %(name)s, %(at)s
    FROM unnest(%(numbers)s::bigint[], %(owners)s::text[]) AS given (number, owner) ORDER BY number
"""
OWNERS = (
    "SELECT number, owner FROM hardwon.entry WHERE tenant = %(tenant)s AND number ="
    " ANY(%(numbers)s)"
)

RESTORED, REMOVED = "restored", "removed"
"""The values of `field_changed` in history that a restore writes."""


def numbers_of(ask: Ask, within: Where) -> list[int]:
    """Return the numbers of the entries that meet a condition."""
    return [number for (number,) in ask(NUMBERS.format(within=within.sql), **within.parameters)]


def fingerprints(ask: Ask, numbers: Iterable[int]) -> dict[int, str]:
    """Return the sha256 of each entry's stored values, by number."""
    return dict(ask(FINGERPRINTS, numbers=[*numbers]))


class PostgresSnapshot(Snapshot):
    """A checkpoint's saved rows, with the store to restore."""

    def __init__(self, past: SavedRows, present: PostgresDatabase) -> None:
        self._past = past
        self._present = present

    @override
    def bring_back(self, contents: Contents, *, name: str, at: dt.datetime) -> Replacement:
        within = where(contents.entries)
        with self._present.patiently(), self._present.transaction(), _nobody_elses():
            self._map_spaces()
            then = fingerprints(self._past.asked, self._own(numbers_of(self._past.asked, within)))
            now = fingerprints(self._present.rows, numbers_of(self._present.rows, within))
            missing = {number for number, digest in then.items() if now.get(number) != digest}
            surplus = {number for number, digest in now.items() if then.get(number) != digest}
            surplus |= self._giving_way_to(missing)
            sections = self._sections(missing, surplus)
            owners = self._owners(surplus - missing)
            self._remove(surplus - missing)
            self._take_out(surplus & missing)
            self._add(missing)
            self._restore_rows(OF_SECTIONS, OF_SECTION, **sections)
            if contents.scope == "all":
                self._restore_records()
            self._note(RESTORED, self._owners(missing), name=name, at=at)
            self._note(REMOVED, owners, name=name, at=at)
            self._present.note_change()
            self._verify(contents, then, missing)
        return Replacement(
            memory_count=len(then), restored=len(missing), removed=len(surplus - missing)
        )

    def _own(self, numbers: Iterable[int]) -> set[int]:
        return {*numbers}.difference(number for (number,) in self._past.rows(TAKEN))

    def _map_spaces(self) -> None:
        self._past.rows(REGISTER_SPACES)
        self._past.spaces = {str(then): now for then, now in self._past.rows(SPACES)}

    def _giving_way_to(self, numbers: Iterable[int]) -> set[int]:
        """
        Return the present entries that conflict with the past entries *numbers*.

        They have the same number, id, or section of a file.
        """
        return {number for (number,) in self._past.rows(GIVING_WAY, numbers=[*numbers])}

    def _sections(self, missing: Iterable[int], surplus: Iterable[int]) -> dict[str, list[str]]:
        rows = {
            *self._past.asked(SECTIONS, numbers=[*missing]),
            *self._present.rows(SECTIONS, numbers=[*surplus]),
        }
        return {"paths": [path for path, _ in rows], "anchors": [anchor for _, anchor in rows]}

    def _owners(self, numbers: Iterable[int]) -> list[Row]:
        return self._present.rows(OWNERS, numbers=[*numbers])

    def _remove(self, numbers: Iterable[int]) -> None:
        drop_from_index(self._present, numbers)
        self._delete("entry", numbers)

    def _take_out(self, numbers: Iterable[int]) -> None:
        """
        Empty entries that stay under their number.

        Rows of other members that refer to them stay, too.
        """
        drop_from_index(self._present, numbers)
        self._present.rows(SET_ASIDE, numbers=[*numbers])
        for table in ("proposal", *OF_ENTRIES):
            if table != "entry":
                self._delete(table, numbers)

    def _delete(self, table: str, numbers: Iterable[int]) -> None:
        named = "(older = ANY(%(numbers)s) OR newer = ANY(%(numbers)s))"
        within = named if table == "proposal" else "number = ANY(%(numbers)s)"
        self._present.rows(
            f"DELETE FROM hardwon.{table} WHERE tenant = %(tenant)s AND {within}",
            numbers=[*numbers],
        )

    def _add(self, numbers: Iterable[int]) -> None:
        wanted = [*numbers]
        for table in OF_ENTRIES:
            names = self._columns(table)
            changes = ", ".join(f"{name} = excluded.{name}" for name in names if name not in FIXED)
            in_place = (
                f"ON CONFLICT (tenant, number) DO UPDATE SET {changes}" if table == "entry" else ""
            )
            self._past.rows(
                f"{_insert(table, names)} WHERE x.number = ANY(%(numbers)s) {in_place}",
                numbers=wanted,
            )
        self._past.rows(SET_TIERS, numbers=wanted)
        self._past.rows(ADD_PROJECTS, numbers=wanted)
        self._present.rows(HAND_OVER, numbers=wanted)
        for part in _parts(wanted):
            self._index(part)

    def _index(self, numbers: Sequence[int]) -> None:
        condition = "e.tenant = %(tenant)s AND NOT e.retired AND e.number = ANY(%(numbers)s)"
        owners: Mapping[int, str] = dict(self._owners(numbers))
        try:
            for row in self._present.rows(f"{SELECT_ENTRY} WHERE {condition}", numbers=[*numbers]):
                entry = to_entry(row)
                index_entry(
                    self._present, entry.number or 0, owner=owners[entry.number or 0], entry=entry
                )
        except (ValueError, TypeError, AttributeError) as error:
            raise StorageError(
                f"the snapshot holds what is no entry: {error}; nothing was changed"
            ) from error

    def _restore_rows(
        self, tables: Sequence[str], within: str = "true", **parameters: object
    ) -> None:
        for table in reversed(tables):
            self._present.rows(
                f"DELETE FROM hardwon.{table} x WHERE x.tenant = %(tenant)s AND {within}",
                **parameters,
            )
        for table in tables:
            self._past.rows(f"{_insert(table, self._columns(table))} WHERE {within}", **parameters)

    def _columns(self, table: str) -> list[str]:
        return [f'"{name}"' for (name,) in self._present.rows(COLUMNS, table=table)]

    def _restore_records(self) -> None:
        """
        Restore all records that are not about single entries.

        History is only appended to.
        """
        self._restore_rows([table for table in LEDGERS if table != "metadata"])
        self._past.rows(
            f"DELETE FROM hardwon.metadata x WHERE x.tenant = %(tenant)s AND {RESTORED_METADATA}"
            " AND x.key NOT IN (SELECT p.key FROM past_metadata p)"
        )
        self._past.rows(DECISIONS)
        self._past.rows(EARLIER_HISTORY)

    def _note(self, field: str, entries: Sequence[Row], name: str, at: dt.datetime) -> None:
        """
        Append a line of history for each of *entries*.

        *field* is `restored` or `removed`, *name* the checkpoint's.
        """
        numbers, owners = (
            ([*column] for column in zip(*entries, strict=True)) if entries else ([], [])
        )
        self._present.rows(NOTE, field=field, numbers=numbers, owners=owners, name=name, at=at)

    def _verify(self, contents: Contents, then: Mapping[int, str], written: Iterable[int]) -> None:
        """
        Compare written entries, and all numbers, with the snapshot.

        The values of other entries may differ: members may have counted uses meanwhile.
        """
        wanted = {number: then[number] for number in written}
        is_same = (
            fingerprints(self._present.rows, wanted) == wanted
            and {*numbers_of(self._present.rows, where(contents.entries))} == then.keys()
            and (contents.scope != "all" or self._has_same_records())
        )
        if not is_same:
            raise StorageError("the outcome is not what the snapshot holds; nothing was changed")

    def _has_same_records(self) -> bool:
        return not any(self._past.rows(_differences(table)) for table in LEDGERS)


def _insert(table: str, columns: Sequence[str]) -> str:
    chosen = ", ".join(f"x.{name}" for name in columns)
    return f"INSERT INTO hardwon.{table} ({', '.join(columns)}) SELECT {chosen} FROM past_{table} x"


def _differences(table: str) -> str:
    condition = RESTORED_METADATA if table == "metadata" else "true"
    then = f"SELECT to_jsonb(x) FROM past_{table} x WHERE {condition}"
    now = f"SELECT to_jsonb(x) FROM hardwon.{table} x WHERE x.tenant = %(tenant)s AND {condition}"
    return DIFFERENCES.format(then=then, now=now)


def _parts(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    return (numbers[place : place + AT_ONCE] for place in range(0, len(numbers), AT_ONCE))


@contextmanager
def _nobody_elses() -> Iterator[None]:
    """
    Explain a conflict with an entry that another member made private.

    This member can't see it, so it can't be replaced.
    """
    try:
        yield
    except StorageError as error:
        if isinstance(error.__cause__, UniqueViolation | InsufficientPrivilege):
            raise StorageError(
                "the number or id of an entry belongs to one that another member keeps private by"
                " now; nothing was changed"
            ) from error
        raise
