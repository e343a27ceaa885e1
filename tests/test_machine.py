"""Tests do not depend on how they are started, nor does the machine."""

import subprocess
import sys
from pathlib import Path

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
