"""
Figures of the structure of hardwon, to be watched: `make figures`.

- product files, lines: the `.py` files of domain, ports, adapters and entrypoints, as `wc -l` counts.
- modules entered: modules of hardwon of which a function runs outside of an import (`tools/entered.py`), in a process of an
  installed program on the sample project, whose knowledge bank is embedded, with keyword labels off: a session start
  (`hardwon-hook`), `hardwon recall`, `hardwon-writer` with a complete lesson that is new. Of `hardwon capture` of one exchange
  only the modules of domain and adapters.markdown count: those that handle its text until it is a section and an entry.
- entry points that import adapters: files of entrypoints with an import of hardwon.adapters, anywhere in them, outside
  the composition root.
- package pairs that import each other: two folders; a module of each imports a module that lies directly in the other.
- module docstrings that begin with "What".
"""

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hardwon.examples.make_sample import make_sample

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("domain", "ports", "adapters", "entrypoints")
PROGRAMS = Path(sys.executable).parent
COMPOSITION_ROOT = re.compile(r"entrypoints/(bootstrap|composition/|providers\.py|spaces\.py)")
QUESTION = "how do we read files whose encoding is broken?"
LESSON = {
    "name": "Name the unit",
    "description": "A number without its unit is misread.",
    "category": "heuristics",
    "keywords": ["unit", "number", "misread"],
    "reasoning": "A reading in feet was taken for metres.",
    "references": ["src/units.py"],
}
EXCHANGE = {
    "user": "How should the importer treat a quote that is never closed?",
    "assistant": "We decided to close it at the end of the record, because recovering at a newline loses the next record.",
    "timestamp": "2026-11-18T09:30:37Z",
}


TEXT = ("domain.", "adapters.markdown.")


class Figure(NamedTuple):
    """
    A line of the table.

    Attributes:
        before: As the plan of this step counted it, partly by hand and on 525 files. Counted as below on the code that the
            step began with (536 files), the first five are 536, 43,895, 35, 12 and 109, and the four walks 91, 77, 60 and 70.
        wanted: The most that it should be.

    """

    name: str
    before: int
    now: int
    wanted: int


class Module(NamedTuple):
    """
    A module of the product.

    Attributes:
        path: Below the repository.
        imports: The modules of hardwon that it imports, anywhere in it, as paths.

    """

    path: str
    lines: int
    docstring: str
    imports: frozenset[str]

    @property
    def folder(self) -> str:
        """The package it is in."""
        return os.path.dirname(self.path)


def main() -> None:
    """Print the table."""
    figures = [*structure(modules()), *walks()]
    width = max(len(figure.name) for figure in figures)
    print(f"{'':{width}}  {'before':>7} {'now':>7} {'wanted':>7}")
    for name, before, now, wanted in figures:
        print(f"{name:{width}}  {before:7} {now:7} {wanted:7}{'' if now <= wanted else '  above'}")


def structure(product: list[Module]) -> list[Figure]:
    """Return what the text of the modules shows."""
    outside = [
        module
        for module in product
        if module.path.startswith("entrypoints/") and not COMPOSITION_ROOT.match(module.path)
    ]
    wired = [module for module in outside if any(path.startswith("adapters/") for path in module.imports)]
    return [
        Figure("product files", 525, len(product), 240),
        Figure("product lines", 41_770, sum(module.lines for module in product), 34_000),
        Figure("entry points that import adapters", 34, len(wired), 0),
        Figure("package pairs that import each other", 11, len(mutual_pairs(product)), 0),
        Figure(
            'docstrings that begin with "What"', 110, sum(module.docstring.startswith("What") for module in product), 0
        ),
    ]


def mutual_pairs(product: list[Module]) -> set[tuple[str, str]]:
    """Return the pairs of folders that import each other."""
    edges = {(module.folder, os.path.dirname(path)) for module in product for path in module.imports}
    return {(here, there) for here, there in edges if here < there and (there, here) in edges}


def modules() -> list[Module]:
    """Return all modules of the product."""
    paths = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return [_module(path) for path in paths]


def _module(path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    imports = frozenset(found for name in _imported(tree) if (found := _place(name)))
    return Module(path.relative_to(ROOT).as_posix(), text.count("\n"), ast.get_docstring(tree) or "", imports)


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _place(name: str) -> str | None:
    """Return the path of the module that the import of *name* reads, if it is one of the product."""
    top, *parts = name.split(".")
    if top != "hardwon" or not parts or parts[0] not in FOLDERS:
        return None
    for end in (len(parts), len(parts) - 1):  # the last part may be a name in the module
        for path in ("/".join(parts[:end]) + ".py", "/".join([*parts[:end], "__init__.py"])):
            if (ROOT / path).is_file():
                return path
    return None


def walks() -> list[Figure]:
    """Return how many modules four processes enter."""
    with tempfile.TemporaryDirectory(prefix="hardwon-figures-") as folder:
        world = World(Path(folder))
        world.run("hardwon-hook", "--project-root", ".")
        world.run("hardwon", "embed")
        start = world.entered("hardwon-hook", "--project-root", ".")
        recall = world.entered("hardwon", "recall", QUESTION)
        writer = world.entered("hardwon-writer", "--action", "upsert", "--entry-json", json.dumps(LESSON))
        capture = world.entered("hardwon", "capture", "--no-embed", "--from", "-", stdin=json.dumps(EXCHANGE))
    return [
        Figure("modules: session start", 86, len(start), 40),
        Figure("modules: recall", 74, len(recall), 40),
        Figure("modules: writer", 49, len(writer), 22),
        Figure("modules: captured section", 55, sum(name.startswith(TEXT) for name in capture), 28),
    ]


class World:
    """A home of its own, with the sample project."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._project = folder / "project"
        make_sample(self._project)

    def run(self, program: str, *arguments: str) -> None:
        """Run an installed program in the project."""
        self._run([str(PROGRAMS / program), *arguments])

    def entered(self, program: str, *arguments: str, stdin: str = "") -> list[str]:
        """Run an installed program in the project; return the modules that it entered."""
        out = self._folder / "entered.txt"
        recorded = [sys.executable, str(ROOT / "tools/entered.py"), str(out), str(PROGRAMS / program)]
        self._run([*recorded, *arguments], stdin)
        return out.read_text(encoding="utf-8").splitlines()

    def _run(self, command: list[str], stdin: str = "") -> None:
        environment = {"HOME": str(self._folder), "PATH": os.environ["PATH"], "HARDWON_KEYWORD_PROVIDER": "off"}
        subprocess.run(
            command, cwd=self._project, env=environment, input=stdin, text=True, check=True, capture_output=True
        )


if __name__ == "__main__":
    main()
