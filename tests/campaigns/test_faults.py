"""Every door on a disk that fails at any of its writes: what was acknowledged stays, what was not is refused aloud."""

import os
import random
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.campaigns import conftest as campaign
from tests.campaigns.conftest import (
    Figures,
    count_damage,
    count_lessons,
    count_utterances,
    note_event,
    session_of,
)
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import rest

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(
        not (shutil.which("cc") and os.path.isdir("/proc/self/fd")),
        reason="needs Linux and a C compiler",
    ),
]

PARTS = 4
RUNS = 60
HOW = ("once", "always", "short", "kill")
ERRORS = {"input/output error": 5, "no space left": 28}
LATEST = 80
"""The greatest number of the write that fails; programs write 10 to 60 times."""

DOORS = (
    *(
        campaign.WRITER,
        campaign.ADD,
        campaign.SERVER,
        campaign.PROMPT,
        campaign.STOP,
        campaign.WORKER,
        campaign.SESSION_START,
        campaign.INDEX,
    ),
    campaign.DOCTOR,
)


@pytest.fixture(scope="session")
def failing_disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the library that lets writes fail."""
    library = tmp_path_factory.mktemp("disk") / "failing_disk.so"
    source = Path(__file__).with_name("failing_disk.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


def fault(world: World, library: Path, chance: random.Random) -> dict[str, str]:
    """Return the variables of a process whose disk fails."""
    return {
        "LD_PRELOAD": str(library),
        "FAULT_FOLDER": str(world.folder.resolve()),
        "FAULT_TOLD": str(world.folder.parent.resolve() / "told"),
        "FAULT_HOW": chance.choice(HOW),
        "FAULT_ERROR": str(chance.choice([*ERRORS.values()])),
        "FAULT_AT": str(int(LATEST ** chance.random())),
    }


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_acknowledged_is_lost_by_faults_of_the_disk(
    empty_world: World, failing_disk: Path, figures: Figures, part: int
) -> None:
    figures.counts("runs", "faults", "acknowledged", "lost", "doubled", "not whole", "tracebacks")
    figures.counts("hooks not exiting 0", "not answered")
    world, chance, calm = empty_world, random.Random(part), dict(empty_world.variables)
    world.may_fork = False
    hardwon(world, "add", "A store that is there before the disk fails.", "--category", "patterns")
    lessons, talk = list[str](), list[str]()
    for number in range(RUNS):
        door = chance.choice(DOORS)
        text = f"f{part}r{number} is said by one door alone."
        if door is campaign.STOP:
            note_event(world, session_of(text), "prompt", f"{text} Asked.")
        world.variables = {**calm, **fault(world, failing_disk, chance)}
        ran = campaign.run_door(door, world, text)
        figures["runs"] += 1
        if "Traceback" in ran.stderr:
            figures["tracebacks"] += 1
            print(f"{door.name}: {ran.stderr[-600:]}")  # noqa: T201  # a failed test shows it
        if ran.code != -signal.SIGKILL:
            figures["hooks not exiting 0"] += door.is_hook and ran.code != 0
            figures["not answered"] += bool(ran.code) and not (ran.stderr or ran.stdout)
        if door in campaign.LESSON_DOORS:
            lessons += door.kept(ran, text)
        if door in campaign.TALK_DOORS:
            talk += door.kept(ran, text)
    world.variables = calm
    rest(world)
    figures["faults"] += (world.folder.parent / "told").stat().st_size

    count_utterances(world, talk, figures)
    count_lessons(world, lessons, figures)
    count_damage(world, figures)
    assert figures.bad == {}
