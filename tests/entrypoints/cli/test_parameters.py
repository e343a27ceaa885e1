"""A command is called without typer only as typer would call it."""

import inspect
from functools import wraps
from importlib import import_module
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.entrypoints.cli import recall
from hardwon.entrypoints.cli.parameters import plain_call
from hardwon.entrypoints.cli.program import run
from hardwon.entrypoints.cli.stats import stats
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon

PLAIN = """
    word é - -- = 3 0 documents --limit --limit=3 --in --in=all --type=decision --type --json --explain --scope global
    --scope=here --tag= --tag --policy=cosine --permanent --typed --project-root . --global-store=x
""".split()
OTHERS = """
    -5 --limit=0 --limit=-1 --limit=\uff13 --limit=3.0 --limit=99999999999 --in=none --no-explain --json=1 --min-score=0.5 --js
    -h --help --nosuch -j
""".split()


@wraps(recall.recall)
def noted(**values: Any) -> Any:
    """Return the arguments of a call, with defaults."""
    bound = inspect.signature(recall.recall).bind(**values)
    bound.apply_defaults()
    return {name: None if value == [] else value for name, value in bound.arguments.items()}


@given(arguments=st.lists(st.sampled_from(["", *PLAIN]) | st.sampled_from(OTHERS), max_size=8))
def test_a_plain_call_is_that_of_typer(arguments: list[str]) -> None:
    plain = plain_call(noted, arguments)
    typers = list[object]()

    if plain:
        module = import_module(recall.__name__)  # other tests may import it again
        with mock.patch.object(
            module, "recall", wraps(noted)(lambda **values: typers.append(noted(**values)))
        ):
            run(["recall", *arguments])
        assert typers == [plain()]


@pytest.mark.parametrize(
    "arguments",
    [
        "one two",
        "--json one",
        "--limit 3 one",
        "--in=documents -- --one",
        "--type a --type b one",
        "-",
    ],
)
def test_frequent_calls_are_plain(arguments: str) -> None:
    assert plain_call(recall.recall, arguments.split())


@pytest.mark.parametrize("argument", OTHERS)
def test_mistakes_and_help_are_left_to_typer(argument: str) -> None:
    assert plain_call(recall.recall, ["one", argument]) is None


def test_a_command_that_typer_declares_is_left_to_it() -> None:
    assert plain_call(stats, []) is None


@pytest.mark.parametrize("arguments", [["--project-root", "/nowhere"], ["--type", "nothing"]])
def test_a_refusal_reads_as_typers(world: World, arguments: list[str]) -> None:
    plain = hardwon(world, "recall", "unit", *arguments)
    typers = hardwon(world, "recall", "unit", *arguments, "--min-score=0.1")

    assert plain == typers
    assert plain.stderr.startswith("hardwon: Invalid value for '--")
    assert plain.stderr.endswith("; see hardwon recall --help\n")


def test_without_a_question_the_help_is_printed(world: World) -> None:
    assert hardwon(world, "recall", " ") == hardwon(world, "recall", "--help")
    assert hardwon(world, "--", "recall", " ") == hardwon(world, "recall", "--help")
