"""The shares of parts in the CPU time of a process, by profile."""

import os
import pstats
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.figures import Figure
from bench.processes import Command

PROFILED = os.path.join(os.path.dirname(__file__), "profiled.py")
IMPORTS, OTHER = "imports", "all else"
OF_NAMES = {
    "sqlite3": "SQLite",
    "marshal": IMPORTS,
    "_imp": IMPORTS,
    "numpy": "numpy",
    "posix": "files and processes",
    "posixsubprocess": "files and processes",
    "_thread.lock": "other threads: the model",
}
"""Parts by what the name of a function in C says."""

OF_PATHS = {
    "hardwon/adapters/minilm": "other threads: the model",
    "hardwon/adapters/numpy_index": "comparing vectors",
    "hardwon/adapters/sqlite": "rows to values",
    "hardwon/domain": "ranking and text",
    "hardwon/": "doors",
    "numpy/": "numpy",
    "importlib": IMPORTS,
    "collections/__init__": IMPORTS,
    "typing.py": IMPORTS,
    "re/": IMPORTS,
    "enum.py": IMPORTS,
}
"""
Parts by the path of a function, the first that fits.

Patterns, tuples and enumerations are made when modules are imported.
"""

SMALLEST = 0.02
"""Shares below are not told."""

Function = tuple[str, int, str]


def where_figures(
    name: str, title: str, command: Command, environment: Mapping[str, str], entries: int
) -> Iterator[Figure]:
    """Yield the share of each part in a command's CPU time, largest first."""
    shares = Counter(_shares(command, environment))
    for part, share in shares.most_common():
        if share >= SMALLEST:
            yield Figure(f"where_{name}", f"{title}: {part}", entries, 100 * share, "%")


def _shares(command: Command, environment: Mapping[str, str]) -> Mapping[str, float]:
    """Return the shares, none if the command's own deadline cut its profile off."""
    out = os.path.join(environment["HOME"], "profile")
    Path(out).unlink(missing_ok=True)
    subprocess.run(
        [sys.executable, PROFILED, out, *command.argv],
        input=command.stdin,
        env={**environment, **command.variables},
        check=True,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    seconds = Counter[str]()
    try:
        stats = pstats.Stats(out).stats  # type: ignore[attr-defined]
    except (EOFError, OSError, ValueError):
        return {}
    for function, (_, _, own, _, callers) in stats.items():
        by_caller = {caller: spent[2] for caller, spent in callers.items()} or {function: own}
        for caller, spent in by_caller.items():
            seconds[_part(function) or _part(caller) or OTHER] += spent
    return {part: spent / seconds.total() for part, spent in seconds.items()}


def _part(function: Function) -> str | None:
    path, _, name = function
    if path == "~":
        return next((part for mark, part in OF_NAMES.items() if mark in name), None)
    if name == "<module>":
        return IMPORTS
    return next((part for mark, part in OF_PATHS.items() if mark in path), OTHER)
