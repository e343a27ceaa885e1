"""`hardwon recall` answers any input or refuses it in one line."""

import contextlib
import os
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.entrypoints.hook_process import BIN, FAULTS, World
from tests.entrypoints.planted import memory
from tests.entrypoints.programs import hardwon, run
from tests.fakes.doors import Ran

TEXT = "We lock the store before writing."
COLLECTIONS = ["all", "learnings", "sessions", "conversations", "documents"]

QUESTIONS = {
    "only stop words": ["the", "of", "and", "is"],
    "only punctuation": ["?!", "...", "()", "--", "''"],
    "NEAR": ['NEAR("lock" "store", 5)'],
    "an open quote": ['"lock'],
    "an asterisk": ["lock*", "*", "^lock"],
    "a column": ["name:lock", "col:", "{name description}:lock"],
    "operators": ["AND", "OR", "NOT", "lock", "AND"],
    "SQL": ["'; DROP TABLE entry; --"],
    "markup": ["[red]lock[/red]", "[/]", ":smile:"],
    "emoji": ["👩‍👩‍👧", "🔒"],
    "CJK": ["ロックする方法", "锁"],
    "right to left": ["كيف نقفل المخزن", "\u202elock"],
    "control characters": ["lock\x1b[2J\x07\x01", "\r\nstore"],
    "bytes that are no text": [os.fsdecode(b"lock \xff\xfe")],
    "half a surrogate pair": [os.fsdecode(b"\xed\xa0\x80")],
    "a long word": ["x" * 100_000],
    "a megabyte": ["lock store " * 9_000] * 10,
    "many words": [f"word{number}" for number in range(20_000)],
    "combining marks": ["e" + "\u0301\u0323" * 500],
}
MISTAKES = {
    "no number": (("--limit", "x"), "'x' is not a valid"),
    "a fraction": (("--limit", "1.5"), "'1.5' is not a valid"),
    "too many": (("--limit", "9" * 30), "2147483647"),
    "no score": (("--min-score", "much"), "'much' is not a valid"),
    "not a number": (("--min-score", "nan"), "nan is no number to compare scores with"),
    "infinity": (("--min-score=-inf",), "-inf is no number"),
    "unknown collection": (("--in", "notes"), "'notes' is not one of 'all', 'learnings'"),
    "unknown scope": (("--scope", "world"), "'world' is not one of 'project'"),
    "unknown policy": (("--policy", "best"), "'best' is not one of 'adaptive'"),
    "unknown kind": (("--type", "note"), "'note' is not in all: use learning, session"),
    "a kind of another collection": (
        ("--in", "sessions", "--type", "gotcha"),
        "'gotcha' is not in sessions: use sess",
    ),
    "no such project": (("--project-root", "/no/where"), "'/no/where' is not a folder"),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with contextlib.ExitStack() as cleanup:
        world = World(tmp_path_factory.mktemp("bad") / "world", cleanup)
        world.remember(
            memory("session", "Lock", TEXT, None).entry,
            memory("decision", "Store", f"{TEXT} Always.", None).entry,
            memory("document", "ロックする方法", "ロックする方法 🔒 كيف نقفل المخزن", None).entry,
        )
        world.embed()
        yield world


def is_calm(done: Ran) -> bool:
    return done.code == 0 and "Traceback" not in done.stderr and "fts5" not in done.stderr.lower()


@pytest.mark.parametrize("words", QUESTIONS.values(), ids=QUESTIONS)
def test_any_question_gets_an_answer(world: World, words: list[str]) -> None:
    done = hardwon(world, "recall", "--", *words)

    assert is_calm(done), done.stderr
    assert "\x1b" not in done.stdout
    assert done.stdout


@pytest.mark.parametrize(
    ("stdin", "code", "output"),
    [
        (b"", 0, "Usage:"),
        (b" \n", 0, "Usage:"),
        (b'"', 0, "Usage:"),
        (b"$(lock) `x` 'it\x00", 0, "Searching 3 memories...\n1. "),
        (b"\xff\xfe", 1, ""),
    ],
    ids=["empty", "blank", "one quote", "a shell's words", "not text"],
)
def test_any_standard_input_is_a_question_or_is_refused_in_one_line(
    world: World, stdin: bytes, code: int, output: str
) -> None:
    done = run(world, "hardwon", "recall", "-", stdin=stdin)

    assert (done.code, done.stderr.count("\n")) == (code, code)
    assert done.stdout.startswith(output)


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_every_collection_takes_odd_words_and_tags(world: World, collection: str) -> None:
    assert is_calm(
        hardwon(
            world,
            "recall",
            "--in",
            collection,
            'NEAR( "lock* col:store AND',
            "--limit",
            "2147483647",
        )
    )
    odd = hardwon(
        world, "recall", "--in", collection, "lock", "--tag", os.fsdecode(b"\xff'\""), "--json"
    )
    assert (odd.code, odd.items) == (0, [])


@pytest.mark.parametrize(("options", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_line_that_names_it(
    world: World, options: tuple[str, ...], message: str
) -> None:
    done = hardwon(world, "recall", "lock", *options)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert message in done.stderr
    assert done.stderr.endswith("; see hardwon recall --help\n")


@pytest.mark.parametrize(
    "command", [("recall", "lock"), ("context",), ("context", "--in", "conversations")]
)
def test_where_there_is_no_store_nothing_is_found_and_none_is_made(
    world: World, tmp_path: Path, command: tuple[str, ...]
) -> None:
    done = hardwon(world, *command, "--global-store", str(tmp_path / "nowhere" / "store"))

    lines = 2 if command[0] == "recall" else 1
    assert (done.code, done.stderr, done.stdout.count("\n")) == (0, "", lines)
    assert not (tmp_path / "nowhere").exists()


def ran_on_a_read_only_store(world: World, *command: str) -> Ran:
    with contextlib.closing(sqlite3.connect(world.database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    world.database.chmod(0o400)
    world.store.chmod(0o500)
    try:
        program = [str(FAULTS / "without_powers.py"), str(BIN / "hardwon")]
        return run(world, "python", *program, *command)
    finally:
        world.store.chmod(0o700)
        world.database.chmod(0o600)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere root can't give up its powers")
def test_a_store_that_cannot_be_written_is_read(world: World) -> None:
    done = ran_on_a_read_only_store(world, "recall", "lock")

    assert is_calm(done)
    assert "\n1. " in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere root can't give up its powers")
def test_a_store_that_cannot_be_written_is_backed_up_elsewhere(world: World) -> None:
    (count,) = world.query("SELECT count(*) FROM entry")[0]
    done = ran_on_a_read_only_store(world, "backup", str(world.folder / "backup.db"))

    assert (done.code, f"Backed up {count} memories" in done.stdout) == (0, True)


def test_a_broken_store_exits_with_2_and_one_line(world: World, tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"no database at all" * 100)

    done = hardwon(world, "recall", "lock", "--global-store", str(tmp_path))

    assert (done.code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "hardwon doctor --repair" in done.stderr
