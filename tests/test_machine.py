"""Tests do not depend on how they are started, nor on how busy the machine is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import machine

ASK = "import signal, tests.conftest as _; print([signal.getsignal(s) == signal.SIG_IGN for s in (signal.SIGINT, signal.SIGHUP)])"


def test_programs_are_started_interruptible_also_where_the_tests_are_started_ignoring_signals() -> (
    None
):
    command = ["sh", "-c", 'trap "" INT HUP; exec "$0" -c "$1"', sys.executable, ASK]
    root = Path(__file__).parents[1]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, check=True, timeout=machine.LONGEST_WAIT
    )

    assert done.stdout == "[False, False]\n"


@pytest.mark.parametrize(
    ("processes", "slowdown", "times"), [(2, 1.0, 1), (2, 3.0, 6), (9, 1.0, 9), (90, 1.0, 12)]
)
def test_limits_are_longer_where_the_machine_is_busy(
    monkeypatch: pytest.MonkeyPatch, processes: float, slowdown: float, times: float
) -> None:
    monkeypatch.setattr(machine, "slowdown", lambda: slowdown)
    monkeypatch.setattr(os, "getloadavg", lambda: (processes, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    assert machine.patience() == times


def test_a_limit_is_told_from_a_wait_without_one() -> None:
    assert machine.in_time(39.0, 1.0)
    assert not machine.in_time(40.0, 1.0)


def test_the_slowdown_is_at_least_one() -> None:
    assert machine.slowdown() >= 1.0
