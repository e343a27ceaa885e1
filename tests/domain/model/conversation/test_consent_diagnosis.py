import pytest

from hardwon.domain.model.conversation.consent import diagnosis

CAUSE = "The sum is short because the grouping leaves out rows with an empty key."
FIX = "With dropna=False there is one more group now."


@pytest.mark.parametrize(
    "report",
    ["1.2 million are missing", "why is the sum short", "the totals don't add up", "it's wrong"],
)
def test_the_cause_of_a_reported_fault_and_its_fix_are_one(report: str) -> None:
    assert diagnosis(report, ["I looked at it.", CAUSE, "It has 9 rows.", FIX]) == f"{CAUSE} {FIX}"


@pytest.mark.parametrize(
    ("report", "reply"),
    [
        ("show me the notebook", [CAUSE, FIX]),
        ("the sum is wrong", ["It may be short because the grouping leaves out rows."]),
        ("the sum is wrong", ["Because of rounding."]),
        ("the sum is wrong", ["Corrected, it runs now."]),
        ("the sum is wrong", []),
        ("it fails", ["12:01 ERROR timeout of the importer due to the network"]),
        ("it fails", ["INFO the importer came from the second host of the two"]),
        ("the sum is wrong", ["Is it because the grouping leaves out some rows?"]),
    ],
)
def test_without_a_fault_or_with_a_guess_there_is_none(report: str, reply: list[str]) -> None:
    assert diagnosis(report, reply) == ""


def test_a_cause_without_a_fix_stands_by_itself() -> None:
    assert diagnosis("it fails", [CAUSE]) == CAUSE
