"""
Find first lines of docstrings that have to be unfolded:
`python -m tools.first_lines [--count] [PATH ...]`.

A first line has at most 14 words and one clause, so no ";". It is the line itself, as a reader of
the code sees it.

`--ratchet` (`make lint`) fails only where a file has more of them than `first_lines_left.txt`
allows. `--lower` writes that list again, for less.
"""

import argparse
import ast
import inspect
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("domain", "ports", "adapters", "entrypoints")
LEFT = Path(__file__).with_name("first_lines_left.txt")
MAX_WORDS = 14
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class FirstLine(NamedTuple):
    """The first line of a docstring, with its place."""

    path: str
    number: int
    text: str

    @property
    def is_plain(self) -> bool:
        """Whether it can be read at once."""
        return len(self.text.split()) <= MAX_WORDS and ";" not in self.text


def first_lines(path: str, content: str) -> Iterator[FirstLine]:
    """Yield the first line of each docstring in a file of Python, those below constants too."""
    for node in ast.walk(ast.parse(content)):
        for statement in node.body if isinstance(node, DOCUMENTED) else ():
            match statement:
                case ast.Expr(value=ast.Constant(value=str(docstring))):
                    line = inspect.cleandoc(docstring).partition("\n")[0]
                    yield FirstLine(path, statement.lineno, line)


def files(places: list[str]) -> list[str]:
    """Return the Python files of *places*, which are files or folders below the repository."""
    named = [ROOT / place for place in places]
    paths = [
        path
        for place in named
        for path in (sorted(place.rglob("*.py")) if place.is_dir() else [place])
    ]
    return [path.relative_to(ROOT).as_posix() for path in paths]


def long_lines(places: list[str]) -> dict[str, list[FirstLine]]:
    """Return the first lines that are not plain, by file."""
    found = {
        path: first_lines(path, (ROOT / path).read_text(encoding="utf-8")) for path in files(places)
    }
    return {
        path: left
        for path, lines in found.items()
        if (left := [line for line in lines if not line.is_plain])
    }


def allowed() -> Mapping[str, int]:
    """Return how many such lines each file may still have."""
    lines = LEFT.read_text(encoding="utf-8").splitlines()
    return {path: int(count) for count, path in (line.split() for line in lines)}


def main() -> int:
    """Search, print, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.first_lines", description="Find first lines that are too long."
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a file or folder below the repository (default: all)",
    )
    parser.add_argument("--count", action="store_true", help="only print how many there are")
    parser.add_argument(
        "--ratchet",
        action="store_true",
        help="fail where a file has more of them than it is allowed",
    )
    parser.add_argument("--lower", action="store_true", help="allow each file what it has now")
    options = parser.parse_args()
    found = long_lines([os.path.relpath(path, ROOT) for path in options.paths] or list(FOLDERS))
    if options.lower:
        LEFT.write_text(
            "".join(f"{len(lines)} {path}\n" for path, lines in found.items()), encoding="utf-8"
        )
        return 0
    limits = allowed() if options.ratchet else {}
    excess = [
        line for path, lines in found.items() if len(lines) > limits.get(path, 0) for line in lines
    ]
    for line in [] if options.count else excess:
        print(f"{line.path}:{line.number}: {line.text}")
    if options.count or not options.ratchet:
        print(f"{len(excess):6}  in all")
    return 1 if excess else 0


if __name__ == "__main__":
    sys.exit(main())
