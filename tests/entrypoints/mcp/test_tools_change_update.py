"""`memory_update` changes the fields of a memory, and its history keeps the old values."""

import json
from typing import Any

import attrs
import pytest

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.ranking.decay import TIER_PURPOSES
from hardwon.domain.model.vocabulary import TIERS
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import RawClient, Visit, Visitor
from tests.entrypoints.programs import hardwon, keep
from tests.strategies import lesson

ANSWERED = ["message", "changed", "memory", "sectionsFollowed", "sectionsKept", "warnings"]


def number_of(world: World, entry: Entry) -> int:
    [(number,)] = world.query("SELECT seq FROM entry WHERE id = ?", [entry.entry_id])
    return int(number)


def history(world: World, number: int) -> list[tuple[Any, ...]]:
    return world.query(
        "SELECT field_changed, old_value, new_value FROM memory_history WHERE memory_id = ? ORDER BY id",
        [number],
    )


@pytest.fixture
def entry(shared_world: World, request: pytest.FixtureRequest) -> Entry:
    """Return a memory of its own for each test."""
    return keep(shared_world, description=f"About {request.node.name}.", keywords=[])


def test_two_fields_are_changed_and_the_history_has_two_rows(
    shared: RawClient, shared_world: World, entry: Entry
) -> None:
    number = number_of(shared_world, entry)
    answer = shared.answer(
        "memory_update", id=number, title=" A better\ntitle ", importanceTier="important"
    )

    assert list(answer) == ANSWERED
    assert answer["message"].splitlines() == [
        f"Updated: A better title (number {number}, id: {entry.entry_id})",
        f"title: {entry.name} -> A better title",
        "importance_tier: normal -> important",
    ]
    assert answer["changed"] == [
        {"field": "title", "old": entry.name, "new": "A better title"},
        {"field": "importanceTier", "old": "normal", "new": "important"},
    ]
    row = answer["memory"]
    assert (row["id"], row["entryId"], row["title"]) == (number, entry.entry_id, "A better title")
    assert (row["importanceTier"], row["importanceWeight"], row["expiresAt"]) == (
        "important",
        0.5,
        None,
    )
    assert history(shared_world, number) == [
        ("title", entry.name, "A better title"),
        ("importance_tier", "normal", "important"),
    ]


def test_the_time_of_the_update_moves_and_that_of_creation_does_not(
    shared: RawClient, shared_world: World, entry: Entry
) -> None:
    shared_world.query(
        "UPDATE entry SET updated_at = '2020-01-01T00:00:00.000000+00:00' WHERE id = ?",
        [entry.entry_id],
    )
    row = shared.answer("memory_update", id=entry.entry_id, importanceWeight=0.9)["memory"]

    assert row["updatedAt"] > row["createdAt"] > "2020-01-02"
    assert row["importanceWeight"] == 0.9


def test_an_update_with_equal_values_changes_nothing(
    shared: RawClient, shared_world: World, entry: Entry
) -> None:
    before = shared_world.query("SELECT * FROM entry ORDER BY seq")
    answer = shared.answer(
        "memory_update",
        id=entry.entry_id,
        title=entry.name,
        triggerPhrases=[],
        importanceWeight=0.5,
    )

    assert answer["message"].startswith("Unchanged, it was so already: ")
    assert answer["changed"] == []
    assert shared_world.query("SELECT * FROM entry ORDER BY seq") == before
    assert history(shared_world, answer["memory"]["id"]) == []


def test_the_new_texts_are_searched(shared: RawClient, shared_world: World, entry: Entry) -> None:
    shared.call(
        "memory_update", id=entry.entry_id, title="Flamingo", triggerPhrases=["paint it pink"]
    )

    for words in ("flamingo", "pink"):
        assert hardwon(shared_world, "recall", "--json", words).items[0]["id"] == entry.entry_id
    [(phrases,)] = shared_world.query(
        "SELECT trigger_phrases FROM entry_text WHERE name = 'Flamingo'"
    )
    assert json.loads(phrases) == ["paint it pink"]

    emptied = shared.answer("memory_update", id=entry.entry_id, triggerPhrases=[])
    assert emptied["memory"]["triggerPhrases"] == []


def test_a_prompt_matches_the_new_trigger_phrase_and_no_longer_the_old_one(
    shared: RawClient, entry: Entry
) -> None:
    def matched(prompt: str) -> list[str]:
        answer = shared.answer("memory_match_triggers", prompt=prompt)
        return [row["entryId"] for row in answer["memories"]]

    shared.call("memory_update", id=entry.entry_id, triggerPhrases=["polish the anchor"])
    assert matched("please polish the anchor") == [entry.entry_id]

    shared.call("memory_update", id=entry.entry_id, triggerPhrases=["hoist the mainsail"])
    assert matched("now hoist the mainsail") == [entry.entry_id]
    assert matched("please polish the anchor") == []


def test_an_importance_weight_of_0_to_1_is_kept_as_given(shared: RawClient, entry: Entry) -> None:
    for weight in (0, 0.25, 1):
        updated = shared.answer("memory_update", id=entry.entry_id, importanceWeight=weight)
        assert updated["memory"]["importanceWeight"] == weight


def test_all_six_tiers_are_taken(shared: RawClient, entry: Entry) -> None:
    tiers = [
        shared.answer("memory_update", id=entry.entry_id, importanceTier=tier)["memory"]
        for tier in TIERS
    ]

    assert [row["importanceTier"] for row in tiers] == list(TIERS)


def test_a_deprecated_memory_is_not_found_but_still_listed(
    shared: RawClient, shared_world: World, entry: Entry
) -> None:
    answer = shared.answer(
        "memory_update", id=entry.entry_id, title="Flotsam", importanceTier="deprecated"
    )

    assert "no search finds it any more, and it is kept until it is deleted" in answer["message"]
    found = hardwon(shared_world, "recall", "--json", "flotsam").items
    assert entry.entry_id not in [item["id"] for item in found]
    listed = hardwon(shared_world, "list", "--tier", "deprecated", "--json").items
    assert entry.entry_id in [item["id"] for item in listed]


def test_a_temporary_entry_shows_when_it_expires(shared: RawClient, shared_world: World) -> None:
    old = lesson("Made long ago.")
    new = keep(shared_world, description="Made now.")
    shared_world.remember(attrs.evolve(old, name="Jetsam"))

    fresh = shared.answer("memory_update", id=new.entry_id, importanceTier="temporary")
    assert fresh["memory"]["expiresAt"] > fresh["memory"]["createdAt"]
    assert "It is temporary: it expires " in fresh["message"]

    gone = shared.answer("memory_update", id=old.entry_id, importanceTier="temporary")
    assert "its 7 days are over, so no search finds it any more" in gone["message"]
    assert old.entry_id not in [
        item["id"] for item in hardwon(shared_world, "recall", "--json", "jetsam").items
    ]


def test_secrets_are_taken_out(shared: RawClient, shared_world: World, entry: Entry) -> None:
    secret = "ghp_" + "a1B2" * 9
    shared.call(
        "memory_update", id=entry.entry_id, title=f"Key {secret}", triggerPhrases=[f"use {secret}"]
    )

    kept = shared_world.query("SELECT name, trigger_phrases FROM entry_text")
    assert secret not in str(kept + shared_world.query("SELECT * FROM history"))


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            {},
            "nothing to change: give title, description, reasoning, triggerPhrases, importanceWeight, importanceTier or supersedes",
        ),
        (
            {"title": ""},
            "nothing to change: give title, description, reasoning, triggerPhrases, importanceWeight, importanceTier or supersedes",
        ),
        ({"title": " \n"}, "title is blank: give it some text"),
        (
            {"importanceWeight": 1.5},
            "importanceWeight is 1.5: input should be less than or equal to 1",
        ),
        (
            {"importanceWeight": -1},
            "importanceWeight is -1: input should be greater than or equal to 0",
        ),
        (
            {"importanceTier": "urgent"},
            "importanceTier is \"urgent\": use 'constitutional', 'critical', 'important', 'normal', 'temporary'",
        ),
        ({"triggerPhrases": ["ab"]}, "the trigger phrase 'ab' has 2 characters: use 3 to 100"),
        ({"triggerPhrases": "ab"}, 'triggerPhrases is "ab": input should be a valid list'),
        (
            {"id": 987654, "title": "x"},
            "no memory has the id '987654': give its number or its 16 hex digits,",
        ),
        (
            {"id": "nope", "title": "x"},
            "no memory has the id 'nope': give its number or its 16 hex digits,",
        ),
        ({"id": True, "title": "x"}, "id is true: use the memory's number or its 16 hex digits"),
        ({"id": None, "title": "x"}, "missing: id"),
        (
            {"text": "x"},
            "unknown: text, use id, title, description, reasoning, triggerPhrases, importanceWeight,",
        ),
    ],
    ids=lambda value: repr(value)[-60:],
)
def test_a_change_that_can_not_be_made_is_refused_in_one_line(
    shared: RawClient, shared_world: World, entry: Entry, arguments: dict[str, object], line: str
) -> None:
    before = shared_world.query("SELECT * FROM entry ORDER BY seq")
    refused = shared.refusal("memory_update", **{"id": entry.entry_id, **arguments})

    assert refused.startswith(line)
    assert "\n" not in refused
    assert shared_world.query("SELECT * FROM entry ORDER BY seq") == before


def test_the_schema_says_what_the_tiers_are_for(shared: RawClient) -> None:
    tools = {tool["name"]: tool for tool in shared.ask("tools/list")["result"]["tools"]}
    schema = tools["memory_update"]["inputSchema"]

    assert schema["required"] == ["id"]
    texts = ["id", "title", "description", "reasoning"]
    assert list(schema["properties"]) == [
        *texts,
        "triggerPhrases",
        "importanceWeight",
        "importanceTier",
        "supersedes",
    ]
    description = schema["properties"]["importanceTier"]["description"]
    assert all(f"{tier} = {purpose}" in description for tier, purpose in TIER_PURPOSES.items())
    assert all(value["description"] for value in schema["properties"].values())


def test_the_vector_follows_the_new_title(
    shared_world: World, entry: Entry, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(shared_world.variables, "HARDWON_EMBEDDING_PROVIDER", "local")
    client = visit(shared_world)
    before = vector(client, shared_world, entry, title="Before")
    after = vector(client, shared_world, entry, title="Flamingos in the rain")

    assert before != after


def vector(client: Visitor, world: World, entry: Entry, **changes: object) -> bytes:
    answer = client.answer("memory_update", id=entry.entry_id, **changes)
    assert answer["warnings"] == []
    [(stored,)] = world.query(
        "SELECT vec FROM vector JOIN entry ON seq = entry_seq WHERE id = ?", [entry.entry_id]
    )
    return bytes(stored)


def test_a_description_is_corrected_in_the_bank_too_and_the_old_id_still_names_it(
    world: World, visit: Visit
) -> None:
    world.write_bank("patterns", "### Pattern: Retry\nRetry at once.\n- Confidence: high\n")
    world.import_bank()
    bank = world.project / "docs" / "knowledge-bank" / "patterns.md"
    old, new = content_hash("Retry at once."), content_hash("Retry after a pause.")

    visitor = visit(world)
    change = {"description": "Retry after a pause.", "reasoning": "It flooded the server."}
    answer = visitor.answer("memory_update", id=old, **change)
    renamed = visitor.answer("memory_update", id=old, title="Back off")

    assert [item["field"] for item in answer["changed"]] == ["description", "reasoning"]
    assert (answer["memory"]["entryId"], renamed["memory"]["entryId"]) == (new, new)
    assert bank.read_text() == "### Pattern: Retry\nRetry after a pause.\n- Confidence: high\n"
    assert world.query("SELECT id, reasoning FROM entries WHERE name = 'Back off'") == [
        (new, "It flooded the server.")
    ]
