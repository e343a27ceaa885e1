"""`hardwon` alone: the state in three lines and the next step, whatever is there or broken."""

import pytest

from hardwon.domain.model.injection.receipt import Outcome
from tests.entrypoints.cli.test_review_groups import lesson, month_of
from tests.entrypoints.folders import init
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import answer, hardwon
from tests.fakes.doors import Ran


@pytest.fixture
def world(world_by_word: World) -> World:
    return world_by_word


def state(done: Ran) -> dict[str, str]:
    """Return the lines by their head."""
    assert (done.code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line[:7] for line in lines] == ["Kept:  ", "Shown: ", "Waits: ", "Next:  "]
    return {line[:7].strip(" :"): line[7:] for line in lines}


def observe_pass(world: World) -> None:
    """Let the second try after the last showing have passed."""
    with world.opened() as memory:
        [receipt] = memory.store.receipts.newest(limit=1)
        memory.store.receipts.observe(receipt.number, Outcome(2, passed=True))


def test_before_anything_is_set_up_it_names_init_and_writes_nothing(world: World) -> None:
    files = {*world.folder.rglob("*")}

    assert state(hardwon(world)) == {
        "Kept": f"0 memories of this project, 0 of others, in {world.store}",
        "Shown": "nothing to a session of this project yet",
        "Waits": "nothing for your decision",
        "Next": "hardwon init: no agent calls hardwon yet",
    }
    assert {*world.folder.rglob("*")} == files


def test_where_agents_call_it_the_next_step_follows_what_is_there(world: World) -> None:
    init(world, "--agent", "claude-code", "--yes", "--conversations", "private")
    assert state(hardwon(world))["Next"].startswith("work as ever")

    world.remember(lesson(1, 3))
    assert state(hardwon(world))["Next"].startswith("hardwon recall WORDS")

    world.remember(*month_of(21))
    found = state(hardwon(world))
    assert found["Waits"] == (
        "superseded by a newer lesson (2), of which every cited file is gone (2), captured this week (2)"
    )
    assert found["Next"] == "hardwon review: a key decides each"


def test_a_project_where_init_did_not_run_is_told(world: World) -> None:
    init(world, "--agent", "claude-code", "--yes")
    elsewhere = world.folder / "elsewhere"
    elsewhere.mkdir()
    world.project = elsewhere

    assert state(hardwon(world))["Next"].startswith("hardwon init: it did not run in this project")


def test_the_last_lesson_that_a_session_got_is_named_with_its_outcome(world: World) -> None:
    text = "Decode in steps: a character can straddle two reads"
    hardwon(world, "add", text, "--name", "Decode in steps", "--category", "patterns")
    world.hook(payload=world.session_start())
    found = state(hardwon(world))
    assert found["Shown"].startswith("Decode in steps, shown at a session start on ")
    assert found["Kept"].startswith("1 memory of this project, 0 of others")

    world.query("UPDATE receipt SET event = 'failure', query = 'pytest'")
    observe_pass(world)
    assert ", shown at a failure of `pytest` on " in state(hardwon(world))["Shown"]
    assert state(hardwon(world))["Shown"].endswith(": passed at the 2nd try")

    world.query("UPDATE receipt SET delivery = 'missed'")
    assert state(hardwon(world))["Shown"] == "nothing to a session of this project yet"


def test_a_store_that_cannot_be_read_leads_to_the_doctor(world: World) -> None:
    world.store.mkdir(exist_ok=True)
    (world.store / "memory.db").write_bytes(b"no database " * 999)
    done = hardwon(world)

    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "Next:  hardwon doctor: it tells what is wrong"


def test_a_terminal_gets_the_same_text_as_a_pipe(world: World) -> None:
    world.remember(lesson(1, 3))

    shown = answer(world, b"", question=b"Next: ").shown

    assert shown.replace("\r\n", "\n") == hardwon(world).stdout
