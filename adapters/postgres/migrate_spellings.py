"""
Migration of all tenants' data from schema version 1 to 2.

The id of a lesson becomes that of its composed text (Unicode NFC). Entries with the same text and
owner are merged into the oldest, which keeps its number and name. The ids of the others become its
aliases.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from itertools import groupby
from typing import Any, TypeAlias

import psycopg
from psycopg import sql as composed_sql

from hardwon.adapters.postgres.entries import PostgresEntryRepository
from hardwon.adapters.postgres.put_entry import DROP_VECTORS
from hardwon.adapters.postgres.rows import SELECT_ENTRY, to_entry
from hardwon.adapters.postgres.words import dropping, indexing
from hardwon.domain.model.identity import composed, content_hash
from hardwon.domain.model.likeness import FACTS, LISTS, TEXTS, identified, united

Lesson: TypeAlias = dict[str, Any]

COLUMNS = ("tenant", "owner", "number", "created_at", *FACTS)
TEXT_COLUMNS = ("name", "description", *TEXTS, *LISTS)
SELECT_LESSONS = f"""
    SELECT {", ".join(f"e.{name}" for name in COLUMNS)}, {", ".join(f't."{name}"' for name in TEXT_COLUMNS)}
    FROM hardwon.entry e JOIN hardwon.entry_text t ON t.tenant = e.tenant AND t.number = e.number
    WHERE e.kind = 'learning' AND t.file_path IS NULL ORDER BY e.created_at, e.number
"""
SELECT_DECOMPOSED = """
    SELECT e.tenant, e.owner, e.number FROM hardwon.entry e
    JOIN hardwon.entry_text t ON t.tenant = e.tenant AND t.number = e.number
    WHERE NOT e.retired AND concat_ws(' ', t.name, t.description, t.notes, t.reasoning, t.keywords::text, t.tags::text,
        t.trigger_phrases::text) IS NOT NFC NORMALIZED
"""
SELECT_TABLES = """
    SELECT relname FROM pg_class WHERE relnamespace = 'hardwon'::regnamespace AND relkind = 'r' AND relforcerowsecurity
"""

OF_OTHER = "WHERE tenant = %(tenant)s AND number = %(other)s"
ADD_ACTIVITY = (
    f"""
    INSERT INTO hardwon.recall AS own (tenant, number, entry_owner, recall_count, last_recalled_at)
    SELECT tenant, %(number)s, entry_owner, recall_count, last_recalled_at FROM hardwon.recall {OF_OTHER}
    ON CONFLICT (tenant, number) DO UPDATE SET recall_count = own.recall_count + excluded.recall_count,
        last_recalled_at = greatest(own.last_recalled_at, excluded.last_recalled_at)
    """,
    f"""
    INSERT INTO hardwon.usage AS own (tenant, number, entry_owner, access_count, last_accessed, validation_count, useful_count)
    SELECT tenant, %(number)s, entry_owner, access_count, last_accessed, validation_count, useful_count FROM hardwon.usage {OF_OTHER}
    ON CONFLICT (tenant, number) DO UPDATE SET access_count = own.access_count + excluded.access_count,
        last_accessed = greatest(own.last_accessed, excluded.last_accessed),
        validation_count = own.validation_count + excluded.validation_count,
        useful_count = own.useful_count + excluded.useful_count
    """,
    """
    INSERT INTO hardwon.entry_place (tenant, number, entry_owner, project)
    SELECT tenant, %(number)s, owner, project FROM hardwon.entry
    WHERE tenant = %(tenant)s AND number IN (%(number)s, %(other)s) AND project IS NOT NULL AND reach != 'home'
    ON CONFLICT DO NOTHING
    """,
    f"""
    INSERT INTO hardwon.entry_place (tenant, number, entry_owner, project)
    SELECT tenant, %(number)s, entry_owner, project FROM hardwon.entry_place {OF_OTHER} ON CONFLICT DO NOTHING
    """,
    f"""
    INSERT INTO hardwon.influence (tenant, number, owner, session_id, how, phrase, at)
    SELECT tenant, %(number)s, owner, session_id, how, phrase, at FROM hardwon.influence {OF_OTHER} ON CONFLICT DO NOTHING
    """,
    f"UPDATE hardwon.entry_alias SET number = %(number)s {OF_OTHER}",
    f"UPDATE hardwon.history SET number = %(number)s {OF_OTHER}",
)
DROP = f"DELETE FROM hardwon.entry {OF_OTHER}"

ADD_ALIAS = """
    INSERT INTO hardwon.entry_alias (tenant, number, entry_owner, old_id) VALUES (%(tenant)s, %(number)s, %(owner)s, %(old)s)
    ON CONFLICT (tenant, old_id) DO UPDATE SET number = excluded.number, entry_owner = excluded.entry_owner
"""
DROP_ALIAS = "DELETE FROM hardwon.entry_alias WHERE tenant = %(tenant)s AND old_id = %(id)s"
DROP_PLACE = """
    DELETE FROM hardwon.entry_place WHERE tenant = %(tenant)s AND number = %(number)s AND project = %(project)s
"""


def unite_spellings(connection: psycopg.Connection) -> None:
    """Give lessons the ids of their composed texts, in the transaction."""
    with _above_policies(connection):
        for lessons in _by_text(connection):
            _unite(connection, lessons)
        for tenant, owner, number in connection.execute(SELECT_DECOMPOSED).fetchall():
            _index(connection, tenant, owner=owner, number=number)


@contextmanager
def _above_policies(connection: psycopg.Connection) -> Iterator[None]:
    """Suspend row-level security, so that the owner sees all rows."""
    names = [
        composed_sql.Identifier(name) for (name,) in connection.execute(SELECT_TABLES).fetchall()
    ]
    for name in names:
        connection.execute(
            composed_sql.SQL("ALTER TABLE hardwon.{} NO FORCE ROW LEVEL SECURITY").format(name)
        )
    yield
    for name in names:
        connection.execute(
            composed_sql.SQL("ALTER TABLE hardwon.{} FORCE ROW LEVEL SECURITY").format(name)
        )


def _by_text(connection: psycopg.Connection) -> Iterator[list[Lesson]]:
    """Yield lessons by owner and text, oldest first, where one is decomposed."""
    rows = connection.execute(SELECT_LESSONS).fetchall()
    lessons = [dict(zip((*COLUMNS, *TEXT_COLUMNS), row, strict=True)) for row in rows]
    decomposed = {
        _key(lesson)
        for lesson in lessons
        if composed(lesson["description"]) != lesson["description"]
    }
    known = [lesson for lesson in lessons if _key(lesson) in decomposed]
    for _, group in groupby(sorted(known, key=_key), key=_key):
        yield [*group]


def _key(lesson: Mapping[str, Any]) -> tuple[int, str, str]:
    return lesson["tenant"], lesson["owner"], content_hash(lesson["description"])


def _unite(connection: psycopg.Connection, lessons: list[Lesson]) -> None:
    whole = identified(reduce(united, lessons))
    about = {"tenant": whole["tenant"], "number": whole["number"]}
    for other in lessons[1:]:
        for statement in ADD_ACTIVITY:
            connection.execute(statement, {**about, "other": other["number"]})
        _run(connection, dropping([other["number"]]), whole["tenant"])
        connection.execute(DROP, {**about, "other": other["number"]})
    connection.execute(DROP_ALIAS, {**about, "id": whole["id"]})
    for old in {lesson["id"] for lesson in lessons} - {whole["id"]}:
        connection.execute(ADD_ALIAS, {**about, "owner": whole["owner"], "old": old})
        for statement in PostgresEntryRepository.RENAME[1:]:
            connection.execute(statement, {**about, "old": old, "new": whole["id"]})
    _write(connection, whole)


def _write(connection: psycopg.Connection, lesson: Lesson) -> None:
    for table, names in (("entry", FACTS), ("entry_text", (*TEXTS, *LISTS))):
        columns = ", ".join(f'"{name}" = %({name})s' for name in names)
        connection.execute(
            f"UPDATE hardwon.{table} SET {columns} WHERE tenant = %(tenant)s AND number ="
            " %(number)s",
            lesson,
        )
    connection.execute(DROP_PLACE, lesson)
    if not lesson["retired"]:
        _index(connection, lesson["tenant"], owner=lesson["owner"], number=lesson["number"])


def _index(connection: psycopg.Connection, tenant: int, owner: str, number: int) -> None:
    about = {"tenant": tenant, "number": number}
    row = connection.execute(
        f"{SELECT_ENTRY} WHERE e.tenant = %(tenant)s AND e.number = %(number)s", about
    ).fetchone()
    if row:
        _run(connection, [*dropping([number]), *indexing(number, owner, to_entry(row))], tenant)
    connection.execute(DROP_VECTORS, {"tenant": tenant, "numbers": [number]})


def _run(
    connection: psycopg.Connection, statements: list[tuple[str, Mapping[str, object]]], tenant: int
) -> None:
    for statement, parameters in statements:
        connection.execute(statement, {**parameters, "tenant": tenant})
