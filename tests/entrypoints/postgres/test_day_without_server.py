"""A day without the server: 50 lessons, 10 starts, then it is back, and is killed while they arrive."""

import contextlib
import datetime as dt
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from hardwon.adapters.sqlite.outbox import waiting_in
from hardwon.domain.model.filters import EVERYTHING
from hardwon.entrypoints import writer
from hardwon.entrypoints.bootstrap import now, open_memory, read_settings
from hardwon.entrypoints.bootstrap_capture import WORKER
from tests.adapters.postgres.servers import new_server, until
from tests.entrypoints.hook_process import World
from tests.entrypoints.postgres.test_on_a_server import add, on_server, work
from tests.entrypoints.postgres.test_start_while_away import AWAY, TITLE, age, prepare, start
from tests.fakes.clock import FixedClock
from tests.postgres_server import url_of

pytestmark = pytest.mark.postgres

LESSONS = tuple(f"Lesson {number}: name the unit of column {number}." for number in range(50))
DAY = dt.timedelta(days=1)


def kept(world: World, text: str, at: dt.datetime, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Store a lesson at a time, by the writer, and return whether that was acknowledged."""
    monkeypatch.setattr(writer, "system_clock", lambda: FixedClock(at))
    entry = json.dumps({"name": "A unit", "description": text, "category": "patterns"})
    options = ("--action", "upsert", "--entry-json", entry, "--project-root", str(world.project))
    with mock.patch.dict(os.environ, world.variables, clear=True):
        return writer.run(options) == writer.OK


def waiting(world: World) -> int:
    return sum(outbox.entries for outbox in waiting_in(str(world.store)))


@contextlib.contextmanager
def worker(world: World) -> Iterator[None]:
    """Run a worker, and kill it at the end, wherever it is."""
    options = ("--global-store", str(world.store), "--project-root", str(world.project))
    command = [str(world.bin / "python"), "-m", WORKER, *options, "--on-server"]
    process = subprocess.Popen(command, env=world.variables, cwd=world.folder)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def counts_there(world: World) -> list[tuple[str, int]]:
    """Return the lessons of the day on the server, in their order, with their observations."""
    with mock.patch.dict(os.environ, world.variables, clear=True):
        settings = read_settings(str(world.project), {}).settings
        with contextlib.closing(open_memory(settings, print)) as memory:
            entries = memory.repository.matching(EVERYTHING, limit=99)
    return [
        (entry.description, entry.observation_count)
        for entry in sorted(entries, key=lambda entry: entry.number or 0)
        if entry.description in LESSONS
    ]


def test_a_day_without_the_server_loses_and_doubles_nothing(
    tmp_path: Path, cleanup: contextlib.ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = cleanup.enter_context(new_server())
    ann = on_server(tmp_path / "ann", url_of(server.address), cleanup)
    ann.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    add(ann)
    ann.hook(payload=start(ann))
    prepare(ann)
    work(ann)
    server.kill()

    gone_at = now()
    times = [gone_at + DAY * number / 50 for number in range(50)]
    acknowledged = [
        kept(ann, text, at, monkeypatch) for text, at in zip(LESSONS, times, strict=True)
    ]
    starts = list[str]()
    for number in range(10):
        age(ann, DAY * number / 10)
        starts.append(ann.hook(payload=start(ann)).stdout)

    assert acknowledged == [True] * 50
    assert waiting(ann) == 50
    assert all(TITLE in block and AWAY in block for block in starts)

    server = server.revived()
    with worker(ann):
        until(lambda: waiting(ann) <= 35)
    with worker(ann):
        until(lambda: waiting(ann) <= 20)
        server.kill()
    server.revived()
    work(ann)

    assert counts_there(ann) == [(text, 1) for text in LESSONS]
    assert waiting(ann) == 0
