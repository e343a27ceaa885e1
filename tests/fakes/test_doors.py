"""A program that runs in the test's process leaves it as it was, and ends as a process does."""

import gc
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path

import pytest

from tests.fakes import doors

ENV = {"PATH": os.environ["PATH"], "WHO": "the program"}


def state() -> list[object]:
    umask = os.umask(0)
    os.umask(umask)
    handlers = [signal.getsignal(number) for number in doors.SIGNALS]
    streams = [sys.stdin, sys.stdout, sys.stderr, *(os.fstat(number)[:3] for number in range(3))]
    process = [
        dict(os.environ),
        os.getcwd(),
        sys.argv,
        umask,
        gc.isenabled(),
        gc.get_threshold(),
        tempfile.tempdir,
        os._exit,
    ]
    return [
        *process,
        *handlers,
        *streams,
        warnings.filters[:],
        sqlite3.connect,
    ]


def run(
    main: object, monkeypatch: pytest.MonkeyPatch, folder: Path, stdin: bytes | None = b""
) -> doors.Ran:
    monkeypatch.setitem(doors.MAINS, "hardwon", main)
    return doors.run_here("hardwon", ["one"], stdin=stdin, env=ENV, folder=folder)


def test_changes_of_a_program_to_its_process_are_undone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    connections = list[sqlite3.Connection]()
    timer = threading.Timer(60, os._exit, (1,))

    def main() -> None:
        assert (dict(os.environ), os.getcwd(), sys.argv) == (ENV, str(tmp_path), ["hardwon", "one"])
        os.environ["LEFT"] = "behind"
        os.chdir("/")
        os.umask(0o777)
        gc.disable()
        gc.set_threshold(1)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 60)
        timer.start()
        warnings.simplefilter("ignore")
        connections.append(sqlite3.connect(tmp_path / "open.db"))
        tempfile.gettempdir()
        sys.stdin.close()
        os.dup2(2, 1)
        sys.stdout = sys.stderr

    before = state()
    assert run(main, monkeypatch, tmp_path).code == 0
    assert state() == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert not timer.is_alive()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connections[0].execute("SELECT 1")


def test_streams_are_those_of_a_process_also_for_its_children(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def main() -> None:
        sys.stdout.write(sys.stdin.buffer.read().decode())
        sys.stdout.flush()
        subprocess.run(["sh", "-c", "printf child; printf error >&2"], check=True)
        sys.exit("grown up")

    done = run(main, monkeypatch, tmp_path, b"in ut \xc3\xa4")

    assert (done.code, done.stdout, done.stderr) == (1, "in ut ächild", "errorgrown up\n")


def test_an_exit_at_once_loses_what_was_not_flushed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def main() -> None:
        print("flushed", flush=True)  # noqa: T201
        print("not flushed")  # noqa: T201
        os._exit(3)

    assert run(main, monkeypatch, tmp_path) == doors.Ran(3, "flushed\n", "")


@pytest.mark.parametrize("name", ["PYTHONPATH", "LC_ALL", "COLUMNS"])
def test_settings_read_at_process_start_need_a_process(name: str) -> None:
    assert doors.can_run_here("hardwon", ENV)
    assert not doors.can_run_here("hardwon", {**ENV, name: "1"})
    assert not doors.can_run_here("hardwon-mcp", ENV)
