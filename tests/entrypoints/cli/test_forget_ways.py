"""A text that came in by any way is forgotten to the last byte, and comes back by none."""

import shutil
from collections.abc import Callable

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Visitor
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import Conversation
from tests.entrypoints.ways_in import WAYS, Way, places_with

MARKER = "The quixoblate zanthemur goes first in every deploy of ours, before the canary."
WORDS = ("quixoblate", "zanthemur")
OF_ENTRIES = [
    name
    for name in WAYS
    if name
    not in {
        *("checkpoint_create", "query", "log", "project name", "journal", "failure", "file name"),
        "outbox",
    }
]
"""Ways that make or change an entry."""

every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@pytest.fixture
def world(empty_world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return an empty project, in which nothing is embedded."""
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def entries_with(world: World) -> list[tuple[object, ...]]:
    return world.query(
        "SELECT name, description FROM entry_text WHERE lower(name || description || reasoning || notes || keywords"
        " || tags || trigger_phrases) LIKE '%quixoblate%'"
    )


@every_way
def test_no_byte_of_a_forgotten_text_is_left(
    world: World, visit: Callable[[World], Visitor], way: Way
) -> None:
    hardwon(world, "add", "Never run the migration twice on staging.", "--category", "patterns")
    way(world, visit(world), MARKER)
    hardwon(world, "checkpoint", "create", "kept", "--scope", "all")
    assert places_with(world, *WORDS), "it was kept somewhere"

    for word in WORDS:
        done = hardwon(world, "forget", word, "--yes")
        assert (done.code, done.stderr) == (0, ""), done

    assert places_with(world, *WORDS) == []
    assert world.query(
        "SELECT count(*) FROM entry_text WHERE description LIKE 'Never run the migration%'"
    ) == [(1,)]


@pytest.mark.parametrize("way", [WAYS[name] for name in OF_ENTRIES], ids=OF_ENTRIES)
def test_a_forgotten_text_does_not_come_back(
    world: World, visit: Callable[[World], Visitor], way: Way
) -> None:
    way(world, visit(world), MARKER)
    assert entries_with(world)
    backup = world.folder / "backup.db"
    assert hardwon(world, "backup", str(backup)).code == 0
    clone = world.folder / "clone"
    shutil.copytree(world.project, clone)
    hardwon(world, "forget", "quixoblate", "--yes")
    assert entries_with(world) == []

    way(world, visit(world), MARKER)
    assert entries_with(world) == [], "by the same way"
    hardwon(world, "restore", str(backup), "--yes")
    assert entries_with(world) == [], "by a backup"
    world.project = clone
    for command in (("import", "--no-embed"), ("index",), ("index", "--force")):
        hardwon(world, *command)
    world.hook()
    assert entries_with(world) == [], "by a copy of the project"


def test_a_transcript_that_is_cut_in_another_way_does_not_bring_it_back(
    world: World, visit: Callable[[World], Visitor]
) -> None:
    WAYS["capture of a transcript"](world, visit(world), MARKER)
    hardwon(world, "forget", "quixoblate", "--yes")
    longer = Conversation(world, "longer")
    longer.write(f"And the order: {MARKER}", f"Agreed, the order is this: {MARKER}")
    longer.write("Which parser do we take for the CSV files?", "The one with streaming.")

    done = hardwon(world, "capture", "--from", str(longer.transcript))

    assert done.code == 0, done.stderr
    assert entries_with(world) == []
    assert places_with(world, *WORDS) == []
    assert world.query("SELECT count(*) FROM entry_text WHERE description LIKE '%streaming%'") != [
        (0,)
    ]


def test_an_undone_tombstone_lets_it_come_back(
    world: World, visit: Callable[[World], Visitor]
) -> None:
    stored = visit(world).store(description=MARKER)
    hardwon(world, "forget", "quixoblate", "--yes")
    refused = hardwon(world, "add", MARKER, "--category", "patterns")
    assert refused.code == 1
    assert (
        f"this text was forgotten; to store it after all, run first: hardwon forget --undo-tombstone {stored['entryId']}"
        in refused.stderr
    )

    assert hardwon(world, "forget", "--undo-tombstone", str(stored["entryId"])).code == 0

    assert hardwon(world, "add", MARKER, "--category", "patterns").code == 0
    assert entries_with(world)
    second = hardwon(world, "forget", "--undo-tombstone", "0123456789abcdef")
    assert (second.code, "nothing was forgotten under '0123456789abcdef'" in second.stderr) == (
        1,
        True,
    )
