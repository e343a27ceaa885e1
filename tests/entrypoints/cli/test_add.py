"""`hardwon add`: a lesson from the command line, from a pipe or from an editor."""

import os
import pty
import select
import subprocess
import unicodedata
from pathlib import Path

import pytest

from hardwon.domain.model.identity import content_hash
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.programs import LONGEST_RUN, hardwon, run
from tests.fakes.doors import Ran

LESSON = "Decode chunks incrementally: a character can straddle two reads."


@pytest.fixture
def world(world_by_word: World) -> World:
    return world_by_word


def stored(world: World) -> dict[str, object]:
    """Return the only entry there is, with all its fields."""
    [item] = hardwon(world, "list", "--json").items
    document: dict[str, object] = hardwon(world, "show", str(item["id"]), "--json").document
    return document


def count(world: World) -> int:
    return int(world.query("SELECT count(*) FROM entry")[0][0]) if world.database.exists() else 0


def editor(world: World, script: str) -> Path:
    """Let the world's editor be a shell script that gets the file as its first argument."""
    path = world.folder / "an editor.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    world.variables |= {"EDITOR": f"'{path}' --wait"}
    world.variables["TMPDIR"] = str(world.folder)
    return path


def add_at_a_terminal(world: World, *arguments: str) -> Ran:
    """Run `hardwon add` at a terminal; all that it shows is in its standard output."""
    ours, theirs = pty.openpty()
    command = [str(BIN / "hardwon"), "add", *arguments]
    process = subprocess.Popen(
        command, cwd=world.project, env=world.variables, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    try:
        while select.select([ours], [], [], LONGEST_RUN)[0] and (chunk := os.read(ours, 4_096)):
            shown += chunk
    except OSError:  # Linux says so at the end
        pass
    os.close(ours)
    return Ran(process.wait(LONGEST_RUN), shown.decode().replace("\r\n", "\n"), "")


def test_a_text_becomes_a_learning_of_the_project(world: World) -> None:
    done = hardwon(world, "add", *LESSON.split())

    entry = stored(world)
    assert done == (0, f"Stored: Decode chunks incrementally (id: {entry['id']})\n", "")
    assert (entry["description"], entry["category"], entry["confidence"]) == (
        LESSON,
        "heuristics",
        "medium",
    )
    assert (entry["kind"], entry["source"], entry["source_project"]) == (
        "learning",
        "manual",
        "project",
    )
    assert hardwon(world, "recall", "straddle", "--json").items[0]["id"] == entry["id"]


def test_options_say_everything_else(world: World) -> None:
    done = hardwon(
        world,
        *(
            "add",
            LESSON,
            "--category",
            "patterns",
            "--name",
            "Chunks",
            "--keyword",
            "utf-8, stream",
            "--keyword",
            "io",
        ),
        *(
            "--reasoning",
            "It broke.",
            "--reference",
            "feature 7",
            "--reference",
            "feature 8",
            "--confidence",
            "high",
        ),
        *("--universal", "--json"),
    )

    entry = done.document
    assert (done.code, done.stderr, entry["merged"]) == (0, "", False)
    assert (entry["name"], entry["category"], entry["confidence"]) == ("Chunks", "patterns", "high")
    assert (entry["keywords"], entry["references"]) == (
        ["utf-8", "stream", "io"],
        ["feature 7", "feature 8"],
    )
    assert (entry["reasoning"], entry["source_project"]) == ("It broke.", None)


def test_a_lesson_that_is_known_is_counted_once_more_as_by_the_writer(world: World) -> None:
    hardwon(world, "add", LESSON)

    second = hardwon(world, "add", LESSON.upper(), "--json").document

    assert (second["merged"], second["observation_count"], count(world)) == (True, 2, 1)


def test_a_lesson_in_two_spellings_is_one_that_each_of_them_finds(world: World) -> None:
    composed = "Der K\u00f6nig pr\u00fcft jede \u00dcbergabe zweimal"
    for text in (
        composed,
        unicodedata.normalize("NFD", composed),
        unicodedata.normalize("NFD", composed.upper()),
    ):
        assert hardwon(world, "add", text, "--category", "patterns").code == 0

    entry = stored(world)
    assert (entry["observation_count"], entry["id"]) == (3, content_hash(composed))
    for question in ("\u00dcbergabe K\u00f6nig", "U\u0308bergabe Ko\u0308nig"):
        assert "zweimal" in hardwon(world, "recall", question).stdout


def test_secrets_are_taken_out(world: World) -> None:
    key = "sk-ant-" + "a1B2" * 10
    private = "<private>one two three four five six seven eight nine</private>"
    hardwon(world, "add", f"{private} The key {key} must not be logged.", "--reasoning", key)

    entry = stored(world)
    assert key not in str(entry)
    assert "two" not in str(entry)


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_a_pipe_may_hold_the_text(world: World, arguments: tuple[str, ...]) -> None:
    done = run(world, "hardwon", "add", *arguments, stdin=f"{LESSON}\n".encode())

    assert (done.code, done.stderr) == (0, "")
    assert stored(world)["description"] == LESSON


BAD = {
    "nothing": ((), b"", "there is nothing to add: give a TEXT, pipe one, or"),
    "blank": ((" ",), b"", "description is blank"),
    "blank input": (("-",), b" \n", "there is nothing to add"),
    "no text": (("-",), b"\xff\xfe", "the text is not UTF-8"),
    "no text in an argument": ((os.fsdecode(b"gr\xf6\xdfe"),), b"", "the text is not UTF-8"),
    "no text in an option": (("x", "--name", os.fsdecode(b"gr\xf6\xdfe")), b"", "not UTF-8"),
    "private": (("<private>x</private>",), b"", "description is blank"),
    "category": (("x", "--category", "tips"), b"", "'tips' is not one of 'anti-patterns'"),
    "confidence": (("x", "--confidence", "sure"), b"", "'sure' is not one of"),
    "project": (("x", "--project-root", "/no/where"), b"", "'/no/where' is not a folder"),
}


@pytest.mark.parametrize(("arguments", "stdin", "message"), BAD.values(), ids=BAD)
def test_a_mistake_is_one_line_and_stores_nothing(
    world: World, arguments: tuple[str, ...], stdin: bytes, message: str
) -> None:
    done = run(world, "hardwon", "add", *arguments, stdin=stdin)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert message in done.stderr
    assert not world.store.exists()


def test_nothing_is_stored_where_memory_is_switched_off(world: World) -> None:
    world.configure(semantic_enabled="false")

    done = hardwon(world, "add", LESSON)

    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith(
        "hardwon: memory_semantic_enabled is not true, so nothing is stored"
    )
    assert not world.store.exists()


def test_keywords_past_ten_are_named(world: World) -> None:
    words = [f"k{number}" for number in range(12)]

    fits = hardwon(world, "add", "One.", "--keyword", ",".join(words[:10]))
    left_out = hardwon(world, "add", "Two.", "--keyword", ",".join(words))

    assert (fits.code, fits.stderr) == (0, "")
    message = "Warning: a learning keeps its first 10 keywords, these were left out: k10, k11\n"
    assert (left_out.code, left_out.stderr) == (0, message)


def test_without_a_text_the_editor_gets_a_template_and_what_is_saved_is_kept(world: World) -> None:
    script = """[ "$1" = --wait ] || exit 9
cp "$2" seen
sed -e 's/^name:.*/name: Chunks/' -e 's/^keywords:.*/keywords: utf-8, stream/' "$2" >new
cat new - >"$2" <<'END'
Decode in steps.
# A comment of the lesson
END"""
    editor(world, script)

    done = add_at_a_terminal(world, "--category", "patterns", "--reference", "feature 7")

    entry = stored(world)
    assert done == (0, f"Stored: Chunks (id: {entry['id']})\n", "")
    assert (entry["description"], entry["category"]) == (
        "Decode in steps.\n# A comment of the lesson",
        "patterns",
    )
    assert (entry["keywords"], entry["references"]) == (["utf-8", "stream"], ["feature 7"])
    assert "category: patterns\n" in (world.project / "seen").read_text()
    assert list(world.folder.glob("hardwon-*.md")) == []


def test_a_reference_may_hold_a_comma_in_the_editor_as_on_the_command_line(world: World) -> None:
    editor(world, 'echo "Decode in steps." >>"$2"')

    add_at_a_terminal(world, "--reference", "docs/a,b.md")
    assert stored(world)["references"] == ["docs/a,b.md"]


def test_visual_is_asked_before_editor(world: World) -> None:
    path = editor(world, 'echo "By the editor." >"$1"')
    world.variables |= {"VISUAL": f"'{path}'", "EDITOR": "false"}

    assert add_at_a_terminal(world).code == 0
    assert stored(world)["description"] == "By the editor."


REFUSED = {
    "untouched": ("true", "hardwon: nothing was added: the lesson is empty\n"),
    "emptied": (': >"$2"', "hardwon: nothing was added: the lesson is empty\n"),
    "failed": ("exit 3", "ended with exit code 3\n"),
}


@pytest.mark.parametrize(("script", "message"), REFUSED.values(), ids=REFUSED)
def test_an_empty_lesson_or_a_failing_editor_adds_nothing(
    world: World, script: str, message: str
) -> None:
    editor(world, script)

    done = add_at_a_terminal(world)

    assert (done.code, done.stdout.count("\n")) == (1, 1)
    assert done.stdout.endswith(message)
    assert list(world.folder.glob("hardwon-*.md")) == []
    assert not world.store.exists()


def test_an_editor_that_is_missing_is_one_line(world: World) -> None:
    world.variables["EDITOR"] = "/no/such/editor"

    done = add_at_a_terminal(world)

    message = "hardwon: the editor '/no/such/editor' can't be started (No such file or directory): set EDITOR,"
    assert (done.code, done.stdout.startswith(message), done.stdout.count("\n")) == (1, True, 1)


WRONG_FIELDS = {
    "category": ("category: tips", "'tips'"),
    "unknown": ("colour: red", "unknown field 'colour': use name, category"),
    "not text": ("name: true", "name is True: it must be text"),
    "unreadable": ("name", "line 2 of the front matter is left out"),
}


@pytest.mark.parametrize(("line", "message"), WRONG_FIELDS.values(), ids=WRONG_FIELDS)
def test_the_edited_text_is_kept_when_a_field_is_wrong(
    world: World, line: str, message: str
) -> None:
    editor(world, f"printf -- '---\\n{line}\\n---\\nA long lesson.\\n' >\"$2\"")

    done = add_at_a_terminal(world)

    [kept] = world.folder.glob("hardwon-*.md")
    assert (done.code, done.stdout.count("\n")) == (1, 2)
    assert f"What you wrote is kept in {kept}\n" in done.stdout
    assert message in done.stdout
    assert "A long lesson." in kept.read_text()
    assert not world.store.exists()
