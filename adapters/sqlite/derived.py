"""
Derived tables: repair, blocks of entries, and tallies.

A derived table is made again where it was dropped or damaged.
Tallies count the ranked entries of each kind, category, reach and project. Triggers keep
them in the transaction of every change, in every process. A row without a kind holds the
negative sum of all others: if the rows do not sum to 0, some are missing or damaged, and
entries are counted one by one.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.query import placed, visible_by_group, where
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import ANYWHERE, EntryFilter
from hardwon.domain.model.vocabulary import KINDS
from hardwon.ports.vectors import MAX_BLOCK_VECTORS

SHIFT = MAX_BLOCK_VECTORS.bit_length() - 1
"""
Low bits of an entry's number: its place in a block.

Triggers repeat it: 10.
"""

LAST_PLACE = (1 << SHIFT) - 1


def bounds(block: int) -> tuple[int, int]:
    """Return the first and the last entry number of a block."""
    return block << SHIFT, block << SHIFT | LAST_PLACE


def remake(
    database: SqliteDatabase,
    tables: Sequence[str],
    triggers: Sequence[str],
    script: str,
    is_sound: Callable[[SqliteDatabase], bool] = lambda _: True,
) -> None:
    """
    Make derived tables and their triggers again where one is missing.

    A store that can't be written is left as it is.
    """
    expected = (*tables, *triggers)
    names = ", ".join(map(repr, expected))
    found = database.value(f"SELECT count(*) FROM sqlite_master WHERE name IN ({names})")
    if found == len(expected) and is_sound(database):
        return
    from hardwon.adapters.sqlite.migrations import run_scripts  # noqa: PLC0415  # rarely needed

    with suppress(StorageError), database.transaction(), database.translated():
        for trigger in triggers:
            database.connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        for table in tables:
            database.connection.execute(f"DROP TABLE IF EXISTS {table}")
        run_scripts(database.connection, script)


TALLY_TABLE = "entry_tally"
TALLY_TRIGGERS = ("entry_tally_inserted", "entry_tally_updated", "entry_tally_deleted")

TALLIED = f"""
    SELECT category, sum(entries) FROM (
        SELECT e.category, e.entries FROM {TALLY_TABLE} e WHERE e.kind != '' AND {{kinds}} AND {{group}}
        UNION ALL
        SELECT e.category, 1
        FROM (SELECT e.* FROM {TALLY_TABLE} e WHERE e.kind != '' AND {{kinds}} AND NOT coalesce({{group}}, false)) hidden
        CROSS JOIN entry e ON e.project IS hidden.project AND e.kind = hidden.kind
        WHERE e.category IS hidden.category AND e.reach = hidden.reach AND e.retired = 0 AND {{placed}}
    ) GROUP BY category HAVING sum(entries) > 0
"""
"""
The visible groups, plus the visible entries of hidden groups.

An entry of a hidden group is visible if it was also said in the project.
"""

RANKED_AT_HOME = f"""
    FROM (SELECT DISTINCT kind, project FROM {TALLY_TABLE} WHERE reach = 'home' AND kind != '' AND entries > 0) home
    CROSS JOIN entry e ON e.project IS home.project AND e.kind = home.kind
"""
"""At least all ranked entries that are kept at home."""

OF_SESSION = "SELECT 1 FROM entry_text WHERE session_id = ? LIMIT 1"
COUNTED = "SELECT category, count(*) FROM entry e WHERE {within} GROUP BY category"


def ensure_tallies(database: SqliteDatabase) -> None:
    """Count all entries again if a tally or trigger is damaged."""
    from hardwon.adapters.sqlite.migrations import ENTRY_TALLY  # noqa: PLC0415  # rarely needed

    remake(database, (TALLY_TABLE,), triggers=TALLY_TRIGGERS, script=ENTRY_TALLY, is_sound=is_sound)


def tallied(database: SqliteDatabase, only: EntryFilter) -> Mapping[str | None, int]:
    """
    Count the visible ranked entries of each category.

    Only the kinds and the visibility of *only* apply.
    """
    if not is_sound(database):
        within = where(EntryFilter(kinds=only.kinds, visible_in=only.visible_in, ranked=True))
        return dict(database.rows(COUNTED.format(within=within.sql), **within.parameters))
    kinds, group = where(EntryFilter(kinds=only.kinds)), visible_by_group(only.visible_in)
    others = placed(only.visible_in)
    shown = {**kinds.parameters, **group.parameters, **others.parameters}
    sql = TALLIED.format(kinds=kinds.sql, group=group.sql, placed=others.sql)
    return dict(database.rows(sql, **shown))


def count_ranked(database: SqliteDatabase) -> int:
    """Return the number of entries neither deprecated nor expired."""
    return sum(tallied(database, EntryFilter(kinds=KINDS)).values())


def admits_all(database: SqliteDatabase, only: EntryFilter) -> bool:
    """
    Return whether *only* admits every ranked entry.

    A scope and a session exclude nothing where no entry is bound to a place, or said in the session.
    """
    if only.except_session is not None and database.value(OF_SESSION, (only.except_session,)):
        return False
    if only.bound and any(tallied(database, EntryFilter(kinds=only.bound)).values()):
        return False
    only = only._replace(except_session=None, scope=ANYWHERE, anywhere=())
    grouped = EntryFilter(kinds=only.kinds, visible_in=only.visible_in, ranked=True)
    return only in {grouped, grouped._replace(ranked=False)} and sum(
        tallied(database, only).values()
    ) == count_ranked(database)


def is_sound(database: SqliteDatabase) -> bool:
    """Return whether the tallies are complete."""
    try:
        return bool(
            database.value(f"SELECT sum(entries) = 0 AND min(kind) = '' FROM {TALLY_TABLE}")
        )
    except StorageError:
        return False
