"""The file of the journal, and its lock."""

import contextlib
import datetime as dt
import operator
import os
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from hardwon.adapters.clock import SystemClock
from hardwon.adapters.sqlite.capture_journal import (
    FORGET_LOCK_FILE,
    LOCK_FILE,
    CaptureLock,
    SqliteCaptureJournal,
)
from hardwon.adapters.sqlite.hook_events import (
    BUSY_SECONDS,
    FILE_NAME,
    connected,
    count_events,
    has_events,
    note,
    path_of,
    put_aside,
)
from hardwon.domain.model.conversation.hook_event import HookEvent
from hardwon.domain.model.conversation.session import SessionBuffer
from hardwon.domain.model.errors import CorruptStoreError, NewerSchemaError, StorageError
from tests.strategies import DAY, NOW

GARBAGE = b"no database, but much longer than the header of one" * 40


def event(session_id: str = "one", at: dt.datetime = NOW) -> HookEvent:
    return HookEvent(session_id, "reply", at.isoformat(), "/project")


def test_looking_leaves_no_trace(tmp_path: Path) -> None:
    journal, lock = (
        SqliteCaptureJournal(str(tmp_path / "store"), SystemClock().now),
        CaptureLock(str(tmp_path / "store")),
    )

    assert (journal.waiting(), list(journal.buffers()), lock.is_taken()) == ([], [], False)
    assert not has_events(str(tmp_path / "store"))
    assert list(tmp_path.iterdir()) == []


def test_journal_and_lock_are_for_their_owner(tmp_path: Path) -> None:
    store = tmp_path / "store"
    note(str(store), event())
    CaptureLock(str(store)).acquire(0.0)

    assert stat.S_IMODE(store.stat().st_mode) == 0o700
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in store.iterdir()} == {
        FILE_NAME: 0o600,
        LOCK_FILE: 0o600,
    }


def test_hooks_that_note_at_once_lose_nothing(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        utterances = [event(str(place % 2))._replace(text=f"Say {place}") for place in range(40)]
        list(pool.map(lambda utterance: note(str(tmp_path), utterance), utterances))
    journal = SqliteCaptureJournal(str(tmp_path), SystemClock().now)

    assert [len(journal.events(session_id)) for session_id in ("0", "1")] == [20, 20]


def test_an_event_that_two_hooks_report_is_noted_once(tmp_path: Path) -> None:
    later, noted = NOW + dt.timedelta(seconds=3), event()._replace(text="Say it")
    utterances = [
        noted,
        noted._replace(at=(NOW + dt.timedelta(seconds=1)).isoformat()),  # by the other hook
        noted._replace(session_id="two"),
        noted._replace(at=later.isoformat()),
        noted._replace(at=later.isoformat(), text="Say more"),
        noted._replace(at=later.isoformat()),
        *[event(at=later)] * 2,
    ]

    assert [note(str(tmp_path), utterance) for utterance in utterances] == [1, 1, 1, 2, 3, 4, 5, 6]


def test_a_hook_waits_longer_than_others_for_what_was_said_to_be_noted(tmp_path: Path) -> None:
    note(str(tmp_path), event())
    with (
        ThreadPoolExecutor(1) as pool,
        contextlib.closing(connected(path_of(str(tmp_path)), 0.0)) as other,
    ):
        other.execute("BEGIN EXCLUSIVE")
        noting = pool.submit(note, str(tmp_path), event()._replace(text="Say more"))
        with pytest.raises(TimeoutError):
            noting.result(1.5 * BUSY_SECONDS)
        other.execute("ROLLBACK")

        assert noting.result() == 2


@pytest.mark.parametrize("document", ["", "{", "[]", "{}", '{"session_id": 7}', "null", '"x"'])
def test_a_buffer_that_cannot_be_read_is_none(tmp_path: Path, document: str) -> None:
    journal = SqliteCaptureJournal(str(tmp_path), SystemClock().now)
    journal.keep(SessionBuffer(session_id="one", project_root="/p"))
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("UPDATE buffer SET document = ?", (document,))
    connection.close()

    assert journal.buffer("one") is None
    assert list(journal.buffers()) == []


def test_a_damaged_journal_is_set_aside_and_a_new_one_begins(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(GARBAGE)
    with pytest.raises(CorruptStoreError, match=r"capture\.db"):
        note(str(tmp_path), event())

    assert put_aside(str(tmp_path)) == str(tmp_path / "capture.db.damaged")
    assert (tmp_path / "capture.db.damaged").read_bytes() == GARBAGE
    assert note(str(tmp_path), event()) == 1
    assert put_aside(str(tmp_path)) == ""
    note(str(tmp_path), event()._replace(project_root=str(tmp_path)))
    assert has_events(str(tmp_path))


def test_a_journal_of_a_later_version_is_left_unchanged(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()

    with pytest.raises(NewerSchemaError, match="upgrade"):
        note(str(tmp_path), event())


@pytest.mark.parametrize("below", ["file", "file/store", "\0"])
def test_a_store_that_cannot_be_is_a_storage_error(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("kept")
    folder = str(tmp_path / "file") if below == "file" else f"{tmp_path}/{below}"
    with pytest.raises(StorageError):
        note(folder, event())
    with pytest.raises(StorageError):
        CaptureLock(folder).acquire(0.0)


def test_half_a_surrogate_pair_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="not valid text"):
        note(str(tmp_path), event()._replace(text="\ud800"))


def test_buffers_of_long_ago_go_and_events_stay(tmp_path: Path) -> None:
    for age, session_id in ((31, "old"), (29, "young")):
        journal = SqliteCaptureJournal(str(tmp_path), partial(operator.sub, NOW, age * DAY))
        journal.keep(SessionBuffer(session_id=session_id, project_root="/p"))
        journal.note(event(f"{session_id} and unheard", NOW - age * DAY))
    journal.forget_settled(NOW - 30 * DAY)

    assert {buffer.session_id for buffer in journal.buffers()} == {"young"}
    assert [session.session_id for session in journal.waiting()] == [
        "old and unheard",
        "young and unheard",
    ]


def test_waiting_events_are_counted_without_making_a_journal(tmp_path: Path) -> None:
    assert count_events(str(tmp_path)) == 0
    assert not [*tmp_path.iterdir()]
    for at in (NOW - 31 * DAY, NOW):
        note(str(tmp_path), event(at=at))

    assert count_events(str(tmp_path)) == 2


def test_pending_work_of_a_deleted_project_wakes_no_worker(tmp_path: Path) -> None:
    for root in (str(tmp_path / "gone"), ""):
        note(str(tmp_path), event()._replace(project_root=root))
    assert not has_events(str(tmp_path))
    note(str(tmp_path), event()._replace(project_root=str(tmp_path)))

    assert has_events(str(tmp_path))


def test_the_lock_is_for_one_at_a_time(tmp_path: Path) -> None:
    one, other = CaptureLock(str(tmp_path)), CaptureLock(str(tmp_path))

    assert one.acquire(0.0)
    assert other.is_taken()
    assert not other.acquire(0.0)
    one.release()
    one.release()
    assert not other.is_taken()
    assert other.acquire(0.0)


HOLD = """
import sys, time
from hardwon.adapters.sqlite.capture_journal import CaptureLock
lock = CaptureLock(*sys.argv[1:])
print(lock.acquire(0.0), flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("name", [LOCK_FILE, FORGET_LOCK_FILE])
def test_a_killed_process_releases_the_lock(tmp_path: Path, name: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path), name],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        lock = CaptureLock(str(tmp_path), name)
        assert lock.is_taken()
        assert not lock.acquire(0.0)
        holder.kill()
        holder.wait()

        assert not lock.is_taken()
        assert lock.acquire(5.0)


def test_garbage_in_place_of_the_lock_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / LOCK_FILE).write_bytes(GARBAGE)

    assert not CaptureLock(str(tmp_path)).is_taken()
    assert CaptureLock(str(tmp_path)).acquire(0.0)
