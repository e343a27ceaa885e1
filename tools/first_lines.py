"""
Find first lines of docstrings that are not plain.

Run `python -m tools.first_lines [--count] [PATH ...]`.

A plain first line has at most 14 words and one clause, so no ";". `make lint` allows no other.
"""

import argparse
import ast
import inspect
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("domain", "ports", "adapters", "entrypoints", "bench", "tools")
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
    """Yield the first line of each docstring, also of those below constants."""
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


def main() -> int:
    """Search, print, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.first_lines", description="Find first lines that are not plain."
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a file or folder below the repository (default: all)",
    )
    parser.add_argument("--count", action="store_true", help="only print how many there are")
    options = parser.parse_args()
    places = [os.path.relpath(path, ROOT) for path in options.paths] or list(FOLDERS)
    found = [
        line
        for path in files(places)
        for line in first_lines(path, (ROOT / path).read_text(encoding="utf-8"))
        if not line.is_plain
    ]
    for line in [] if options.count else found:
        print(f"{line.path}:{line.number}: {line.text}")
    if options.count:
        print(f"{len(found):6}  in all")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
