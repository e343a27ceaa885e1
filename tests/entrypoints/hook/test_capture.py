"""Conversations are kept while they go on: hooks as real processes, and a worker in the background."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from hardwon.adapters.sqlite.capture_journal import CaptureLock
from tests.adapters.providers.stub_server import running_stub
from tests.entrypoints.hook_process import FAULTS, World, calm
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import Conversation, rest, statuses, until, workers, written

KEY = "AKIA" + "IOSFODNN7EXAMPLE"
SILENT = (0, "", "")


@pytest.fixture
def world(empty_world: World) -> World:
    """Return an empty project in which conversations are kept, each word found by keyword only."""
    empty_world.variables |= {
        "HARDWON_CAPTURE_ENABLED": "true",
        "HARDWON_EMBEDDING_PROVIDER": "off",
    }
    return empty_world


def question(number: int, who: str = "first") -> str:
    return f"Question {number} of the {who} session: which way does the parser go?"


def test_every_fifth_exchange_is_written_by_a_worker_that_ends(world: World) -> None:
    conversation = Conversation(world)
    for number in range(1, 5):
        for run in conversation.exchange(question(number), f"We decided on way {number}."):
            assert (run.code, run.stdout, run.stderr) == SILENT
    before = statuses(world)["first"]

    assert (before.exchanges, before.unwritten, written(world)) == (4, 4, "")
    conversation.exchange(question(5), "We decided on way 5.")
    rest(world)
    after = statuses(world)["first"]
    assert (after.exchanges, after.unwritten, after.waiting) == (5, 0, 0)
    text = written(world)
    assert all(
        question(number) in text and f"We decided on way {number}." in text
        for number in range(1, 6)
    )
    answer = hardwon(world, "recall", "--in", "conversations", "which way does the parser go")
    assert "memory/conversations/" in answer.stdout, answer.stderr
    assert not world.log.exists()


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("UserPromptSubmit", {"prompt": "/tlc:plan the next part"}),
        ("PreCompact", {"trigger": "auto", "custom_instructions": None}),
        ("SessionEnd", {"reason": "other"}),
    ],
)
def test_a_boundary_has_all_written_at_once(
    world: World, event: str, fields: dict[str, object]
) -> None:
    conversation = Conversation(world)
    conversation.say(question(1), "We decided on way 1.")
    run = conversation.hook(event, **fields)
    rest(world)

    assert (run.code, run.stdout, run.stderr) == SILENT
    assert question(1) in written(world)
    assert statuses(world)["first"].unwritten == 0


def test_without_a_transcript_the_exchanges_from_the_hooks_are_kept_and_one_line_reports_it(
    world: World,
) -> None:
    world.variables["HARDWON_CAPTURE_INTERVAL"] = "1"
    conversation = Conversation(world, has_transcript=False)
    for number in (1, 2):
        conversation.exchange(question(number), f"We decided on way {number}.")
        rest(world)

    text = written(world)
    assert [text.count(question(number)) > 0 for number in (1, 2)] == [True, True]
    assert [line.partition(" ")[2] for line in world.log.read_text().splitlines()] == [
        "session first: the host names no transcript; keeping what the hooks were told instead"
    ]


def test_secrets_and_private_words_never_reach_the_disk(world: World) -> None:
    conversation = Conversation(world, has_transcript=False)
    conversation.exchange(
        f"Use {KEY} <private>and nobody's word</private> here", f"I use {KEY} in {world.project}/a"
    )
    end = conversation.hook("SessionEnd", reason="other")
    rest(world)
    kept = b"".join(
        path.read_bytes() for path in (*world.store.iterdir(), *world.project.rglob("*.md"))
    )

    assert end.code == 0
    assert b"[REDACTED]" in kept
    assert KEY.encode() not in kept
    assert b"nobody's word" not in kept


@pytest.mark.parametrize("variable", ["HARDWON_CAPTURE_ENABLED", "HARDWON_SEMANTIC_ENABLED"])
def test_switched_off_nothing_is_noted(world: World, variable: str) -> None:
    world.variables[variable] = "false"
    runs = Conversation(world).exchange(question(1), "An answer.")

    assert [(run.code, run.stdout, run.stderr) for run in runs] == [SILENT, SILENT]
    assert not world.store.exists()


@pytest.mark.parametrize(
    "fields",
    [
        {"hook_event_name": "PostToolUse", "tool_name": "Read"},
        {"hook_event_name": "SubagentStop", "last_assistant_message": "x"},
        {"hook_event_name": "Stop", "last_assistant_message": "x", "agent_id": "7"},
        {"hook_event_name": "PreCompact", "trigger": "auto", "agent_id": "7"},
        {"hook_event_name": "SubagentStart"},
    ],
)
def test_other_events_and_those_of_subagents_are_passed_over(
    world: World, fields: dict[str, object]
) -> None:
    run = world.hook(payload={**Conversation(world).payload(), **fields})

    assert (run.code, run.stdout, run.stderr) == SILENT
    assert not world.store.exists()


@pytest.mark.parametrize("session_id", [None, "", 7, "x" * 300], ids=ascii)
def test_an_event_of_no_session_is_one_line(world: World, session_id: object) -> None:
    run = Conversation(world).hook("Stop", session_id=session_id)

    assert (run.code, run.stdout, len(run.log)) == (0, "", 1)
    assert "session_id" in run.log[0]


def test_events_of_odd_values_are_noted_as_far_as_they_go(world: World) -> None:
    conversation = Conversation(world)
    for fields in (
        {"prompt": 7},
        {"prompt": "\ud800 half"},
        {"prompt": None, "transcript_path": ["x"]},
        {"transcript_path": "~\0"},
    ):
        assert conversation.hook("UserPromptSubmit", **fields).code == 0

    assert statuses(world)["first"].waiting == 4


def test_a_folder_that_is_gone_is_one_line_and_the_session_stays_where_it_began(
    world: World,
) -> None:
    conversation = Conversation(world)
    conversation.say(question(1), "An answer.")
    run = conversation.hook("SessionEnd", cwd=str(world.folder / "gone"))
    until(lambda: question(1) in written(world))
    rest(world)

    assert (run.code, run.stdout, len(run.log)) == (0, "", 1)
    assert "/gone" in run.log[0]


def test_a_corrupt_journal_is_moved_away_with_one_line_and_nothing_is_lost(world: World) -> None:
    world.store.mkdir()
    (world.store / "capture.db").write_bytes(b"garbage" * 1000)
    run = Conversation(world).ask("What now?")

    assert (run.code, run.stdout, len(run.log)) == (0, "", 1)
    assert "capture.db.damaged" in run.log[0]
    assert statuses(world)["first"].waiting == 1


def test_a_worker_that_cannot_be_started_is_one_line_and_what_was_noted_stays(world: World) -> None:
    world.faults = ["the_worker_cannot_be_started"]
    payload = {**Conversation(world).payload(), "hook_event_name": "SessionEnd"}
    run = world.hook(payload=payload)

    assert (run.code, run.stdout, len(run.log)) == (0, "", 1)
    assert "no more processes" in run.log[0]
    assert statuses(world)["first"].waiting == 1


def test_a_store_out_of_reach_stops_no_session(world: World) -> None:
    world.variables["HARDWON_STORE"] = "/dev/null/store"
    run = Conversation(world).ask("What now?")

    assert calm(run)
    assert (run.code, run.stdout, len(run.stderr.splitlines())) == (0, "", 1)


def test_a_read_only_store_stops_no_session(world: World) -> None:
    world.store.mkdir(mode=0o500)
    world.cleanup.callback(world.store.chmod, 0o700)
    through = [sys.executable, str(FAULTS / "without_powers.py")]
    run = world.hook(
        payload={**Conversation(world).payload(), "hook_event_name": "Stop"}, through=through
    )

    assert calm(run)
    assert (run.code, run.stdout, len(run.stderr.splitlines())) == (0, "", 1)
    assert list(world.store.iterdir()) == []


def test_a_provider_that_does_not_answer_blocks_no_process(world: World) -> None:
    with running_stub() as stub:
        stub.hangs_before = True
        world.variables |= {"HARDWON_EMBEDDING_PROVIDER": "ollama", "OLLAMA_HOST": stub.url}
        conversation = Conversation(world)
        for number in (1, 2):
            conversation.say(question(number), "An answer.")
        run = conversation.hook("SessionEnd", reason="other")

        assert (run.code, run.stdout, run.stderr) == SILENT
        until(lambda: bool(stub.requests))
        assert calm(conversation.ask(question(3)))
    rest(world)
    assert question(2) in written(world)


def test_two_sessions_at_once_neither_mix_nor_lose(world: World) -> None:
    world.variables["HARDWON_CAPTURE_INTERVAL"] = "2"
    names = ("left", "right")

    def converse(name: str) -> None:
        for number in (1, 2):
            Conversation(world, name).exchange(question(number, name), f"{name} answer {number}.")
        Conversation(world, name).hook("SessionEnd", reason="other")

    with ThreadPoolExecutor() as pool:
        list(pool.map(converse, names))
    rest(world)

    stands = statuses(world)
    assert {
        name: (stands[name].exchanges, stands[name].waiting) for name in names
    } == dict.fromkeys(names, (2, 0))
    text = written(world)
    assert all(question(number, name) in text for name in names for number in (1, 2))


def test_a_session_start_wakes_the_worker_for_what_was_left(world: World) -> None:
    Conversation(world).say(question(1), "We decided on way 1.")
    run = world.hook()
    until(lambda: question(1) in written(world))
    rest(world)

    assert (run.code, run.log) == (0, ())


def test_a_session_start_wakes_the_worker_for_vectors_that_need_no_network(world: World) -> None:
    del world.variables["HARDWON_EMBEDDING_PROVIDER"]
    world.write_bank("patterns", "### Pattern: Fresh\nNothing compares to it yet.\n")
    run = world.hook()
    rest(world)

    assert run.code == 0
    assert world.query("SELECT count(*) FROM vector") == [(1,)]


def test_a_session_start_with_nothing_left_wakes_no_worker(world: World) -> None:
    world.write_bank("patterns", "### Pattern: Fresh\nNothing compares to it yet.\n")
    world.hook()

    assert workers(world) == []
    assert not any(path.name.startswith("capture") for path in world.store.iterdir())


def test_the_status_reports_captured_and_pending_exchanges(world: World) -> None:
    world.store.mkdir()
    nothing = hardwon(world, "capture", "--status")
    Conversation(world).say(question(1), "An answer.")
    held = CaptureLock(str(world.store))
    held.acquire(0.0)
    document = hardwon(world, "capture", "--status", "--json").document
    output = hardwon(world, "capture", "--status").stdout
    held.release()

    assert nothing.stdout.splitlines()[1:] == ["Worker: not running", "No session was captured yet"]
    assert (document["enabled"], document["working"], document["last_trouble"]) == (True, True, [])
    assert document["sessions"] == [
        {
            "session_id": "first",
            "project_root": str(world.project),
            "exchanges": 1,
            "unwritten": 1,
            "waiting": 2,
        }
    ]
    assert "Capture: on, every 5 exchanges (memory_capture_interval)" in output
    assert f"first  {world.project}: 1 exchange, 1 unwritten, 2 events wait" in output
