"""`hardwon moment`: what would be words at a failure, an opened file or an edit."""

import json

import pytest

from tests.entrypoints.hook.test_moment import ERROR, HERD, LESSON, filled, world
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


def test_the_lesson_of_a_file_is_printed(world: World) -> None:
    path = str(world.project / "src" / "herd" / "zebra_quux.py")
    document = hardwon(world, "moment", "--file", path, "--json").document

    assert HERD in document["text"]
    assert [item["kept_out"] for item in document["items"]] == [""]
    assert world.query("SELECT count(*) FROM receipt") == [(0,)]


def test_the_lesson_of_a_task_is_printed_and_nothing_is_recorded(world: World) -> None:
    task = f"Find out why CI says `{ERROR}` when it runs pytest"
    document = hardwon(world, "moment", "--task", task, "--json").document
    explained = hardwon(world, "moment", "--task", task, "--explain").stdout

    assert LESSON in document["text"]
    assert LESSON in explained
    assert "1. probability" in explained
    assert world.query("SELECT count(*) FROM receipt") == [(0,)]


def test_a_reference_is_found_by_the_name_of_its_file(world: World) -> None:
    found = hardwon(world, "recall", "zebra_quux", "--json").items

    assert [item["title"] for item in found] == ["Herd"]
    assert "cited" not in json.dumps(found)


def test_an_output_in_another_encoding_is_read(world: World) -> None:
    output = f"Pr\xfcfung\n{ERROR}\n".encode("latin-1") + bytes(range(128, 256))
    done = run(world, "hardwon", "moment", "--failed", "pytest", "--text", "-", stdin=output)

    assert (done.code, done.stderr) == (0, "")
    assert LESSON in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--failed", "pytest"), "the output shows no failure"),
        (("--failed", "grep x y", "--text", ERROR), "the output shows no failure"),
        (("--failed", "make", "--text", "error: quite another thing"), "no lesson"),
        (("--file", "src/herd/quux.py"), "no lesson"),
        (("--edited", "a.py", "--text", "x = 1"), "no lesson"),
    ],
)
def test_silence_is_said(world: World, arguments: tuple[str, ...], words: str) -> None:
    done = hardwon(world, "moment", *arguments)

    assert (done.code, done.stdout.count("\n")) == (0, 1)
    assert words in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--failed", "a", "--edited", "b"),
        ("--file", "a", "--edited", "b"),
        ("--file", "a", "--task", "b"),
        ("--file", " "),
    ],
)
def test_one_thing_happened(world: World, arguments: tuple[str, ...]) -> None:
    done = hardwon(world, "moment", *arguments)

    assert (done.code, done.stderr.count("\n")) == (1, 1)
    assert "--failed COMMAND, --edited PATH, --file PATH or --task TEXT" in done.stderr


HANDSHAKE = "E: turbine handshake refused by peer {peer} (code {code})"


@pytest.mark.parametrize(("signed", "is_shown"), [(True, True), (False, False)])
def test_a_lesson_is_printed_at_failures_with_its_signature(
    world: World, *, signed: bool, is_shown: bool
) -> None:
    lesson = "Delete the daemon's lock folder, then restart it"
    signature = HANDSHAKE.format(peer="10.1.2.3", code=7718)
    hardwon(world, "add", lesson, *(["--signature", signature] if signed else []))
    output = f"starting\n{HANDSHAKE.format(peer='10.9.9.9', code=12)}"
    document = hardwon(world, "moment", "--failed", "make up", "--text", output, "--json").document

    assert (lesson in document["text"]) is is_shown


@pytest.mark.parametrize("label", ["app-1  | ", "web:build: ", "[pod/herd-7d9f/app] ", "[1] "])
def test_an_error_behind_the_label_of_a_runner_has_the_same_lesson(
    world: World, label: str
) -> None:
    output = f"starting\nTraceback (most recent call last):\n  ...\n{ERROR}\n"
    labelled = "".join(f"{label}{line}\n" for line in output.splitlines())
    bare, behind = (
        hardwon(world, "moment", "--failed", "make up", "--text", text, "--json").document
        for text in (output, labelled)
    )

    assert LESSON in bare["text"]
    assert behind["text"] == bare["text"]
