"""The figures of the structure, and the bounds that only fall."""

import ast
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools import figures
from tools.figures import Bound, Module

counts = st.integers(0, 1_000)


def above(now: Mapping[str, int]) -> list[str]:
    """Return a line for each figure that is above its bound."""
    bounds = figures.bounds()
    return [
        f"{name}: {figure}, at most {most} (tests/figures.toml)"
        for name, figure in now.items()
        if (most := bounds[name].most) is not None and figure > most
    ]


def test_no_figure_of_the_text_is_above_its_bound() -> None:
    assert above(figures.structure(figures.modules())) == []


def test_no_figure_of_a_walk_is_above_its_bound() -> None:
    assert above(figures.walks()) == []


@given(most=counts, now=counts, allowance=counts)
def test_a_bound_falls_to_its_figure_and_never_rises(most: int, now: int, allowance: int) -> None:
    bound = figures.lowered(Bound(most, allowance=allowance), now)

    assert bound == Bound(min(most, now + allowance), allowance=allowance)


@pytest.mark.parametrize(
    ("now", "expected"), [(4, "below: make figures LOWER=1"), (5, ""), (6, "above")]
)
def test_the_table_says_how_a_figure_stands_to_its_bound(now: int, expected: str) -> None:
    assert figures.remark(now, Bound(5)) == expected
    assert figures.remark(now, Bound(None)) == ""


def test_functions_that_take_a_memory_are_counted_however_it_is_written() -> None:
    text = "def a(memory: Memory): ...\nasync def b(*, m: 'Memory | None'): ...\ndef c(x: MemoryServer) -> Memory: ...\n"

    assert figures.memory_functions(module("entrypoints/a.py", text)) == 2


def test_lines_of_postgresql_are_compared_with_the_module_of_the_same_name() -> None:
    twins = [
        module("adapters/postgres/a.py", "x\n\ny\nz\n"),
        module("adapters/sqlite/a.py", "x\nq\nz\n"),
    ]
    others = [module("adapters/postgres/b.py", "x\n"), module("adapters/sqlite/c.py", "x\n")]

    assert figures.shared_lines([*twins, *others]) == 2


def module(path: str, text: str) -> Module:
    return Module(path, text, ast.parse(text), frozenset())
