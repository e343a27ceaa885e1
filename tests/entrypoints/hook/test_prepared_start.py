"""A session start prints the block that was made at the last turn's end, as long as nothing changed."""

import datetime as dt
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from hardwon.adapters.prepared_starts import PreparedStarts
from hardwon.entrypoints import bootstrap
from hardwon.entrypoints.bootstrap import read_settings
from hardwon.entrypoints.bootstrap_capture import activity_in
from hardwon.entrypoints.hook import prepared_start
from hardwon.entrypoints.hook.prepare import prepare_alone
from hardwon.entrypoints.hook.prepared_start import place_of, stamp_of
from hardwon.entrypoints.hook.request import start_of
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, keep
from tests.entrypoints.sessions import Conversation, lesson, rest

MARK = "This block was made beforehand.\n"
RANKING = {"hardwon.domain.use_cases.inject_at_start", "hardwon.domain.use_cases.rank", "numpy"}
LESSON = "Parse partner feeds line by line with the csv reader."


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world with a lesson on its feature, searched by word, after its first start."""
    world = empty_world
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    world.commit("feeds.py")
    world.write_feature(
        "1-csv", {"slug": "csv-reader", "status": "active"}, spec="# S\n\nRead partner feeds.\n"
    )
    world.write_bank("patterns", lesson("Pattern: Feeds", LESSON))
    world.hook()
    return world


def prepare(world: World, measure: str = "units") -> None:
    """Prepare the next start, as after a turn."""
    with mock.patch.dict(os.environ, world.variables, clear=True):
        prepare_alone(str(world.store), str(world.project), measure)


def place(world: World) -> str:
    with mock.patch.dict(os.environ, world.variables, clear=True):
        request = start_of(str(world.project), "units", {})
        settings = read_settings(request.project_root, {}, asks_git=False).settings
        return place_of(settings, request)


def mark(world: World) -> None:
    """Prepare the next start, and put a text into it that no other start prints."""
    prepare(world)
    starts = PreparedStarts(str(world.store))
    start = starts.find(place(world))
    assert start
    starts.keep(place(world), start._replace(text=MARK))


def is_used(world: World) -> bool:
    return world.hook().stdout == MARK


def receipts(world: World) -> list[tuple[object, ...]]:
    """Return the receipts without numbers, times, and scores, which change with both."""
    fields = "session_id, event, project, query, keyword_text, space, policy, digest, frame, missed, delivery, latest"
    shown = "entry_id, form, digest, room, origin, warning"
    return [
        (
            *row,
            *world.query(f"SELECT {shown} FROM receipt_entry WHERE receipt_number = ?", [number]),
        )
        for number, *row in world.query(f"SELECT number, {fields} FROM receipt ORDER BY number")
    ]


def test_after_a_turn_nine_starts_in_a_row_print_the_block_made_at_its_end(world: World) -> None:
    world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    plain = world.hook()
    rest(world)
    Conversation(world).exchange("Go on.", "Done.")
    rest(world)
    Path(world.project, "unseen_backoff.py").write_text("x", encoding="utf-8")
    before = len(receipts(world))
    runs = [world.hook() for _ in range(9)]
    rest(world)

    assert {run.stdout for run in runs} == {plain.stdout}
    assert LESSON in plain.stdout
    queries = [str(row[3]) for row in receipts(world)[before:]]
    assert len(queries) == 9
    assert not any("unseen" in query for query in queries)


def test_it_is_the_block_and_the_receipt_that_would_have_been_made(world: World) -> None:
    plain, [*_, expected] = world.hook(), receipts(world)
    prepare(world)
    launched = world.launch()
    [*_, found] = receipts(world)

    assert launched.run.stdout == plain.stdout
    assert not RANKING & launched.modules
    assert "hardwon.entrypoints.hook.prepared_start" in launched.modules
    assert found == expected
    assert world.query("SELECT recall_count FROM entries") == [(3,)]
    assert "verified" in hardwon(world, "why", "--verify").stdout


def test_a_block_of_nothing_is_prepared_too(world: World) -> None:
    world.variables["HARDWON_STORE"] = str(world.folder / "empty")
    world.store = world.folder / "empty"
    shutil.rmtree(world.project / "docs")
    world.hook()
    prepare(world)
    launched = world.launch()

    assert launched.run.stdout == ""
    assert not RANKING & launched.modules


@pytest.mark.parametrize(
    ("source", "used"), [("startup", True), ("clear", True), ("compact", False)]
)
def test_the_source_of_a_session_decides(world: World, source: str, *, used: bool) -> None:
    mark(world)
    payload = {**world.session_start(), "source": source}

    assert (world.hook(payload=payload).stdout == MARK) is used


def test_a_cleared_window_holds_only_the_prepared_block(world: World) -> None:
    prepare(world)
    world.hook(payload={**world.session_start(), "source": "clear"})

    assert world.query("SELECT dropped FROM receipt ORDER BY number") == [(1,), (0,)]


def test_a_resumed_session_is_not_told_again(world: World) -> None:
    mark(world)
    transcript = world.folder / "resumed.jsonl"
    transcript.write_text("{}\n", encoding="utf-8")
    payload = {
        **world.session_start(),
        "source": "resume",
        "transcript_path": str(transcript),
        "session_id": "resumed",
    }

    assert world.hook(payload=payload).stdout != MARK


def test_the_argument_form_and_another_host_make_their_own(world: World) -> None:
    mark(world)
    codex = {**world.session_start(), "transcript_path": "/x/rollout-1.jsonl"}

    assert world.argument_form().stdout != MARK
    assert world.hook(payload=codex).stdout != MARK
    prepare(world, "bytes")
    assert not RANKING & world.launch(payload=codex).modules


def first(world: World) -> str:
    [(entry_id,)] = world.query("SELECT id FROM entry ORDER BY seq LIMIT 1")
    return str(entry_id)


def pause_and_resume(world: World) -> None:
    hardwon(world, "pause")
    hardwon(world, "resume")


def replace_the_store(world: World) -> None:
    """Put a store in place that another one was copied from, and that changed then."""
    held, world.store = world.store, world.folder / "another"
    shutil.copytree(held, world.store)
    world.variables["HARDWON_STORE"] = str(world.store)
    keep(world, description="Name the unit of a csv column.")
    shutil.copy(world.database, held / "memory.db")
    world.store, world.variables["HARDWON_STORE"] = held, str(held)


CHANGES: dict[str, Callable[[World], object]] = {
    "an entry": lambda world: keep(world, description="Name the unit of a csv column."),
    "an edit": lambda world: hardwon(
        world, "edit", first(world), "--description", "Other words on csv feeds."
    ),
    "a deletion": lambda world: hardwon(world, "delete", first(world), "--yes"),
    "forgetting": lambda world: hardwon(world, "forget", first(world), "--yes", "--keep-bank"),
    "trust": lambda world: hardwon(world, "trust", "--revoke"),
    "a word against it": lambda world: hardwon(world, "validate", first(world), "--not-useful"),
    "a pause that ended": pause_and_resume,
    "a setting": lambda world: world.configure(injection_limit="1"),
    "an environment": lambda world: world.variables.update(HARDWON_INJECTION_LIMIT="3"),
    "a refused setting": lambda world: world.configure(embedding_model="text-large"),
    "a key": lambda world: world.variables.update(GEMINI_API_KEY="none"),
    "a commit": lambda world: world.commit("other.py"),
    "a branch": lambda world: world.git("checkout", "--quiet", "-b", "wip/feeds"),
    "a bank": lambda world: world.write_bank("heuristics", lesson("Units")),
    "the user's bank": lambda world: world.write_bank(
        "heuristics", lesson("Units"), of_all_projects=True
    ),
    "a change of a bank": lambda world: world.write_bank(
        "patterns", lesson("Pattern: Feeds", LESSON) + lesson("Pattern: More")
    ),
    "a feature": lambda world: world.write_feature("2-x", {"slug": "x", "status": "active"}),
    "a text of a feature": lambda world: (world.project / "docs/features/1-csv/spec.md").write_text(
        "# S\n\nWrite partner feeds.\n", encoding="utf-8"
    ),
    "the end of a feature": lambda world: (
        world.project / "docs/features/1-csv/.meta.json"
    ).write_text('{"slug": "csv-reader", "status": "done"}', encoding="utf-8"),
    "another store": replace_the_store,
    "no store": lambda world: world.database.unlink(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_voids_it(world: World, change: Callable[[World], object]) -> None:
    mark(world)
    assert is_used(world)
    change(world)

    assert not is_used(world)


def test_another_program_does_not_print_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mark(world)
    monkeypatch.setattr(bootstrap, "__file__", __file__)

    assert not is_used(world)


def test_a_full_journal_is_said(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mark(world)
    monkeypatch.setattr(prepared_start, "MAX_WAITING", 0)

    assert not is_used(world)


def moved(world: World, by: dt.timedelta) -> None:
    """Let the start be prepared at another time, with all else the same."""
    with mock.patch.dict(os.environ, world.variables, clear=True):
        request = start_of(str(world.project), "units", {})
        resolved = read_settings(request.project_root, {}, asks_git=False)
        starts, at = PreparedStarts(str(world.store)), bootstrap.now() + by
        start = starts.find(place(world))
        assert start
        with activity_in(resolved.settings) as activity:
            state = activity and activity.metadata.state_at(at)
        assert state
        stamp = stamp_of(resolved, request, state=state, at=at)
        receipt = start.receipt._replace(at=at)
        starts.keep(place(world), start._replace(stamp=stamp, receipt=receipt))


@pytest.mark.parametrize(
    ("by", "used"),
    [(dt.timedelta(), True), (-dt.timedelta(days=1), False), (dt.timedelta(minutes=1), False)],
    ids=["now", "yesterday", "by a clock that went back"],
)
def test_only_one_of_this_day_is_printed(world: World, by: dt.timedelta, *, used: bool) -> None:
    mark(world)
    moved(world, by)

    assert is_used(world) is used


def test_an_entry_that_expires_is_not_in_it(world: World) -> None:
    mark(world)
    world.query("UPDATE entry SET expires_at = '2020-01-01T00:00:00.000000+00:00'")

    assert world.hook().stdout == ""


@pytest.mark.parametrize("damage", ["half", "empty", "bytes", "folder", "another text"])
def test_a_damaged_file_is_as_none(world: World, damage: str) -> None:
    plain = world.hook()
    mark(world)
    path = Path(PreparedStarts(str(world.store)).path)
    data = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        changed = {"half": data[: len(data) // 2], "empty": b"", "bytes": b"\xff\0\n" * 9}
        other = data.replace(b"beforehand", b"by whoever")
        path.write_bytes(changed.get(damage, other))
    run = world.hook()

    assert (run.code, run.stdout, run.stderr) == (0, plain.stdout, "")


def test_a_line_that_is_said_once_is_not_prepared(empty_world: World) -> None:
    world = empty_world
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    keep(world, description=LESSON)
    prepare(world)

    assert not (world.store / "prepared-starts").exists()


def test_a_block_without_vectors_is_not_prepared_while_they_wait(world: World) -> None:
    del world.variables["HARDWON_EMBEDDING_PROVIDER"]
    prepare(world)
    run = world.hook()

    assert "vector=1" in run.stdout
    assert not RANKING & world.launch().modules


def test_changed_files_are_those_of_the_turns_end(world: World) -> None:
    prepare(world)
    Path(world.project, "retry_backoff.py").write_text("x", encoding="utf-8")
    world.hook()
    assert "retry_backoff" not in str(receipts(world)[-1])

    prepare(world)
    launched = world.launch()
    assert not RANKING & launched.modules
    assert "retry_backoff" in str(receipts(world)[-1])


def test_a_switched_off_memory_prepares_nothing(world: World) -> None:
    world.variables["HARDWON_INJECTION_ENABLED"] = "false"
    prepare(world)

    assert not (world.store / "prepared-starts").exists()


def test_forgetting_erases_it(world: World) -> None:
    prepare(world)
    path = Path(PreparedStarts(str(world.store)).path)
    assert b"partner feeds line" in path.read_bytes()
    ran = hardwon(world, "forget", LESSON, "--yes")

    assert (ran.code, path.exists()) == (0, False)
    assert "prepared-starts" in ran.stdout


def test_only_the_user_may_read_it(world: World) -> None:
    prepare(world)

    assert Path(PreparedStarts(str(world.store)).path).stat().st_mode & 0o777 == 0o600
