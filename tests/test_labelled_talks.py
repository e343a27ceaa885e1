"""The labelled talks and exchanges under `bench/labelled` are well formed and large enough."""

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

LABELLED = Path(__file__).parent.parent / "bench" / "labelled"
TALKS = sorted((LABELLED / "talks").glob("*.jsonl"))
HALVES = ("dev", "held")
KINDS = {"decision", "gotcha", "preference"}


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def text_of(item: Mapping[str, Any]) -> str:
    """Return the text of all turns of an item, in lower case."""
    return " ".join(f"{turn['user']} {turn['assistant']}" for turn in item["exchanges"]).lower()


ITEMS = lines_of(LABELLED / "capture.jsonl")


@pytest.mark.parametrize("path", TALKS, ids=lambda path: path.stem)
def test_a_talk_has_ten_to_forty_labelled_exchanges(path: Path) -> None:
    exchanges = lines_of(path)
    assert path.stem.split("-")[0] in HALVES
    assert 10 <= len(exchanges) <= 40
    for exchange in exchanges:
        assert set(exchange) == {"user", "assistant", "subject"}
        assert all(isinstance(value, str) and value.strip() for value in exchange.values())


def test_there_are_sixteen_talks_and_each_half_has_every_sort() -> None:
    assert len(TALKS) >= 16
    for half in HALVES:
        subjects = [
            [line["subject"] for line in lines_of(path)]
            for path in TALKS
            if path.stem.startswith(half)
        ]
        assert len(subjects) >= 8
        assert sum(len(set(labels)) == 1 for labels in subjects) >= 2
        runs = [1 + sum(a != b for a, b in pairwise(labels)) for labels in subjects]
        assert any(count > len(set(labels)) for count, labels in zip(runs, subjects, strict=True))
        assert any(path.stem.startswith(f"{half}-signals-") for path in TALKS)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item["id"])
def test_a_fact_is_named_by_words_that_its_exchanges_contain(item: Mapping[str, Any]) -> None:
    assert set(item) == {"id", "half", "exchanges", "keep", "why"}
    assert item["half"] in HALVES
    assert 1 <= len(item["exchanges"]) <= 4
    text = text_of(item)
    for fact in item["keep"]:
        assert fact["kind"] in KINDS
        assert 3 <= len(fact["words"]) <= 6
        assert [word for word in fact["words"] if word not in text] == []
        assert fact["kind"] != "decision" or fact["chosen"]


def test_there_are_sixty_items_and_about_half_are_decoys_in_each_half() -> None:
    assert len(ITEMS) >= 60
    assert len({item["id"] for item in ITEMS}) == len(ITEMS)
    for half in HALVES:
        items = [item for item in ITEMS if item["half"] == half]
        assert len(items) >= 30
        assert 0.4 <= sum(not item["keep"] for item in items) / len(items) <= 0.6
