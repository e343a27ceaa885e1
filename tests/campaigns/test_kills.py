"""All doors at once on one store, killed at any time: what was acknowledged is there once, and the store is whole."""

import contextlib
import itertools
import os
import random
import signal
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest

from tests.campaigns import conftest as campaign
from tests.campaigns.conftest import (
    Door,
    Figures,
    count_damage,
    count_lessons,
    count_utterances,
    note_event,
    session_of,
)
from tests.entrypoints.hook_process import World
from tests.entrypoints.sessions import rest, workers
from tests.fakes.doors import Ran

pytestmark = pytest.mark.soak

PARTS = 4
KILLS = 150
UNHURRIED_SECONDS = 300.0

DOORS = (
    *(
        campaign.WRITER,
        campaign.WRITER,
        campaign.ADD,
        campaign.SERVER,
        campaign.PROMPT,
        campaign.PROMPT,
        campaign.STOP,
        campaign.WORKER,
    ),
    *(campaign.SESSION_START, campaign.INDEX, campaign.RECALL),
)


class Outcome(NamedTuple):
    """A door, its text, what it printed, and whether it was killed."""

    door: Door
    text: str
    ran: Ran
    was_killed: bool


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a project with a file to index."""
    (empty_world.project / "memory").mkdir()
    (empty_world.project / "memory" / "notes.md").write_text("# Notes\n\nThe reader is fast.\n")
    return empty_world


def live(world: World, door: Door, text: str, seconds: float) -> Outcome:
    """Start a door and kill it after some *seconds*, if it still runs."""
    if door is campaign.STOP:
        note_event(world, session_of(text), "prompt", f"{text} Asked.")
    process = door.start(world, text)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
    stdout, stderr = process.communicate()
    code = process.wait()
    return Outcome(door, text, Ran(code, stdout.decode(), stderr.decode()), code == -signal.SIGKILL)


def play(world: World, name: str, of: Sequence[Door], seconds: Sequence[float]) -> list[Outcome]:
    """Start doors at once, each with a text of its own, and kill each after its seconds."""
    texts = [f"{name}d{place} is said by one door alone." for place in range(len(of))]
    with ThreadPoolExecutor(len(of)) as pool:
        return [*pool.map(lambda *given: live(world, *given), of, texts, seconds)]


def seconds_undisturbed(world: World, name: str) -> float:
    """Return the seconds of a round without kills, and without the server, which would stay for ever."""
    ending = [door for door in DOORS if door is not campaign.SERVER]
    started = time.monotonic()
    assert not any(
        outcome.was_killed
        for outcome in play(world, name, ending, [UNHURRIED_SECONDS] * len(ending))
    )
    return time.monotonic() - started


def kill_workers(world: World) -> int:
    """Kill the workers on the world's store; return how many there were."""
    found = [int(line.split()[0]) for line in workers(world)]
    for pid in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(found)


def count_outcomes(outcomes: list[Outcome], figures: Figures) -> None:
    figures["kills"] += sum(outcome.was_killed for outcome in outcomes)
    figures["tracebacks"] += sum("Traceback" in outcome.ran.stderr for outcome in outcomes)
    ended = [outcome for outcome in outcomes if not outcome.was_killed]
    figures["hooks not exiting 0"] += sum(
        outcome.door.is_hook and outcome.ran.code != 0 for outcome in ended
    )
    figures["refused"] += sum(
        not outcome.door.is_hook and outcome.ran.code != 0 for outcome in ended
    )


def acknowledged(outcomes: list[Outcome], *of: Door) -> list[str]:
    """Return the texts that these doors said they have kept."""
    return [
        text
        for outcome in outcomes
        if outcome.door in of
        for text in outcome.door.kept(outcome.ran, outcome.text)
    ]


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_acknowledged_is_lost_or_doubled_by_kills_of_all_doors(
    world: World, figures: Figures, part: int
) -> None:
    figures.counts(
        "kills", "acknowledged", "lost", "doubled", "not whole", "tracebacks", "hooks not exiting 0"
    )
    chance = random.Random(part)
    lessons, talk = list[str](), list[str]()
    longest = seconds_undisturbed(world, f"p{part}")
    for number in itertools.count():
        outcomes = play(
            world, f"p{part}r{number}", DOORS, [chance.uniform(0.0, longest) for _ in DOORS]
        )
        figures["kills"] += kill_workers(world)
        count_outcomes(outcomes, figures)
        lessons += acknowledged(outcomes, *campaign.LESSON_DOORS)
        talk += acknowledged(outcomes, *campaign.TALK_DOORS)
        if figures["kills"] >= KILLS:
            break
    rest(world)

    count_utterances(world, talk, figures)
    count_lessons(world, lessons, figures)
    count_damage(world, figures)
    assert figures.bad == {}
