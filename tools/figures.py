"""
Figures of the structure of hardwon: `make figures` prints them, `tests/tools/test_figures.py` holds
their bounds.

All bounds are in `tests/figures.toml`. `make figures LOWER=1` lowers those that their figures are
below, and none rises but by hand. Files and lines have none: what is added may take more of them,
but no file may become a heap.

- files, lines: the `.py` files of domain, ports, adapters and entrypoints, as `wc -l` counts.
- modules entered: modules of hardwon of which a function runs outside of an import
  (`tools/entered.py`), in a process of an installed program on the sample project, whose knowledge
  bank is embedded, with keyword labels off: a session start (`hardwon-hook`), `hardwon recall`,
  `hardwon-writer` with a complete lesson that is new. Of `hardwon capture` of one exchange only the
  modules of domain and adapters.markdown count: those that handle its text until it is a section
  and an entry.
- composition root: `entrypoints/bootstrap*.py`.
- functions that take a Memory: those with a parameter of that type, in entrypoints.
- redactions of a writer call: calls of `redact` in that process.
- lines of PostgreSQL that are SQLite's: those of adapters/postgres, without blank ones and imports,
  that are in the same order in the module of adapters/sqlite of the same name.
- entry points that import adapters: files of entrypoints with an import of hardwon.adapters,
  anywhere in them, outside the composition root.
- package pairs that import each other: two folders; a module of each imports a module that lies
  directly in the other.
- NamedTuples, functions, calls and names of classes: `tools/signatures.py`.
"""

import ast
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from hardwon.examples.make_sample import make_sample
from tools import signatures

ROOT = Path(__file__).resolve().parent.parent
BOUNDS = ROOT / "tests/figures.toml"
UNHURRIED = (sys.executable, str(ROOT / "tests/golden/still.py"), "0")
"""
Runs a program in which no deadline passes.

On a busy machine it would take other ways.
"""

FOLDERS = ("domain", "ports", "adapters", "entrypoints")
PROGRAMS = Path(sys.executable).parent
COMPOSITION_ROOT = re.compile(r"entrypoints/bootstrap\w*\.py")
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
    "assistant": (
        "We decided to close it at the end of the record, because recovering at a newline loses the"
        " next record."
    ),
    "timestamp": "2026-11-18T09:30:37Z",
}


TEXT = ("domain.", "adapters.markdown.")


class Bound(NamedTuple):
    """
    A line of `tests/figures.toml`.

    Attributes:
        most: The most that the figure may be today; None where it may grow.
        wanted: The most that it should be once the house is as planned; None where none is set.
        allowance: The room above the figure that stays when its bound is lowered.

    """

    most: int | None = None
    wanted: int | None = None
    allowance: int = 0


class Module(NamedTuple):
    """
    A module of the product.

    Attributes:
        path: Below the repository.
        imports: The modules of hardwon that it imports, anywhere in it, as paths.

    """

    path: str
    text: str
    tree: ast.Module
    imports: frozenset[str]

    @property
    def folder(self) -> str:
        """The package it is in."""
        return os.path.dirname(self.path)

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return self.text.count("\n")


class Walk(NamedTuple):
    """A run of a program: its redactions, and the modules that it entered."""

    redactions: int
    modules: tuple[str, ...]


def main() -> None:
    """
    Print the table.

    With `--lower`, lower the bounds to the figures first.
    """
    figures, limits = {**structure(modules()), **walks()}, bounds()
    if "--lower" in sys.argv:
        write({name: lowered(bound, figures[name]) for name, bound in limits.items()})
        limits = bounds()
    width = max(map(len, figures))
    print(f"{'':{width}}  {'now':>7} {'bound':>7} {'wanted':>7}")
    for name, now in figures.items():
        most, wanted = ("-" if limit is None else limit for limit in limits[name][:2])
        print(
            f"{name:{width}}  {now:7} {most:>7} {wanted:>7}  {remark(now, limits[name])}".rstrip()
        )


def remark(now: int, bound: Bound) -> str:
    """Return how a figure stands to its bound."""
    if bound.most is None or now > bound.most:
        return "" if bound.most is None else "above"
    return "" if lowered(bound, now) == bound else "below: make figures LOWER=1"


def lowered(bound: Bound, now: int) -> Bound:
    """Return *bound* at a figure, never higher than it was."""
    return (
        bound if bound.most is None else bound._replace(most=min(bound.most, now + bound.allowance))
    )


def bounds() -> Mapping[str, Bound]:
    """Return the bounds by the names of the figures."""
    lines = tomllib.loads(BOUNDS.read_text(encoding="utf-8"))
    return {name: Bound(**line) for name, line in lines.items()}


def write(limits: Mapping[str, Bound]) -> None:
    """Write the bounds below the comment of their file."""
    comment = BOUNDS.read_text(encoding="utf-8").partition("\n\n")[0]
    lines = (f'"{name}" = {{ {", ".join(_fields(bound))} }}\n' for name, bound in limits.items())
    BOUNDS.write_text(f"{comment}\n\n{''.join(lines)}", encoding="utf-8")


def _fields(bound: Bound) -> Iterator[str]:
    for field, value in bound._asdict().items():
        if value != Bound._field_defaults[field]:
            yield f"{field} = {value}"


def structure(product: list[Module]) -> dict[str, int]:
    """Return what the text of the modules shows."""
    doors = [module for module in product if module.path.startswith("entrypoints/")]
    roots = [module for module in doors if COMPOSITION_ROOT.match(module.path)]
    outside = [module for module in doors if module not in roots]
    return {
        "files": len(product),
        "lines": sum(module.lines for module in product),
        "lines of the largest file": max(module.lines for module in product),
        "files of the composition root": len(roots),
        "lines of the composition root": sum(module.lines for module in roots),
        "functions that take a Memory": sum(map(memory_functions, doors)),
        "lines of PostgreSQL that are SQLite's": shared_lines(product),
        "entry points that import adapters": sum(
            any(path.startswith("adapters/") for path in module.imports) for module in outside
        ),
        "package pairs that import each other": len(mutual_pairs(product)),
        **names_and_values(product),
    }


def names_and_values(product: list[Module]) -> dict[str, int]:
    """Return what the signatures, classes and calls of the modules show."""
    trees = [module.tree for module in product]
    inner = [module.tree for module in product if not module.path.startswith(signatures.OPTIONS)]
    return {
        "NamedTuples of more than six fields": signatures.wide_tuples(trees),
        "functions of eight and more parameters": signatures.wide_functions(inner),
        "calls of more than three positional arguments": signatures.positional_calls(trees),
        "names of classes in several modules": signatures.shared_names(trees),
    }


def memory_functions(module: Module) -> int:
    """Return how many functions have a parameter of the type Memory."""
    functions = (
        node
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return sum(
        any("Memory" in _names(argument) for argument in _parameters(node.args))
        for node in functions
    )


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _names(argument: ast.arg) -> set[str]:
    return (
        set(re.findall(r"\w+", ast.unparse(argument.annotation))) if argument.annotation else set()
    )


def shared_lines(product: list[Module]) -> int:
    """Return how many of PostgreSQL's lines SQLite's module of that name has."""
    texts = {module.path: _code(module) for module in product}
    ours = {path: lines for path, lines in texts.items() if path.startswith("adapters/postgres/")}
    return sum(
        _same(lines, texts.get(path.replace("postgres", "sqlite"), []))
        for path, lines in ours.items()
    )


def _code(module: Module) -> list[str]:
    """Return the lines of a module without blank ones and imports."""
    imports = (
        node for node in ast.walk(module.tree) if isinstance(node, ast.Import | ast.ImportFrom)
    )
    left_out = {
        place for node in imports for place in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    lines = enumerate(module.text.splitlines(), 1)
    return [line for place, line in lines if line.strip() and place not in left_out]


def _same(lines: list[str], others: list[str]) -> int:
    matcher = difflib.SequenceMatcher(None, lines, others, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())


def mutual_pairs(product: list[Module]) -> set[tuple[str, str]]:
    """Return the pairs of folders that import each other."""
    edges = {
        (module.folder, os.path.dirname(path)) for module in product for path in module.imports
    }
    return {(here, there) for here, there in edges if here < there and (there, here) in edges}


def modules() -> list[Module]:
    """Return all modules of the product."""
    paths = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return [_module(path) for path in paths]


def _module(path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    imports = frozenset(found for name in _imported(tree) if (found := _place(name)))
    return Module(path.relative_to(ROOT).as_posix(), text, tree, imports)


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _place(name: str) -> str | None:
    """
    Return the path of the module that an import of *name* reads.

    It is None for modules of others.
    """
    top, *parts = name.split(".")
    if top != "hardwon" or not parts or parts[0] not in FOLDERS:
        return None
    for end in (len(parts), len(parts) - 1):  # the last part may be a name in the module
        for path in ("/".join(parts[:end]) + ".py", "/".join([*parts[:end], "__init__.py"])):
            if (ROOT / path).is_file():
                return path
    return None


def walks() -> dict[str, int]:
    """Return how many modules four processes enter, and how often one of them redacts."""
    with tempfile.TemporaryDirectory(prefix="hardwon-figures-") as folder:
        world = World(Path(folder))
        world.run("hardwon", "import")
        world.run("hardwon", "embed")
        start = world.walk("hardwon-hook", "--project-root", ".")
        recall = world.walk("hardwon", "recall", QUESTION)
        writer = world.walk(
            "hardwon-writer", "--action", "upsert", "--entry-json", json.dumps(LESSON)
        )
        capture = world.walk(
            "hardwon", "capture", "--no-embed", "--from", "-", stdin=json.dumps(EXCHANGE)
        )
    return {
        "modules of a session start": len(start.modules),
        "modules of a writer call": len(writer.modules),
        "modules of a recall": len(recall.modules),
        "modules of a captured section": sum(name.startswith(TEXT) for name in capture.modules),
        "redactions of a writer call": writer.redactions,
    }


class World:
    """A home of its own, with the sample project."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._project = folder / "project"
        make_sample(self._project)

    def run(self, program: str, *arguments: str) -> None:
        """Run an installed program in the project."""
        self._run([*UNHURRIED, str(PROGRAMS / program), *arguments])

    def walk(self, program: str, *arguments: str, stdin: str = "") -> Walk:
        """Run an installed program in the project, and return where it went."""
        out = self._folder / "entered.txt"
        recorded = [*UNHURRIED, str(ROOT / "tools/entered.py"), str(out), str(PROGRAMS / program)]
        self._run([*recorded, *arguments], stdin)
        redactions, *entered = out.read_text(encoding="utf-8").splitlines()
        return Walk(int(redactions), tuple(entered))

    def _run(self, command: list[str], stdin: str = "") -> None:
        environment = {
            "HOME": str(self._folder),
            "PATH": os.environ["PATH"],
            "HARDWON_KEYWORD_PROVIDER": "off",
        }
        subprocess.run(
            command,
            cwd=self._project,
            env=environment,
            input=stdin,
            text=True,
            check=True,
            capture_output=True,
        )


if __name__ == "__main__":
    main()
