"""
Figures of the signatures, classes and calls of the product.

- NamedTuples of more than six fields: their positions are no longer known by heart.
- functions of eight and more parameters: without `self`, and without the commands and tools, whose
  parameters are the options of their users.
- calls of more than three positional arguments: those of functions and classes of the product that
  have as many parameters. A few that are called per candidate stay, as keywords cost time.
- names of classes in several modules: private ones left out.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeAlias

MAX_FIELDS = 6
MAX_PARAMETERS = 7
MAX_POSITIONS = 3

OPTIONS = ("entrypoints/cli/", "entrypoints/mcp/")
"""Where a function's parameters are what users type."""

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def wide_tuples(trees: Iterable[ast.Module]) -> int:
    """Return how many NamedTuples have too many fields."""
    return sum(_is_named_tuple(cls) and len(_fields(cls)) > MAX_FIELDS for cls in _classes(trees))


def wide_functions(trees: Iterable[ast.Module]) -> int:
    """Return how many functions have too many parameters."""
    return sum(len(_parameters(function)) > MAX_PARAMETERS for function in _functions(trees))


def positional_calls(trees: list[ast.Module]) -> int:
    """Return how many calls of the product's own names have too many positional arguments."""
    room = _positions(trees)
    calls = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
    return sum(MAX_POSITIONS < len(call.args) <= room.get(_callee(call), 0) for call in calls)


def shared_names(trees: Iterable[ast.Module]) -> int:
    """Return how many public names of classes are defined more than once."""
    names = Counter(cls.name for cls in _classes(trees))
    return sum(times > 1 and not name.startswith("_") for name, times in names.items())


def _classes(trees: Iterable[ast.Module]) -> Iterator[ast.ClassDef]:
    for tree in trees:
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _functions(trees: Iterable[ast.Module]) -> Iterator[Function]:
    for tree in trees:
        yield from (node for node in ast.walk(tree) if isinstance(node, Function))


def _is_named_tuple(cls: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith("NamedTuple") for base in cls.bases)


def _fields(cls: ast.ClassDef) -> list[ast.AnnAssign]:
    return [node for node in cls.body if isinstance(node, ast.AnnAssign)]


def _parameters(function: Function) -> list[ast.arg]:
    of = function.args
    return [
        argument
        for argument in (*of.posonlyargs, *of.args, *of.kwonlyargs)
        if argument.arg not in {"self", "cls"}
    ]


def _positions(trees: list[ast.Module]) -> dict[str, int]:
    """Return how many positional arguments each function and class takes, by name."""
    room = dict[str, int]()
    for cls in _classes(trees):
        made = [node for node in cls.body if isinstance(node, Function) and node.name == "__init__"]
        places = len(_positional(made[0])) if made else len(_fields(cls))
        room[cls.name] = max(room.get(cls.name, 0), places)
    for function in _functions(trees):
        room[function.name] = max(room.get(function.name, 0), len(_positional(function)))
    return room


def _positional(function: Function) -> list[ast.arg]:
    named = {argument.arg for argument in function.args.kwonlyargs}
    return [argument for argument in _parameters(function) if argument.arg not in named]


def _callee(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]
