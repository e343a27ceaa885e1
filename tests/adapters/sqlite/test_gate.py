"""No secret passes the connection to the store, by whatever statement."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from hardwon.adapters.sqlite.database import SqliteDatabase, without_secrets
from hardwon.adapters.sqlite.erase import redact_rows
from hardwon.adapters.sqlite.opening import open_store

SECRET = "gh" + "p_" + "a1B2" * 9
PUBLIC = "[REDACTED]"


@pytest.fixture
def database(tmp_path: Path) -> SqliteDatabase:
    return open_store(str(tmp_path))


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (f"key {SECRET}", f"key {PUBLIC}"),
        (json.dumps([SECRET, "word"]), json.dumps([PUBLIC, "word"])),
        (json.dumps({"a": {SECRET: [SECRET]}}), json.dumps({"a": {PUBLIC: [PUBLIC]}})),
        (f"[not JSON {SECRET}", f"[not JSON {PUBLIC}"),
        (b"bytes", b"bytes"),
        (7, 7),
        (None, None),
        ("short", "short"),
    ],
)
def test_a_text_is_redacted_and_of_json_each_text(value: object, kept: object) -> None:
    assert without_secrets(value) == kept


def test_a_row_with_a_secret_in_its_key_is_found_by_that_key(database: SqliteDatabase) -> None:
    with closing(database):
        database.run_many(
            "INSERT INTO sources (path, fingerprint) VALUES (?, ?)",
            [(f"/home/{SECRET}/a.md", SECRET)],
        )

        found = database.rows(
            "SELECT path, fingerprint FROM sources WHERE path = ?", (f"/home/{SECRET}/a.md",)
        )
        assert found == [(f"/home/{PUBLIC}/a.md", PUBLIC)]
        assert database.value("SELECT :text", {"text": SECRET}) == PUBLIC
        assert [*database.stream("SELECT ?", (SECRET,))] == [(PUBLIC,)]


def test_rows_that_were_kept_before_are_redacted(database: SqliteDatabase) -> None:
    with closing(database):
        raw = database.connection
        for number, text in (
            (1, f"Never print {SECRET}"),
            (2, "Never print [REDACTED]"),
            (3, f"Log in with {SECRET}"),
        ):
            raw.execute(
                "INSERT INTO entry (seq, id, kind, category, updated_at) VALUES (?, ?, 'learning', 'patterns', 'now')",
                (number, f"old{number}"),
            )
            raw.execute(
                'INSERT INTO entry_text (entry_seq, name, description, reasoning, notes, keywords, tags, "references",'
                " trigger_phrases, text_hash, created_at, source) VALUES (?, 'n', ?, '', '', ?, '[]', '[]', '[]', 'h', 'now', 'retro')",
                (number, text, json.dumps([SECRET])),
            )
        raw.execute(
            "INSERT INTO history (memory_id, field_changed, old_value, changed_at) VALUES (1, 'title', ?, 'now')",
            (SECRET,),
        )
        with database.transaction():
            redact_rows(raw)

        descriptions = database.rows(
            "SELECT seq, description, keywords FROM entry JOIN entry_text ON entry_seq = seq ORDER BY seq"
        )
        assert descriptions[-1] == (3, "Log in with [REDACTED]", '["[REDACTED]"]')
        assert len(descriptions) == 2, "the same lesson is there once"
        assert database.value("SELECT old_value FROM history") == PUBLIC
        assert SECRET not in "".join(raw.iterdump())
        with database.transaction():
            assert redact_rows(raw) == 0
