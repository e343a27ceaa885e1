"""A file with conflict markers of git is left out by every command, named in one line, and read once it is solved."""

from pathlib import Path

import pytest

from tests.entrypoints.folders import banks, one, write_retro
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import bank, hardwon, run
from tests.texts import conflict

BANK = bank("Pattern: Ours", "Pattern: Both")
CONFLICTED_BANK = bank("Pattern: Both") + conflict(bank("Pattern: Ours"), bank("Pattern: Theirs"))
NAMED = "git left conflict markers in it: solve the conflict, then it is read again"


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world without vectors."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def put(world: World, name: str, text: str) -> Path:
    path = world.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def texts(world: World) -> list[str]:
    return [
        text for (text,) in world.query("SELECT description FROM entry_text ORDER BY description")
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "name",
    [
        "memory/decisions/parser.md",
        "memory/conversations/2026-03-01-parser.md",
        "memory/sessions/memory-20260301-120000.md",
        "memory-parser.md",
        "specs/005-parser/memory/notes.md",
    ],
)
def test_index_names_a_conflicted_file_and_keeps_what_was_known_of_it(
    world: World, name: str, end: str
) -> None:
    path = put(world, name, f"# Parser{end}{end}It reads lines.{end}")
    hardwon(world, "index")
    before = texts(world)
    put(
        world,
        name,
        f"# Parser{end}{end}"
        + conflict("It reads bytes.", "It reads words.", "It reads lines.", end),
    )

    done = hardwon(world, "index")
    assert (done.code, done.stderr) == (0, f"Warning: skipped: {str(path)!r}: {NAMED}\n")
    assert "0 changed, 0 unchanged, 0 removed, 1 skipped" in done.stdout
    assert texts(world) == before != []

    put(world, name, f"# Parser{end}{end}It reads words.{end}")
    solved = hardwon(world, "index")
    assert (solved.code, solved.stderr) == (0, "")
    [text] = texts(world)
    assert "reads words" in text


def test_a_text_that_shows_markers_in_a_code_block_is_indexed(world: World) -> None:
    put(
        world,
        "memory/gotchas/git.md",
        f"Conflicts\n=======\n\n```\n{conflict('ours', 'theirs')}```\n",
    )

    assert (hardwon(world, "index").stderr, len(texts(world))) == ("", 1)


@pytest.mark.parametrize("of_all_projects", [True, False])
def test_import_names_a_conflicted_bank_and_reads_it_once_it_is_solved(
    world: World, *, of_all_projects: bool
) -> None:
    world.write_bank("patterns", BANK, of_all_projects=of_all_projects)
    hardwon(world, "import")
    world.write_bank("patterns", CONFLICTED_BANK, of_all_projects=of_all_projects)
    folder = world.store if of_all_projects else world.project / "docs" / "knowledge-bank"

    done = hardwon(world, "import")
    assert (done.code, done.stderr) == (
        0,
        f"Warning: {str(folder / 'patterns.md')!r} is left out: {NAMED}\n",
    )
    assert texts(world) == ["About Pattern: Both.", "About Pattern: Ours."]

    world.write_bank("patterns", bank("Pattern: Theirs"), of_all_projects=of_all_projects)
    assert hardwon(world, "import").stderr == ""
    assert texts(world) == [
        "About Pattern: Both.",
        "About Pattern: Ours.",
        "About Pattern: Theirs.",
    ]


def test_doctor_names_every_conflicted_file(world: World) -> None:
    world.write_bank("patterns", BANK)
    hardwon(world, "import")
    healthy = hardwon(world, "doctor")
    world.write_bank("patterns", CONFLICTED_BANK)
    note = put(world, "memory/decisions/parser.md", conflict("ours", "theirs"))
    put(world, "memory/decisions/binary.md", "\0")

    done = hardwon(world, "doctor")
    assert (healthy.code, done.code) == (0, 2)
    failed = [
        line.partition(" file: ")[2] for line in done.stdout.splitlines() if " file: " in line
    ]
    path = world.project / "docs" / "knowledge-bank" / "patterns.md"
    assert failed == [f"{str(path)!r} is left out: {NAMED}", f"{str(note)!r}: {NAMED}"]


def test_a_retrospective_does_not_write_into_a_conflicted_bank(world: World) -> None:
    world.write_bank("patterns", CONFLICTED_BANK)
    before = banks(world)

    done = write_retro(world, one("Read lines before you split them into fields."))
    path = world.project / "docs" / "knowledge-bank" / "patterns.md"
    assert (done.code, done.stderr) == (2, f"hardwon: {str(path)!r} can't be used: {NAMED}\n")
    assert banks(world) == before
    assert not world.database.exists() or texts(world) == []

    world.write_bank("patterns", BANK)
    assert write_retro(world, one("Read lines before you split them into fields.")).code == 0


def test_a_saved_session_that_shows_a_conflict_can_be_read_back(world: World) -> None:
    text = "We solved this:\n" + conflict("ours", "theirs")

    done = run(
        world, "hardwon", "save", "-", "--description", "Solved a conflict.", stdin=text.encode()
    )
    assert (done.code, done.stderr) == (0, "")
    assert texts(world) == ["Solved a conflict."]
    assert hardwon(world, "index").stderr == ""


def test_a_conflicted_session_is_not_saved(world: World) -> None:
    path = put(world, "notes.md", conflict("ours", "theirs"))

    done = hardwon(world, "save", str(path), "--description", "About it.")
    assert done.code == 1
    assert NAMED in done.stderr
    assert texts(world) == []
