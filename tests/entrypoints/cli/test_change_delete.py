"""`hardwon delete`."""

import itertools
import os
import re

import pytest

from hardwon.domain.model.identity import content_hash
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import answer, hardwon, keep, run


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world without vectors."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def count(world: World) -> int:
    return int(world.query("SELECT count(*) FROM entry")[0][0])


def test_a_deleted_entry_is_shown_no_more(world: World) -> None:
    entry = keep(world, description="Gone.")
    keep(world, description="Kept.")

    done = hardwon(world, "delete", entry.entry_id, "--yes")

    kept = f"Kept in history and checkpoints until: hardwon forget {entry.entry_id}\n"
    assert done == (0, f"Deleted: {entry.name} (id: {entry.entry_id})\n{kept}", "")
    shown = hardwon(world, "show", entry.entry_id)
    assert (shown.code, entry.entry_id in shown.stderr) == (1, True)
    assert count(world) == 1


@pytest.mark.parametrize("stdin", [b"", b"y\n"])
def test_without_a_terminal_or_a_yes_nothing_is_deleted_and_a_line_says_why(
    world: World, stdin: bytes
) -> None:
    entry = keep(world)

    done = run(world, "hardwon", "delete", entry.entry_id, stdin=stdin)

    shown = f"  {entry.category}  {entry.name} (id: {entry.entry_id})\n"
    message = "hardwon: nobody can be asked here whether to delete 1 entry: give --yes\n"
    assert done == (1, "", shown + message)
    assert count(world) == 1


@pytest.mark.parametrize("yes", ["--yes", "-y"])
def test_a_yes_is_enough_in_a_pipe(world: World, yes: str) -> None:
    entry = keep(world)

    assert hardwon(world, "delete", yes, entry.entry_id).code == 0
    assert count(world) == 0


@pytest.mark.parametrize(
    ("typed", "code", "message", "left"),
    [
        (b"y\n", 0, "Deleted: Gone\\x1b (id: ", 1),
        (b"n\n", 0, "Nothing was changed", 3),
        (b"\n", 0, "Nothing was changed", 3),
        (b"\x04", 1, "hardwon: interrupted", 3),
    ],
    ids=["yes", "no", "default", "end of input"],
)
def test_a_terminal_shows_what_goes_before_it_asks(
    world: World, typed: bytes, code: int, message: str, left: int
) -> None:
    gone = [
        keep(world, name="Gone\x1b", description="1."),
        keep(world, name="Too", description="2."),
    ]
    keep(world, name="Kept", description="3.")

    talk = answer(world, typed, "delete", *(entry.entry_id for entry in gone))

    before, _, after = talk.shown.partition("Delete 2 entries? [y/N]")
    assert before.splitlines() == [
        f"  heuristics  Gone\\x1b (id: {gone[0].entry_id})",
        f"  heuristics  Too (id: {gone[1].entry_id})",
    ]
    assert (talk.code, message in after, count(world)) == (code, True, left)


def test_of_many_entries_the_first_twenty_are_shown(world: World) -> None:
    gone = [keep(world, description=f"Lesson {number}.").entry_id for number in range(22)]

    talk = answer(world, b"n\n", "delete", *gone)

    assert talk.shown.count("(id: ") == 20
    assert "  and 2 more\r\nDelete 22 entries? [y/N]" in talk.shown


def test_the_sections_of_a_document_are_shown_with_it(world: World) -> None:
    memory = world.project / "specs" / "005-auth" / "memory"
    memory.mkdir(parents=True)
    (memory / "a.md").write_text("# All\n\n<!-- ANCHOR:x -->\nX.\n<!-- /ANCHOR:x -->")
    hardwon(world, "index")

    [whole] = [
        item["id"] for item in hardwon(world, "list", "--json").items if not item["anchor_id"]
    ]

    for what in ((whole,), ("--spec-folder", "005-auth")):
        assert "Delete 2 entries? [y/N]" in answer(world, b"n\n", "delete", *what).shown
    assert count(world) == 2


def test_an_entry_is_named_by_the_beginning_of_its_id_or_its_number(world: World) -> None:
    one, two, three = (keep(world, description=text) for text in ("One.", "Two.", "Three."))

    done = hardwon(world, "delete", one.entry_id[:6].upper(), "#2", "2", "3", "--yes", "--json")

    assert (done.code, done.stderr) == (0, "")
    assert [item["id"] for item in done.document["deleted"]] == [
        one.entry_id,
        two.entry_id,
        three.entry_id,
    ]
    assert count(world) == 0


def test_digits_that_name_two_entries_delete_neither(world: World) -> None:
    texts = (f"Lesson {number}." for number in itertools.count())
    begun = keep(
        world,
        description=next(text for text in texts if re.match("[1-9][0-9]{3}", content_hash(text))),
    )
    digits = begun.entry_id[:4]
    world.query("UPDATE sqlite_sequence SET seq = ? WHERE name = 'entry'", [int(digits) - 1])
    numbered = keep(world, description="One.")

    done = hardwon(world, "delete", digits, "--yes")

    assert (done.code, done.stdout) == (1, "")
    assert (
        f"{digits!r} begins an id and is a number: give '#{digits}' for the number, or the whole id"
        in done.stderr
    )
    assert count(world) == 2
    assert hardwon(world, "delete", f"#{digits}", "--yes").stdout.endswith(
        f"forget {numbered.entry_id}\n"
    )
    assert hardwon(world, "delete", digits, "--yes").stdout.endswith(f"forget {begun.entry_id}\n")


def test_the_file_of_an_entry_stays_and_only_an_index_by_force_brings_it_back(world: World) -> None:
    saved = hardwon(world, "save", "--description", "Told.", "--json").document

    done = hardwon(world, "delete", saved["id"], "--yes")

    assert saved["file_path"] in done.stdout
    assert "by hardwon index --force" in done.stdout
    assert (count(world), len(list((world.project / "memory" / "sessions").iterdir()))) == (0, 1)
    assert "0 new" in hardwon(world, "index").stdout
    assert "1 deleted before (--force brings back)" in hardwon(world, "index").stdout
    assert "1 new" in hardwon(world, "index", "--force").stdout
    assert hardwon(world, "show", saved["id"]).code == 0


def test_a_spec_folder_is_forgotten_as_a_whole_once_it_is_confirmed(world: World) -> None:
    memory = world.project / "specs" / "005-auth" / "memory"
    memory.mkdir(parents=True)
    (memory / "a.md").write_text("<!-- ANCHOR:x -->\nX.\n<!-- /ANCHOR:x -->")
    (memory / "b.md").write_text("B.")
    hardwon(world, "index")

    unconfirmed = hardwon(world, "delete", "--spec-folder", "005-auth")
    assert (
        unconfirmed.code,
        "nobody can be asked here whether to delete 3 entries" in unconfirmed.stderr,
        count(world),
    ) == (1, True, 3)
    deleted = hardwon(world, "delete", "--spec-folder", "005-auth", "--yes", "--json").document[
        "deleted"
    ]
    assert (len(deleted), count(world)) == (3, 0)
    second = hardwon(world, "delete", "--spec-folder", "005-auth", "-y")
    assert (second.code, "no document belongs to '005-auth'" in second.stderr) == (1, True)


@pytest.mark.parametrize("arguments", [(), ("0123456789abcdef", "--spec-folder", "x")])
def test_entries_or_a_folder_are_named_and_not_both(
    world: World, arguments: tuple[str, ...]
) -> None:
    done = hardwon(world, "delete", *arguments, "--yes")

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "name entries, or a folder with --spec-folder" in done.stderr


@pytest.mark.parametrize(
    "unknown", ["0123456789abcdef", "#9", "9", "#", "#x", "#99999999999999999999", "ab", "", "%%%%"]
)
def test_one_id_that_is_unknown_keeps_all(world: World, unknown: str) -> None:
    entry = keep(world, description="Kept.")

    done = hardwon(world, "delete", entry.entry_id, unknown, "--yes")

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert repr(unknown) in done.stderr
    assert count(world) == 1


def test_where_there_is_no_store_none_is_made(world: World) -> None:
    assert hardwon(world, "delete", "0123456789abcdef").code == 1
    assert not world.store.exists()


def test_an_id_of_bytes_that_are_no_text_is_unknown(world: World) -> None:
    keep(world, description="Kept.")

    done = hardwon(world, "delete", os.fsdecode(b"\xff\xff\xff\xff"), "--yes")

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "no entry has the id" in done.stderr
