"""`memory_validate` counts whether a memory was useful, and offers a promotion that it never makes by itself."""

import pytest

from hardwon.domain.model.entry import Entry
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import RawClient
from tests.entrypoints.programs import keep


@pytest.fixture
def entry(shared_world: World, request: pytest.FixtureRequest) -> Entry:
    """Return a memory of its own for each test."""
    return keep(shared_world, description=f"About {request.node.name}.")


def test_the_count_rises_and_the_score_is_the_share_that_was_useful(
    shared: RawClient, shared_world: World, entry: Entry
) -> None:
    answers = [
        shared.answer("memory_validate", id=entry.entry_id, wasUseful=useful)
        for useful in (True, False, True)
    ]

    assert [answer["validationCount"] for answer in answers] == [1, 2, 3]
    assert [round(answer["confidenceScore"], 3) for answer in answers] == [1.0, 0.5, 0.667]
    assert answers[-1]["message"].endswith("useful 2 of 3 times, confidence score 0.67")
    number = answers[0]["id"]
    past = shared_world.query(
        "SELECT old_value, new_value FROM memory_history WHERE memory_id = ? AND field_changed = 'confidence_score'"
        " ORDER BY id",
        [number],
    )
    assert past == [("0.5", "1.0"), ("1.0", "0.5"), ("0.5", str(2 / 3))]


@pytest.mark.parametrize(
    ("judgements", "is_offered"),
    [
        ([True] * 5, True),
        ([True] * 4, False),
        ([True] * 4 + [False], False),
        ([False] + [True] * 9, True),
        ([False] + [True] * 8, False),
    ],
    ids=["5 of 5", "4 of 4", "4 of 5", "9 of 10", "8 of 9"],
)
def test_promotion_is_offered_after_five_judgements_of_which_ninety_percent_were_good(
    shared: RawClient,
    shared_world: World,
    entry: Entry,
    judgements: list[bool],
    *,
    is_offered: bool,
) -> None:
    for useful in judgements:
        answer = shared.answer("memory_validate", id=entry.entry_id, wasUseful=useful)

    assert answer["promotionOffered"] == is_offered
    asks = "Ask the user whether it should become critical; if so, call memory_update with importanceTier critical"
    assert (asks in answer["message"]) == is_offered
    assert shared_world.query("SELECT tier FROM entry WHERE id = ?", [entry.entry_id]) == [
        ("normal",)
    ]


def test_a_critical_memory_is_not_offered_again(shared: RawClient, entry: Entry) -> None:
    shared.call("memory_update", id=entry.entry_id, importanceTier="critical")
    answers = [
        shared.answer("memory_validate", id=entry.entry_id, wasUseful=True) for _ in range(5)
    ]

    assert not any(answer["promotionOffered"] for answer in answers)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            {"id": 987654, "wasUseful": True},
            "no memory has the id '987654': give its number or its 16 hex digits,",
        ),
        ({"id": 1}, "missing: wasUseful"),
        ({"id": 1, "wasUseful": "yes"}, 'wasUseful is "yes": input should be a valid boolean'),
        ({"wasUseful": True}, "missing: id"),
    ],
    ids=repr,
)
def test_a_judgement_that_can_not_be_counted_is_refused_in_one_line(
    shared: RawClient, entry: Entry, arguments: dict[str, object], line: str
) -> None:
    del entry
    refused = shared.refusal("memory_validate", **arguments)

    assert refused.startswith(line)
    assert "\n" not in refused
