"""A run of `hardwon forget` that is killed at any time is completed by the next one."""

import contextlib
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.mcp.conftest import Visitor
from tests.entrypoints.programs import hardwon
from tests.entrypoints.ways_in import WAYS, places_with

MARKER = "The quixoblate zanthemur goes first in every deploy of ours, before the canary."
KEPT = "Never run the migration twice on staging."
OF_ONE_WORLD = (
    "add",
    "remember",
    "import of a bank",
    "journal",
    "log",
    "checkpoint_create",
    "query",
)


@pytest.fixture
def world(
    empty_world: World, monkeypatch: pytest.MonkeyPatch, visit: Callable[[World], Visitor]
) -> World:
    """Return a project whose store, bank, files, journal, log and checkpoint hold the marker."""
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    hardwon(empty_world, "add", KEPT, "--category", "patterns")
    for name in OF_ONE_WORLD:
        WAYS[name](empty_world, visit(empty_world), MARKER)
    hardwon(empty_world, "checkpoint", "create", "kept", "--scope", "all")
    return empty_world


class Copies:
    """The world's folders, put back as they were before each run."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._saved = world.folder.parent / "saved"
        shutil.copytree(world.folder, self._saved, symlinks=True)

    def put_back(self) -> None:
        for folder in (self._world.store, self._world.project):
            saved = self._saved / folder.relative_to(self._world.folder)
            shutil.rmtree(folder)
            shutil.copytree(saved, folder, symlinks=True)


def forget(world: World, seconds: float) -> float:
    """Run `hardwon forget` and kill it after some *seconds*; return how long it took."""
    began = time.monotonic()
    command = [str(BIN / "hardwon"), "forget", "quixoblate", "--yes"]
    with subprocess.Popen(
        command,
        cwd=world.project,
        env=world.variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        process.kill()
    return time.monotonic() - began


def check_completion(world: World, times: int, seed: int = 0) -> None:
    chance = random.Random(seed)
    copies = Copies(world)
    whole = forget(world, 60.0)
    for number in range(times):
        copies.put_back()
        assert places_with(world, "quixoblate")
        forget(world, whole * chance.uniform(0.3, 1.0))

        done = hardwon(world, "forget", "quixoblate", "--yes")

        assert done.code == 0, (number, done)
        assert places_with(world, "quixoblate") == [], number
        assert not Path(world.store / "forget.json").exists()
        assert hardwon(world, "add", MARKER, "--category", "patterns").code == 1, "it is recognised"
        assert world.query("SELECT count(*) FROM entry_text WHERE description = ?", (KEPT,)) == [
            (1,)
        ]


def test_a_killed_run_is_completed_by_the_next(world: World) -> None:
    check_completion(world, 5)


def test_an_unfinished_file_of_a_killed_run_is_forgotten_too(world: World) -> None:
    (world.project / "docs" / "knowledge-bank" / f"patterns.md.{'0' * 16}.tmp").write_text(
        "quixoblate", encoding="utf-8"
    )
    done = hardwon(world, "forget", "quixoblate", "--yes")

    assert done.code == 0
    assert places_with(world, "quixoblate") == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, 5))
def test_a_run_killed_at_any_of_60_times_is_completed_by_the_next(world: World, seed: int) -> None:
    check_completion(world, 15, seed)
