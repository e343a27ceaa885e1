"""Rows of a tenant or a member as the database's owner sees them, and all answers of a member's methods."""

import psycopg
from psycopg import sql

from tests.adapters.postgres.every_method import READS, Member
from tests.postgres_server import store

Row = tuple[object, ...]

WITHOUT_EFFECT = frozenset(
    (
        "upkeep.rebuild_keyword_index",
        "upkeep.refresh_keyword_index",
        "upkeep.rebuild_vector_index",
        "projects.add",
        "rows.redact",
        "vectors.activate",
    )
)
"""Writes that change no row of a store that is in order."""


def answers(user: Member, left_out: frozenset[str] = frozenset()) -> dict[str, str]:
    """Return what every reading method says, by its name."""
    return {name: repr(read(user)) for name, read in READS.items() if name not in left_out}


def as_owner(statement: sql.Composed | sql.SQL, *values: object) -> list[Row]:
    with psycopg.connect(store(), autocommit=True) as connection:
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def columns() -> dict[str, set[str]]:
    """Return the names of the columns of every table of the schema."""
    found = dict[str, set[str]]()
    rows = as_owner(
        sql.SQL(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'hardwon'"
        )
    )
    for table, column in rows:
        found.setdefault(str(table), set()).add(str(column))
    return found


def tables_of_tenants() -> list[str]:
    return sorted(
        name
        for name, names in columns().items()
        if "tenant" in names and name not in {"tenant", "member"}
    )


def stored(tenant: int, owner: str | None = None) -> dict[str, list[str]]:
    """Return all rows of a tenant, or those that belong to *owner*, as the database's owner sees them."""
    rows = dict[str, list[str]]()
    with psycopg.connect(store(), autocommit=True) as connection:
        for table, names in columns().items():
            if table in {"tenant", "member", "migration"} or (
                owner is not None and "owner" not in names
            ):
                continue
            condition = (
                sql.SQL(" AND owner = {}").format(sql.Literal(owner))
                if owner is not None
                else sql.SQL("")
            )
            query = sql.SQL(
                "SELECT to_jsonb(x)::text FROM hardwon.{} x WHERE tenant = {}{}"
            ).format(sql.Identifier(table), sql.Literal(tenant), condition)
            rows[table] = sorted(str(row) for (row,) in connection.execute(query))
    return rows
