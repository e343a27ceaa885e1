"""A user imports or restores what an attacker made: it ends in one line, in time, and nothing changes."""

import time

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import Ran, hardwon, keep
from tests.machine import in_time
from tests.security.hostile_databases import INDEXES, RESTORES, make_database, sparse, tampered

SECONDS = 30.0
"""Far below the time limits, on a busy machine: what is refused is refused at once."""


@pytest.fixture
def world(empty_world: World) -> World:
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def refused(done: Ran, code: int, words: str) -> None:
    assert (done.code, done.stdout, done.stderr.count("\n")) == (code, "", 1), done
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def contents(world: World) -> list[str]:
    return [
        repr(world.query(f"SELECT * FROM {table} ORDER BY 1"))
        for table in ("entry", "entry_text", "history")
    ]


@pytest.mark.parametrize("name", INDEXES)
def test_a_hostile_index_is_refused_in_one_line(world: World, name: str) -> None:
    statements, words = INDEXES[name]
    path = make_database(world.project / "memory-index.sqlite", statements)
    started = time.monotonic()

    refused(hardwon(world, "import", str(path)), 1, words)
    (world.project / "config.jsonc").write_text(
        '{"semantic": {"indexPath": "memory-index.sqlite"}}'
    )
    refused(hardwon(world, "import"), 1, words)

    assert in_time(time.monotonic() - started, SECONDS)
    assert not world.store.exists()


@pytest.mark.parametrize("name", RESTORES)
def test_a_hostile_backup_is_refused_in_one_line_and_nothing_changes(
    world: World, name: str
) -> None:
    statements, words = RESTORES[name]
    keep(world)
    backup = world.folder / "backup.db"
    assert hardwon(world, "backup", str(backup)).code == 0
    path = tampered(backup, world.folder / "hostile.db", statements)
    before, started = contents(world), time.monotonic()

    refused(hardwon(world, "restore", str(path), "--yes"), 2, words)

    assert in_time(time.monotonic() - started, SECONDS)
    assert contents(world) == before
    assert hardwon(world, "restore", str(backup), "--yes").code == 0


def test_a_file_that_is_too_large_is_not_read(world: World) -> None:
    keep(world)
    large = sparse(world.folder / "large.db", 9_000_000_000)

    refused(hardwon(world, "restore", str(large), "--yes"), 2, "larger than 8000 MB")
    refused(hardwon(world, "import", str(large)), 1, "larger than 1000 MB")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 500_000 + "]" * 500_000, "nested too deeply"),
        ('{"/a/b.md": {"x": ' + "[" * 100_000 + "]" * 100_000 + "}}", "nested too deeply"),
        ('{"/a/b.md": {"x": [' + ",".join(["[]"] * 2_000_000) + "]}}", "lists and objects"),
    ],
    ids=["deep", "deep in a memory", "wide"],
)
def test_json_that_takes_memory_is_refused(world: World, text: str, words: str) -> None:
    path = world.project / "memory-index.json"
    path.write_text(text)

    refused(hardwon(world, "import", str(path)), 1, words)
    assert not world.store.exists()
