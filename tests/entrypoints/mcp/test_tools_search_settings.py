"""Search settings in a project's `config.jsonc`."""

import datetime as dt
import json
import math
from typing import Any

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Connect, Visit
from tests.entrypoints.planted import IMPORTED_AT, document
from tests.entrypoints.programs import hardwon

AGED = {"critical": 100, "important": 100, "normal": 100, "temporary": 5}


def decays(world: World, connect: Connect, config: dict[str, object]) -> dict[str, float]:
    """Return the decay of one document a tier, as a search explains it under *config*."""
    (world.project / "config.jsonc").write_text(f"// the project's\n{json.dumps(config)}")
    waited = dt.datetime.now(dt.UTC) - IMPORTED_AT
    aged = [document(tier, f"lock {tier}", None, days, tier=tier) for tier, days in AGED.items()]
    world.remember(*(planted.later(waited).entry for planted in aged))
    client = connect(world)
    rows: Any = client.answer("memory_search", query="lock", explain=True)["results"]
    return {row["importanceTier"]: row["parts"]["decay"] for row in rows}


@pytest.mark.parametrize(
    ("decay", "expected"),
    [
        ({"enabled": False}, {"critical": 1, "important": 1, "normal": 1, "temporary": 1}),
        (
            {"mode": "rates"},
            {
                "critical": 1,
                "important": math.exp(-0.5),
                "normal": math.exp(-1),
                "temporary": math.exp(-0.25),
            },
        ),
        (
            {"mode": "rates", "minFloor": 0.7, "exemptTiers": ["normal"]},
            {
                "critical": math.exp(-0.1),
                "important": 0.7,
                "normal": 1,
                "temporary": math.exp(-0.25),
            },
        ),
    ],
)
def test_decay_is_what_the_project_sets(
    world: World, connect: Connect, decay: dict[str, object], expected: dict[str, float]
) -> None:
    assert decays(world, connect, {"memory": {"decay": decay}}) == pytest.approx(expected, abs=1e-3)


def test_semantic_search_switched_off_is_search_by_word_alone(
    empty_world: World, connect: Connect
) -> None:
    empty_world.variables["HARDWON_KEYWORD_PROVIDER"] = "off"
    (empty_world.project / "config.jsonc").write_text('{"semantic": {"enabled": false}}')
    empty_world.remember(
        document("Lock", "lock the store").entry, document("Other", "something else").entry
    )
    client = connect(empty_world)
    answer = client.answer("memory_search", query="lock")
    stats = client.answer("memory_stats")

    assert [row["title"] for row in answer["results"]] == ["Lock"]
    assert not [note for note in answer["notes"] if "vector" in note]
    assert stats["embedding"]["provider"] == "off"
    assert [row["title"] for row in client.answer("memory_search", query="lock")["results"]] == [
        "Lock"
    ]


def test_the_dimensions_that_are_set_show_in_the_statistics(world: World, visit: Visit) -> None:
    world.variables |= {
        "HARDWON_EMBEDDING_PROVIDER": "openai",
        "HARDWON_EMBEDDING_DIMENSIONS": "768",
    }
    embedding = visit(world).answer("memory_stats")["embedding"]

    assert (embedding["provider"], embedding["dimensions"]) == ("openai", 768)
    assert "OPENAI_API_KEY" in embedding["trouble"]


def test_the_command_shows_documents_in_percent_and_explains(world: World) -> None:
    entry = document("Lock", "lock the store", file="x.md", tier="critical", anchor_id="lock").entry
    world.remember(entry)
    asked = hardwon(world, "recall", "--in", "documents", "--explain", "lock")
    [found] = hardwon(world, "recall", "--in", "documents", "--explain", "--json", "lock").items

    assert asked.stdout.splitlines()[:2] == [
        f"[92%] {entry.file_path}#lock",
        "      \u2192 Lock (#1)",
    ]
    assert "with rrf = 0.016393443, best_rrf = 0.016393443, boost = 2" in asked.stdout
    assert found["score"] == pytest.approx(40 + 25 * 2 / 3 + 20 + 15)
    assert (
        hardwon(world, "recall", "--in", "documents", "nowhere").stdout == "No entry answers that\n"
    )
