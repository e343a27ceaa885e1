"""Captures give way to `hardwon forget`, and go on where they were."""

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hardwon.adapters.sqlite.capture_journal import FORGET_LOCK_FILE, CaptureLock
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.capture import CaptureInterruptedError, CaptureOutcome
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_capture import open_forget_lock
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.capture import TranscriptCapture, capture_lock, capturing
from hardwon.entrypoints.worker import Worker
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep
from tests.entrypoints.sessions import Conversation, statuses, written
from tests.entrypoints.ways_in import places_with
from tests.machine import LONGEST_WAIT
from tests.transcripts import PROJECT_ROOT, make_transcript

PLAIN = "".join(
    f'{{"user": "How does part {n} read?", "assistant": "Part {n} reads records.",'
    f' "timestamp": "2026-11-21T{n // 60:02}:{n % 60:02}:00Z"}}\n'
    for n in range(60)
)
OF_A_SESSION = make_transcript(250).text


@pytest.fixture
def world(empty_world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return an empty project, whose worker embeds nothing."""
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def opened(world: World) -> contextlib.closing[Memory]:
    settings = Settings(
        global_store=str(world.store), embedding_provider="off", capture_enabled=False
    )
    return contextlib.closing(open_memory(settings, pytest.fail))


def forget_lock(world: World) -> CaptureLock:
    return CaptureLock(str(world.store), FORGET_LOCK_FILE)


def quoted(text: str) -> list[str]:
    """Return the lines of exchanges in the files of conversations, sorted."""
    return sorted(line for line in text.splitlines() if line.startswith("> "))


def giving_way(is_awaited: Callable[[], bool], times: list[str]) -> str:
    """Stop as soon as it is awaited, the first time."""
    times.append("captured")
    if len(times) > 1:
        return "done"
    waiting = threading.Event()
    while not is_awaited():
        waiting.wait(0.001)
    raise CaptureInterruptedError


def test_a_capture_that_never_ends_by_itself_gives_way_to_forget_and_is_done_again(
    world: World,
) -> None:
    keep(world, description="Deploy the zanthemur first.")
    times = list[str]()
    with opened(world) as memory, ThreadPoolExecutor(1) as other:
        with capture_lock(memory.settings, memory.warn, "."):
            pass  # its lock is there
        is_awaited = open_forget_lock(str(world.store)).is_taken
        capture = other.submit(
            capturing, memory.settings, memory.warn, ".", lambda: giving_way(is_awaited, times)
        )
        done = hardwon(world, "forget", "zanthemur", "--yes")

        assert capture.result(LONGEST_WAIT) == "done"
    assert (done.code, times) == (0, ["captured", "captured"])


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("text", [PLAIN, OF_A_SESSION], ids=["plain", "session"])
def test_a_capture_interrupted_at_every_batch_keeps_and_tells_the_same(
    world: World, text: str, tmp_path: Path, *, force: bool
) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(text.replace(PROJECT_ROOT, str(world.project)), encoding="utf-8")
    lock, interruptions = forget_lock(world), list[int]()

    def interrupt(exchanges: int) -> None:
        if not force or not interruptions:  # from the beginning it would never end
            interruptions.append(exchanges)
            assert lock.acquire(0.0)

    def attempt(reading: TranscriptCapture) -> CaptureOutcome | None:
        try:
            return reading.keep(interrupt, force=force)[0]
        except CaptureInterruptedError:
            return None
        finally:
            lock.release()

    with opened(world) as memory:
        whole = TranscriptCapture(memory, str(world.project), str(file)).keep(
            lambda _: None, force=False
        )[0]
        undisturbed = written(world)
        if not force:
            world.project = world.folder / "another"
            world.project.mkdir()
            file.write_text(text.replace(PROJECT_ROOT, str(world.project)), encoding="utf-8")
        reading = TranscriptCapture(memory, str(world.project), str(file), session_id="")
        outcomes = list[CaptureOutcome | None]()
        while not outcomes or outcomes[-1] is None:
            outcomes.append(attempt(reading))

    done = outcomes[-1]
    assert done is not None
    assert len(outcomes) > 1
    assert done.exchanges == whole.exchanges
    assert quoted(written(world)) == quoted(undisturbed)


def test_a_text_that_is_forgotten_meanwhile_is_not_written_again(
    world: World, tmp_path: Path
) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(PLAIN.replace("Part 3 reads", "The zanthemur reads"), encoding="utf-8")
    lock = forget_lock(world)
    with opened(world) as memory:
        reading = TranscriptCapture(memory, str(world.project), str(file))

        def interrupt(_: int) -> None:
            assert lock.acquire(0.0)

        with pytest.raises(CaptureInterruptedError):
            reading.keep(interrupt, force=False)
        lock.release()
        assert places_with(world, "zanthemur")
        assert hardwon(world, "forget", "zanthemur", "--yes").code == 0
        reading.keep(lambda _: None, force=False)

    assert places_with(world, "zanthemur") == []
    assert quoted(written(world)).count("> Part 59 reads records.") == 1


def test_a_worker_waits_for_forget_and_then_captures(world: World) -> None:
    Conversation(world).say("What indents the parser?", "We decided on spaces.")
    lock = forget_lock(world)
    assert lock.acquire(0.0)
    with ThreadPoolExecutor(1) as other:
        work = other.submit(Worker(str(world.store), str(world.project)).run)
        assert statuses(world)["first"].waiting == 2
        lock.release()
        work.result(LONGEST_WAIT)

    assert statuses(world)["first"].waiting == 0
    assert quoted(written(world)).count("> We decided on spaces.") == 1


def test_a_run_of_forget_that_takes_too_long_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardwon.entrypoints.capture.FORGET_SECONDS", 0.0)
    lock = forget_lock(world)
    assert lock.acquire(0.0)
    with (
        opened(world) as memory,
        pytest.raises(StorageError, match="hardwon forget has been going on"),
        capture_lock(memory.settings, memory.warn, "."),
    ):
        pytest.fail("it did not wait")
    lock.release()


def test_two_runs_of_forget_are_one_after_the_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardwon.entrypoints.capture.LOCK_SECONDS", 0.0)
    keep(world, description="Deploy the zanthemur first.")
    lock = forget_lock(world)
    assert lock.acquire(0.0)

    refused = hardwon(world, "forget", "zanthemur", "--yes")
    lock.release()

    assert (refused.code, refused.stderr) == (
        2,
        "hardwon: hardwon forget is at work already: try again when it is done\n",
    )
    assert hardwon(world, "forget", "zanthemur", "--yes").code == 0
