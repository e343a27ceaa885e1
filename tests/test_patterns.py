"""Regular expressions of the product, by their syntax trees: Python 3.11.0 to 3.11.4 matches some constructs wrongly (gh-101955)."""

import ast
import importlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from hardwon.domain.model.secrets.find import RULES

parser = importlib.import_module("re._parser")
constants = importlib.import_module("re._constants")

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("domain", "ports", "adapters", "entrypoints")
FOLDERS = (*PRODUCT, "examples", "plugin", "bench", "tools", "tests")
NO_MODULES = ("__init__", "__main__")
FUNCTIONS = {
    "compile",
    "match",
    "search",
    "fullmatch",
    "sub",
    "subn",
    "split",
    "findall",
    "finditer",
}
WRONG = {constants.POSSESSIVE_REPEAT, constants.ATOMIC_GROUP}
"""Operations that those versions match wrongly around groups."""


def operations(tree: object) -> Iterator[object]:
    """Yield the operations of a parsed pattern, with all that is nested in it."""
    if isinstance(tree, parser.SubPattern | list | tuple):
        for part in tree:
            yield from operations(part)
    else:
        yield tree


def is_wrong(pattern: str, flags: int = 0) -> bool:
    return any(
        operation is wrong
        for operation in operations(parser.parse(pattern, flags))
        for wrong in WRONG
    )


def patterns_in(value: object, depth: int = 3) -> Iterator[re.Pattern[str]]:
    """Yield the compiled patterns of a module's *value*, also inside collections and classes."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        yield from patterns_in((*value.keys(), *value.values()), depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from patterns_in(part, depth - 1)
    elif depth and isinstance(value, type):
        yield from patterns_in(tuple(vars(value).values()), depth - 1)


def compiled() -> dict[str, re.Pattern[str]]:
    """Return each pattern that importing the product compiles, by its module and name."""
    files = sorted(
        path.relative_to(ROOT) for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")
    )
    return {
        f"{path}.{key} {number}": pattern
        for path in files
        for key, value in constants_of(ROOT / path).items()
        for number, pattern in enumerate(patterns_in(value))
    }


def constants_of(path: Path) -> dict[str, object]:
    """Return what the names in a module of the product are, none for one that runs when it is imported."""
    names = ("hardwon", *path.relative_to(ROOT).with_suffix("").parts)
    return {} if path.stem in NO_MODULES else vars(importlib.import_module(".".join(names)))


def literals(path: Path, known: Mapping[str, object] = MappingProxyType({})) -> Iterator[str]:
    """Yield the patterns written where a function of `re` is called; a part that is not *known* is an `x`."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            of = node.func.value
            if isinstance(of, ast.Name) and of.id == "re" and node.func.attr in FUNCTIONS:
                yield from written(node.args[0], known)


def written(node: ast.expr, known: Mapping[str, object]) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Name(id=name) if isinstance(known.get(name), str):
            yield str(known[name])
        case ast.JoinedStr(values=parts):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else in_place_of(part, known)
                for part in parts
            )


def in_place_of(part: ast.expr, known: Mapping[str, object]) -> str:
    name = part.value if isinstance(part, ast.FormattedValue) else None
    return str(known.get(name.id, "x")) if isinstance(name, ast.Name) else "x"


@pytest.mark.parametrize(
    "wrong",
    ["a++", "(?:ab)*+", "(ab)?+", "[a-z]{2,3}+", "x(?>ab)", "(?=a(?:b|c*+))", "(a)(?(1)b++|c)"],
)
def test_the_walk_finds_possessive_quantifiers_and_atomic_groups(wrong: str) -> None:
    assert is_wrong(wrong)


@pytest.mark.parametrize("right", ["a+", r"\++", "[*+]+", "a{2}", "(?:ab)*", r"C\+\+", "(?=a)b"])
def test_the_walk_finds_nothing_in_other_patterns(right: str) -> None:
    assert not is_wrong(right)


def test_no_compiled_pattern_has_what_early_3_11_matches_wrongly() -> None:
    found = compiled()

    assert len(found) > 100
    assert [
        name
        for name, pattern in found.items()
        if is_wrong(pattern.pattern, pattern.flags & ~re.DEBUG)
    ] == []


def test_no_rule_of_redaction_has_what_early_3_11_matches_wrongly() -> None:
    parts = {
        part for rule in RULES for part in (rule.pattern, rule.unless, rule.behind, *rule.head)
    }

    assert [part for part in parts if is_wrong(part, re.ASCII)] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_pattern_written_in_a_call_has_what_early_3_11_matches_wrongly(folder: str) -> None:
    places = [
        (path.name, text)
        for path in (ROOT / folder).rglob("*.py")
        for text in literals(path, constants_of(path) if folder in PRODUCT else {})
    ]

    assert [place for place in places if is_wrong(place[1])] == []
