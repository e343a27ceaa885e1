"""Closed streams, stores out of reach, logs that can't be written: the hook goes on."""

import contextlib
import json
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest

from tests.entrypoints.hook_process import FAULTS, World, calm
from tests.entrypoints.sessions import FRAME, RELEVANT, block_of, entry, lesson

MEGABYTE = 1_000_000
EVERYWHERE = attrs.evolve(entry("Everywhere"), reach="everywhere")
"""Also shown where the folder is no known project."""


@pytest.mark.parametrize("redirections", ["<&-", "0>/dev/null"])
def test_standard_input_that_cannot_be_read_is_empty(world: World, redirections: str) -> None:
    world.remember(EVERYWHERE)
    run = world.hook(redirections=redirections)

    assert calm(run)
    assert block_of(run.stdout).headings == ("### Pattern: Everywhere",)


@contextlib.contextmanager
def pipe_without_reader() -> Iterator[int]:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb", 0) as file:
        yield file.fileno()


FULL_DISK = [">/dev/full"] if os.path.exists("/dev/full") else []


@pytest.mark.parametrize("redirections", [">&-", ">&- 2>&-", "<&- >&- 2>&-", *FULL_DISK])
def test_nothing_is_counted_when_standard_output_is_closed(world: World, redirections: str) -> None:
    run = world.hook(redirections=redirections)

    assert calm(run)
    assert (run.code, run.stdout, run.stderr) == (0, "", "")
    assert world.query("SELECT * FROM recall") == []


def test_nothing_is_counted_when_the_reader_went_away(world: World) -> None:
    with pipe_without_reader() as stdout:
        run = world.hook(stdout=stdout)

    assert calm(run)
    assert (run.code, run.stderr) == (0, "")
    assert world.query("SELECT * FROM recall") == []


def test_warnings_never_take_the_place_of_the_block(world: World) -> None:
    world.remember(EVERYWHERE)
    run = world.hook(payload={"cwd": 7}, redirections="2>&-")

    assert calm(run)
    assert run.stdout.startswith(FRAME[0])
    assert len(run.log) == 1


@pytest.mark.parametrize("below", ["", "/store", "/deep/down/store"])
def test_a_file_where_the_store_should_be_leaves_the_markdown_block(
    world: World, below: str
) -> None:
    file = world.folder / "file"
    file.write_text("kept")
    world.variables["HARDWON_STORE"] = f"{file}{below}"
    run = world.hook()

    assert calm(run)
    assert run.code == 0
    assert block_of(run.stdout).state == "disabled"
    assert "markdown only: StorageError: " in run.stderr
    assert file.read_text() == "kept"


@pytest.mark.parametrize(
    "place", ["/proc/no/store", "/dev/null", "x" * 5_000, "~no-such-user/store"]
)
def test_a_store_that_cannot_be_made_leaves_a_block(world: World, place: str) -> None:
    run = world.argument_form("--global-store", place)

    assert calm(run)
    assert run.code == 0
    assert len(block_of(run.stdout).headings) == 7


def test_a_store_that_may_only_be_read_still_gives_a_block(world: World) -> None:
    world.database.chmod(0o400)
    world.store.chmod(0o500)
    world.cleanup.callback(world.store.chmod, 0o700)
    run = world.hook(through=[sys.executable, str(FAULTS / "without_powers.py")])

    assert calm(run)
    assert run.code == 0
    assert len(block_of(run.stdout).headings) == RELEVANT
    assert block_of(run.stdout).state == "active"
    assert [path.name for path in world.store.iterdir()] == ["memory.db"]


def test_the_log_is_for_its_owner_and_starts_over_at_one_megabyte(empty_world: World) -> None:
    for size in (None, MEGABYTE - 1, MEGABYTE):
        if size:
            empty_world.log.write_bytes(b"x" * (size - 1) + b"\n")
        empty_world.hook(payload=b"no JSON")

    older = empty_world.store / "hook.log.1"
    assert {path.name for path in empty_world.store.iterdir()} == {"hook.log", "hook.log.1"}
    assert older.stat().st_size == MEGABYTE
    assert len(empty_world.log.read_text().splitlines()) == 1
    assert stat.S_IMODE(empty_world.log.stat().st_mode) == 0o600
    assert stat.S_IMODE(empty_world.store.stat().st_mode) == 0o700


def link_to_itself(path: Path) -> None:
    path.symlink_to(path)


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, link_to_itself])
def test_a_log_that_cannot_be_written_stops_nothing(
    world: World, make: Callable[[Path], None]
) -> None:
    make(world.log)
    world.remember(EVERYWHERE)
    run = world.hook(payload={**world.session_start(), "cwd": 7})

    assert calm(run)
    assert len(run.stderr.splitlines()) == 1
    assert run.stdout.startswith(FRAME[0])


# macOS takes names of UTF-8 alone.
ODD_NAMES = [" ", "größe 大\n", "-C", *(["\udcff"] if sys.platform == "linux" else [])]


@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_a_project_of_any_name_is_a_project(empty_world: World, name: str) -> None:
    empty_world.project = empty_world.folder / name
    empty_world.write_bank("patterns", lesson("Pattern: Alone"))
    run = empty_world.argument_form()

    assert calm(run)
    assert run.code == 0
    assert block_of(run.stdout).headings == ("### Pattern: Alone",)


def test_the_payload_of_the_real_host_is_understood(world: World) -> None:
    payload = {
        **world.session_start(),
        "source": "resume",
        "seconds_since_last_response": 12.5,
        "context_tokens": 9,
    }
    run = world.hook(payload=json.dumps(payload).encode())

    assert len(block_of(run.stdout).headings) == RELEVANT
    assert run.log == ()
