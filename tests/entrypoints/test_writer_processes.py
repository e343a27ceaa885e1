"""Many writers at once, and writers that are killed."""

import os
import random
import subprocess
from contextlib import suppress
from itertools import islice

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import Process, finish, start, upsert

WRITERS = 8
WRITE_MANY = """
import json, sys
from hardwon.entrypoints.writer import run
for number in range(int(sys.argv[1])):
    entry = {"name": "n", "description": f"{sys.argv[2]} {number}", "category": "patterns", "keywords": ["a", "b"]}
    if run(["--action", "upsert", "--entry-json", json.dumps(entry)]):
        sys.exit("not stored")
"""


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world that searches by word only, and has no store yet."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def start_many(world: World, count: int, name: str) -> Process:
    return start(world, "python", "-c", WRITE_MANY, str(count), name)


def assert_whole(world: World) -> None:
    assert world.query("PRAGMA integrity_check") == [("ok",)]
    assert world.query("PRAGMA foreign_key_check") == []
    [(entries, texts, indexed)] = world.query(
        "SELECT (SELECT count(*) FROM entry), (SELECT count(*) FROM entry_text),"
        " (SELECT count(*) FROM entries_fts WHERE entries_fts MATCH 'n')"
    )
    assert entries == texts == indexed
    assert world.query("INSERT INTO entries_fts (entries_fts) VALUES ('integrity-check')") == []


def test_eight_writers_at_once_make_one_store_with_all_entries(world: World) -> None:
    processes = [
        start(world, "hardwon-writer", *upsert(name="n", description=f"By writer {number}."))
        for number in range(WRITERS)
    ]

    assert [(done.code, done.stderr) for done in map(finish, processes)] == [(0, "")] * WRITERS
    assert world.query("SELECT count(*), max(observation_count) FROM entries") == [(WRITERS, 1)]
    assert_whole(world)


def test_eight_writers_of_the_same_lesson_are_eight_observations(world: World) -> None:
    processes = [
        start(world, "hardwon-writer", *upsert(name="n", keywords=[f"word{number}"]))
        for number in range(WRITERS)
    ]

    assert [done.code for done in map(finish, processes)] == [0] * WRITERS
    assert world.query("SELECT observation_count, json_array_length(keywords) FROM entries") == [
        (WRITERS, WRITERS)
    ]
    assert_whole(world)


def test_two_processes_of_a_hundred_writes_lose_none(world: World) -> None:
    processes = [start_many(world, 100, name) for name in ("left", "right")]

    for done in [*map(finish, processes)]:
        assert done.code == 0, done.stderr
        assert "locked" not in done.stderr
    assert world.query("SELECT count(*) FROM entries") == [(200,)]
    assert_whole(world)


def test_a_writer_killed_at_any_point_loses_nothing_it_acknowledged(world: World) -> None:
    timestamps = random.Random(8)
    acknowledged = set()
    for round_number in range(5):
        process = start_many(world, 1_000, f"round {round_number}")
        assert process.stdout
        stored = (line for line in process.stdout if line.startswith(b"Stored: "))
        for line in islice(stored, timestamps.randrange(1, 12)):
            acknowledged.add(line.decode().rpartition("(id: ")[2].rstrip(")\n"))
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timestamps.uniform(0, 0.02))
        process.kill()
        process.communicate()
        assert process.returncode < 0
        assert acknowledged <= {entry_id for (entry_id,) in world.query("SELECT id FROM entries")}
        assert_whole(world)


def test_a_writer_killed_while_it_starts_leaves_a_store_that_opens(world: World) -> None:
    timestamps = random.Random(9)
    for number in range(6):
        process = start(world, "hardwon-writer", *upsert(name="n", description=f"Number {number}."))
        with suppress(subprocess.TimeoutExpired):  # on a fast machine it may be done before
            process.wait(timestamps.uniform(0.05, 0.15))
        process.kill()
        process.communicate()

    assert (
        finish(start(world, "hardwon-writer", *upsert(name="n", description="The last."))).code == 0
    )
    assert_whole(world)
    assert os.listdir(world.store) == ["memory.db"]
