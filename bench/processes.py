"""Whole processes, measured side by side with `python -c pass`."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple

LAUNCHER = os.path.join(os.path.dirname(__file__), "launcher.py")
INTERPRETER = (sys.executable, "-c", "pass")
BIN = os.path.dirname(sys.executable)


class Command(NamedTuple):
    """A command: arguments, the first being a path, and its standard input."""

    argv: Sequence[str]
    stdin: str = ""


class Cost(NamedTuple):
    """
    The cost of a process, medians over its runs.

    Attributes:
        cpu_ms: User and system time, of the processes it waited for too.
        rss_mb: Peak resident memory.
        wall_ms: From start to end.
        times_pass: Its CPU time over that of `python -c pass`, or of another baseline, measured in turn with it.
        outputs: The output of each run.

    """

    cpu_ms: float
    rss_mb: float
    wall_ms: float
    times_pass: float
    outputs: Sequence[str]


def script(name: str) -> str:
    """Return the path of a console script of the environment the bench runs in."""
    return os.path.join(BIN, name)


def clean_environment(home: str, **variables: str) -> dict[str, str]:
    """Return an environment in which nothing of the user's own is seen or touched."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": home,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **variables,
    }


PASS = Command(INTERPRETER)


def measure(
    make: Callable[[int], Command], environment: dict[str, str], repetitions: int, baseline: Command = PASS
) -> Cost:
    """
    Run a command *repetitions* times, after one run that warms the caches; a single run is warmed by nothing.

    Args:
        make: Gives the command of each run; the warming one has the number 0.
        environment: All of it.
        repetitions: At least 1.
        baseline: The command that it is measured in turn with.

    Raises:
        RuntimeError: a run ended with an error.

    """
    warming = int(repetitions > 1)
    rounds = [(baseline, make(number)) for number in range(1 - warming, repetitions + 1)]
    request = json.dumps({"rounds": rounds, "environment": environment})
    done = subprocess.run(
        [sys.executable, "-I", "-S", LAUNCHER], input=request, check=True, stdout=subprocess.PIPE, text=True
    )
    runs = [tuple(run) for run in json.loads(done.stdout)]
    if bad := [run for pair in runs for run in pair if run["code"]]:
        raise RuntimeError(f"{make(0).argv} ended with code {bad[0]['code']}: {bad[0]['output']}")
    base, own = zip(*runs[warming:], strict=True)
    cpu_ms = median(run["cpu_ms"] for run in own)
    return Cost(
        cpu_ms=cpu_ms,
        rss_mb=median(run["rss_mb"] for run in own),
        wall_ms=median(run["wall_ms"] for run in own),
        times_pass=cpu_ms / median(run["cpu_ms"] for run in base),
        outputs=[run["output"] for run in own],
    )
