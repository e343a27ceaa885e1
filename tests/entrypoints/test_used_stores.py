"""Stores that the programs of earlier commits made and used are opened by today's doors, and lose nothing."""

import contextlib
import lzma
import os
import sqlite3
import subprocess
from pathlib import Path

import pytest

from hardwon.adapters.sqlite.schema import NEWEST
from hardwon.entrypoints.worker import Worker
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import statuses

FOLDER = Path(__file__).parent / "used_stores"
STORES = sorted(FOLDER.glob("*.memory.sql.xz"))
"""Named by version and commit; each has lessons, and most a decision, a conversation, vectors, a receipt, events that wait."""

MADE_IN = "/home/ada/p"
"""The project's folder in the files."""


def version_of(store: Path) -> int:
    return int(store.name.partition("-")[0])


def is_of_labels(store: Path) -> bool:
    """Return whether a store knows projects by their labels alone; one of its lessons is of `app`, which is not here."""
    return version_of(store) < 7


def unpacked(file: Path, world: World, name: str) -> Path:
    """Return the database of *file*, whose project is that of *world*."""
    world.store.mkdir(parents=True, exist_ok=True)
    path = world.store / name
    script = lzma.decompress(file.read_bytes()).decode().replace(MADE_IN, str(world.project))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {'WAL' if name == 'memory.db' else 'DELETE'}")
        connection.executescript(f"BEGIN; {script} COMMIT;")
    return path


@pytest.fixture(params=STORES, ids=lambda store: store.name.split(".")[0])
def store(request: pytest.FixtureRequest) -> Path:
    assert isinstance(request.param, Path)
    return request.param


@pytest.fixture
def world(store: Path, world_by_word: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return the world of an earlier store, in the same repository."""
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    world = world_by_word
    world.project = world.folder / "p"
    subprocess.run(["git", "init", "--quiet", str(world.project)], env=world.variables, check=True)
    path = unpacked(store, world, "memory.db")
    facts = os.stat(world.project / ".git")
    if not is_of_labels(store):
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(
                "UPDATE project SET device = ?, inode = ?", (facts.st_dev, facts.st_ino)
            )
    journal = store.with_name(store.name.replace(".memory.", ".capture."))
    if journal.exists():
        unpacked(journal, world, "capture.db")
    return world


def names(world: World) -> set[str]:
    return {name for (name,) in world.query("SELECT name FROM entry_text")}


def test_stores_of_twelve_commits_are_tried() -> None:
    versions = [version_of(store) for store in STORES]

    assert len(versions) >= 12
    assert {*range(1, 14)} - {*versions} <= {10}


def test_it_opens_in_place_while_another_process_reads_it(store: Path, world: World) -> None:
    before, version = names(world), version_of(store)
    with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        count = reader.execute("SELECT count(*) FROM entry").fetchone()
        listed = hardwon(world, "list", "--scope", "global", "--limit", "100", "--json")
        assert reader.execute("SELECT count(*) FROM entry").fetchone() == count

    assert {item["name"] for item in listed.items} == before
    assert world.query("SELECT value FROM _metadata WHERE key = 'schema_version'") == [
        (str(NEWEST),)
    ]
    assert (world.store / f"memory.db.v{version}").exists() == (version < NEWEST)


def test_every_door_works_on_it(store: Path, world: World) -> None:
    before = names(world)
    has_zebra = "Old1" in before
    waits = has_zebra and is_of_labels(store)
    block = world.hook()
    found = hardwon(world, "recall", "zebra", "cache", "--scope", "global", "--min-score", "0")
    added = hardwon(
        world, "add", "A walrus never waits.", "--name", "Fresh", "--category", "patterns"
    )
    findings = {
        item["name"]: item for item in hardwon(world, "doctor", "--json").document["findings"]
    }

    assert (block.code, block.log) == (0, ())
    assert ("zebra" in block.stdout) == (has_zebra and not waits)
    assert ("zebra" in found.stdout) == has_zebra
    assert ("1 learning of app waits for a project" in block.stdout) == waits
    assert (found.code, added.code) == (0, 0)
    assert all(findings[name]["ok"] for name in ("store", "schema", "rows", "keyword index"))
    assert before | {"Fresh"} <= names(world)  # and what the worker captured meanwhile

    assert hardwon(world, "forget", "walrus", "--yes").code == 0
    after = names(world)  # once: the worker may still capture
    assert before <= after
    assert "Fresh" not in after


def test_its_journal_is_captured(world: World) -> None:
    waiting = {name: status.waiting for name, status in statuses(world).items()}
    Worker(str(world.store), str(world.project)).run()

    assert {name: status.waiting for name, status in statuses(world).items()} == dict.fromkeys(
        waiting, 0
    )
    if waiting:
        written = "".join(path.read_text() for path in (world.project / "memory").rglob("*.md"))
        assert "quokka" in written
