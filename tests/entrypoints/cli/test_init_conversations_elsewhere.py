"""Conversations are kept where `init` ran or the user said so, and nowhere else."""

import json
import subprocess
from pathlib import Path

import pytest

from hardwon.entrypoints.worker import Worker
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import Conversation, rest

KEPT = "Conversations here are kept as markdown in "
PRIVATE = " (private: git does not see them)"
OFF = "; hardwon init --conversations off ends it"
AS_BEFORE = ", as those of every project, as before: hardwon init --no-conversations-everywhere changes that"
REPLY = "We decided to rewrite the parser with streaming, as the CSV files are large."


@pytest.fixture
def world(empty_world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return a repository of the user's in which nothing was set up."""
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    del empty_world.variables["HARDWON_CAPTURE_ENABLED"]
    empty_world.commit("README.md")
    return empty_world


@pytest.fixture
def elsewhere(world: World) -> World:
    """Return the same user in a second repository, after `init` in the first."""
    init(world)
    return moved(world)


def moved(world: World) -> World:
    world.project = world.folder / "second"
    world.project.mkdir()
    world.commit("README.md")
    return world


def init(world: World, *options: str) -> str:
    done = hardwon(world, "init", "--agent", "codex", "--yes", *options)
    assert done.code == 0, done.stderr
    return done.stdout


def converse(world: World, session_id: str = "first") -> str:
    """Hold a session by its hooks, let the worker run; return what its start printed."""
    conversation = Conversation(world, session_id)
    start = conversation.hook("SessionStart", source="startup")
    conversation.exchange("How do we read the large CSV files?", REPLY)
    conversation.note("end")
    rest(world)  # the worker that the start woke
    Worker(str(world.store), str(world.project)).run()
    return start.stdout


def kept(world: World) -> bool:
    return any((world.project / "memory").rglob("*.md"))


def untouched(world: World) -> bool:
    exclude = (world.project / ".git/info/exclude").read_text(encoding="utf-8")
    return not (world.project / "memory").exists() and "/memory/" not in exclude


def note_only(world: World) -> None:
    """Hold an exchange by its hooks; nothing is written where it is not noted."""
    Conversation(world).exchange("How do we read the large CSV files?", REPLY)


def journal(world: World) -> bool:
    return (world.store / "capture.db").exists()


def test_a_second_repository_after_init_in_the_first_is_left_alone(elsewhere: World) -> None:
    start = Conversation(elsewhere).hook("SessionStart", source="startup").stdout
    note_only(elsewhere)

    assert (start, untouched(elsewhere), journal(elsewhere)) == ("", True, False)
    assert (
        "Capture: off here (hardwon init keeps" in hardwon(elsewhere, "capture", "--status").stdout
    )


def test_a_folder_without_git_and_a_user_without_any_set_up_are_left_alone(world: World) -> None:
    note_only(world)
    first = untouched(world)
    world.project = world.folder / "plain"
    world.project.mkdir()
    note_only(world)

    assert first
    assert not (world.project / "memory").exists()
    assert not journal(world)


def test_where_init_ran_they_are_kept_without_a_line(world: World) -> None:
    output = init(world)
    start = converse(world)

    assert (
        "Other projects have the hooks and tools too, and keep no conversations until hardwon init runs there"
        in output
    )
    assert (kept(world), KEPT in start) == (True, False)
    assert "Capture: on" in hardwon(world, "capture", "--status").stdout


@pytest.mark.parametrize("variable", ["CLAUDE_PLUGIN_ROOT", "HARDWON_CAPTURE_ENABLED"])
def test_with_the_plugin_or_the_setting_they_are_kept_and_the_first_session_says_so(
    world: World, variable: str
) -> None:
    world.variables[variable] = (
        "true" if variable.startswith("HARDWON") else str(world.folder / "plugin")
    )
    first, second = converse(world), converse(world, "second")

    assert first == f"{KEPT}{world.project / 'memory'}{PRIVATE}{OFF}\n"
    assert (kept(world), KEPT in second) == (True, False)
    assert "/memory/conversations/\n" in (world.project / ".git/info/exclude").read_text(
        encoding="utf-8"
    )


def test_the_setting_of_the_project_counts_too(world: World) -> None:
    (world.project / ".tlc.json").write_text('{"memory_capture_enabled": true}', encoding="utf-8")

    assert KEPT in converse(world)
    assert kept(world)


def test_off_and_false_are_stronger_than_the_plugin(world: World) -> None:
    world.variables["CLAUDE_PLUGIN_ROOT"] = str(world.folder / "plugin")
    world.variables["HARDWON_CAPTURE_ENABLED"] = "false"
    note_only(world)
    by_setting = untouched(world)
    del world.variables["HARDWON_CAPTURE_ENABLED"]
    init(world, "--conversations", "off")
    note_only(world)

    assert (by_setting, journal(world), kept(world)) == (True, False, False)


def test_where_files_of_conversations_are_there_they_are_kept(elsewhere: World) -> None:
    folder = elsewhere.project / "memory" / "conversations"
    folder.mkdir(parents=True)
    note_only(elsewhere)
    empty = journal(elsewhere)
    (folder / "2026-01-05-parser.md").write_text(
        "## Parser\n\nWe keep the parser.\n", encoding="utf-8"
    )
    start = converse(elsewhere)

    assert not empty
    assert KEPT in start
    assert any(REPLY in path.read_text(encoding="utf-8") for path in folder.glob("*.md"))


def test_another_folder_named_memory_is_none_of_ours(elsewhere: World) -> None:
    (elsewhere.project / "memory").mkdir()
    (elsewhere.project / "memory" / "allocator.c").write_text("int main;", encoding="utf-8")
    note_only(elsewhere)

    assert not journal(elsewhere)


def test_everywhere_is_chosen_and_taken_back(world: World) -> None:
    output = init(world, "--conversations-everywhere")
    moved(world)
    start = converse(world)
    taken_back = hardwon(
        world, "init", "--agent", "codex", "--yes", "--no-conversations-everywhere"
    ).stdout

    assert (
        "Conversations of other projects are kept too (private); --no-conversations-everywhere changes that"
        in output
    )
    assert start.startswith(
        f"{KEPT}{world.project / 'memory'}{PRIVATE}, as those of every project: "
    )
    assert kept(world)
    assert "keep no conversations until hardwon init runs there" in taken_back


def test_an_earlier_set_up_keeps_what_it_had_and_one_session_says_how_to_change_it(
    elsewhere: World,
) -> None:
    record = elsewhere.store / "setup.json"
    document = json.loads(record.read_bytes())
    assert document.pop("conversations_everywhere") is False
    record.write_text(json.dumps(document), encoding="utf-8")  # as a hardwon of today wrote it
    first = converse(elsewhere)
    world = elsewhere
    world.project = world.folder / "third"
    world.project.mkdir()
    world.commit("README.md")
    third = converse(world, "third")

    assert AS_BEFORE in first
    assert (kept(world), AS_BEFORE in third, KEPT in third) == (True, False, True)


def test_init_again_changes_nothing_of_an_earlier_set_up_and_says_so(elsewhere: World) -> None:
    record = elsewhere.store / "setup.json"
    document = json.loads(record.read_bytes())
    del document["conversations_everywhere"]
    record.write_text(json.dumps(document), encoding="utf-8")
    output = init(elsewhere)

    assert (
        "Conversations of other projects are kept too (private), as before; --no-conversations-everywhere"
        in output
    )
    assert "conversations_everywhere" not in json.loads(record.read_bytes())


def test_removing_takes_the_choice_along(world: World) -> None:
    init(world, "--conversations-everywhere")
    assert hardwon(world, "init", "--remove", "--yes").code == 0

    assert not (world.store / "setup.json").exists()
    note_only(moved(world))
    assert not journal(world)


def test_a_linked_work_tree_is_the_project_in_which_init_ran(world: World, tmp_path: Path) -> None:
    init(world)
    tree = tmp_path / "tree"
    subprocess.run(
        ["git", "worktree", "add", "-q", str(tree)],
        cwd=world.project,
        env=world.variables,
        check=True,
    )
    main, world.project = world.project, tree
    converse(world)

    assert any((main / "memory").rglob("*.md"))


def test_nothing_is_lost_where_init_ran_while_the_store_cannot_be_read(world: World) -> None:
    init(world)
    world.database.write_bytes(b"no database" * 1_000)
    note_only(world)

    assert journal(world)
