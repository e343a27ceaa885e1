"""`hardwon forget`: what is chosen, what is shown before, and what it can't reach."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep, run
from tests.entrypoints.sessions import Conversation
from tests.entrypoints.ways_in import places_with
from tests.fakes.doors import Ran

WORD = "zanthemur"
LESSON = f"Deploy the {WORD} first."
REMEMBERED = f"The {WORD} is deployed on Fridays, and never before the canary."


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world without vectors."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def forget(world: World, *arguments: str) -> Ran:
    return hardwon(world, "forget", *arguments)


def descriptions(world: World) -> list[str]:
    return [
        text for (text,) in world.query("SELECT description FROM entry_text ORDER BY entry_seq")
    ]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "say what to forget: a text, ids, or one of --since"),
        (("ab",), "'ab' is too short: give at least 3 characters, or an id"),
        (("--since", "yesterday"), "'yesterday' is no time: write 2026-11-23"),
        (("--kind", "poem"), "'poem' is no kind: use learning, "),
        (("--origin", "nowhere"), "nowhere"),
        ((os.fsdecode(b"gr\xf6\xdfe"),), "the text is not UTF-8"),
    ],
)
def test_a_choice_that_means_nothing_is_refused(
    world: World, arguments: tuple[str, ...], problem: str
) -> None:
    keep(world, description=LESSON)
    done = forget(world, *arguments, "--yes")

    assert (done.code, problem in done.stderr, done.stderr.count("\n")) == (1, True, 1), done
    assert descriptions(world) == [LESSON]


def test_without_a_terminal_it_shows_every_place_and_changes_nothing(world: World) -> None:
    entry = keep(world, description=LESSON)
    hardwon(world, "checkpoint", "create", "kept", "--scope", "all")
    before = places_with(world, WORD)

    done = forget(world, WORD)

    assert (done.code, done.stdout) == (1, "")
    assert f"{entry.name} (id: {entry.entry_id})" in done.stderr
    assert f"{world.database}: 1 entry" in done.stderr
    assert f"{world.store / 'checkpoints' / '1.db'}: 1 entry" in done.stderr
    assert "give --yes" in done.stderr
    assert places_with(world, WORD) == before


def test_a_text_is_matched_as_it_is_written_and_in_any_letter_case(world: World) -> None:
    keep(world, description="Deploy the ZANTHEMUR first.")
    keep(world, description="Deploy the zanthemurs later.")
    keep(world, description="Deploy the zan_hemur at last.")

    assert forget(world, "%zan_hemur%", "--yes").stdout == "Nothing that hardwon keeps holds it\n"
    assert run(world, "hardwon", "forget", "-", "--yes", stdin=b"zanthemur first\n").code == 0

    assert descriptions(world) == ["Deploy the zanthemurs later.", "Deploy the zan_hemur at last."]


def test_entries_are_forgotten_by_id_and_others_stay(world: World) -> None:
    entry = keep(world, description=LESSON)
    other = keep(world, description="Roll the canary back first.")

    done = forget(world, entry.entry_id, "--yes", "--json")

    assert done.document["forgotten"] == [
        {"id": entry.entry_id, "kind": "learning", "name": entry.name}
    ]
    assert (done.document["remains"], done.document["problems"]) == ([], [])
    assert descriptions(world) == [other.description]
    assert places_with(world, WORD, entry.entry_id) == []


def test_a_deleted_entry_is_forgotten_by_its_id(world: World) -> None:
    entry = keep(world, description=LESSON, name=f"The {WORD}")
    hardwon(world, "checkpoint", "create", "kept", "--scope", "all")
    hardwon(world, "delete", entry.entry_id, "--yes")
    assert places_with(world, WORD)

    assert forget(world, entry.entry_id, "--yes").code == 0

    assert places_with(world, WORD, entry.entry_id) == []


@pytest.mark.parametrize("by", ["text", "id"])
def test_a_deleted_lesson_that_was_forgotten_does_not_come_back(world: World, by: str) -> None:
    entry = keep(world, description=LESSON, name=f"The {WORD}")
    hardwon(world, "export", "--output", "copy.jsonl")
    hardwon(world, "backup", "copy.db")
    hardwon(world, "delete", entry.entry_id, "--yes")
    assert forget(world, WORD if by == "text" else entry.entry_id, "--yes").code == 0

    hardwon(world, "import", "copy.jsonl", "--no-embed")
    assert descriptions(world) == []
    hardwon(world, "restore", "copy.db", "--yes")
    assert descriptions(world) == []

    assert forget(world, "--undo-tombstone", entry.entry_id).code == 0
    hardwon(world, "import", "copy.jsonl", "--no-embed")
    assert descriptions(world) == [LESSON]


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (("--kind", "conversation"), 1),
        (("--kind", "learning"), 1),
        (("--since", "2999-01-01"), 2),
        (("--until", "2999-01-01"), 0),
        (("--until", "2001-01-01"), 2),
        (("--project", "project"), 0),
        (("--project", "another"), 2),
        (("--session", "none"), 2),
    ],
)
def test_options_narrow_the_choice(world: World, options: tuple[str, ...], left: int) -> None:
    keep(world, description=LESSON)
    hardwon(world, "remember", REMEMBERED)

    for arguments in ((WORD, *options), options):
        forget(world, *arguments, "--yes")

        assert len(descriptions(world)) == left


def test_a_knowledge_bank_is_left_as_it_is_when_it_is_to_be_kept(world: World) -> None:
    world.write_bank(
        "patterns", f"### Pattern: Deploy\n{LESSON}\n\n### Pattern: Roll back\nRoll back first.\n"
    )
    hardwon(world, "import", "--no-embed")
    bank = world.project / "docs/knowledge-bank/patterns.md"

    kept = forget(world, WORD, "--keep-bank", "--yes")
    assert f"{bank}: 1 lesson" not in kept.stdout
    assert f"a file of yours: {bank}" in kept.stdout
    assert (kept.code, WORD in bank.read_text(), descriptions(world)) == (
        0,
        True,
        ["Roll back first."],
    )
    hardwon(world, "import", "--no-embed")
    assert descriptions(world) == ["Roll back first."]

    assert forget(world, WORD, "--yes").code == 0
    assert bank.read_text() == "### Pattern: Roll back\nRoll back first.\n"


def test_places_beyond_reach_are_named(world: World) -> None:
    hardwon(world, "init", "--agent", "codex", "--yes", "--conversations", "shared")
    hardwon(world, "remember", REMEMBERED)
    world.commit("README.md")
    document = world.project / "specs/1-a/memory/plan.md"
    document.parent.mkdir(parents=True)
    document.write_text(f"# Plan\n\n{LESSON}\n")
    hardwon(world, "index", "--rebuild")
    transcript = Path(world.variables["HOME"]) / ".claude/projects/-home/1.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text(json.dumps({"text": REMEMBERED}))
    [written] = (world.project / "memory/conversations").glob("*.md")

    lines = forget(world, WORD, "--yes").stdout.partition("Beyond reach:\n")[2]

    assert f"  a file of yours: {document}\n" in lines
    assert f"  git's history, as that of any clone: {written}" in lines
    assert f"  a transcript of the agent: {transcript}\n" in lines
    assert "  backups and exports that you made earlier\n" in lines
    assert (WORD in document.read_text(), WORD in transcript.read_text()) == (True, True)


def test_other_sessions_are_still_captured(world: World) -> None:
    hardwon(world, "remember", REMEMBERED)
    forget(world, WORD, "--yes")
    conversation = Conversation(world)
    conversation.write(
        "Which parser do we take?", "The one with streaming, as the files are large."
    )

    assert hardwon(world, "capture", "--from", str(conversation.transcript)).code == 0
    assert any("streaming" in text for text in descriptions(world))


def test_a_file_that_still_holds_it_ends_with_exit_code_2(world: World) -> None:
    keep(world, description=LESSON)
    (world.store / "setup.json").write_text(
        json.dumps({"files": {}, "folders": [], "projects": [f"/home/{WORD}"]})
    )

    done = forget(world, WORD, "--yes")

    assert done.code == 2
    assert f"byte by byte: it is still in\n  {world.store / 'setup.json'}: {WORD}\n" in done.stdout


SPELLINGS = (
    "M\u00fchlrad Plan",
    "Mu\u0308hlrad plan",
    "M\u00dcHLRAD PLAN",
    "\uff2d\u00fchlrad \uff30lan",
    "M\u00fchl\u00adrad\nplan",
    "Mu\u0308hlrad\n> plan",
    "**M\u00fchlrad** plan",
    "M\u00fchlrad\n- `plan",
)


@pytest.mark.parametrize(
    "asked", ["m\u00fchlrad plan", "MU\u0308HLRAD  PLAN", "\uff2d\u00fchlrad plan"]
)
def test_a_text_is_forgotten_in_each_of_its_spellings(world: World, asked: str) -> None:
    for number, spelling in enumerate(SPELLINGS):
        keep(world, description=f"Lesson {number} of the {spelling} stays secret.")
    keep(world, description="Lesson of a Muhlrad, and of a plan.")
    world.write_bank(
        "patterns",
        f"### Pattern: Deploy\nBy the {SPELLINGS[1]}.\n\n### Pattern: Roll back\nRoll back.\n",
    )
    hardwon(
        world,
        "remember",
        f"We decided that the {SPELLINGS[5]} is deployed on Fridays, and never before the canary.",
    )
    hardwon(world, "checkpoint", "create", "kept", "--scope", "all")

    done = forget(world, asked, "--yes")

    assert (done.code, "nothing is left" in done.stdout) == (0, True), done
    assert descriptions(world) == ["Lesson of a Muhlrad, and of a plan."]
    assert (
        places_with(
            world,
            *(part for spelling in SPELLINGS for part in (spelling, json.dumps(spelling)[1:-1])),
        )
        == []
    )
    for spelling in SPELLINGS:
        assert (
            hardwon(
                world, "add", f"Lesson 0 of the {spelling} stays secret.", "--category", "patterns"
            ).code
            == 1
        )


def test_a_phrase_is_forgotten_in_the_names_of_files_and_in_links_to_them(world: World) -> None:
    session = Conversation(world)
    session.write("Where does the `Orange` Otter keep its offsets?", "Orange Otter has a file.")
    session.write("Does the otter read it?", "We decided: the otter reads offsets from the file.")
    assert hardwon(world, "capture", "--from", str(session.transcript)).code == 0
    assert [path for path in world.project.rglob("*.md") if "orange-otter" in path.name]

    done = forget(world, "`Orange` Otter", "--yes")

    assert (done.code, "nothing is left" in done.stdout) == (0, True), done
    assert [path for path in world.project.rglob("*.md") if "orange-otter" in path.name] == []
    assert places_with(world, "orange-otter", "Orange Otter") == []


def test_a_text_of_three_letters_is_forgotten_in_its_own_letter_case(world: World) -> None:
    for text in ("Ask Ute first.", "Acute cases first.", "The UTE last."):
        keep(world, description=text)

    assert forget(world, "Ute", "--yes").code == 0
    assert descriptions(world) == ["Acute cases first.", "The UTE last."]
    assert forget(world, "Ute", "--any-case", "--yes").code == 0
    assert descriptions(world) == []


@pytest.mark.parametrize("left", [WORD.upper(), json.dumps("Zantem\u00fchr")[1:-1]])
def test_bytes_that_no_entry_has_are_found_named_and_end_with_exit_code_2(
    world: World, left: str
) -> None:
    keep(world, description="Roll the canary back first.")
    path = world.store / "setup.json"
    path.write_text(
        json.dumps({"files": {}, "folders": [], "projects": [f"/home/{left}"]}).replace(
            "\\\\", "\\"
        )
    )

    for asked in ("zantem\u00fchr", WORD):
        done = forget(world, asked, "--yes")
        held = (asked == WORD) == (left == WORD.upper())
        assert (done.code, f"{path}: {asked}\n" in done.stdout) == (
            (2, True) if held else (0, False)
        ), done
    assert descriptions(world) == ["Roll the canary back first."]


def test_a_row_that_was_deleted_without_being_overwritten_is_erased(world: World) -> None:
    keep(world, description="Roll the canary back first.")
    with closing(sqlite3.connect(world.database)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("CREATE TABLE old (text TEXT)")
        connection.execute("INSERT INTO old VALUES (?)", (f"Mu\u0308hlrad {LESSON}",))
        connection.execute("DELETE FROM old")
        connection.execute("DROP TABLE old")
        connection.commit()
    assert places_with(world, WORD)

    asked = forget(world, "m\u00fchlrad")
    assert f"{world.database}: 1 trace of deleted rows" in asked.stderr
    assert forget(world, "m\u00fchlrad", "--yes").code == 0
    assert places_with(world, WORD) == []
    assert descriptions(world) == ["Roll the canary back first."]


def test_a_bank_that_is_not_utf_8_is_named_once_with_the_way_out(world: World) -> None:
    world.write_bank("patterns", "")
    bank = world.project / "docs/knowledge-bank/patterns.md"
    bank.write_text(f"### Pattern: Deploy\n{LESSON}\n", encoding="utf-16")
    hardwon(world, "import", "--no-embed")

    done = forget(world, WORD, "--yes")

    assert (done.code, done.stdout.count(str(bank))) == (2, 1)
    assert ": save it as UTF-8; run hardwon forget again" in done.stdout
    assert "nothing is left" not in done.stdout


def test_a_forgotten_file_that_came_back_is_named_and_not_promised_to_come_back(
    world: World,
) -> None:
    decision = world.project / "memory/decisions/deploy.md"
    decision.parent.mkdir(parents=True)
    decision.write_text(f"# Deploy\n\n{LESSON}\n")
    hardwon(world, "index")
    assert forget(world, WORD, "--yes").code == 0
    decision.write_text(f"# Deploy\n\n{LESSON}\n")

    done = hardwon(world, "index")

    assert "--force" not in done.stdout
    assert "it holds a text that was forgotten; erase it here too" in done.stderr, done
