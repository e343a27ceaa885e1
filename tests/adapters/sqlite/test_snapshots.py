"""Snapshots, and the state after a restore."""

import contextlib
import stat
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from hardwon.adapters.sqlite.copies import opened_copy
from hardwon.adapters.sqlite.restore import KEYS, LEDGERS, OF_SESSIONS, fingerprints
from hardwon.domain.model.file_state import AbsentFile, standing_of
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS
from hardwon.domain.use_cases.checkpoints import Checkpoints
from tests.adapters.sqlite.sqlite_store import (
    DOCUMENTS,
    EVERY_ENTRY,
    FULL,
    Sql,
    checkpoints_of,
    names,
    opened,
)
from tests.contracts.changes import Change, changes
from tests.contracts.worlds import World, open_new_store, world_of
from tests.strategies import NOW, lesson, of_file, planted


@given(before=st.lists(changes, max_size=6), after=st.lists(changes, max_size=6))
@settings(max_examples=max(1, settings().max_examples // 5))
def test_every_stored_value_and_every_index_comes_back(
    before: list[Change], after: list[Change]
) -> None:
    with contextlib.ExitStack() as cleanup:
        folder = cleanup.enter_context(tempfile.TemporaryDirectory())
        database = cleanup.enter_context(contextlib.closing(open_new_store(folder)))
        world, checkpoints = world_of(database), checkpoints_of(database)
        for change in before:
            change(world)
        checkpoints.create("before", "", EVERY_ENTRY)
        then = fingerprints(database, EVERYTHING)
        for change in after:
            change(world)
        checkpoints.restore("before")

        assert fingerprints(database, EVERYTHING) == then
        for index in ("entries_fts", "passages_fts"):
            database.rows(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
        ranked = database.rows("SELECT seq FROM entry WHERE retired = 0 ORDER BY seq")
        assert database.rows("SELECT rowid FROM entries_fts ORDER BY rowid") == ranked
        assert (
            database.rows("SELECT DISTINCT rowid >> 20 AS seq FROM passages_fts ORDER BY seq")
            == ranked
        )
        assert database.rows("PRAGMA integrity_check") == [("ok",)]


def test_a_snapshot_is_one_private_file_named_by_its_number(
    folder: Path, checkpoints: Checkpoints
) -> None:
    checkpoints.create("../../etc/passwd", "", EVERY_ENTRY)
    files = folder / "checkpoints"

    assert names(files) == ["1.db"]
    assert [stat.S_IMODE(path.stat().st_mode) for path in (files, files / "1.db")] == [0o700, 0o600]


def test_the_row_names_the_snapshot_from_the_stores_folder(
    folder: Path, checkpoints: Checkpoints, sql: Sql
) -> None:
    made = checkpoints.create("before", "Why.", DOCUMENTS)

    assert made.snapshot_path == str(folder / "checkpoints" / "1.db")
    assert sql(
        "SELECT id, name, description, memory_count, snapshot_path, metadata FROM checkpoints"
    ) == [
        (
            1,
            "before",
            "Why.",
            0,
            "checkpoints/1.db",
            '{"scope": "documents", "project": "here", "root": null, "label": ""}',
        )
    ]


def test_a_restore_only_reads_the_snapshot(
    folder: Path, world: World, checkpoints: Checkpoints
) -> None:
    world.add(FULL)
    snapshot = Path(checkpoints.create("before", "", EVERY_ENTRY).snapshot_path)
    bytes_before = snapshot.read_bytes()
    snapshot.chmod(0o400)
    snapshot.parent.chmod(0o500)
    with opened_copy(str(snapshot)) as copy:
        assert world_of(copy).repository.count(LEARNINGS) == 1
    snapshot.parent.chmod(0o700)

    assert snapshot.read_bytes() == bytes_before
    assert names(folder / "checkpoints") == ["1.db"]


def test_others_see_the_restored_state_at_once(
    folder: Path, world: World, checkpoints: Checkpoints
) -> None:
    checkpoints.create("before", "", EVERY_ENTRY)
    world.add(FULL)
    with opened(folder) as other:
        theirs = world_of(other)
        version = theirs.vectors.version()
        assert theirs.repository.count(LEARNINGS) == 1
        checkpoints.restore("before")

        assert theirs.repository.count(LEARNINGS) == 0
        assert theirs.vectors.version() != version


def test_history_gains_a_line_for_each_entry_and_loses_none(
    world: World, checkpoints: Checkpoints, sql: Sql
) -> None:
    [kept, changed] = world.add(lesson("kept"), FULL)
    checkpoints.create("before", "", EVERY_ENTRY)
    sql("INSERT INTO history VALUES (7, ?, 'tier', 'normal', 'critical', 'then')", kept)
    world.repository.delete(FULL.entry_id)
    [added] = world.add(lesson("added"))
    checkpoints.restore("before")

    assert sql("SELECT id, memory_id, field_changed, old_value, new_value FROM history") == [
        (7, kept, "tier", "normal", "critical"),
        (8, changed, "restored", None, "before"),
        (9, added, "removed", None, "before"),
    ]


def test_the_state_of_forgotten_files_is_restored(
    world: World, checkpoints: Checkpoints, sql: Sql
) -> None:
    documents = [of_file(path, kind="document", path=path, project="here") for path in ("1", "2")]
    world.add(documents[0])
    for path in ("2", "3"):
        sql("INSERT INTO tombstone VALUES (?, '', 'hash', 'then')", f"/memory/document/{path}")
    checkpoints.create("before", "", DOCUMENTS)
    world.repository.delete(documents[0].entry_id)
    sql("DELETE FROM tombstone")
    sql(
        "INSERT INTO tombstone VALUES ('/memory/document/1', '', 'hash', 'now'), ('/elsewhere', '', 'hash', 'now')"
    )
    world.add(documents[1])
    checkpoints.restore("before")

    assert sql("SELECT file_path, buried_at FROM tombstone ORDER BY file_path") == [
        ("/elsewhere", "now"),
        ("/memory/document/2", "then"),
    ]


def test_the_state_of_departed_files_is_restored(
    world: World, checkpoints: Checkpoints, sql: Sql
) -> None:
    entry = of_file("1", kind="document", path="1", project="here")
    absent = AbsentFile("/memory/document/1", {"": standing_of(entry)})
    world.add(entry)
    checkpoints.create("there", "", DOCUMENTS)
    world.repository.delete(entry.entry_id)
    world.absences.keep(absent, NOW)
    checkpoints.create("away", "", EVERY_ENTRY)

    checkpoints.restore("there")
    assert world.absences.absent_file("/memory/document/1", "") is None
    checkpoints.restore("away")
    assert world.absences.absent_file("/memory/document/1", "") == absent
    assert sql("SELECT count(*) FROM departed") == [(1,)]


def test_scope_all_brings_the_ledgers_and_decisions_back(
    world: World, checkpoints: Checkpoints, sql: Sql
) -> None:
    world.add(FULL)
    world.embed(FULL, planted(1.0))
    world.ledger.record("/a/patterns.md", {"Backoff"}, "1")
    sql("INSERT INTO _metadata VALUES ('automatic_provider', 'local')")
    everything = "SELECT key, value FROM _metadata WHERE key != 'content_version' ORDER BY key"
    before = sql(everything)
    checkpoints.create("before", "", EVERY_ENTRY)
    world.ledger.record("/a/patterns.md", {"Cache"}, "2")
    world.ledger.record("/b/patterns.md", {"Lock"}, "3")
    sql("UPDATE _metadata SET value = 'openai' WHERE key = 'automatic_provider'")
    checkpoints.restore("before")

    assert (
        world.ledger.headings("/a/patterns.md"),
        world.ledger.fingerprint("/a/patterns.md"),
    ) == ({"Backoff"}, "1")
    assert world.ledger.fingerprint("/b/patterns.md") is None
    assert sql(everything) == before


def test_every_table_of_the_store_is_brought_back_or_stays_on_purpose(sql: Sql) -> None:
    tables = {
        name
        for (name,) in sql(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '*_fts*'"
        )
    }
    of_entries = {
        name
        for name in tables
        if any(row[2] == "entry" for row in sql(f"PRAGMA foreign_key_list({name})"))
    }

    assert of_entries | {"entry"} == {*KEYS, "vector", "proposal"}
    apart = {"proposal"}  # of entries that come back: found again with their next vectors
    apart |= {"vector", "space", "_metadata", "history", "checkpoints", "sqlite_sequence"}
    apart |= {"project", "trusted_folder"}  # what is known of projects today holds
    apart |= {"forgotten"}  # what was forgotten stays so
    apart |= {
        "vector_block",
        "query_vector",
        "entry_tally",
        "posting_block",
        "posting",
    }  # derived: made again
    assert tables == {*KEYS, *apart, *LEDGERS, *OF_SESSIONS}
