"""`hardwon forget --secrets` redacts what was kept before a rule was known."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.ways_in import places_with

SECRET = "gh" + "p_" + "a1B2" * 9
PUBLIC = "quixoblate-zanthemur"
"""A text that is no secret, in whose place a secret is put."""


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a project whose store, checkpoint, bank, files and log hold a secret that no rule caught."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    hardwon(
        empty_world,
        "add",
        f"Log in with {PUBLIC} first.",
        "--category",
        "patterns",
        "--reasoning",
        PUBLIC,
    )
    hardwon(empty_world, "remember", f"The password of staging is {PUBLIC}, we said.")
    empty_world.write_bank("patterns", f"### Pattern: Log in\nLog in with {PUBLIC}.\n")
    hardwon(empty_world, "checkpoint", "create", "before", "--scope", "all")
    empty_world.log.write_text(f"2026-11-23T08:00:00+00:00 it failed: {PUBLIC}\n", encoding="utf-8")
    for path in (*empty_world.project.rglob("*.md"), empty_world.log):
        path.write_text(path.read_text(encoding="utf-8").replace(PUBLIC, SECRET), encoding="utf-8")
    for database in empty_world.store.rglob("*.db"):
        put_secret(database)
    return empty_world


def put_secret(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        if not connection.execute(
            "SELECT 1 FROM sqlite_master WHERE name = 'entry_text'"
        ).fetchone():
            return
        for column in ("name", "description", "reasoning"):
            connection.execute(
                f"UPDATE entry_text SET {column} = replace({column}, ?, ?)", (PUBLIC, SECRET)
            )
        connection.commit()
        connection.execute("VACUUM")


def test_all_that_was_kept_is_redacted(world: World) -> None:
    before = places_with(world, SECRET)
    assert len(before) >= 5, before

    asked = hardwon(world, "forget", "--secrets")
    assert (asked.code, places_with(world, SECRET)) == (1, before), "nobody was asked"
    assert "memory.db: " in asked.stderr
    done = hardwon(world, "forget", "--secrets", "--yes")

    assert (done.code, done.stderr) == (0, "")
    assert "Change these secrets where they are used: they were readable until now\n" in done.stdout
    assert places_with(world, SECRET) == []
    assert world.query("SELECT description FROM entries") == [("Log in with [REDACTED] first.",)]
    [(entry_id,)] = world.query("SELECT id FROM entries")
    assert hardwon(world, "show", entry_id).code == 0
    assert hardwon(world, "recall", "log in", "--json").items[0]["id"] == entry_id
    assert hardwon(world, "checkpoint", "restore", "before", "--yes").code == 0
    assert hardwon(world, "forget", "--secrets", "--yes").stdout == "No secret is kept\n"
    assert hardwon(world, "doctor").code == 0
