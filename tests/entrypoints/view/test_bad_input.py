"""Whatever is wrong, the page says what, and nothing is half-changed."""

import contextlib
import shutil
import sqlite3
from pathlib import Path
from unittest import mock

import pytest

from hardwon.domain.model.entry import MAX_TEXT_BYTES
from tests.entrypoints.hook_process import World
from tests.entrypoints.view.caller import opened, text_of
from tests.strategies import lesson

UNIT = lesson("A number without its unit is misread.", name="Name the unit")
PAGES = ("/", "/memory", "/memory?q=unit", "/sessions", "/topics", "/time", "/review")


@pytest.fixture
def world(world_by_word: World) -> World:
    world_by_word.remember(UNIT)
    return world_by_word


def test_without_a_store_each_page_says_so_and_leaves_no_trace(world_by_word: World) -> None:
    caller = opened(world_by_word)

    for path in PAGES:
        assert "There is no store in" in caller.text(path)
    assert not world_by_word.store.exists()


def test_a_store_that_is_made_meanwhile_is_shown(world_by_word: World) -> None:
    caller = opened(world_by_word)
    assert "There is no store in" in caller.text("/memory")

    world_by_word.remember(UNIT)

    assert "Name the unit" in caller.text("/memory")


def test_a_store_that_is_replaced_or_deleted_meanwhile_is_noticed(
    world: World, tmp_path: Path
) -> None:
    caller = opened(world)
    assert "Name the unit" in caller.text("/memory")
    copy = tmp_path / "copy"
    copy.mkdir()
    other = World(tmp_path / "other", world.cleanup)
    other.remember(lesson("Another lesson.", name="Another"))
    shutil.copy(other.database, copy / "memory.db")

    (copy / "memory.db").replace(world.database)
    replaced = caller.text("/memory")
    world.database.unlink()
    deleted = caller.text("/memory")

    assert ("Another" in replaced, "Name the unit" in replaced) == (True, False)
    assert "There is no store in" in deleted


def test_an_entry_that_is_forgotten_meanwhile_is_gone(world: World) -> None:
    caller = opened(world)
    world.query("DELETE FROM entry")

    shown, sent = (
        caller.get(f"/entry/{UNIT.entry_id}"),
        caller.post(f"/entry/{UNIT.entry_id}/judge", {"useful": "yes"}),
    )

    assert (shown.status_code, sent.status_code) == (404, 404)
    assert "deleted or forgotten" in text_of(shown)


def test_a_locked_store_is_still_read_and_a_change_says_to_try_again(world: World) -> None:
    caller = opened(world)
    token = caller.guard.form_token()
    fields: dict[str, object] = {"token": token, "useful": "yes"}
    with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        shown = caller.get("/memory")
        refused = caller.post(f"/entry/{UNIT.entry_id}/judge", fields)
        other.execute("ROLLBACK")

    second = caller.post(f"/entry/{UNIT.entry_id}/judge", fields)

    assert (shown.status_code, refused.status_code) == (200, 503)
    assert "locked" in text_of(refused) or "busy" in text_of(refused)
    assert second.status_code == 303
    assert world.query("SELECT validation_count FROM usage") == [(1,)]


def test_a_damaged_row_is_left_out_and_the_others_are_shown(world: World) -> None:
    world.remember(lesson("Another lesson.", name="Another"))
    with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(
            "UPDATE entry SET updated_at = 'yesterday', kind = 'x' WHERE id = ?", [UNIT.entry_id]
        )
    caller = opened(world)

    for path in PAGES:
        assert caller.get(path).status_code == 200, path
    assert "Another" in caller.text("/memory")
    assert caller.get(f"/entry/{UNIT.entry_id}").status_code == 404


def test_a_file_that_is_no_store_is_said_in_words(world_by_word: World) -> None:
    world_by_word.store.mkdir()
    world_by_word.database.write_bytes(b"not a database, but long enough to be looked at " * 100)
    caller = opened(world_by_word)

    answer = caller.get("/memory")

    assert (answer.status_code, "memory.db" in text_of(answer)) == (503, True)
    assert "Traceback" not in answer.text


def test_a_text_of_four_megabytes_is_cut_until_it_is_asked_for(world_by_word: World) -> None:
    long = lesson("word " * (MAX_TEXT_BYTES // 5 - 1) + "end", name="Long")
    world_by_word.remember(long)
    caller = opened(world_by_word)
    path = f"/entry/{long.entry_id}"

    assert (len(caller.get(path).content) < 100_000, "Show all of it" in caller.text(path)) == (
        True,
        True,
    )
    assert len(caller.get(f"{path}?whole=1").content) > MAX_TEXT_BYTES
    assert len(caller.get("/memory").content) < 100_000
    seen = caller.field(f"{path}/edit", "seen")
    changed = long.description.replace("word", "w\u00f6rd", 1)[: MAX_TEXT_BYTES // 2]
    fields: dict[str, object] = {
        "seen": seen,
        "name": "Long",
        "description": changed,
        "reasoning": "",
    }
    assert caller.post(f"{path}/edit", fields).status_code == 303


@pytest.mark.parametrize(
    "path",
    [
        "/entry/none",
        "/entry/%00",
        "/entry/..%2f..%2fetc%2fpasswd",
        "/static/../guard.py",
        "/static/%2e%2e/site.py",
        "/entry/a/b/c",
        "/memory.xml",
        "/session?id=none",
        "/session",
        "/merge",
        "/merge?older=a",
        "/memory?page=0",
        "/memory?page=-1",
        "/memory?page=99999999999999999999",
        "/memory?page=%C2%B2",
        "/memory?sort=size",
        "/time?as=film",
        "/review?at=x",
        "/memory?q=%00",
        "/memory?q=%ff%fe",
        f"/memory?q={'x' * 10_000}",
        "/memory?notice=none",
        "/entry/none/edit",
        "//evil.example",
    ],
)
def test_an_address_made_by_hand_is_answered_in_words(world: World, path: str) -> None:
    caller = opened(world)

    answer = caller.get(path)

    assert answer.status_code in {200, 400, 404}, (path, answer.status_code, text_of(answer))
    assert "Traceback" not in answer.text
    assert "this is a bug" not in answer.text
    if answer.status_code != 200:
        assert "hardwon" in answer.text
        assert len(text_of(answer)) > 40


@pytest.mark.parametrize(
    "path", ["/forget", "/entries", "/merge", "/pair", "/project/x/trust", "/entry/x/undo"]
)
@pytest.mark.parametrize(
    "fields", [{}, {"id": "\0", "action": "forget"}, {"older": "x" * 9_999, "decision": "x"}]
)
def test_a_form_made_by_hand_changes_nothing(
    world: World, path: str, fields: dict[str, object]
) -> None:
    caller = opened(world)

    answer = caller.post(path, fields)

    assert answer.status_code in {303, 400, 404}, (answer.status_code, text_of(answer))
    assert "this is a bug" not in answer.text
    assert world.query("SELECT count(*), max(tier) FROM entry") == [(1, "normal")]


def test_an_unforeseen_error_is_a_line_and_logged_in_the_store(world: World) -> None:
    caller = opened(world)

    with mock.patch.object(caller.thread, "call", side_effect=ZeroDivisionError("by nothing")):
        answer = caller.get("/memory")

    assert (
        answer.status_code,
        "ZeroDivisionError: by nothing; this is a bug" in text_of(answer),
    ) == (500, True)
    assert "hardwon view: ZeroDivisionError" in world.log.read_text()


def test_two_pages_of_one_store_see_each_others_changes(world: World) -> None:
    one, two = opened(world), opened(world)

    one.send(f"/entry/{UNIT.entry_id}/change", field="importance_tier", value="critical")

    assert "critical" in two.text("/memory")
    assert one.guard.prefix != two.guard.prefix
    assert two.client.get(f"{one.guard.prefix}/").status_code in {401, 404}
