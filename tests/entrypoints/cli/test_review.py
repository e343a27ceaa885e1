"""Lessons that newer ones replace: found when they are stored, reviewed, and superseded by every door."""

import datetime as dt
import json

import attrs
import pytest

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.identity import content_hash
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import LESSON, LESSON_ID, Visit
from tests.entrypoints.programs import COMPLETE, answer, hardwon, run, upsert
from tests.strategies import of_file

OLDER = {
    "name": "Retry the payment call three times",
    "description": "Card payments time out now and then at the provider. Retry three times with a second between.",
    "category": "heuristics",
}
NEWER = {
    "name": "Do not retry card payments",
    "description": "Retrying a card payment that timed out charged 41 customers twice. Never send the payment call again.",
    "category": "anti-patterns",
}
OTHER = {
    "name": "Name the unit",
    "description": "A number without its unit is misread.",
    "category": "heuristics",
}
OLDER_ID, NEWER_ID = content_hash(OLDER["description"]), content_hash(NEWER["description"])
NOTHING = "Nothing to review: no lesson seems to replace another one, and nothing else waits for a decision\n"


@pytest.fixture
def world(empty_world: World) -> World:
    for fields in (OLDER, OTHER, NEWER):
        stored = run(empty_world, "hardwon-writer", *upsert(**fields))
        assert (stored.code, stored.stderr) == (0, "")
    return empty_world


def asked(world: World, *arguments: str) -> str:
    return hardwon(world, "recall", "retry payment call", "--in", "learnings", *arguments).stdout


def test_a_pair_found_as_it_is_stored_is_shown_once_until_it_is_reviewed(world: World) -> None:
    listed = hardwon(world, "review")
    [pair] = hardwon(world, "review", "--json").document["items"]

    assert listed.code == 0
    assert "Near duplicates (1): hardwon review OLDER NEWER --replaces" in listed.stdout
    assert f"<- 3 {NEWER['name']}" in listed.stdout
    assert (pair["older"]["id"], pair["newer"]["id"]) == (OLDER_ID, NEWER_ID)
    assert 0.9 <= pair["probability"] <= 1
    assert (NEWER["name"] in asked(world), OLDER["name"] in asked(world)) == (True, False)
    kept = hardwon(world, "review", "1", "3", "--keep-both")
    assert kept.stdout.startswith(f"Both stay: {OLDER['name']} (number 1")
    assert (NEWER["name"] in asked(world), OLDER["name"] in asked(world)) == (True, True)
    assert hardwon(world, "review").stdout == NOTHING
    second = hardwon(world, "review", "1", "3", "--keep-both")
    assert (second.code, "that pair is not open" in second.stderr) == (1, True)


def test_a_replaced_lesson_is_ranked_below_with_its_successor_and_in_no_block(world: World) -> None:
    before = world.hook(payload=world.session_start()).stdout
    replaced = hardwon(world, "review", "1", "3", "--replaces")
    after = world.hook(payload=world.session_start()).stdout
    answers = hardwon(world, "recall", "retry the payment call").stdout

    assert (replaced.code, replaced.stderr) == (0, "")
    assert f"superseded_by: null -> {NEWER_ID}" in replaced.stdout
    assert (
        answers.index(NEWER["name"])
        < answers.index(OLDER["name"])
        < answers.index(f"Superseded by: {NEWER_ID}")
    )
    assert OLDER["name"] not in asked(world)
    assert f"superseded by {NEWER_ID}" in hardwon(world, "show", "1").stdout
    assert hardwon(world, "show", "1", "--json").document["superseded_by"] == NEWER_ID
    assert (OLDER["name"] in before, NEWER["name"] in before) == (False, True)
    assert (OLDER["name"] in after, NEWER["name"] in after) == (False, True)
    assert hardwon(world, "review").stdout == NOTHING
    assert f"superseded_by: null -> {NEWER_ID}" in hardwon(
        world, "show", "1", "--history"
    ).stdout.replace("  ", " ")


def test_an_edit_supersedes_and_takes_it_back(world: World) -> None:
    done = hardwon(world, "edit", "1", "--superseded-by", NEWER_ID[:8], "--json").document
    back = hardwon(world, "edit", "1", "--superseded-by", "")

    assert done["entry"]["superseded_by"] == NEWER_ID
    assert (back.code, "Superseded" in asked(world)) == (0, False)
    for refused in (
        ("1", "--superseded-by", "1"),
        ("1", "--superseded-by", "99"),
        ("1", "--superseded-by", "3", "--name", "x"),
    ):
        done = hardwon(world, "edit", *refused)
        assert (done.code, len(done.stderr.splitlines()) <= 4) == (1, True)
    assert hardwon(world, "show", "1", "--json").document["superseded_by"] is None


@pytest.mark.parametrize(
    "arguments",
    [
        ("1",),
        ("--replaces",),
        ("1", "3"),
        ("1", "3", "--replaces", "--keep-both"),
        ("3", "99", "--replaces"),
    ],
)
def test_a_review_needs_two_lessons_and_one_decision(
    world: World, arguments: tuple[str, ...]
) -> None:
    done = hardwon(world, "review", *arguments)

    assert (done.code, done.stdout) == (1, "")
    assert hardwon(world, "show", "1", "--json").document["superseded_by"] is None


def test_the_writer_supersedes_what_it_names_or_stores_nothing(world: World) -> None:
    fields = {
        **OTHER,
        "name": "Three units",
        "description": "Name unit, scale and offset of a number.",
        "supersedes": "2",
    }
    stored = run(world, "hardwon-writer", *upsert(**fields))
    refused = run(
        world,
        "hardwon-writer",
        *upsert(**{**fields, "description": "Another.", "supersedes": "99"}),
    )
    wrong = run(
        world,
        "hardwon-writer",
        "--action",
        "upsert",
        "--entry-json",
        json.dumps({**fields, **COMPLETE, "supersedes": 2}),
    )

    assert (stored.code, stored.stderr) == (0, "")
    assert hardwon(world, "show", "2", "--json").document["superseded_by"] == content_hash(
        fields["description"]
    )
    assert (refused.code, refused.stderr) == (
        1,
        'hardwon-writer: supersedes is "99": it names no entry\n',
    )
    assert (wrong.code, wrong.stderr) == (1, "hardwon-writer: supersedes is 2: it must be text\n")
    assert world.query("SELECT count(*) FROM entries WHERE description = 'Another.'") == [(0,)]


def test_the_tool_supersedes_what_it_names_or_stores_nothing(
    world_by_word: World, visit: Visit
) -> None:
    client = visit(world_by_word)
    client.store()
    client.store(
        name="Three units", description="Name unit, scale and offset.", supersedes=LESSON_ID
    )
    refusal = client.refusal("store_memory", **{**LESSON, "description": "Another."}, supersedes=99)
    [row] = [row for row in client.answer("memory_list")["results"] if row["entryId"] == LESSON_ID]

    assert row["supersededBy"] == content_hash("Name unit, scale and offset.")
    assert "no memory has the id '99'" in refusal
    assert world_by_word.query("SELECT count(*) FROM entries") == [(2,)]


def decided(world: World, typed: bytes) -> str:
    talk = answer(world, typed, "review", question=b"[q] quit:")
    assert talk.code == 0, talk.shown
    return talk.shown


def test_each_key_decides_a_pair_in_a_terminal(world: World) -> None:
    skipped, ended = decided(world, b"n\n"), decided(world, b"q\n")
    assert ("1 of 1" in skipped, OLDER["name"] in skipped, "[m] merge" in ended) == (
        True,
        True,
        True,
    )
    assert len(hardwon(world, "review", "--json").items) == 1

    shown = decided(world, b"s\n")

    assert f"superseded_by: null -> {NEWER_ID}" in shown
    assert hardwon(world, "review").stdout == NOTHING


def test_a_pair_is_kept_in_a_terminal(world: World) -> None:
    assert "Both stay" in decided(world, b"k\n")
    assert hardwon(world, "review").stdout == NOTHING


@pytest.mark.parametrize("typed", [b"m\n", None])
def test_a_pair_is_merged_in_the_editor(world: World, typed: bytes | None) -> None:
    world.variables["EDITOR"] = "sed -i s/Never/Never_ever/"

    shown = decided(world, typed) if typed else hardwon(world, "review", "1", "3", "--merge").stdout

    merged = NEWER["description"].replace("Never", "Never_ever") + "\n\n" + OLDER["description"]
    assert "takes the place of" in shown
    assert hardwon(world, "show", "1", "--json").document["superseded_by"] == content_hash(merged)
    assert hardwon(world, "show", content_hash(merged), "--json").document["description"] == merged


def captured(days: float) -> Entry:
    made = dt.datetime.now(dt.UTC) - dt.timedelta(days=days)
    return attrs.evolve(
        of_file(f"Sign it. {days}", path=f"{days}.md"), name=f"{days} days old", created_at=made
    )


def test_notes_of_the_last_seven_days_wait_until_they_are_judged(world: World) -> None:
    world.remember(captured(6.9), captured(7.1))

    notes = [
        item["entry"] for item in hardwon(world, "review", "--json").items if item["sort"] == "note"
    ]
    listed = hardwon(world, "review").stdout
    hardwon(world, "validate", str(notes[0]["number"]), "--useful")

    assert [note["name"] for note in notes] == ["6.9 days old"]
    assert "Captured this week (1): hardwon review note --keep" in listed
    assert [item["sort"] for item in hardwon(world, "review", "--json").items] == ["pair"]


def test_a_foreign_project_with_entries_waits_for_a_word_of_the_user(world: World) -> None:
    world.query("UPDATE project SET authorship = 'foreign', trust = 'unsaid'")
    [project] = [
        item for item in hardwon(world, "review", "--json").items if item["sort"] == "project"
    ]

    assert project["entries"] == 3
    assert "foreign: you never committed to it (3 entries)" in hardwon(world, "review").stdout
    hardwon(world, "trust", "--revoke")
    assert [item["sort"] for item in hardwon(world, "review", "--json").items] == ["pair"]
