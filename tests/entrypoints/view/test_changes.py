"""Changes by the page: the use cases of the commands, with their history."""

import contextlib
import re
import sqlite3
from pathlib import Path

import attrs
import pytest

from hardwon.domain.model.cited_place import CitedPlace
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.identity import content_hash
from tests.entrypoints.cli.test_review import NEWER, NEWER_ID, OLDER, OLDER_ID
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, run, upsert
from tests.entrypoints.view.caller import Caller, opened, text_of
from tests.strategies import lesson, of_file

UNIT = lesson("A number without its unit is misread.", name="Name the unit")
TWO = lesson("Another lesson.", name="Another")


@pytest.fixture
def world(world_by_word: World) -> World:
    world_by_word.remember(UNIT, TWO)
    return world_by_word


@pytest.fixture
def pair(empty_world: World) -> World:
    for fields in (OLDER, NEWER):
        assert run(empty_world, "hardwon-writer", *upsert(**fields)).code == 0
    return empty_world


def row(world: World, columns: str, entry_id: str) -> tuple[object, ...]:
    sql = f"SELECT {columns} FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE e.id = ?"
    [found] = world.query(sql, [entry_id])
    return found


def edit(caller: Caller, entry_id: str, **texts: str) -> dict[str, object]:
    return {"seen": caller.field(f"/entry/{entry_id}/edit", "seen"), **texts}


def test_a_new_lesson_is_stored_as_by_hardwon_add(world: World) -> None:
    caller = opened(world)
    typed: dict[str, object] = {
        "description": "A fork keeps the sockets of its parent.\r\nClose the pool first.",
        "name": "Close the pool",
        "reasoning": "Two workers shared one connection.",
        "references": "src/db/pool.py:40\r\nsrc/workers/",
        "keywords": "fork, sockets",
        "category": "patterns",
        "reach": "home",
    }

    page = caller.send("/new", **typed)

    assert "Stored: Close the pool" in page
    text = "A fork keeps the sockets of its parent.\nClose the pool first."
    columns = 'description, reasoning, "references", keywords, category, reach, door'
    assert row(world, columns, content_hash(text)) == (
        text,
        "Two workers shared one connection.",
        '["src/db/pool.py:40", "src/workers/"]',
        '["fork", "sockets"]',
        "patterns",
        "home",
        "add",
    )


def test_a_new_lesson_names_the_nearest_and_supersedes_one(world: World) -> None:
    caller = opened(world)
    text = "A number without its unit is misread by the importer, or read as another unit."

    page = caller.send("/new", description=text, name="Unit beside number", category="patterns")

    assert "Does it replace one of these? Name the unit" in page
    new = content_hash(text)
    back = f"/entry/{new}"
    done = caller.send("/pair", older=UNIT.entry_id, newer=new, decision="supersede", back=back)
    assert "Unit beside number" in done
    assert row(world, "superseded_by", UNIT.entry_id) == (new,)
    assert "Does it replace" not in caller.text(f"{back}?near={UNIT.entry_id},x,,'\"<")


def test_a_new_lesson_like_no_other_asks_nothing(world: World) -> None:
    page = opened(world).send("/new", description="Zebras graze at noon.", category="patterns")

    assert ("Stored: " in page, "Does it replace" in page) == (True, False)


def test_a_refused_new_lesson_is_shown_again_with_what_was_typed(world: World) -> None:
    caller = opened(world)
    typed: dict[str, object] = {
        "description": "   ",
        "name": "Close <the> pool",
        "category": "patterns",
    }

    answer = caller.post("/new", typed)

    assert answer.status_code == 200
    assert "is blank: give it some text" in text_of(answer)
    assert 'value="Close &lt;the&gt; pool"' in answer.text
    assert world.query("SELECT count(*) FROM entry") == [(2,)]
    other = caller.post("/new", {**typed, "description": "A.", "category": "x"})
    assert re.search(
        'Category</label>\\s*<p class="complaint" role="alert" id="category-problem">', other.text
    )
    assert 'id="category" name="category" aria-invalid="true"' in other.text


def test_a_new_lesson_waits_for_a_locked_store_with_its_text(world: World) -> None:
    caller = opened(world)
    typed: dict[str, object] = {"description": "Close the pool.", "category": "patterns"}
    with contextlib.closing(sqlite3.connect(world.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refused = caller.post("/new", typed)
        other.execute("ROLLBACK")

    assert "Close the pool." in refused.text
    assert 'role="alert"' in refused.text
    assert world.query("SELECT count(*) FROM entry") == [(2,)]


def test_with_memory_off_nothing_is_written(world: World) -> None:
    answer = opened(world, semantic_enabled=False).post(
        "/new", {"description": "Close the pool.", "category": "patterns"}
    )

    assert "memory_semantic_enabled is not true" in text_of(answer)
    assert world.query("SELECT count(*) FROM entry") == [(2,)]


def test_a_secret_in_a_new_lesson_is_not_stored(world: World) -> None:
    token = "ghp_" + "a1B2" * 9

    opened(world).send("/new", description=f"The token is {token}.", category="patterns")

    assert token.encode() not in world.database.read_bytes()


def test_a_lesson_is_edited_in_the_store_and_the_bank_and_the_edit_is_undone(world: World) -> None:
    bank = "## Observed Patterns\n\n### Pattern: Name the unit\nA number without its unit is misread.\n- Observation count: 1\n"
    world.write_bank("patterns", bank)
    caller = opened(world)
    new = "Give each number its unit.\nAlways."
    fields = edit(
        caller,
        UNIT.entry_id,
        name="Name the unit",
        description=new.replace("\n", "\r\n"),
        reasoning="Seen.",
    )

    page = caller.send(f"/entry/{UNIT.entry_id}/edit", **fields)

    assert "Updated: Name the unit" in page
    assert row(world, "description, reasoning", content_hash(new)) == (new, "Seen.")
    assert (
        "Give each number its unit."
        in Path(world.project, "docs/knowledge-bank/patterns.md").read_text()
    )
    at = caller.field(f"/entry/{content_hash(new)}", "at")
    history = caller.get(f"/entry/{content_hash(new)}").text
    assert history.count("Undo") == 2
    undone = caller.send(f"/entry/{content_hash(new)}/undo", at=at, field="description")
    assert "A number without its unit is misread." in undone
    assert row(world, "description", UNIT.entry_id) == (UNIT.description,)


def test_an_edit_of_what_was_changed_meanwhile_stores_nothing_and_keeps_what_was_typed(
    world: World,
) -> None:
    caller = opened(world)
    mine = edit(caller, UNIT.entry_id, name="Mine", description="Mine.", reasoning="")
    theirs = edit(caller, UNIT.entry_id, name="Theirs", description=UNIT.description, reasoning="")
    caller.send(f"/entry/{UNIT.entry_id}/edit", **theirs)

    answer = caller.post(f"/entry/{UNIT.entry_id}/edit", mine)

    assert (answer.status_code, "changed since the form was opened" in text_of(answer)) == (
        200,
        True,
    )
    assert "Mine." in answer.text
    assert "As it is stored now Name Theirs" in text_of(answer)
    assert row(world, "name, description", UNIT.entry_id) == ("Theirs", UNIT.description)
    seen = re.findall('name="seen" value="([^"]+)"', answer.text)
    caller.send(f"/entry/{UNIT.entry_id}/edit", **{**mine, "seen": seen[0]})
    assert row(world, "name, description", content_hash("Mine.")) == ("Mine", "Mine.")


def test_an_edit_of_what_is_gone_becomes_a_new_lesson_if_wanted(world: World) -> None:
    caller = opened(world)
    mine = edit(caller, UNIT.entry_id, name="Mine", description="Mine.", reasoning="")
    world.query("DELETE FROM entry")

    answer = caller.post(f"/entry/{UNIT.entry_id}/edit", mine)

    assert "deleted or forgotten since the form was opened" in text_of(answer)
    assert ('value="Mine"' in answer.text, "Mine.</textarea>" in answer.text) == (True, True)
    assert world.query("SELECT count(*) FROM entry") == [(0,)]
    assert "Stored: Mine" in caller.send("/new", **{**mine, "category": "patterns"})


def test_keywords_are_edited_and_the_history_says_it_in_words(world: World) -> None:
    caller = opened(world)
    path = f"/entry/{UNIT.entry_id}"
    same = {"name": UNIT.name, "description": UNIT.description, "reasoning": ""}

    caller.send(f"{path}/edit", **edit(caller, UNIT.entry_id, **same, keywords="units, si"))
    caller.send(f"{path}/change", field="importance_tier", value="critical")
    page = caller.send(f"{path}/judge", useful="yes")

    history = page[page.index("History") :]
    assert history.index("Judged to be of use just now") < history.index(
        "Tier changed from normal to critical by hand just now Undo"
    )
    assert "Keywords changed by hand: units, si added just now Undo" in history
    assert row(world, "keywords", UNIT.entry_id) == ('["units", "si"]',)


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        ({"description": " "}, "description is blank"),
        ({"name": ""}, "name is blank"),
        ({"description": "Another lesson."}, "another lesson says that"),
        ({"description": "a\0b"}, "NUL"),
    ],
)
def test_a_text_that_can_not_be_stored_comes_back_in_the_form(
    world: World, texts: dict[str, str], problem: str
) -> None:
    caller = opened(world)
    given = {"name": "Kept", "description": UNIT.description, "reasoning": "Typed.", **texts}

    answer = caller.post(f"/entry/{UNIT.entry_id}/edit", edit(caller, UNIT.entry_id, **given))

    assert answer.status_code == 200
    assert 'type="search" value=""' in answer.text
    assert problem.replace("name", "") in text_of(answer)
    assert "Typed." in answer.text
    assert row(world, "name, reasoning", UNIT.entry_id) == ("Name the unit", "")


def test_the_file_of_a_captured_note_is_edited(world_by_word: World) -> None:
    saved = run(
        world_by_word,
        "hardwon",
        "save",
        "--description",
        "Where the image is signed",
        stdin=b"Sign it once.\n",
    )
    assert saved.code == 0
    caller = opened(world_by_word)
    [item] = caller.items("/memory.json?q=kind:session")
    before = caller.get(f"/entry/{item['id']}/edit").text
    [path] = world_by_word.project.glob("memory/sessions/*.md")
    text = path.read_text()

    fields = edit(caller, item["id"], markdown=text.replace("Sign it once.", "Sign it twice."))
    page = caller.send(f"/entry/{item['id']}/edit", **fields)

    assert "Sign it once." in before
    assert "changed in" in page
    assert path.read_text() == text.replace("Sign it once.", "Sign it twice.")


def test_a_document_of_the_user_is_not_edited_here(world_by_word: World) -> None:
    world_by_word.remember(of_file("Read me.", kind="document", path="readme.md"))
    caller = opened(world_by_word)
    [item] = caller.items("/memory.json")

    answer = caller.get(f"/entry/{item['id']}/edit")

    assert (answer.status_code, "edit /memory/document/readme.md" in text_of(answer)) == (400, True)


def test_tier_and_reach_are_changed_and_undone(world: World) -> None:
    caller = opened(world)

    page = caller.send(f"/entry/{UNIT.entry_id}/change", field="importance_tier", value="critical")
    caller.send(f"/entry/{UNIT.entry_id}/change", field="reach", value="everywhere")

    assert "importance_tier: normal -> critical" in page
    assert row(world, "tier, reach", UNIT.entry_id) == ("critical", "everywhere")
    [at] = [
        item["at"]
        for item in hardwon(world, "show", UNIT.entry_id, "--history", "--json").document["history"]
        if item["field"] == "importance_tier"
    ]
    undone = caller.send(f"/entry/{UNIT.entry_id}/undo", at=at, field="importance_tier")
    assert "critical -> normal" in undone
    assert row(world, "tier, reach", UNIT.entry_id) == ("normal", "everywhere")


@pytest.mark.parametrize(
    "fields",
    [
        {"field": "importance_tier", "value": "golden"},
        {"field": "entry_id", "value": "x"},
        {"field": "superseded_by", "value": "nothing"},
        {"field": "superseded_by", "value": UNIT.entry_id},
        {},
    ],
)
def test_a_change_that_is_none_is_refused(world: World, fields: dict[str, object]) -> None:
    caller, before = opened(world), row(world, "*", UNIT.entry_id)

    answer = caller.post(f"/entry/{UNIT.entry_id}/change", fields)

    assert (answer.status_code in {400, 404}, row(world, "*", UNIT.entry_id) == before) == (
        True,
        True,
    )


def test_several_entries_get_a_tier_at_once_or_none_does(world: World) -> None:
    caller = opened(world)
    chosen: dict[str, object] = {
        "id": [UNIT.entry_id, TWO.entry_id],
        "action": "tier",
        "tier": "important",
        "back": "/memory?q=x",
    }

    answer = caller.post("/entries", chosen)
    refused = caller.post("/entries", {**chosen, "id": [UNIT.entry_id, "gone"], "tier": "critical"})
    empty = caller.post("/entries", {**chosen, "id": []})

    assert answer.headers["location"].startswith(f"{caller.guard.prefix}/memory?q=x&notice=")
    assert "2 entries of 2 got the tier important" in text_of(
        caller.client.get(answer.headers["location"])
    )
    assert {tier for (tier,) in world.query("SELECT tier FROM entry")} == {"important"}
    assert (refused.status_code, empty.status_code) == (404, 400)
    assert "tick the boxes" in text_of(empty)
    assert "1 of 2 selected entries was deleted or forgotten meanwhile" in text_of(refused)


def test_a_project_is_trusted_by_its_entries_and_its_trust_revoked(world: World) -> None:
    caller = opened(world)
    project = (
        world.query("SELECT project FROM entry")[0][0]
        or world.query("SELECT id FROM project")[0][0]
    )
    world.query("UPDATE entry SET project = ?", [project])

    trusted = caller.send("/entries", id=UNIT.entry_id, action="trust")
    was = world.query("SELECT trust FROM project WHERE id = ?", [project])
    revoked = caller.send(f"/project/{project}/trust", trusted="no")

    assert trusted.count("Trusted") >= 1
    assert (was, world.query("SELECT trust FROM project WHERE id = ?", [project])) == (
        [("trusted",)],
        [("revoked",)],
    )
    assert "shown there only" in revoked
    assert caller.post("/project/none/trust", {"trusted": "yes"}).status_code == 404


def test_forgetting_shows_every_place_first_and_then_leaves_nothing(world: World) -> None:
    caller = opened(world)

    preview = caller.post("/entries", {"id": UNIT.entry_id, "action": "forget"})
    still = world.query("SELECT count(*) FROM entry")
    done = caller.post("/forget", {"id": UNIT.entry_id, "confirmed": "yes"})
    second = caller.post("/forget", {"id": UNIT.entry_id, "confirmed": "yes"})

    assert ("can't be undone" in text_of(preview), "memory.db" in preview.text) == (True, True)
    assert still == [(2,)]
    assert "nothing is left" in text_of(done)
    assert b"misread" not in world.database.read_bytes()
    assert caller.get(f"/entry/{UNIT.entry_id}").status_code == 404
    assert "Nothing that hardwon keeps holds it" in text_of(
        caller.client.get(second.headers["location"])
    )


def test_a_pair_is_kept(pair: World) -> None:
    caller = opened(pair)
    card = caller.text("/review")

    kept = caller.send("/pair", older=OLDER_ID, newer=NEWER_ID, decision="keep")

    assert ("Review 1" in card, OLDER["name"] in card, NEWER["name"] in card) == (True, True, True)
    assert "Both stay" in kept
    assert caller.items("/review.json") == []
    assert hardwon(pair, "review").stdout.startswith("Nothing to review")


def test_the_older_of_a_pair_is_superseded_and_that_is_undone(pair: World) -> None:
    caller = opened(pair)

    caller.send("/pair", older=OLDER_ID, newer=NEWER_ID, decision="supersede")

    assert row(pair, "superseded_by", OLDER_ID) == (NEWER_ID,)
    assert f"Superseded by {NEWER['name']}" in caller.text(f"/entry/{OLDER_ID}")
    at = caller.field(f"/entry/{OLDER_ID}", "at")
    caller.send(f"/entry/{OLDER_ID}/undo", at=at, field="superseded_by")
    assert row(pair, "superseded_by", OLDER_ID) == (None,)


def test_a_pair_is_merged_into_the_newer_one(pair: World) -> None:
    caller = opened(pair)
    form = caller.text(f"/merge?older={OLDER_ID}&newer={NEWER_ID}")
    text = "Never retry a card payment: ask the provider what became of it."

    page = caller.send(
        "/merge",
        older=OLDER_ID,
        newer=NEWER_ID,
        name="Ask, do not retry",
        description=text,
        reasoning="",
    )

    assert (OLDER["description"] in form, NEWER["description"] in form) == (True, True)
    assert "Merged: Ask, do not retry takes the place of" in page
    assert row(pair, "name, superseded_by", content_hash(text)) == ("Ask, do not retry", None)
    assert row(pair, "superseded_by", OLDER_ID) == (content_hash(text),)
    assert caller.items("/review.json") == []


def test_lessons_that_can_not_be_merged_stay_as_they_are(world: World) -> None:
    caller = opened(world)

    same = caller.post(
        "/merge", {"older": UNIT.entry_id, "newer": UNIT.entry_id, "name": "x", "description": "x"}
    )
    empty = caller.post(
        "/merge", {"older": UNIT.entry_id, "newer": TWO.entry_id, "name": "x", "description": " "}
    )
    begun = caller.post(f"/entry/{UNIT.entry_id}/merge", {"other": "2"})
    unknown = caller.post(f"/entry/{UNIT.entry_id}/merge", {"other": "99"})

    assert (same.status_code, empty.status_code, begun.status_code, unknown.status_code) == (
        400,
        200,
        200,
        404,
    )
    assert "description is blank" in text_of(empty)
    assert world.query("SELECT count(*) FROM entry WHERE superseded_by IS NULL") == [(2,)]


def test_a_lesson_changed_in_a_bank_by_hand_is_taken_over(world_by_word: World) -> None:
    bank = "## Observed Patterns\n\n### Pattern: Name the unit\n{}\n- Observation count: 1\n"
    world_by_word.write_bank("patterns", bank.format("A number without its unit is misread."))
    world_by_word.import_bank()
    world_by_word.write_bank("patterns", bank.format("Give each number its unit."))
    caller = opened(world_by_word)
    [item] = [item for item in caller.items("/review.json") if item["sort"] == "drift"]
    card = caller.text("/review")

    caller.send(f"/entry/{item['id']}/take-over", text="Give each number its unit.")

    assert ("misread" in card, "Give each number" in card) == (True, True)
    assert row(world_by_word, "description", content_hash("Give each number its unit."))
    assert caller.items("/review.json") == []


GONE = CitedPlace("src/a.py", "gone", "src/a.py").stored


def gone(number: int) -> Entry:
    return attrs.evolve(lesson(f"Gone {number}."), references=("src/a.py",), citations=(GONE,))


def test_the_review_decides_a_lesson_and_a_group(world: World) -> None:
    first, second, third = map(gone, range(3))
    world.remember(first, second, third)
    caller = opened(world)
    page = caller.text("/review")
    assert "Of which every cited file is gone" in page
    assert "src/a.py: gone" in page

    caller.send("/review/decide", id=first.entry_id, key="d")
    assert row(world, "tier", first.entry_id) == ("deprecated",)
    assert "decided already" in caller.send("/review/decide", id=first.entry_id, key="d")
    caller.send("/review/all", group="gone", key="k")

    place = "/review?group=note&at=2"
    answer = caller.post("/review/decide", {"id": UNIT.entry_id, "key": "k", "back": place})
    assert answer.headers["location"].startswith(f"{caller.guard.prefix}{place}&notice=")

    assert row(world, "tier", second.entry_id) == ("normal",)
    assert "every cited file is gone" not in caller.text("/review")
    assert caller.post("/review/all", {"group": "nonsense", "key": "k"}).status_code == 400
