"""Whole processes, measured side by side with `python -c pass`."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

LAUNCHER = os.path.join(os.path.dirname(__file__), "launcher.py")
INTERPRETER = (sys.executable, "-c", "pass")
BIN = os.path.dirname(sys.executable)


class Command(NamedTuple):
    """
    A command.

    Attributes:
        argv: Its arguments, the first being a path.
        stdin: Its standard input.
        variables: Of its environment, beside those of all.
        files: Texts written before it runs, by path; not measured.

    """

    argv: Sequence[str]
    stdin: str = ""
    variables: Mapping[str, str] = {}
    files: Mapping[str, str] = {}


class Cost(NamedTuple):
    """
    The cost of a process, medians over its runs.

    Attributes:
        cpu_ms: User and system time, of the processes it waited for too.
        rss_mb: Peak resident memory.
        wall_ms: From start to end.
        times_pass: Its CPU time over that of `python -c pass`, or of another baseline, measured in
            turn with it.
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
    make: Callable[[int], Command],
    environment: dict[str, str],
    repetitions: int,
    baseline: Command = PASS,
) -> Cost:
    """Measure one command as `measure_together` does."""
    return measure_together({"": make}, environment, repetitions, baseline)[""]


def measure_together(
    makes: Mapping[str, Callable[[int], Command]],
    environment: dict[str, str],
    repetitions: int,
    baseline: Command = PASS,
) -> Mapping[str, Cost]:
    """
    Run commands in turn, in *repetitions* rounds after one that warms the caches.

    A single round is not warmed.

    Args:
        makes: Give the command of each round, by name; the warming one has the number 0.
        environment: All of it.
        repetitions: At least 1.
        baseline: The command that begins each round.

    Raises:
        RuntimeError: a run ended with an error.
    """
    numbers = range(1 - int(repetitions > 1), repetitions + 1)
    rounds = [(baseline, *(make(number) for make in makes.values())) for number in numbers]
    request = json.dumps({"rounds": rounds, "environment": environment})
    runs = list(zip(*_launched(request, len(rounds)), strict=True))
    if bad := [run for of_command in runs for run in of_command if run["code"]]:
        raise RuntimeError(
            f"one of {[*makes]} ended with code {bad[0]['code']}: {bad[0]['output']}"
        )
    base, *others = (of_command[-repetitions:] for of_command in runs)
    python_ms = median(run["cpu_ms"] for run in base)
    return {
        name: _cost(of_command, python_ms) for name, of_command in zip(makes, others, strict=True)
    }


def _launched(request: str, rounds: int) -> Iterator[Sequence[Mapping[str, Any]]]:
    """Yield the runs of each round, and tell how many are over."""
    arguments = [sys.executable, "-I", "-S", LAUNCHER]
    with subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as launcher:
        assert launcher.stdin
        assert launcher.stdout
        launcher.stdin.write(request)
        launcher.stdin.close()
        for number, line in enumerate(launcher.stdout, 1):
            progress(f"round {number} of {rounds}")
            yield json.loads(line)


def _cost(runs: Sequence[Mapping[str, Any]], python_ms: float) -> Cost:
    cpu_ms = median(run["cpu_ms"] for run in runs)
    return Cost(
        cpu_ms=cpu_ms,
        rss_mb=median(run["rss_mb"] for run in runs),
        wall_ms=median(run["wall_ms"] for run in runs),
        times_pass=cpu_ms / python_ms,
        outputs=[run["output"] for run in runs],
    )


def progress(text: str) -> None:
    """Replace the progress line on standard error, if a person sees it."""
    if sys.stderr.isatty():
        print(f"\x1b[2K{text}", end="\r", file=sys.stderr, flush=True)
