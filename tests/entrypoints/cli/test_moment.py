"""`hardwon moment`: what would be words when a command fails or a file is edited."""

import pytest

from tests.entrypoints.hook.test_moment import ERROR, LESSON, filled, world
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, run

__all__ = ["filled", "world"]


def test_the_lesson_is_printed_and_nothing_is_recorded(world: World) -> None:
    done = run(
        world, "hardwon", "moment", "--failed", "pytest", "--text", "-", stdin=ERROR.encode()
    )

    assert done.code == 0
    assert LESSON in done.stdout
    assert "hardwon-memory" not in done.stdout
    assert world.query("SELECT count(*) FROM receipt") == [(0,)]


def test_each_lesson_is_explained(world: World) -> None:
    done = hardwon(world, "moment", "--failed", "pytest", "--text", ERROR, "--explain")

    assert "1. probability" in done.stdout
    assert "Stale venv" in done.stdout


def test_json_has_the_text_and_the_lessons(world: World) -> None:
    document = hardwon(world, "moment", "--failed", "pytest", "--text", ERROR, "--json").document

    assert (document["is_moment"], document["on"]) == (True, True)
    assert LESSON in document["text"]
    assert document["items"][0]["kept_out"] == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--failed", "pytest"), "the output shows no failure"),
        (("--failed", "grep x y", "--text", ERROR), "the output shows no failure"),
        (("--failed", "make", "--text", "error: quite another thing"), "no lesson"),
        (("--edited", "a.py", "--text", "x = 1"), "no lesson"),
    ],
)
def test_silence_is_said(world: World, arguments: tuple[str, ...], words: str) -> None:
    done = hardwon(world, "moment", *arguments)

    assert (done.code, done.stdout.count("\n")) == (0, 1)
    assert words in done.stdout


@pytest.mark.parametrize("arguments", [(), ("--failed", "a", "--edited", "b")])
def test_one_thing_happened(world: World, arguments: tuple[str, ...]) -> None:
    done = hardwon(world, "moment", *arguments)

    assert (done.code, done.stderr.count("\n")) == (1, 1)
    assert "--failed COMMAND or --edited PATH" in done.stderr
