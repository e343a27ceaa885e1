"""The hook under a process' limits and signals: it ends with 0, and says what it could not do."""

import contextlib
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from hardwon.adapters.agents.table import Programs
from hardwon.entrypoints.hook import process
from hardwon.entrypoints.hook.hook import NO_INPUT
from tests.entrypoints.hook_process import BIN, World, calm
from tests.entrypoints.sessions import block_of

MEGABYTE = 1_000_000


def test_the_start_of_the_process_is_before_its_first_line() -> None:
    source = "import time; t=time.monotonic(); from hardwon.entrypoints.hook.process import process_start as p; print(t-p())"
    slept = subprocess.run(
        ["sh", "-c", f'sleep 0.4; exec "$0" -c "{source}"', sys.executable],
        capture_output=True,
        check=True,
    )

    assert float(slept.stdout) > 0.39


@pytest.mark.parametrize(
    "content",
    [b"", b"1 (python) S", b"1 (python) S " + b"x " * 30, b"1 (a) S " + b"9" * 18 + b" " * 9],
)
def test_a_process_table_that_says_nothing_usable_means_now(content: bytes) -> None:
    before = time.monotonic()
    with mock.patch("builtins.open", mock.mock_open(read_data=content)):
        assert before <= process.process_start() <= time.monotonic()


def test_a_machine_without_other_work_slows_nothing_down() -> None:
    assert process.slowdown(time.monotonic()) == 1
    assert process.slowdown(time.monotonic() - 1_000 * time.process_time()) > 900


def test_a_machine_too_slow_for_vectors_is_not_asked_for_them(embedded_world: World) -> None:
    embedded_world.faults += ["vectors_take_more_time_than_there_is", "embedder_answers_at_once"]
    run, modules = embedded_world.launch()

    assert re.search(r"active \(vector=0, fts5=[1-9]\)", block_of(run.stdout).diagnostic)
    assert re.search(r"no vector search: it needs 60\.0 s of the \d+\.\d s left now", run.log[0])
    assert "numpy" not in modules


def test_without_time_for_a_block_one_line_says_so(world: World) -> None:
    world.reached = ("ALARM_SECONDS", "LAST_SECONDS")
    world.faults.append("nothing_answers")
    run, _ = world.launch()

    assert (run.code, run.stdout) == (0, "")
    assert [line.partition(" ")[2] for line in run.log] == ["SessionStart: out of time"]


def utterance_event(world: World, event: str) -> dict[str, object]:
    world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    texts = {"prompt": "Why was the parser rewritten?", "last_assistant_message": "It was slow."}
    return {**world.session_start(), "hook_event_name": event, **texts}


@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop"])
@pytest.mark.parametrize(
    "faults", [[], ["no_thread_can_be_started"]], ids=["watched by threads", "watched by a timer"]
)
def test_the_hook_stays_until_an_utterance_is_noted(
    empty_world: World, event: str, faults: list[str]
) -> None:
    empty_world.reached = ("ALARM_SECONDS", "LAST_SECONDS")
    empty_world.faults += ["noting_takes_longer_than_a_session_start", *faults]
    run, _ = empty_world.launch(payload=utterance_event(empty_world, event))

    assert (run.code, run.stdout, run.log) == (0, "", ())
    assert len(noted(empty_world)) == 1


def test_the_hook_ends_before_the_host_gives_up_and_logs_that_nothing_was_noted(
    empty_world: World,
) -> None:
    empty_world.reached = ("ALARM_SECONDS", "LAST_SECONDS")
    empty_world.faults.append("noting_hangs")
    run, _ = empty_world.launch(payload=utterance_event(empty_world, "Stop"))

    assert (run.code, run.stdout) == (0, "")
    assert [line.partition(" ")[2] for line in run.log] == ["Stop: out of time"]


def limited(limits: dict[int, int]) -> Callable[[], None]:
    """Return what sets limits in the hook's process, as a user whom they bind."""

    def apply() -> None:
        for limit, value in limits.items():
            resource.setrlimit(limit, (value, value))

    return apply


def run_limited(
    world: World, limits: dict[int, int], variables: dict[str, str]
) -> tuple[int, str, str]:
    done = subprocess.run(
        ["sh", "-c", Programs(str(BIN / "hardwon-hook"), "").hook_command()],
        env=variables,
        cwd=world.folder,
        input=json.dumps(world.session_start()).encode(),
        capture_output=True,
        preexec_fn=limited(limits),
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("megabytes", [48, 60, 80, 100, 120, 150, 200, 300, 399])
def test_with_little_memory_words_are_searched(embedded_world: World, megabytes: int) -> None:
    limits = {resource.RLIMIT_AS: megabytes * MEGABYTE}
    code, out, err = run_limited(embedded_world, limits, embedded_world.patient)

    assert code == 0
    assert re.search(r"active \(vector=0, fts5=[1-9]\)", out)
    assert "no vector search: " in err.splitlines()[0]
    assert "Traceback" not in err


def test_with_too_little_memory_for_anything_it_ends_well(embedded_world: World) -> None:
    for megabytes in range(20, 40, 3):
        limits = {resource.RLIMIT_AS: megabytes * MEGABYTE}
        code, _, _ = run_limited(embedded_world, limits, embedded_world.variables)

        assert code == 0


def test_without_another_thread_words_are_searched_and_the_timer_watches(
    embedded_world: World,
) -> None:
    embedded_world.faults.append("no_thread_can_be_started")
    run, _ = embedded_world.launch()

    assert run.code == 0
    assert re.search(r"active \(vector=0, fts5=[1-9]\)", block_of(run.stdout).diagnostic)
    assert [line.partition(" ")[2] for line in run.log] == [
        "no vector search: no thread for it: can't start new thread"
    ]


def test_without_another_thread_a_block_still_comes_in_time(world: World) -> None:
    world.reached = ("ALARM_SECONDS",)
    world.faults += ["no_thread_can_be_started", "database_hangs"]
    run, _ = world.launch()

    assert run.code == 0
    assert block_of(run.stdout).state == "disabled"
    assert [line.partition(" ")[2] for line in run.log] == ["markdown only: no block in time"]


def test_where_a_started_thread_never_begins_the_hook_still_ends(world: World) -> None:
    world.reached = ("ALARM_SECONDS", "READING_SECONDS")
    world.faults.append("a_started_thread_never_begins")
    run, _ = world.launch()

    assert (run.code, run.stdout) == (0, "")
    assert [line.partition(" ")[2] for line in run.log] == [NO_INPUT]


def test_a_module_that_cannot_be_imported_is_one_line(world: World) -> None:
    world.put_package("sqlite3", __init__="raise ImportError('no sqlite3 here')")
    run = world.hook()

    assert calm(run)
    assert run.code == 0
    assert block_of(run.stdout).state == "disabled"

    world.put_package("json", __init__="raise ImportError('no json here')")
    run = world.hook()

    assert (run.code, run.stdout) == (0, "")
    assert run.stderr == "hardwon-hook: ImportError: no json here\n"


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name
)
def test_a_signal_at_any_time_is_no_failure_of_the_installed_command(
    world: World, number: signal.Signals
) -> None:
    command = Programs(str(BIN / "hardwon-hook"), "").hook_command()
    for delay in (0.0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2):
        started = subprocess.Popen(
            ["sh", "-c", command], env=world.variables, cwd=world.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        assert started.stdin
        started.stdin.write(json.dumps(world.session_start()).encode())
        started.stdin.close()
        time.sleep(delay)
        for child in children_of(started.pid):
            os.kill(child, number)

        assert started.wait(60) == 0
        started.stdout.close()  # type: ignore[union-attr]
        started.stderr.close()  # type: ignore[union-attr]


def children_of(pid: int) -> list[int]:
    try:
        return [
            int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    except OSError:
        return []


@pytest.mark.parametrize("tail", [b"", b"\n", b"  {", b'\n{"another": 1}\n'])
def test_an_event_is_answered_while_standard_input_stays_open(world: World, tail: bytes) -> None:
    world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    read, write = os.pipe()
    with os.fdopen(read), os.fdopen(write, "wb", 0) as pipe:
        payload = {
            **world.session_start(),
            "hook_event_name": "UserPromptSubmit",
            "prompt": "How are quotes read?",
        }
        pipe.write(json.dumps(payload).encode() + tail)
        run = world.hook(stdin=read)

    assert calm(run)
    assert run.code == 0
    assert run.log == ()
    assert len(noted(world)) == 1


def noted(world: World) -> list[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(world.store / "capture.db")) as journal:
        return journal.execute("SELECT text FROM event").fetchall()
