"""
The data of version 13 for version 14, which unites spellings.

A lesson's id becomes that of its composed text. Entries with the same text become the
oldest of them, which keeps its number and name. The ids of all others refer to it.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

from hardwon.domain.model.identity import composed, content_hash
from hardwon.domain.model.likeness import FACTS, LISTS, TEXTS, identified, united

Lesson: TypeAlias = dict[str, Any]

COLUMNS = ("seq", "created_at", "name", "description", *FACTS, *TEXTS, *LISTS)
SELECT_LESSONS = f"""
    SELECT {", ".join(f'"{name}"' for name in COLUMNS)} FROM entry JOIN entry_text ON entry_seq = seq
    WHERE kind = 'learning' AND file_path IS NULL ORDER BY created_at, seq
"""
SELECT_INDEXED = """
    SELECT entry_seq, name, description, reasoning, notes, keywords, tags, trigger_phrases FROM entry_text
"""

ADD_ACTIVITY = (
    """
    INSERT INTO recall (entry_seq, recall_count, last_recalled_at)
    SELECT :seq, recall_count, last_recalled_at FROM recall WHERE entry_seq = :other
    ON CONFLICT (entry_seq) DO UPDATE SET recall_count = recall.recall_count + excluded.recall_count,
        last_recalled_at = max(recall.last_recalled_at, excluded.last_recalled_at)
    """,
    """
    INSERT INTO usage (entry_seq, access_count, last_accessed, validation_count, useful_count)
    SELECT :seq, access_count, last_accessed, validation_count, useful_count FROM usage WHERE entry_seq = :other
    ON CONFLICT (entry_seq) DO UPDATE SET access_count = usage.access_count + excluded.access_count,
        last_accessed = max(coalesce(usage.last_accessed, excluded.last_accessed),
            coalesce(excluded.last_accessed, usage.last_accessed)),
        validation_count = usage.validation_count + excluded.validation_count,
        useful_count = usage.useful_count + excluded.useful_count
    """,
    """
    INSERT OR IGNORE INTO entry_place (entry_seq, project)
    SELECT :seq, project FROM entry WHERE seq IN (:seq, :other) AND project IS NOT NULL AND reach != 'home'
    """,
    *(
        f"UPDATE OR IGNORE {table} SET entry_seq = :seq WHERE entry_seq = :other"
        for table in ("entry_place", "influence", "entry_alias")
    ),
    "UPDATE history SET memory_id = :seq WHERE memory_id = :other",
)

DROP = (
    "DELETE FROM proposal WHERE :other IN (older_seq, newer_seq)",
    *(
        f"DELETE FROM {table} WHERE entry_seq = :other"
        for table in (
            "vector",
            "recall",
            "usage",
            "influence",
            "entry_place",
            "entry_alias",
            "entry_text",
        )
    ),
    "DELETE FROM entry WHERE seq = :other",
)
"""Foreign keys are not enforced while a store is migrated."""

RENAME = (
    "INSERT OR REPLACE INTO entry_alias (entry_seq, old_id) VALUES (:seq, :old)",
    "UPDATE receipt_entry SET entry_id = :new WHERE entry_id = :old",
    "UPDATE receipt SET missed = replace(missed, :old, :new) WHERE instr(missed, :old)",
    "UPDATE entry SET superseded_by = :new WHERE superseded_by = :old",
)


def unite_spellings(connection: sqlite3.Connection) -> None:
    """Give lessons the ids of their composed texts, within the open transaction."""
    factory: Any = connection.text_factory
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        for lessons in _by_text(connection):
            _unite(connection, lessons)
        _renew_search(connection)
    finally:
        connection.text_factory = factory


def _renew_search(connection: sqlite3.Connection) -> None:
    """
    Drop the vectors of decomposed texts and mark the index as stale.

    Both are made again, as queries are composed.
    """
    rows = connection.execute(SELECT_INDEXED).fetchall()
    if decomposed := [
        (seq,) for seq, *texts in rows if any(composed(text) != text for text in texts)
    ]:
        connection.executemany("DELETE FROM vector WHERE entry_seq = ?", decomposed)
        connection.execute(
            "INSERT OR IGNORE INTO _metadata (key, value) VALUES ('keyword_index_stale', '1')"
        )


def _by_text(connection: sqlite3.Connection) -> Iterator[list[Lesson]]:
    """Yield the lessons of each text with a decomposed spelling, oldest first."""
    rows = connection.execute(SELECT_LESSONS).fetchall()
    lessons = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    others = {
        content_hash(text) for lesson in lessons if composed(text := lesson["description"]) != text
    }
    known = [
        (key, lesson)
        for lesson in lessons
        if (key := content_hash(lesson["description"])) in others
    ]
    for _, group in groupby(sorted(known, key=itemgetter(0)), key=itemgetter(0)):
        yield [lesson | {name: _listed(lesson[name]) for name in LISTS} for _, lesson in group]


def _listed(value: str) -> list[str]:
    with suppress(ValueError):
        return [*map(str, json.loads(value))]
    return []


def _unite(connection: sqlite3.Connection, lessons: list[Lesson]) -> None:
    seq = lessons[0]["seq"]
    whole = identified(reduce(united, lessons))
    for other in lessons[1:]:
        for sql in (*ADD_ACTIVITY, *DROP):
            connection.execute(sql, {"seq": seq, "other": other["seq"]})
    connection.execute("DELETE FROM entry_alias WHERE old_id = ?", (whole["id"],))
    for old in {lesson["id"] for lesson in lessons} - {whole["id"]}:
        for sql in RENAME:
            connection.execute(sql, {"seq": seq, "old": old, "new": whole["id"]})
    _write(connection, whole)


def _write(connection: sqlite3.Connection, lesson: Lesson) -> None:
    texts = {name: lesson[name] for name in TEXTS}
    texts |= {name: json.dumps(lesson[name], ensure_ascii=False) for name in LISTS}
    for table, key, values in (
        ("entry", "seq", {name: lesson[name] for name in FACTS}),
        ("entry_text", "entry_seq", texts),
    ):
        columns = ", ".join(f'"{name}" = :{name}' for name in values)
        connection.execute(
            f"UPDATE {table} SET {columns} WHERE {key} = :seq", {**values, "seq": lesson["seq"]}
        )
    connection.execute(
        "DELETE FROM entry_place WHERE (entry_seq, project) = (:seq, :project)", lesson
    )
    connection.execute("DELETE FROM vector WHERE entry_seq = :seq", lesson)
