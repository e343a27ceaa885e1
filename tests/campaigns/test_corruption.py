"""Any file that hardwon reads, damaged in any way: every door answers, or refuses in words."""

import contextlib
import json
import random
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.campaigns.conftest import Figures, note_event
from tests.campaigns.mutations import damaged
from tests.entrypoints.hook_process import Original, World
from tests.entrypoints.programs import VALID, hardwon, run
from tests.fakes.doors import Ran

pytestmark = pytest.mark.soak

PARTS = 4
DAMAGES = 25
QUESTION = "how is a feed read line by line"
EVENTS: dict[str, dict[str, object]] = {
    "SessionStart": {},
    "UserPromptSubmit": {"prompt": QUESTION},
    "Stop": {"last_assistant_message": "Read it line by line."},
    "SessionEnd": {},
}
COMMANDS = (
    *(
        ("list",),
        ("recall", QUESTION),
        ("why",),
        ("stats",),
        ("doctor",),
        ("checkpoint", "list"),
        ("index",),
    ),
    *(
        ("show", "1"),
        ("doctor", "--repair"),
        ("forget", "zanthemur", "--yes"),
        ("export", "-o", "out.jsonl"),
    ),
)
WRITER = ("--action", "upsert", "--entry-json", json.dumps(VALID))


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a project and a store that has every file: vectors, a log, a journal, checkpoints, settings."""
    folder = tmp_path_factory.mktemp("corruption")
    original = Original(folder / "original")
    world = original.copy(folder / "filled", contextlib.ExitStack(), embedded=True)
    world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    world.configure(injection_limit="9")
    (world.project / "memory").mkdir()
    (world.project / "memory" / "notes.md").write_text(
        "---\ntitle: Notes\n---\n\n# Notes\n\nRead line by line.\n"
    )
    for arguments in (
        ("index",),
        ("checkpoint", "create", "before"),
        ("save", "--description", QUESTION),
    ):
        assert hardwon(world, *arguments).code == 0
    world.hook()
    note_event(world, "s", "prompt", QUESTION)
    shutil.copytree(world.project, folder / "template" / "project", symlinks=True)
    shutil.copytree(world.store, folder / "template" / "store")
    return folder / "template"


@pytest.fixture
def worlds(template: Path, tmp_path: Path) -> Iterator["Worlds"]:
    with contextlib.ExitStack() as cleanup:
        yield Worlds(template, tmp_path, cleanup)


class Worlds:
    """Copies of the template."""

    def __init__(self, template: Path, folder: Path, cleanup: contextlib.ExitStack) -> None:
        self._template = template
        self._folder = folder
        self._cleanup = cleanup

    def make(self, number: int) -> World:
        """Return a world with a copy of the template's files, and a lesson that is in the write-ahead log alone."""
        world = World(self._folder / str(number), self._cleanup)
        world.project.rmdir()
        for folder in (world.project, world.store):
            shutil.copytree(self._template / folder.name, folder, symlinks=True)
        world.variables |= {"HARDWON_CAPTURE_ENABLED": "true", "HARDWON_KEYWORD_PROVIDER": "off"}
        with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as writer:
            writer.execute("PRAGMA wal_autocheckpoint = 0")
            writer.execute("UPDATE recall SET recall_count = recall_count + 1")
            log = Path(f"{world.database}-wal").read_bytes()
        Path(f"{world.database}-wal").write_bytes(log)
        return world


def damage(world: World, chance: random.Random) -> Path:
    """Damage one file of the store or the project, and return it."""
    kinds = (world.store, world.store, world.project)
    files = sorted(
        path
        for path in chance.choice(kinds).rglob("*")
        if path.is_file() and ".git" not in path.parts
    )
    path = chance.choice(files)
    path.write_bytes(damaged(path.read_bytes(), chance))
    return path


def all_runs(world: World) -> Iterator[tuple[str, Ran]]:
    """Run every door once."""
    for event, fields in EVENTS.items():
        hook = world.hook(payload={**world.session_start(), "hook_event_name": event, **fields})
        yield f"hook {event}", Ran(hook.code, hook.stdout, hook.stderr)
    for arguments in COMMANDS:
        yield " ".join(arguments), hardwon(world, *arguments)
    yield "writer", run(world, "hardwon-writer", *WRITER)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_door_answers_whatever_file_is_damaged(
    worlds: Worlds, figures: Figures, part: int
) -> None:
    figures.counts(
        "damages", "runs", "refused", "tracebacks", "hooks not exiting 0", "not answered"
    )
    chance = random.Random(part)
    for number in range(DAMAGES):
        world = worlds.make(number)
        path = damage(world, chance)
        figures["damages"] += 1
        for name, ran in all_runs(world):
            bad = {
                "tracebacks": "Traceback" in ran.stderr or "this is a bug" in ran.stderr,
                "hooks not exiting 0": name.startswith("hook") and ran.code != 0,
                "not answered": bool(ran.code) and not (ran.stdout or ran.stderr),
            }
            figures["runs"] += 1
            figures["refused"] += ran.code != 0
            figures.update({figure: int(is_bad) for figure, is_bad in bad.items()})
            if any(bad.values()):
                print(f"{path.name} ({part}/{number}), {name}: {ran.code} {ran.stderr[:300]!r}")  # noqa: T201
        shutil.rmtree(world.folder)
    assert figures.bad == {}
