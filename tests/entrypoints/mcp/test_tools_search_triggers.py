"""`memory_match_triggers` finds memories by the phrases of a prompt."""

import json
import time
from collections.abc import Iterator

import attrs
import pytest

from hardwon.domain.model.vocabulary import KINDS, Kind
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Connect, RawClient, server_with
from tests.entrypoints.planted import document, of_kind
from tests.machine import LONGEST_WAIT

PLANTED = [
    document(
        "OAuth", "how the flow goes", trigger_phrases=("oauth flow", "login"), tier="critical"
    ),
    document("Gone", "given up", trigger_phrases=("oauth flow",), tier="deprecated"),
    *(
        of_kind(kind, f"A {kind}", "of all", trigger_phrases=(f"{kind} of the quokkas",))
        for kind in KINDS
    ),
    *(
        of_kind(
            kind,
            "Theirs",
            f"{kind} next door",
            source_project="next door",
            trigger_phrases=("neighbours say",),
        )
        for kind in KINDS
    ),
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawClient]:
    with server_with(tmp_path_factory.mktemp("triggers"), *PLANTED) as client:
        yield client


def test_the_example_answers_with_the_command(client: RawClient) -> None:
    answer = client.answer("memory_match_triggers", prompt="save context for this conversation")

    assert (answer["matched"], answer["trigger"], answer["confidence"]) == (
        True,
        "save context",
        0.95,
    )
    assert answer["memories"] == []


def test_a_memory_comes_up_by_its_phrase(client: RawClient) -> None:
    answer = client.answer(
        "memory_match_triggers", prompt="Please explain the OAuth flow to me", limit=1
    )
    [row] = answer["memories"]
    number = row.pop("id")

    assert (answer["matched"], answer["trigger"], answer["confidence"]) == (
        True,
        "oauth flow",
        0.95,
    )
    assert client.world.query("SELECT title FROM memory_index WHERE id = ?", (number,)) == [
        ("OAuth",)
    ]
    assert row.pop("entryId")
    assert row == {
        "kind": "document",
        "title": "OAuth",
        "specFolder": "049-auth",
        "filePath": "/memories/specs/049-auth/memory/oauth.md",
        "anchorId": None,
        "importanceTier": "critical",
        "trigger": "oauth flow",
        "confidence": 0.95,
    }


@pytest.mark.parametrize("kind", KINDS)
def test_entries_of_every_kind_come_up_by_their_phrases(client: RawClient, kind: Kind) -> None:
    answer = client.answer("memory_match_triggers", prompt=f"where is the {kind} of the quokkas")
    theirs = client.answer("memory_match_triggers", prompt="what do the neighbours say")

    assert [(row["kind"], row["title"]) for row in answer["memories"]] == [(kind, f"A {kind}")]
    assert [row["kind"] for row in theirs["memories"]] == ["learning"]


def test_a_lesson_that_was_stored_comes_up_by_the_phrases_it_is_given(
    world: World, connect: Connect
) -> None:
    client = connect(world)
    client.call("memory_update", id=client.store()["entryId"], triggerPhrases=["feet or metres"])
    [row] = client.answer("memory_match_triggers", prompt="is it feet or metres")["memories"]

    assert (row["kind"], row["title"], row["filePath"]) == ("learning", "Name the unit", None)


def test_nothing_matches_without_a_phrase(client: RawClient) -> None:
    assert client.answer("memory_match_triggers", prompt="something else altogether") == {
        "message": "no trigger phrase in this prompt",
        "matched": False,
        "trigger": None,
        "confidence": 0.0,
        "memories": [],
    }


def test_the_phrases_for_saving_are_configurable(world: World, connect: Connect) -> None:
    (world.project / "config.jsonc").write_text(
        json.dumps({"triggers": {"phrases": ["merk dir das"]}})
    )
    client = connect(world)
    known = client.answer("memory_match_triggers", prompt="bitte merk dir das")
    unknown = client.answer("memory_match_triggers", prompt="save context")

    assert (known["trigger"], known["confidence"]) == ("merk dir das", 0.95)
    assert not unknown["matched"]


def test_an_entry_of_another_process_is_found_within_about_a_second(
    world: World, connect: Connect
) -> None:
    client = connect(world)
    assert not client.answer("memory_match_triggers", prompt="quokka")["matched"]

    entry = document("Late", "late", trigger_phrases=("quokka",)).entry
    world.remember(attrs.evolve(entry, source_project="project"))
    deadline = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < deadline:
        if client.answer("memory_match_triggers", prompt="quokka")["matched"]:
            return
    pytest.fail("never seen")
