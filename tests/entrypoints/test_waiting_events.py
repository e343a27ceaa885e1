"""Events that wait to be captured stay, whatever their age and the clock; doctor and the session start say when there are too many."""

import contextlib
import datetime as dt
import sqlite3

import pytest

from hardwon.adapters.sqlite.hook_events import count_events, note
from hardwon.domain.model.conversation.hook_event import MAX_WAITING, HookEvent
from hardwon.entrypoints.worker import Worker
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.entrypoints.sessions import statuses, written
from tests.strategies import DAY, lesson

NOW = dt.datetime.now(dt.UTC)
YEAR = 365 * DAY
AGES = {
    "31 days": -31 * DAY,
    "10 years": -10 * YEAR,
    "of tomorrow": DAY,
    "100 years ahead": 100 * YEAR,
}
FULL = "10,000 events of conversations wait to be kept, and with more of them the oldest are lost"


@pytest.fixture
def world(empty_world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def say(world: World, number: int, at: dt.datetime, root: str, session_id: str = "first") -> None:
    for kind, text in (
        ("prompt", f"Question {number}: which way?"),
        ("reply", f"We decided on way {number}."),
    ):
        note(str(world.store), HookEvent(session_id, kind, at.isoformat(), root, text=text))  # type: ignore[arg-type]


def work(world: World, times: int = 1) -> None:
    for _ in range(times):
        Worker(str(world.store), str(world.project)).run()


def in_order(text: str, count: int) -> bool:
    places = [text.find(f"Question {number}: which way?") for number in range(count)]
    return places == sorted(places) and -1 not in places


@pytest.mark.parametrize("age", AGES.values(), ids=AGES)
def test_events_of_any_time_wait_for_their_project_and_are_captured_in_order(
    world: World, age: dt.timedelta
) -> None:
    root = world.folder / "later"
    for number in range(3):
        say(world, number, NOW + age + number * dt.timedelta(minutes=1), str(root))
    work(world, times=2)
    assert statuses(world)["first"].waiting == 6

    root.mkdir()
    world.project = root
    work(world)
    assert statuses(world)["first"].waiting == 0
    assert in_order(written(world), 3)


def test_a_clock_that_jumps_within_a_session_loses_and_mixes_nothing(world: World) -> None:
    for number, age in enumerate((dt.timedelta(), -10 * YEAR, 100 * YEAR, DAY)):
        say(world, number, NOW + age, str(world.project))
        work(world)

    assert statuses(world)["first"].waiting == 0
    texts = [path.read_text() for path in (world.project / "memory" / "conversations").glob("*.md")]
    assert all(
        sum(f"Question {number}: which way?" in text for text in texts) == 1 for number in range(4)
    )


def test_a_prompt_of_the_future_that_was_never_answered_is_captured(world: World) -> None:
    event = HookEvent(
        "first",
        "prompt",
        (NOW + 100 * YEAR).isoformat(),
        str(world.project),
        text="Question 0: which way?",
    )
    note(str(world.store), event)
    work(world)

    assert statuses(world)["first"].waiting == 0
    assert in_order(written(world), 1)


def fill(world: World, events: int) -> None:
    """Let so many events of a project that is gone wait."""
    say(world, 0, NOW, "/no such folder", "oldest")
    with contextlib.closing(sqlite3.connect(world.store / "capture.db")) as connection:
        connection.executemany(
            "INSERT INTO event (session_id, kind, at, project_root, transcript_path, text) VALUES (?, ?, ?, ?, '', '')",
            [("newer", "end", NOW.isoformat(), "/no such folder")] * (events - 2),
        )
        connection.commit()


def capture_findings(world: World) -> list[tuple[bool, str]]:
    found = hardwon(world, "doctor", "--json").document["findings"]
    return [(finding["ok"], finding["detail"]) for finding in found if finding["name"] == "capture"]


def test_below_the_most_nothing_goes_and_doctor_says_how_much_waits(world: World) -> None:
    world.remember(lesson("one"))
    fill(world, MAX_WAITING - 1)
    work(world)

    assert count_events(str(world.store)) == MAX_WAITING - 1
    assert capture_findings(world) == [
        (True, "9999 events wait to be kept: hardwon capture --status lists them")
    ]
    assert FULL not in world.hook(payload=world.session_start()).stdout


def test_beyond_the_most_the_oldest_go_and_doctor_and_the_session_start_say_so(
    world: World,
) -> None:
    world.remember(lesson("one"))
    fill(world, MAX_WAITING + 1)
    work(world)

    assert count_events(str(world.store)) == MAX_WAITING
    assert statuses(world)["oldest"].waiting == 1
    assert (
        "capture: lost 1 event of session 'oldest', the oldest, as more than 10,000 waited"
        in world.log.read_text()
    )
    assert [(ok, detail.startswith(FULL)) for ok, detail in capture_findings(world)] == [
        (False, True)
    ]
    block = world.hook(payload=world.session_start()).stdout
    assert [line.startswith(f"*{FULL}") for line in block.splitlines() if "wait" in line] == [True]


def test_a_person_may_let_go_what_waits(world: World) -> None:
    say(world, 0, NOW, "/no such folder")
    say(world, 1, NOW, "/no such folder", "second")
    done = hardwon(world, "capture", "--discard", "first", "--yes")
    second = hardwon(world, "capture", "--discard", "first", "--yes")

    assert (done.code, done.stdout) == (0, "Let go: 2 events\n")
    assert (second.code, second.stdout) == (1, "")
    assert "nothing waits of 'first': hardwon capture --status lists what does" in second.stderr
    assert {name: status.waiting for name, status in statuses(world).items()} == {
        "first": 0,
        "second": 2,
    }
