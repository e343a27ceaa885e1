"""The worker loses and doubles nothing on any failure, and it ends."""

import contextlib
import random
import signal
import subprocess

import pytest

from hardwon.adapters.durable import TEMPORARY
from hardwon.adapters.sqlite.capture_journal import CaptureLock
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.postings import MAX_AT_ONCE
from hardwon.domain.model.conversation.hook_event import EventKind, HookEvent
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.hook.capture import is_due
from hardwon.entrypoints.worker import REFRESHED, Worker
from tests.adapters.sqlite.sqlite_store import leave_a_gap
from tests.contracts.worlds import world_of
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.sessions import Conversation, statuses, written
from tests.machine import LONGEST_WAIT
from tests.strategies import lesson
from tests.texts import conflict


@pytest.fixture
def world(empty_world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return an empty project, whose worker runs in this process and embeds nothing."""
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def work(world: World) -> None:
    Worker(str(world.store), str(world.project)).run()


def logged(world: World) -> list[str]:
    return (
        [line.partition(" ")[2] for line in world.log.read_text().splitlines()]
        if world.log.exists()
        else []
    )


def question(number: int) -> str:
    return f"Question {number}: which way does the parser go?"


def converse(world: World, count: int, session_id: str = "first") -> Conversation:
    conversation = Conversation(world, session_id)
    for number in range(count):
        conversation.say(question(number), f"We decided on way {number}, no other.")
    return conversation


@pytest.mark.parametrize(
    ("kind", "text", "replies", "due"),
    [
        ("reply", "", 19, False),
        ("reply", "", 20, True),
        ("prompt", "go on", 19, False),
        ("prompt", "/tlc:plan the parser", 0, True),
        ("prompt", "/tlc:planner", 0, False),
        ("prompt", "see /tlc:plan", 0, False),
        ("compaction", "", 0, True),
        ("end", "", 0, True),
    ],
)
def test_the_capture_interval_follows_its_setting(
    kind: EventKind, text: str, replies: int, *, due: bool
) -> None:
    event = HookEvent("one", kind, "", "/project", text=text)

    assert is_due(event, replies, Settings(global_store="/store", capture_interval=20)) is due


def test_thirty_exchanges_leave_at_most_twenty_pending(world: World) -> None:
    converse(world, 30)
    before = statuses(world)["first"]
    work(world)
    after = statuses(world)["first"]

    assert (before.exchanges, before.unwritten) == (20, 20)
    assert (after.unwritten, after.waiting) == (0, 0)
    assert after.exchanges <= 20
    text = written(world)
    assert all(question(number) in text for number in range(30))


def test_while_another_is_at_work_a_worker_leaves_at_once(world: World) -> None:
    converse(world, 1)
    lock = CaptureLock(str(world.store))
    assert lock.acquire(0.0)
    work(world)

    assert statuses(world)["first"].waiting == 2
    lock.release()
    work(world)
    assert statuses(world)["first"].waiting == 0


def test_a_project_that_cannot_be_written_is_one_line_and_the_next_run_makes_up_for_it(
    world: World,
) -> None:
    converse(world, 2)
    obstacle = world.project / "memory"
    obstacle.write_text("in the way")
    work(world)

    assert len(logged(world)) == 1
    assert statuses(world)["first"].waiting == 4
    obstacle.unlink()
    work(world)
    assert statuses(world)["first"].waiting == 0
    assert question(0) in written(world)
    assert question(1) in written(world)


def test_a_conversation_in_a_conflicted_file_waits_with_one_line_until_the_conflict_is_solved(
    world: World,
) -> None:
    conversation = converse(world, 1)
    work(world)
    [path] = (world.project / "memory" / "conversations").glob("*.md")
    solved = path.read_text()
    path.write_text(solved + conflict("ours", "theirs"))
    for number in (1, 2):
        conversation.say(question(number), f"We decided on way {number}, no other.")
        work(world)

    [line] = logged(world)
    assert line.startswith(f"{str(path)!r} can't be written: git left conflict markers in it: ")
    assert statuses(world)["first"].waiting == 4
    assert path.read_text() == solved + conflict("ours", "theirs")

    path.write_text(solved)
    work(world)
    assert statuses(world)["first"].waiting == 0
    assert counts(world, 3) == counts(undisturbed(world, 3), 3)


def test_a_project_that_is_gone_does_not_block_others(world: World) -> None:
    gone = converse(world, 1, "gone")
    here, world.project = world.project, world.folder / "no such folder"
    gone.note("end")
    Conversation(world, "lost").note("end")
    world.project = here
    converse(world, 1, "here")
    work(world)
    work(world)

    assert [line.startswith("session 'lost': its project") for line in logged(world)] == [True]
    assert {name: status.waiting for name, status in statuses(world).items()} == {
        "gone": 0,
        "here": 0,
        "lost": 1,
    }


@pytest.mark.parametrize(
    "content",
    [b"", b"\0\xff" * 500, b"{}\n[1]\n{", b'{"type": "user"}\n'],
    ids=["empty", "binary", "odd", "bare"],
)
def test_a_broken_transcript_leaves_the_exchanges_from_the_hooks(
    world: World, content: bytes
) -> None:
    conversation = converse(world, 1)
    conversation.transcript.write_bytes(content)
    work(world)

    assert question(0) in written(world)
    assert len(logged(world)) == 1


def test_a_transcript_that_vanishes_amid_the_session_loses_and_doubles_nothing(
    world: World,
) -> None:
    conversation = converse(world, 2)
    work(world)
    conversation.transcript.unlink()
    conversation.note("prompt", question(2))
    conversation.note("reply", "And on.")
    work(world)

    text = written(world)
    assert counts(world, 2) == counts(undisturbed(world, 2), 2)
    assert question(2) in text
    assert "And on." in text


def test_a_corrupt_journal_is_moved_away_with_one_line(world: World) -> None:
    world.store.mkdir()
    (world.store / "capture.db").write_bytes(b"garbage" * 1_000)
    work(world)

    assert len(logged(world)) == 1
    assert "capture.db.damaged" in logged(world)[0]


def test_a_database_of_garbage_is_one_line_and_loses_nothing(world: World) -> None:
    converse(world, 1)
    world.database.write_bytes(b"garbage" * 1_000)
    work(world)

    assert 1 <= len(logged(world)) <= 2
    assert statuses(world)["first"].waiting == 2


def test_a_worker_packs_the_words_of_every_complete_block(world: World) -> None:
    blocks = 3 * MAX_AT_ONCE + 2  # it closes the store twice before
    with contextlib.closing(open_store(str(world.store))) as database:
        for number in range(blocks + 1):
            leave_a_gap(database)
            world_of(database).repository.put(lesson(f"lesson {number}"))
    work(world)

    assert world.query("SELECT count(*) FROM posting_block") == [(blocks,)]


def test_a_worker_with_nothing_to_do_ends(world: World) -> None:
    work(world)

    assert logged(world) == []


def undisturbed(world: World, exchanges: int) -> World:
    """Return a world in which the same was said, and nothing came between."""
    calm = World(world.folder / "calm", world.cleanup)
    converse(calm, exchanges)
    work(calm)
    return calm


def counts(world: World, exchanges: int) -> list[int]:
    """Return how often each exchange is in the project's files."""
    return [written(world).count(f"way {number}, no other") for number in range(exchanges)]


def kill_and_go_on(world: World, delays: list[float]) -> None:
    """Start a worker again and again, kill it after a while, and let the last one end."""
    command = [str(BIN / "python"), "-P", "-m", "hardwon.entrypoints.worker"]
    for delay in delays:
        process = subprocess.Popen(
            [*command, "--global-store", str(world.store)], env=world.variables
        )
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    work(world)


def everything_is_there_once(world: World, exchanges: int) -> None:
    calm = undisturbed(world, exchanges)
    names = (
        "SELECT e.kind, t.name FROM entry e JOIN entry_text t ON t.entry_seq = e.seq ORDER BY 1, 2"
    )
    sections = [line for line in written(world).splitlines() if line.startswith("<!-- ANCHOR:")]

    assert counts(world, exchanges) == counts(calm, exchanges)
    assert len(sections) == len(set(sections)) > 0
    assert world.query(names) == calm.query(names) != []
    assert statuses(world)["first"].waiting == 0
    files = [path for path in world.project.rglob("*") if path.is_file()]
    # A process that was killed while it wrote leaves its temporary file for an hour.
    assert {path.suffix for path in files if not TEMPORARY.search(path.name)} == {".md"}


KILLED = """
import os, sys
from hardwon.adapters.sqlite.capture_journal import SqliteCaptureJournal
from hardwon.adapters.markdown.conversation_files import MarkdownConversationFiles
from hardwon.domain.use_cases.index_files import IndexFiles
from hardwon.entrypoints.worker import Worker

store, step = sys.argv[1:]
place, name = {"keep": (SqliteCaptureJournal, "keep"), "write": (MarkdownConversationFiles, "put"),
    "learn": (IndexFiles, "index")}[step]
real = getattr(place, name)

def deadly(*given, **named):
    real(*given, **named)
    os._exit(9)

setattr(place, name, deadly)
Worker(store, "/").run()
"""


def test_a_process_killed_at_any_step_and_restarted_loses_and_doubles_nothing(world: World) -> None:
    converse(world, 24)
    for step in ("keep", "write", "learn"):
        command = [str(BIN / "python"), "-P", "-c", KILLED, str(world.store), step]
        assert subprocess.run(command, env=world.variables, check=False).returncode == 9
    work(world)

    everything_is_there_once(world, 24)


HELD_UP = """
import re
from hardwon.entrypoints.worker import end_after
end_after(0.05, print, 0.05)
re.match("(a+)+$", "a" * 60 + "b")
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer of the system")
def test_a_process_that_is_held_up_in_c_ends_all_the_same() -> None:
    done = subprocess.run(
        [str(BIN / "python"), "-P", "-c", HELD_UP], timeout=LONGEST_WAIT, check=False
    )

    assert done.returncode == -signal.SIGALRM


def test_a_process_that_takes_too_long_ends_with_a_word() -> None:
    script = HELD_UP.replace(", 0.05)", ")").replace(
        're.match("(a+)+$", "a" * 60 + "b")', "import time; time.sleep(30)"
    )
    script = script.replace("print", "lambda line: print(line, flush=True)")
    done = subprocess.run(
        [str(BIN / "python"), "-P", "-c", script],
        timeout=LONGEST_WAIT,
        check=False,
        capture_output=True,
    )

    assert (done.returncode, done.stdout) == (
        1,
        b"capture: ended after 0.05 seconds; the rest is for the next time\n",
    )


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_a_kill_at_any_point_loses_and_doubles_nothing(world: World, seed: int) -> None:
    chance = random.Random(seed)
    converse(world, 24)
    kill_and_go_on(world, [chance.uniform(0.1, 0.8) for _ in range(6)])

    everything_is_there_once(world, 24)


def test_the_worker_updates_a_keyword_index_of_an_earlier_version_and_tells_it_once(
    world: World,
) -> None:
    with contextlib.closing(open_store(str(world.store))) as database:
        world_of(database).add(lesson("Call getAccountById twice"), lesson("plain words"))
        database.rows(
            "UPDATE entries_fts SET description = 'Call getAccountById twice' WHERE description LIKE 'Call%'"
        )
        database.rows("DELETE FROM _metadata WHERE key = 'keyword_index_version'")
    work(world)
    work(world)

    assert world.query("SELECT count(*) FROM entries_fts WHERE entries_fts MATCH 'account'") == [
        (1,)
    ]
    assert [line for line in logged(world) if "keyword index" in line] == [
        f"keyword index: 1 {REFRESHED}"
    ]
