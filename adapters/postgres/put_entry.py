"""Storing of an entry in few round trips."""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.forgotten import PostgresForgottenTexts
from hardwon.adapters.postgres.rows import facts_of, texts_of
from hardwon.adapters.postgres.server import Rows
from hardwon.adapters.postgres.session import Statement
from hardwon.adapters.postgres.words import dropping, indexing
from hardwon.adapters.sql.entries import is_retired
from hardwon.domain.model.forgotten import ensure_not_forgotten

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry
    from hardwon.domain.model.vocabulary import Tier

EXISTING = """
    SELECT e.owner, e.number, e.author, e.updated_at, CASE WHEN e.retired THEN e.expires_at END, e.tier FROM hardwon.entry e
    WHERE e.tenant = %(tenant)s AND e.id = %(id)s ORDER BY e.owner DESC
"""
"""Selects the entries of an id: a personal one, and one that members share."""

IS_SHARED = """
    SELECT EXISTS (SELECT 1 FROM hardwon.project
        WHERE tenant = %(tenant)s AND id = %(project)s AND conversations = 'shared')
"""

OWNED: Mapping[str, str] = {
    **dict.fromkeys(("entry_text", "vector", "history"), "owner"),
    **dict.fromkeys(("recall", "usage", "entry_alias", "entry_place"), "entry_owner"),
}
"""Columns with the owner of an entry, by tables about it."""

OF_NUMBER = "WHERE tenant = %(tenant)s AND number = %(number)s"
# In one statement, as keys refer to the owner.
HAND_OVER = f"""
    WITH {", ".join(f"of_{table} AS (UPDATE hardwon.{table} SET {column} = %(owner)s {OF_NUMBER})" for table, column in OWNED.items())}
    UPDATE hardwon.entry SET owner = %(owner)s {OF_NUMBER}
"""
# The owner of the other entry of a pair, if it has one, stays the pair's.
HAND_OVER_PAIRS = """
    UPDATE hardwon.proposal p SET entry_owner = greatest(%(owner)s, e.owner) FROM hardwon.entry e
    WHERE p.tenant = %(tenant)s AND %(number)s IN (p.older, p.newer)
        AND e.tenant = %(tenant)s AND e.number IN (p.older, p.newer) AND e.number != %(number)s
"""

DROP_OTHER_VECTORS = f"""
    DELETE FROM hardwon.vector {OF_NUMBER} AND text_hash != %(text_hash)s
"""
DROP_VECTORS = "DELETE FROM hardwon.vector WHERE tenant = %(tenant)s AND number = ANY(%(numbers)s)"
CHANGE_TIER = "SELECT hardwon.change_tier(%(number)s, %(tier)s)"
TAKE_OVER = "SELECT hardwon.take_over(%(number)s, %(path)s)"

DELETE = f"DELETE FROM hardwon.entry {OF_NUMBER}"


class _Known(NamedTuple):
    """A row of `EXISTING`."""

    owner: str
    number: int
    author: str
    updated_at: dt.datetime
    expired_at: dt.datetime | None
    tier: "Tier"


class _Place(NamedTuple):
    """
    Where an entry is stored.

    Attributes:
        owner: The member that alone sees it, empty for all members.
        is_retired: Whether it is in no index.
        known: The entry until now, None for a new one.
        repeated: The number of the member's personal entry that the shared one replaces, or None.

    """

    number: int
    owner: str
    is_retired: bool
    known: "_Known | None" = None
    repeated: int | None = None


def put_entry(database: PostgresDatabase, entry: "Entry") -> None:
    """
    Store *entry* under its id, as `EntryRepository.put` says.

    Within a prefetch this only reads.
    """
    forgotten = PostgresForgottenTexts(database)
    with database.transaction([entry.entry_id]):
        with database.ahead():
            forgotten.holds(())
            database.rows(EXISTING, id=entry.entry_id)
            owner_of(database, entry)
        ensure_not_forgotten(entry, forgotten.holds)
        if not database.is_ahead and (place := _place_of(database, entry)):
            texts = _putting_texts(place, entry)
            index = [] if place.is_retired else indexing(place.number, place.owner, entry)
            if place.known:
                facts = _changing(place, place.known, entry, role=database.role)
                database.together((*facts, *texts, *index), about=[entry.entry_id])
            else:
                database.add_rows((_adding(place, entry), *texts, *index), new=entry.entry_id)
            database.note_change()


def _place_of(database: PostgresDatabase, entry: "Entry") -> "_Place | None":
    """
    Return the present or future place of *entry*.

    None if it comes from a file of which another member stored a version that is at least as new.
    """
    owner, role = owner_of(database, entry), database.role
    known = {row[0]: _Known(*row) for row in database.rows(EXISTING, id=entry.entry_id)}
    shared, personal = known.get(""), known.get(role)
    of_another = (
        shared if shared and entry.file_path is not None and shared.author != role else None
    )
    if owner:
        found = personal or (None if of_another else shared)
    elif of_another and not personal and of_another.updated_at >= entry.updated_at:
        return None
    else:
        found = shared or personal
    if not found:
        return _Place(database.next_number(), owner, is_retired(entry))
    if entry.file_path is None and found.author != role:
        import attrs  # noqa: PLC0415  # not on the path of a start

        entry = attrs.evolve(entry, tier=found.tier)
    stays = entry.expires_at is not None and entry.expires_at == found.expired_at
    repeated = personal.number if personal and found is shared else None
    return _Place(
        number=found.number,
        owner=owner,
        is_retired=is_retired(entry) or stays,
        known=found,
        repeated=repeated,
    )


def owner_of(database: PostgresDatabase, entry: "Entry") -> str:
    """
    Return the only member who may see *entry*, or "".

    An entry of a file is personal unless its project shares its conversations.
    """
    if entry.file_path is None or database.value(IS_SHARED, project=entry.project):
        return ""
    return database.role


def _adding(place: _Place, entry: "Entry") -> Statement:
    own = {
        "number": place.number,
        "id": entry.entry_id,
        "owner": place.owner,
        "created_at": entry.created_at,
        "retired": place.is_retired,
    }
    values = {**own, **facts_of(entry)}
    return _insert("entry", values), {"rows": Rows([values])}


def _changing(place: _Place, known: _Known, entry: "Entry", role: str) -> list[Statement]:
    """
    Return the statements that replace the facts of an entry.

    They also remove it from the index, where it counts for its earlier owner.
    """
    values = {**facts_of(entry), "retired": place.is_retired}
    del values["tier"]
    changes = ", ".join(f"{name} = %({name})s" for name in values)
    update = f"UPDATE hardwon.entry SET {changes} {OF_NUMBER}"
    about = {"number": place.number, "owner": place.owner}
    is_taken = entry.file_path is not None and known.author != role
    handing_over = [(HAND_OVER, about), (HAND_OVER_PAIRS, about)]
    return [
        *(
            [*dropping([place.repeated]), (DELETE, {"number": place.repeated})]
            if place.repeated
            else ()
        ),
        *dropping([place.number]),
        *([(TAKE_OVER, about | {"path": entry.file_path})] if is_taken else ()),
        *([(CHANGE_TIER, about | {"tier": entry.tier})] if known.tier != entry.tier else ()),
        *(handing_over if place.owner != known.owner else ()),
        (update, {"number": place.number, **values}),
        *([(DROP_VECTORS, {"numbers": [place.number]})] if place.is_retired else ()),
    ]


def _putting_texts(place: _Place, entry: "Entry") -> list[Statement]:
    values = texts_of(entry)
    kept = {"number": place.number, "owner": place.owner, "anchor_id": entry.anchor_id}
    changes = ", ".join(f'"{name}" = excluded."{name}"' for name in values)
    insert = (
        f"{_insert('entry_text', kept | values)} ON CONFLICT (tenant, number) DO UPDATE SET"
        f" {changes}"
    )
    putting: list[Statement] = [(insert, {"rows": Rows([kept | values])})]
    if not place.known:
        return putting
    about = {"number": place.number, "text_hash": values["text_hash"]}
    return [*putting, (DROP_OTHER_VECTORS, about)]


def _insert(table: str, values: Iterable[str]) -> str:
    columns = ", ".join(f'"{name}"' for name in values)
    return (
        f"INSERT INTO hardwon.{table} (tenant, {columns}) SELECT %(tenant)s, {columns}"
        f" FROM json_populate_recordset(NULL::hardwon.{table}, %(rows)s::json)"
    )
