"""A store of version 4 or 6 with three projects, two of one name, seen from the doors; and what doctor says of it."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.sqlite.earlier_stores import EarlierStore, bank_text
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.fakes.doors import Ran

ACME, GLOBEX, BILLING = PROJECTS = ("acme/app", "globex/app", "acme/billing")
RULES = {ACME: "quokka", GLOBEX: "walrus", BILLING: "ocelot"}
NOTES = {ACME: "saffron", GLOBEX: "turmeric", BILLING: "cardamom"}
LESSONS = {ACME: "Anvil", GLOBEX: "Bellows", BILLING: "Chisel"}
WAITING, MINE, OF_THE_USER = "Lathe", "Mallet", "Pliers"
NOT_UNASKED = ("Rivet", WAITING)


@pytest.fixture(params=[4, 6])
def world(request: pytest.FixtureRequest, world_by_word: World) -> World:
    fill(world_by_word, request.param)
    return world_by_word


def fill(world: World, version: int) -> None:
    store = EarlierStore(world.store, version)
    for project in PROJECTS:
        root = world.folder / "src" / project
        (root / "memory").mkdir(parents=True)
        (root / "docs/knowledge-bank").mkdir(parents=True)
        bank = root / "docs/knowledge-bank/patterns.md"
        bank.write_text(bank_text(LESSONS[project]))
        store.imported(bank, f"Pattern: {LESSONS[project]}")
        store.learning(LESSONS[project], label=root.name)
        for names, kind in ((RULES, "document"), (NOTES, "decision")):
            path = root / "memory" / f"{names[project]}.md"
            path.write_text(f"# {names[project]}\n\nText of {names[project]}.\n")
            store.file(path, label=root.name, kind=kind)
    store.connection.execute("UPDATE entry SET tier = 'constitutional' WHERE kind = 'document'")
    (world.store / "patterns.md").write_text(bank_text(MINE))
    store.imported(world.store / "patterns.md", f"Pattern: {MINE}")
    store.learning(MINE)
    store.learning(OF_THE_USER, source="manual")
    store.learning(WAITING, label="app", source="manual")
    store.learning(NOT_UNASKED[0], label="gone", source="retro")
    store.checkpoint(
        "before", scope="documents", project="app", root=str(world.folder / "src" / GLOBEX)
    )
    store.close()


def visits(world: World) -> Iterator[str]:
    """Set the project of the world to one after another; yield its name."""
    for project in PROJECTS:
        world.project = world.folder / "src" / project
        yield project


def opened(world: World) -> Ran:
    """Open the store by a command, which migrates it."""
    world.project = world.folder / "src" / ACME
    return hardwon(world, "list", "--json")


def doctor_lines(world: World) -> list[str]:
    done = hardwon(world, "doctor", "--json")
    assert done.code == 0
    return [found["detail"] for found in done.document["findings"] if found["name"] == "entries"]


def test_the_block_of_each_project_has_its_own_files_and_lessons_that_may_speak_there(
    world: World,
) -> None:
    assert opened(world).code == 0

    for project in visits(world):
        block = world.argument_form().stdout

        assert {name for name in RULES.values() if name in block} == {RULES[project]}
        assert {name for name in NOTES.values() if name in block} <= {NOTES[project]}
        lessons = {f"About {name}." for name in (*LESSONS.values(), MINE, OF_THE_USER)}
        assert {lesson for lesson in lessons if lesson in block} == lessons
        assert not [name for name in NOT_UNASKED if name in block]


def test_a_question_in_a_project_is_answered_by_its_own_files(world: World) -> None:
    for project in visits(world):
        done = hardwon(
            world,
            "recall",
            "text",
            "saffron",
            "turmeric",
            "cardamom",
            "Lathe",
            "--json",
            "--min-score",
            "0",
            "--scope",
            "project",
        )

        assert {name for name in NOTES.values() if name in done.stdout} == {NOTES[project]}
        assert WAITING not in done.stdout


def test_a_waiting_learning_answers_a_person_and_is_listed_by_its_label(world: World) -> None:
    opened(world)

    found = hardwon(world, "recall", "about", WAITING)
    listed = hardwon(world, "list", "--project", "app", "--json")

    assert f"About {WAITING}." in found.stdout
    assert WAITING in [item["name"] for item in listed.items]


def test_no_agent_is_answered_by_a_waiting_learning_unless_it_asks_for_everything(
    world: World,
) -> None:
    opened(world)
    world.variables["CLAUDECODE"] = "1"

    answers = [
        hardwon(world, "recall", "about", WAITING, *options).stdout
        for options in ((), ("--scope", "global"))
    ]

    assert [f"About {WAITING}." in answer for answer in answers] == [False, True]
    assert (
        "relevant memories elsewhere (--scope global)" in answers[0]
        or "relevant memory elsewhere" in answers[0]
    )


def test_a_waiting_learning_that_the_user_silenced_answers_no_question(world: World) -> None:
    opened(world)
    done = hardwon(world, "trust", "--revoke", "app")
    assert done.code == 0, done.stderr

    assert f"About {WAITING}." not in hardwon(world, "recall", "about", WAITING).stdout


def test_doctor_names_waiting_learnings_and_the_command_that_places_them(world: World) -> None:
    opened(world)
    until = "until then they are shown nowhere, but hardwon recall finds them"

    assert doctor_lines(world) == [
        f"1 learning of app waits for a project: hardwon project merge app FOLDER, {until}",
        f"1 learning of gone waits for a project: hardwon project merge gone FOLDER, {until}",
    ]


def test_learnings_that_were_merged_as_doctor_says_are_shown_and_doctor_is_silent(
    world: World,
) -> None:
    opened(world)
    world.project = world.folder / "src" / BILLING

    for line in doctor_lines(world):
        command = line.partition(": hardwon ")[2].partition(" FOLDER")[0].split()
        assert hardwon(world, *command, str(world.project), "--yes").code == 0

    assert doctor_lines(world) == []
    assert all(f"About {name}." in world.hook().stdout for name in NOT_UNASKED)


def test_doctor_counts_entries_whose_files_are_gone_by_project(world: World) -> None:
    opened(world)
    root = world.folder / "src" / GLOBEX
    for path in (root / "memory").iterdir():
        path.unlink()

    [line] = [line for line in doctor_lines(world) if "wait" not in line]
    assert line == (
        "2 entries of globex/app have no file any more: bring the files back,"
        f" or run hardwon index in {root}: it finds moved ones, and forgets the others"
    )


def test_doctor_names_a_project_whose_folder_is_gone(world: World) -> None:
    opened(world)
    root = world.folder / "src" / BILLING
    root.rename(root.parent / "payments")

    [line] = [line for line in doctor_lines(world) if "wait" not in line]
    assert line == (
        f"3 entries of billing remain, its folder {root} is gone: hardwon project move billing FOLDER if it has moved,"
        " hardwon project merge billing FOLDER if another project goes on with it"
    )


def test_a_checkpoint_is_listed_in_the_project_of_its_folder_only(world: World) -> None:
    opened(world)

    listed = {
        project: hardwon(world, "checkpoint", "list", "--json").items for project in visits(world)
    }

    assert [len(listed[project]) for project in PROJECTS] == [0, 1, 0]
    assert listed[GLOBEX][0]["metadata"]["project"] == "app"


def test_a_lesson_of_a_repository_that_the_user_never_committed_to_stays_there(
    world_by_word: World,
) -> None:
    fill(world_by_word, 4)
    world = world_by_word
    foreign = world.folder / "src" / GLOBEX
    git = (
        "git",
        "-C",
        str(foreign),
        "-c",
        "user.name=x",
        "-c",
        "user.email=stranger@example.invalid",
    )
    for command in (["init", "--quiet"], ["commit", "--quiet", "--allow-empty", "--message=x"]):
        subprocess.run([*git, *command], env=world.variables, check=True)
    (Path(world.variables["HOME"]) / ".gitconfig").write_text(
        "[user]\n\temail = me@example.invalid\n"
    )
    world.variables["GIT_CONFIG_GLOBAL"] = str(Path(world.variables["HOME"]) / ".gitconfig")
    opened(world)

    blocks = {project: world.hook().stdout for project in visits(world)}

    assert [f"About {LESSONS[GLOBEX]}." in blocks[project] for project in PROJECTS] == [
        False,
        True,
        False,
    ]
    assert [f"About {OF_THE_USER}." in blocks[project] for project in PROJECTS] == [
        True,
        True,
        True,
    ]


@pytest.fixture
def upgraded(world_by_word: World) -> World:
    """Return a world with a store of version 6 that has labels alone: of its one project, and of one that is gone."""
    store = EarlierStore(world_by_word.store, 6)
    for name, label in (("Anvil", world_by_word.project.name), ("Rivet", "gone")):
        store.learning(name, label=label, source="manual")
    store.close()
    return world_by_word


GONE = "1 learning of gone waits for a project: hardwon project merge gone FOLDER"


def test_lessons_of_a_label_go_to_the_one_own_project_of_that_label_by_themselves(
    upgraded: World,
) -> None:
    block = upgraded.hook(payload=upgraded.session_start()).stdout

    assert "About Anvil." in block
    assert "About Rivet." not in block
    assert [
        label for (label,) in upgraded.query("SELECT label FROM project WHERE key LIKE 'label:%'")
    ] == ["gone"]


def test_lessons_that_wait_have_one_line_at_the_session_start_and_in_list(upgraded: World) -> None:
    block = upgraded.hook(payload=upgraded.session_start()).stdout
    listed = hardwon(upgraded, "list")

    assert [line.startswith(f"*{GONE}") for line in block.splitlines() if "waits" in line] == [True]
    assert [line.startswith(GONE) for line in listed.stdout.splitlines() if "waits" in line] == [
        True
    ]
    assert "waits" not in upgraded.argument_form().stdout


def test_lessons_that_wait_have_their_line_where_nothing_else_is_printed(
    world_by_word: World,
) -> None:
    store = EarlierStore(world_by_word.store, 6)
    store.learning("Rivet", label="gone", source="manual")
    store.close()

    assert world_by_word.hook().stdout.startswith(GONE)
    assert world_by_word.query("SELECT count(*) FROM receipt") == [(0,)]
    assert world_by_word.argument_form().stdout == ""
