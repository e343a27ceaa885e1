"""`hardwon forget` comes through beside three captures that never rest, and they lose and double nothing."""

import itertools
import json
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import pytest

from tests.campaigns.conftest import Figures, count_damage
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import finish, keep, start
from tests.entrypoints.sessions import written
from tests.entrypoints.ways_in import places_with

pytestmark = pytest.mark.soak

CAPTURES = 3
EXCHANGES = 1_500
RUNS = int(os.environ.get("FORGET_RUNS", "30"))
LIMIT_SECONDS = 20.0
BUSY = "another capture has been going on"


def transcript(world: World, number: int, *, growing: bool) -> Path:
    """Write a long talk; one that grows is of a session, so that each capture goes on with it."""
    path = world.folder / f"talk{number}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for place in range(EXCHANGES):
            line = {
                "user": f"How does part {number}-{place} of subject {place // 7} read?",
                "assistant": f"Part {number}-{place} reads records. "
                + "We decided on spaces, since they are safe. " * 8,
                "timestamp": f"2026-11-{number + 1:02}T{place // 60 % 24:02}:{place % 60:02}:{place // 1_440:02}Z",
                **({"session_id": f"talk {number}"} if growing else {}),
            }
            file.write(json.dumps(line) + "\n")
    return path


def capture(world: World, path: Path, is_over: threading.Event, figures: Figures) -> None:
    """Capture a talk again and again from the beginning."""
    while not is_over.is_set():
        done = finish(start(world, "hardwon", "capture", "--from", str(path), "--force"))
        figures["captures"] += done.code == 0
        figures["captures that other captures kept out"] += BUSY in done.stderr
        figures["not answered"] += done.code != 0 and BUSY not in done.stderr
        figures["tracebacks"] += "Traceback" in done.stderr


def forget(world: World, number: int, figures: Figures) -> float:
    """Store a lesson and forget it; return how long forgetting took."""
    word = f"zanthemur{number}x"
    keep(world, description=f"Deploy the {word} first.")
    began = time.monotonic()
    done = finish(start(world, "hardwon", "forget", word, "--yes"))
    seconds = time.monotonic() - began
    figures["forgotten"] += done.code == 0
    figures["not answered"] += done.code != 0
    figures["slow"] += seconds > LIMIT_SECONDS
    figures["tracebacks"] += "Traceback" in done.stderr
    figures["not whole"] += bool(places_with(world, word))
    return seconds


def doubled(text: str) -> Iterator[str]:
    prompts = sorted(line for line in text.splitlines() if line.startswith("> How does part "))
    return (line for line, same in itertools.groupby(prompts) if len([*same]) > 1)


def test_every_run_of_forget_comes_through_beside_three_captures(
    empty_world: World, figures: Figures
) -> None:
    world = empty_world
    figures.counts(
        "captures",
        "forgotten",
        "not answered",
        "slow",
        "lost",
        "doubled",
        "not whole",
        "tracebacks",
    )
    talks = [transcript(world, number, growing=number == 0) for number in range(CAPTURES)]
    is_over = threading.Event()
    with ThreadPoolExecutor(CAPTURES) as others:
        captures = [others.submit(capture, world, talk, is_over, figures) for talk in talks]
        try:
            seconds = [forget(world, number, figures) for number in range(RUNS)]
        finally:
            is_over.set()
        for done in captures:
            done.result()
    for talk in talks:
        assert finish(start(world, "hardwon", "capture", "--from", str(talk))).code == 0
    text = written(world)
    figures["lost"] += sum(
        f"> How does part {number}-{place} of" not in text
        for number in range(CAPTURES)
        for place in range(EXCHANGES)
    )
    figures["doubled"] += len([*doubled(text)])
    count_damage(world, figures)
    figures["median ms"] = round(1_000 * median(seconds))
    figures["longest ms"] = round(1_000 * max(seconds))

    assert figures["forgotten"] == RUNS
    assert figures.bad == {}
