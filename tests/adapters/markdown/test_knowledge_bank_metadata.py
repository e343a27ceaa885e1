import pytest

from hardwon.adapters.markdown.knowledge_bank import MAX_PARSED_COUNT, parse_bank
from hardwon.domain.model.knowledge_bank import BankEntry


def with_metadata(*lines: str) -> BankEntry:
    (entry,) = parse_bank("\n".join(("### Pattern: x", "Why.", *lines)), "patterns")
    return entry


def test_an_indented_dash_does_not_start_the_metadata_but_is_read_within() -> None:
    entry = with_metadata("  - Observation count: 7", "- x", "  - Observation count: 8  ")

    assert entry.description == "Why.\n  - Observation count: 7"
    assert entry.observation_count == 8


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("12", 12),
        ("  12  ", 12),
        ("0", 0),
        ("-2", -2),
        ("+3", 3),
        ("1_0", 10),
        ("\N{FULLWIDTH DIGIT ONE}\N{FULLWIDTH DIGIT TWO}", 12),
        ("12 times", 1),
        ("1.5", 1),
        ("²", 1),
        ("", 1),
        ("9" * 4000, MAX_PARSED_COUNT),
        ("-" + "9" * 4000, -MAX_PARSED_COUNT),
        ("9" * 5000, 1),
    ],
)
def test_the_observation_count_is_an_integer_else_one(text: str, count: int) -> None:
    assert with_metadata(f"- Observation count: {text}").observation_count == count


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("high", "high"),
        ("HIGH", "high"),
        (" Low ", "low"),
        ("medium", "medium"),
        ("high, mostly", "medium"),
        ("", "medium"),
    ],
)
def test_the_confidence_is_the_whole_value_else_medium(text: str, confidence: str) -> None:
    assert with_metadata(f"- Confidence: {text}").confidence == confidence


def test_a_later_line_that_parses_wins() -> None:
    entry = with_metadata(
        "- Observation count: 2",
        "- Observation count: 3",
        "- Observation count: many",
        "- Confidence: low",
        "- CONFIDENCE: High",
        "- Confidence: unsure",
        "- Last observed: 2024-01-01",
        "- last observed: at 10:30, or so",
    )

    assert (entry.observation_count, entry.confidence) == (3, "high")
    assert entry.last_observed == "at 10:30, or so"


@pytest.mark.parametrize(
    "line",
    [
        "-  Observation count: 5",
        "- Observation count 5",
        "* Observation count: 5",
        "-Observation count: 5",
    ],
)
def test_other_spellings_of_a_label_are_not_read(line: str) -> None:
    assert with_metadata("- x", line).observation_count == 1


def test_notes_are_the_metadata_lines_no_field_holds() -> None:
    entry = with_metadata(
        "- Observation count: 2",
        "- Observation count: some",
        "- Used in: feature 12",
        "",
        "- Confidence: high",
        "- Confidence: high, mostly",
        "- Last observed: last week",
        "A closing remark.",
    )

    assert entry.notes == (
        "- Observation count: some",
        "- Used in: feature 12",
        "",
        "- Confidence: high, mostly",
        "A closing remark.",
    )


def test_an_entry_without_metadata_has_no_notes() -> None:
    assert with_metadata().notes == ()
