"""A file that is deprecated is found by no search, section or entry point."""

from typing import Any

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import TOKENS, Connect, RawClient, write_document
from tests.entrypoints.programs import hardwon

SENTENCE = "Walruses guard the callback"
TEXT = f"""\
---
title: Auth
triggers: [rotate keys]
---
# Auth

Whales keep the state.

<!-- ANCHOR:callback -->
{SENTENCE}.
<!-- /ANCHOR:callback -->
<!-- ANCHOR:errors -->
A narwhal was logged.
<!-- /ANCHOR:errors -->
"""


@pytest.fixture
def client(world: World, connect: Connect) -> RawClient:
    """Return a client of a server that knows one file of two sections."""
    write_document(world, TOKENS, TEXT)
    hardwon(world, "index")
    return connect(world)


def found(client: RawClient, query: str, **arguments: object) -> list[str]:
    answer = client.answer("memory_search", query=query, **arguments)
    return [row["title"] for row in answer["results"]]


def update(client: RawClient, anchor: str, tier: str) -> Any:
    listed = client.answer("memory_list", specFolder="005-auth")["results"]
    [number] = [row["id"] for row in listed if row["anchorId"] == (anchor or None)]
    return client.answer("memory_update", id=number, importanceTier=tier)


def test_no_search_finds_a_sentence_of_a_section_of_a_deprecated_file(
    world: World, client: RawClient
) -> None:
    assert found(client, SENTENCE)
    answer = update(client, "", "deprecated")

    assert (answer["sectionsFollowed"], answer["sectionsKept"]) == (2, 0)
    assert "Sections that took its tier over: 2" in answer["message"].splitlines()
    for collection in ("documents", "all"):
        assert found(client, SENTENCE, collection=collection) == []
    assert found(client, "", concepts=["walruses", "callback"]) == []
    assert not client.answer("memory_match_triggers", prompt="how do we rotate keys")["memories"]
    assert hardwon(world, "recall", "--json", SENTENCE).items == []
    assert "alrus" not in world.hook().stdout


def test_a_section_with_a_tier_of_its_own_is_still_found(client: RawClient) -> None:
    update(client, "errors", "important")
    answer = update(client, "", "deprecated")

    assert (answer["sectionsFollowed"], answer["sectionsKept"]) == (1, 1)
    assert "Sections that keep a tier of their own: 1" in answer["message"].splitlines()
    assert (found(client, "narwhal"), found(client, "walruses")) == (["Auth: errors"], [])


def test_a_file_that_is_set_back_is_found_again_with_its_sections(client: RawClient) -> None:
    update(client, "", "deprecated")
    update(client, "", "normal")

    assert "Auth: callback" in found(client, SENTENCE)


def test_a_section_that_is_written_into_a_deprecated_file_is_not_found(
    world: World, client: RawClient
) -> None:
    update(client, "", "deprecated")
    path = write_document(
        world, TOKENS, f"{TEXT}<!-- ANCHOR:new -->\nOrcas come later.\n<!-- /ANCHOR:new -->\n"
    )
    client.call("memory_save", filePath=str(path))

    assert found(client, "orcas") == []
    assert (
        len(client.answer("memory_list", specFolder="005-auth", tier="deprecated")["results"]) == 4
    )


def test_a_checkpoint_brings_back_whose_tier_was_its_own(client: RawClient) -> None:
    update(client, "errors", "important")
    client.call("checkpoint_create", name="before")
    update(client, "", "deprecated")
    client.call("checkpoint_restore", name="before")

    assert "Auth: callback" in found(client, SENTENCE)
    update(client, "", "deprecated")
    assert (found(client, "narwhal"), found(client, "walruses")) == (["Auth: errors"], [])


def test_the_command_reports_sections_too(world: World, client: RawClient) -> None:
    del client
    [(number,)] = world.query("SELECT entry_seq FROM entry_text WHERE anchor_id = ''")
    done = hardwon(world, "update", str(number), "--tier", "deprecated")
    document = hardwon(world, "update", str(number), "--tier", "deprecated", "--json").document

    assert "Sections that took its tier over: 2" in done.stdout.splitlines()
    assert (document["changed"], document["sections"]) == ([], {"followed": 0, "kept": 0})
