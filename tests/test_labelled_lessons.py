"""The labelled lessons, pairs, session starts and prompts under `bench/labelled` are well formed and large enough."""

import json
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

LABELLED = Path(__file__).parent.parent / "bench" / "labelled"
HALVES = {"dev", "held"}
CLASSES = {"ordinary", "near", "fitting", "code", "language", "typos", "follow-up"}


def lines_of(name: str) -> list[dict[str, Any]]:
    """Return the objects of a JSON Lines file."""
    return [json.loads(line) for line in (LABELLED / name).read_text(encoding="utf-8").splitlines()]


PAIRS = lines_of("pairs.jsonl")
LESSONS = lines_of("lessons.jsonl")
LESSON_PAIRS = lines_of("lesson_pairs.jsonl")
SCENARIOS = lines_of("scenarios.jsonl")
PROMPTS = lines_of("prompts.jsonl")
LESSON_IDS = {lesson["id"] for lesson in LESSONS}


def test_half_of_the_pairs_are_hard_negatives_and_each_half_has_every_label() -> None:
    assert len({pair["id"] for pair in PAIRS}) == len(PAIRS) >= 200
    for pair in PAIRS:
        assert set(pair) == {"id", "half", "older", "newer", "label"}
        for side in ("older", "newer"):
            assert set(pair[side]) == {"name", "description"}
            assert all(pair[side].values())
    counts = Counter((pair["half"], pair["label"]) for pair in PAIRS)
    assert set(counts) == {
        (half, label) for half in HALVES for label in ("superseded", "duplicate", "different")
    }
    assert sum(pair["label"] == "different" for pair in PAIRS) * 2 == len(PAIRS)


def test_lessons_have_their_fields_within_bounds() -> None:
    assert len(LESSON_IDS) == len(LESSONS) >= 120
    for lesson in LESSONS:
        assert set(lesson) == {
            "id",
            "name",
            "description",
            "category",
            "observations",
            "confidence",
            "updated",
        }
        assert lesson["category"] in {"anti-patterns", "patterns", "heuristics"}
        assert 1 <= lesson["observations"] <= 20
        assert lesson["confidence"] in {"high", "medium", "low"}
        assert date.fromisoformat(lesson["updated"]).year == 2026


def test_pairs_among_the_lessons_name_the_older_one_first() -> None:
    updated = {lesson["id"]: lesson["updated"] for lesson in LESSONS}
    for pair in LESSON_PAIRS:
        assert set(pair) == {"older", "newer", "label"}
        assert pair["label"] in {"superseded", "duplicate"}
        assert updated[pair["older"]] < updated[pair["newer"]]


def test_session_starts_are_graded_over_known_lessons_and_some_have_few() -> None:
    assert len({scenario["id"] for scenario in SCENARIOS}) == len(SCENARIOS) == 12
    for scenario in SCENARIOS:
        assert set(scenario) == {"id", "half", "feature", "spec", "phase", "files", "grades"}
        assert scenario["half"] in HALVES
        assert 40 <= len(scenario["spec"].split()) <= 120
        assert set(scenario["grades"]) <= LESSON_IDS
        assert set(scenario["grades"].values()) <= {1, 2, 3}
    sizes = sorted(len(scenario["grades"]) for scenario in SCENARIOS)
    assert sizes[:3] == [0, 2, 2]
    assert 4 <= sizes[3] <= sizes[-1] <= 14


def test_no_superseded_lesson_is_graded_or_said_to_help() -> None:
    replaced = {pair["older"] for pair in LESSON_PAIRS if pair["label"] == "superseded"}
    assert [scenario["id"] for scenario in SCENARIOS if replaced & set(scenario["grades"])] == []
    assert [prompt["prompt"] for prompt in PROMPTS if replaced & set(prompt["lessons"])] == []


def test_no_prompt_stands_twice_and_each_half_has_every_class() -> None:
    assert (
        len({" ".join(prompt["prompt"].lower().split()) for prompt in PROMPTS})
        == len(PROMPTS)
        >= 600
    )
    for prompt in PROMPTS:
        assert set(prompt) == {"prompt", "half", "class", "lessons"}
        assert set(prompt["lessons"]) <= LESSON_IDS
        assert len(prompt["prompt"].split()) <= 80
        assert prompt["class"] != "fitting" or prompt["lessons"]
        assert prompt["class"] not in {"ordinary", "near", "follow-up"} or not prompt["lessons"]
    found = {(prompt["half"], prompt["class"]) for prompt in PROMPTS}
    assert found == {(half, name) for half in HALVES for name in CLASSES}
