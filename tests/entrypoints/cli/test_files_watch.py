"""`hardwon watch`, as a process of its own."""

import json
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import start
from tests.machine import LONGEST_WAIT


class Watch:
    """One `hardwon watch` and what it prints."""

    def __init__(self, world: World, *options: str) -> None:
        self.process = start(world, "hardwon", "watch", *options)

    def line(self) -> str:
        """Return its next line."""
        return self._line(self.process.stdout)

    def wait(self) -> None:
        """Wait until it watches."""
        assert self._line(self.process.stderr) == "Watching; Ctrl-C ends it."

    def _line(self, stream: IO[bytes] | None) -> str:
        assert stream
        limit = threading.Timer(LONGEST_WAIT, self.process.kill)
        limit.start()
        line = stream.readline().decode()
        limit.cancel()
        return line.rstrip("\n")

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """Send a signal; return the exit code and what was complained of."""
        self.process.send_signal(number)
        _, stderr = self.process.communicate(timeout=LONGEST_WAIT)
        return self.process.returncode, stderr.decode()


@pytest.fixture
def world(empty_world: World) -> World:
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


@pytest.fixture
def watch(world: World) -> Iterator[Watch]:
    watch = Watch(world)
    yield watch
    watch.process.kill()
    watch.process.communicate()


def put(world: World, name: str, text: str) -> Path:
    path = world.project.resolve() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_changed_files_are_indexed_and_reported_even_in_folders_created_later(
    world: World, watch: Watch
) -> None:
    watch.wait()
    first = put(world, "memory/gotchas/a.md", "One.")
    assert watch.line() == f"added {first}"
    second = put(world, "specs/005-auth/memory/deep/b.md", "Two.")
    assert watch.line() == f"added {second}"
    beside = put(world, "memory-notes.md", "Three.")
    assert watch.line() == f"added {beside}"

    first.write_text("Changed.")
    assert watch.line() == f"changed {first}"
    assert world.query("SELECT text FROM memories") == [("Changed.",)]
    second.unlink()
    assert watch.line() == f"removed {second}"
    assert watch.end(signal.SIGINT) == (0, "")


def test_earlier_changes_are_indexed_first_and_a_terminated_watch_ends_with_zero(
    world: World,
) -> None:
    path = put(world, "memory/decisions/a.md", "One.")
    watch = Watch(world, "--json")

    assert json.loads(watch.line()) == {"change": "added", "path": str(path)}
    watch.wait()
    assert watch.end(signal.SIGTERM) == (0, "")


def test_an_unusable_file_is_reported_once(world: World, watch: Watch) -> None:
    watch.wait()
    put(world, "memory/decisions/bad.md", "\0")
    put(world, "memory/decisions/good.md", "One.")
    watch.line()
    put(world, "memory/decisions/better.md", "Two.")
    watch.line()
    code, stderr = watch.end(signal.SIGTERM)

    assert (code, stderr.count("bad.md' is no text: it holds a NUL byte")) == (0, 1)


def test_vectors_are_made_as_files_come(world: World) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    watch = Watch(world)
    watch.wait()
    put(world, "memory/decisions/a.md", "One.")
    watch.line()
    put(world, "memory/decisions/b.md", "Two.")
    watch.line()
    assert world.query("SELECT count(*) FROM vector")[0][0] >= 1
    assert watch.end(signal.SIGINT)[0] == 0


def test_a_missing_folder_is_reported_in_one_line(world: World) -> None:
    process = start(world, "hardwon", "watch", "--project-root", "/nowhere")
    stdout, stderr = process.communicate(timeout=LONGEST_WAIT)

    assert (process.returncode, stdout, stderr.count(b"\n")) == (1, b"", 1)
