"""Off the record: what the hook does, and does not do, while a pause holds and after it."""

import datetime as dt
import json
from pathlib import Path

import pytest

from hardwon.adapters.pause_file import PauseFile
from hardwon.domain.model.pause import NEVER, Pause
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import Conversation, rest, statuses, workers, written

MERGER = "The merger with Acme is on Friday"
NOW = dt.datetime.now(dt.UTC)
MINUTE = dt.timedelta(minutes=1)
SILENT = (0, "", "")
EVENTS: dict[str, dict[str, object]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": f"{MERGER}: how do I parse the csv-reader's quotes?"},
    "Stop": {"last_assistant_message": MERGER, "stop_hook_active": False},
    "PreCompact": {"trigger": "manual", "custom_instructions": MERGER},
    "SessionEnd": {"reason": "other"},
    "SubagentStop": {"last_assistant_message": MERGER},
}


@pytest.fixture
def world(world: World) -> World:
    """Return a project with a bank whose conversations are captured, each word found by keyword only."""
    world.variables |= {"HARDWON_CAPTURE_ENABLED": "true", "HARDWON_EMBEDDING_PROVIDER": "off"}
    return world


@pytest.fixture
def talk(empty_world: World) -> Conversation:
    """Return a conversation in an empty project."""
    empty_world.variables |= {
        "HARDWON_CAPTURE_ENABLED": "true",
        "HARDWON_EMBEDDING_PROVIDER": "off",
    }
    return Conversation(empty_world)


def pause(
    world: World, session_id: str = "", begins_at: dt.datetime = NOW, ends_at: dt.datetime = NEVER
) -> None:
    PauseFile(str(world.store)).add(Pause(session_id, begins_at, ends_at))


def answer_of_the_paused_turn(talk: Conversation) -> None:
    """Let the agent say more in the turn that is going on, and end it."""
    talk.write("", f"Resumed, after {MERGER}.")
    if talk.transcript.exists():
        *lines, _, answer = talk.transcript.read_text().splitlines()
        talk.transcript.write_text("\n".join([*lines, answer, ""]))
    talk.hook("Stop", last_assistant_message=f"Resumed, after {MERGER}.", stop_hook_active=False)


def every_byte(world: World) -> dict[str, tuple[int, bytes]]:
    """Return what is in the store, the project and home, with the times of changes."""
    folders = (world.store, world.project, Path(world.variables["HOME"]))
    paths = sorted(path for folder in folders for path in (folder, *folder.rglob("*")))
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in paths
    }


@pytest.mark.parametrize("session_id", ["", "first"])
@pytest.mark.parametrize("event", EVENTS)
def test_no_event_of_a_pause_changes_a_byte_anywhere_or_starts_a_worker(
    world: World, event: str, session_id: str
) -> None:
    conversation = Conversation(world)
    conversation.say("Which way does the parser go?", "We decided on way 1.")
    conversation.write(MERGER, MERGER)
    pause(world, session_id)
    before = every_byte(world)
    run = conversation.hook(event, **EVENTS[event])

    assert workers(world) == []
    assert every_byte(world) == before
    assert (run.code, run.stderr, run.log) == (0, "", ())
    assert run.stdout.count("\n") == (event == "SessionStart")


@pytest.mark.parametrize("event", EVENTS)
def test_the_same_events_leave_bytes_when_another_session_is_paused(
    world: World, event: str
) -> None:
    pause(world, "another")
    before = every_byte(world)
    Conversation(world).hook(event, **EVENTS[event])
    rest(world)

    assert (every_byte(world) == before) is (event == "SubagentStop")


def test_nothing_is_made_where_there_is_no_store_yet(talk: Conversation) -> None:
    pause(talk.world)
    for event, fields in EVENTS.items():
        talk.hook(event, **fields)

    assert [path.name for path in talk.world.store.iterdir()] == ["pauses.jsonl"]
    assert list(talk.world.project.iterdir()) == []


@pytest.mark.parametrize(
    "payload", [b"{", b"[]", b'{"hook_event_name": 7}', b'{"cwd": 7}', b"x" * 5_000_000]
)
def test_a_payload_that_is_broken_leaves_no_line_in_the_log(world: World, payload: bytes) -> None:
    pause(world)
    before = every_byte(world)
    run = world.hook(payload=payload)

    assert (run.code, run.stderr, every_byte(world)) == (0, "", before)


def test_a_session_start_says_in_one_line_what_is_paused_and_how_it_ends(world: World) -> None:
    pause(world, ends_at=dt.datetime(2999, 1, 2, 3, 4, tzinfo=dt.UTC))
    by_host = Conversation(world).hook("SessionStart", source="startup")
    by_hand = world.argument_form()

    assert by_host.stdout == by_hand.stdout
    assert by_host.stdout == (
        "hardwon is paused in all sessions until 2999-01-02 03:04 UTC:"
        " nothing is captured, stored or injected; hardwon resume ends that\n"
    )


def test_the_paused_session_is_told_when_it_starts_again_and_gemini_by_json(world: World) -> None:
    pause(world, "first")
    output = Conversation(world).hook("SessionStart", source="resume").stdout
    gemini = world.hook(
        "--host", "gemini", payload={"session_id": "first", "hook_event_name": "SessionStart"}
    )

    assert output.startswith("hardwon is paused in this session: ")
    assert json.loads(gemini.stdout)["hookSpecificOutput"]["additionalContext"] == output


def test_another_session_gets_its_block_after_a_line_that_it_is_not_paused_for_a_day(
    world: World,
) -> None:
    plain = Conversation(world, "second").hook("SessionStart", source="startup").stdout
    pause(world, "first", begins_at=NOW - 23 * 60 * MINUTE)
    output = Conversation(world, "second").hook("SessionStart", source="clear").stdout

    assert output.startswith("hardwon was paused in session first at ")
    assert output.partition("\n")[0].endswith(", but not in this session: hardwon pause")
    assert output.partition("\n")[2].startswith(plain.splitlines()[0])
    (world.store / "pauses.jsonl").unlink()
    pause(world, "first", begins_at=NOW - 25 * 60 * MINUTE)
    assert (
        Conversation(world, "second")
        .hook("SessionStart", source="clear")
        .stdout.startswith(plain.splitlines()[0])
    )


def test_a_hook_without_a_session_id_belongs_to_the_session_that_the_host_names_in_its_environment(
    world: World,
) -> None:
    pause(world, "first")
    world.variables["CLAUDE_CODE_SESSION_ID"] = "first"

    assert world.argument_form().stdout.startswith("hardwon is paused in this session: ")


def test_a_pause_that_is_over_holds_nothing_back(talk: Conversation) -> None:
    pause(talk.world, begins_at=NOW - 2 * MINUTE, ends_at=NOW - MINUTE)
    talk.exchange("Which way does the parser go?", "We decided on way 1.")
    talk.hook("SessionEnd", reason="other")
    rest(talk.world)

    assert "We decided on way 1." in written(talk.world)


def test_a_file_of_pauses_that_can_not_be_read_pauses_all(world: World) -> None:
    (world.store / "pauses.jsonl").write_text("\0")
    before = every_byte(world)
    runs = [Conversation(world).hook(event, **fields) for event, fields in EVENTS.items()]

    assert every_byte(world) == before
    assert "its file of pauses can't be read: hardwon resume ends that" in runs[0].stdout
    assert hardwon(world, "resume").code == 0
    assert Conversation(world).hook("SessionStart", source="startup").stdout.count("\n") > 5


@pytest.mark.parametrize("has_transcript", [True, False])
@pytest.mark.parametrize("session_id", ["", "first"])
def test_words_of_a_pause_are_never_captured_and_those_around_it_are(
    talk: Conversation, session_id: str, *, has_transcript: bool
) -> None:
    world = talk.world
    if session_id:
        world.variables["CLAUDE_CODE_SESSION_ID"] = session_id
    talk = Conversation(world, has_transcript=has_transcript)
    talk.exchange("Which way does the parser go?", "We decided on way 1.")
    assert hardwon(world, "pause").code == 0
    talk.exchange(f"{MERGER}, right?", f"Yes. {MERGER}.")
    talk.ask(f"{MERGER}. Resume now")
    talk.write(f"{MERGER}. Resume now", "I run hardwon resume.")
    assert hardwon(world, "resume").code == 0
    answer_of_the_paused_turn(talk)
    talk.exchange("Which quotes does the reader take?", "We decided on double quotes.")
    talk.hook("SessionEnd", reason="other")
    rest(world)
    if has_transcript:
        for options in ([], ["--force"]):
            assert hardwon(world, "capture", "--from", str(talk.transcript), *options).code == 0
    ours = [
        path
        for folder in (world.store, world.project)
        for path in folder.rglob("*")
        if path.is_file()
    ]

    assert "We decided on way 1." in written(world)
    assert "We decided on double quotes." in written(world)
    assert [path for path in ours if MERGER.encode() in path.read_bytes()] == []


def test_a_reply_after_the_pause_to_a_prompt_in_it_is_not_noted(talk: Conversation) -> None:
    talk.ask("Which way does the parser go?")
    pause(talk.world, begins_at=NOW - MINUTE, ends_at=dt.datetime.now(dt.UTC))
    talk.reply_to("", MERGER)

    assert statuses(talk.world)["first"].waiting == 1
    assert MERGER.encode() not in (talk.world.store / "capture.db").read_bytes()
    talk.ask("And now?")
    talk.reply_to("And now?", "On the record.")
    assert statuses(talk.world)["first"].waiting == 3


def test_without_a_pause_the_hook_imports_nothing_for_it_but_its_own_modules(world: World) -> None:
    _, modules = world.launch(
        payload={**Conversation(world).payload(), "hook_event_name": "PostToolUse"}
    )
    ours = {name for name in modules if "pause" in name}

    assert ours == {
        "hardwon.domain.model.pause",
        "hardwon.adapters.pause_file",
    }
