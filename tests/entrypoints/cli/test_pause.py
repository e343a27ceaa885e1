"""`hardwon pause` and `hardwon resume`, and the commands that report a pause."""

import datetime as dt
import re

import pytest

from hardwon.adapters.pause_file import PauseFile
from hardwon.domain.model.pause import NEVER, Pause, holding
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, run, write

SESSION = "CLAUDE_CODE_SESSION_ID"
FOR_GOOD = (
    "hardwon is paused in {}: nothing is captured, stored or injected; hardwon resume ends that\n"
)


@pytest.fixture
def world(world_by_word: World) -> World:
    return world_by_word


def pauses(world: World) -> list[Pause]:
    """Return the pauses that hold."""
    return holding(PauseFile(str(world.store)).read(), dt.datetime.now(dt.UTC))


def test_in_a_terminal_all_sessions_are_paused_until_they_are_resumed(world: World) -> None:
    assert hardwon(world, "pause") == (0, FOR_GOOD.format("all sessions"), "")
    assert [(pause.session_id, pause.ends_at) for pause in pauses(world)] == [("", NEVER)]

    assert hardwon(world, "resume").stdout.startswith("Resumed: ")
    assert pauses(world) == []


def test_in_a_session_that_one_is_paused_and_resumed(world: World) -> None:
    world.variables[SESSION] = "mine"
    assert hardwon(world, "pause") == (0, FOR_GOOD.format("this session"), "")
    world.variables[SESSION] = "other"
    assert hardwon(world, "resume") == (0, "Nothing is paused here\n", "")
    assert [pause.session_id for pause in pauses(world)] == ["mine"]

    world.variables[SESSION] = "mine"
    assert hardwon(world, "resume").stdout.startswith("Resumed: ")
    assert pauses(world) == []


def test_a_resume_in_a_terminal_ends_the_pauses_of_all_sessions_too(world: World) -> None:
    for session_id in ("one", "two"):
        world.variables[SESSION] = session_id
        hardwon(world, "pause")
    del world.variables[SESSION]
    hardwon(world, "resume")

    assert pauses(world) == []


def test_a_resume_in_a_session_ends_the_pause_of_all_sessions(world: World) -> None:
    hardwon(world, "pause")
    world.variables[SESSION] = "mine"
    hardwon(world, "resume")

    assert pauses(world) == []


def test_a_pause_for_a_time_ends_by_itself(world: World) -> None:
    before = dt.datetime.now(dt.UTC)
    done = hardwon(world, "pause", "--for", "2h30m")
    [pause] = pauses(world)

    assert re.match(
        r"hardwon is paused in all sessions until 2\d{3}-\d\d-\d\d \d\d:\d\d UTC: ", done.stdout
    )
    assert (
        dt.timedelta(0)
        <= pause.ends_at - before - dt.timedelta(hours=2.5)
        < dt.timedelta(minutes=1)
    )
    assert not pause.holds(pause.ends_at)


def test_a_shorter_pause_does_not_shorten_one_that_holds_and_says_so(world: World) -> None:
    hardwon(world, "pause")

    assert hardwon(world, "pause", "--for", "30m").stdout == FOR_GOOD.format("all sessions")


def test_scripts_read_the_same_as_json(world: World) -> None:
    paused = hardwon(world, "pause", "--json").document
    resumed, repeated = (hardwon(world, "resume", "--json").document["resumed"] for _ in range(2))

    assert (paused["session_id"], paused["ends_at"], repeated) == (None, None, [])
    [ended] = resumed
    assert ended["begins_at"] == paused["begins_at"] < ended["ends_at"]


@pytest.mark.parametrize("duration", ["soon", "", "0h", "-5m"])
def test_a_bad_duration_is_one_line_and_pauses_nothing(world: World, duration: str) -> None:
    done = hardwon(world, "pause", f"--for={duration}")

    assert (done.code, done.stdout) == (1, "")
    assert (
        done.stderr
        == f"hardwon: {duration!r} is no duration: give one such as 30m, 1h, 2h30m or 1d\n"
    )
    assert not world.store.exists()


@pytest.mark.parametrize(
    ("typed", "code"), [(" --for 1h ", 0), ("--for=1d", 0), ("", 0), ("1h", 1), ("--for", 1)]
)
def test_a_text_after_the_slash_command_is_understood_or_refused(
    world: World, typed: str, code: int
) -> None:
    done = run(world, "hardwon", "pause", "--typed", stdin=typed.encode())

    assert (done.code, done.stderr.count("\n"), len(pauses(world))) == (code, code, 1 - code)


def test_a_store_that_can_not_be_written_is_an_error_of_one_line(world: World) -> None:
    world.store.write_text("a file")
    done = hardwon(world, "pause")

    assert (done.code, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_stats_and_doctor_say_so_while_it_holds(world: World) -> None:
    write(world)
    before = (
        hardwon(world, "stats"),
        hardwon(world, "stats", "--json").document,
        hardwon(world, "doctor").stdout,
    )
    hardwon(world, "pause")
    line = FOR_GOOD.format("all sessions")

    assert hardwon(world, "stats").stdout == line + before[0].stdout
    [paused] = hardwon(world, "stats", "--json").document["paused"]
    assert (paused["session_id"], paused["ends_at"]) == (None, None)
    assert f"\nok       pause: {line}" in hardwon(world, "doctor").stdout
    assert "paused" not in before[1]
    assert "pause" not in before[2]


def test_doctor_fails_on_a_file_of_pauses_that_can_not_be_read(world: World) -> None:
    write(world)
    (world.store / "pauses.jsonl").write_text('{"pause": "a", "fr')
    done = hardwon(world, "doctor")

    assert done.code == 2
    line = "hardwon is paused in all sessions, as its file of pauses can't be read: hardwon resume ends that"
    assert f"  pause: {line}\n" in done.stdout
    hardwon(world, "resume")
    assert hardwon(world, "doctor").code == 0


def test_context_says_that_a_session_start_would_not_print_this(world: World) -> None:
    hardwon(world, "pause")

    assert hardwon(world, "context").stderr.startswith(
        f"Warning: {FOR_GOOD.format('all sessions')}"
    )
    hardwon(world, "resume")
    assert "paused" not in hardwon(world, "context").stderr


def test_commands_of_a_person_work_during_a_pause(world: World) -> None:
    hardwon(world, "pause")
    added = hardwon(
        world, "add", "A number without its unit is misread.", "--name", "Name the unit"
    )
    remembered = hardwon(world, "remember", "The staging feed is one day behind.")

    assert (added.code, remembered.code) == (0, 0)
    assert hardwon(world, "recall", "unit").stdout.count("Name the unit") == 1


def test_the_writer_of_agents_is_refused_in_one_line_and_makes_no_store(world: World) -> None:
    hardwon(world, "pause")
    done = write(world)

    assert done == (
        2,
        "",
        "hardwon-writer: paused: memory is off the record until the user runs hardwon resume\n",
    )
    assert [path.name for path in world.store.iterdir()] == ["pauses.jsonl"]
    hardwon(world, "resume")
    assert write(world).code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "A number without its unit is misread."),
        ("remember", "The staging feed is one day behind."),
        ("retro", "write", "-"),
        ("save", "-", "--description", "The feed"),
        ("checkpoint", "create", "before"),
        ("capture", "--status"),
        ("recall", "unit"),
        ("context",),
    ],
)
def test_a_command_that_an_agent_runs_is_refused_in_one_line_and_makes_no_store(
    world: World, arguments: tuple[str, ...]
) -> None:
    world.variables |= {SESSION: "mine", "CLAUDECODE": "1"}
    hardwon(world, "pause")
    answer = b'{"act": {"patterns": [], "anti_patterns": [], "heuristics": []}}'
    done = run(world, "hardwon", *arguments, stdin=answer)

    assert done == (
        2,
        "",
        "hardwon: paused: memory is off the record until the user runs hardwon resume\n",
    )
    assert [path.name for path in world.store.iterdir()] == ["pauses.jsonl"]
    assert hardwon(world, "stats").stdout.startswith(FOR_GOOD.format("this session"))
    world.variables[SESSION] = "other"
    assert run(world, "hardwon", *arguments, stdin=answer).code == 0


def test_the_writer_of_another_session_is_not_refused(world: World) -> None:
    world.variables[SESSION] = "mine"
    hardwon(world, "pause")
    assert write(world).code == 2
    world.variables[SESSION] = "other"
    assert write(world).code == 0
