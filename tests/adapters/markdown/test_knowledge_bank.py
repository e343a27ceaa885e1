import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.adapters.markdown.knowledge_bank import MAX_PARSED_COUNT, _without_comments, parse_bank
from hardwon.domain.model.knowledge_bank import BankEntry
from hardwon.domain.model.vocabulary import CONFIDENCES

SNIPPETS = [
    "### ",
    "#### ",
    "## ",
    "# ",
    "\n",
    "- ",
    "<!--",
    "-->",
    "\n### Anti-Pattern: ",
    "\n- Observation count: ",
    "\n- confidence: ",
    "\n- Last observed: ",
    "HIGH",
    "9" * 5000,
    "0001-01-01",
    "\N{FULLWIDTH DIGIT NINE}",
]
bank_texts = st.lists(st.sampled_from(SNIPPETS) | st.text(max_size=8), max_size=40).map("".join)


def parse_one(text: str) -> BankEntry:
    (entry,) = parse_bank(text, "patterns")
    return entry


@given(text=st.text() | bank_texts)
def test_no_text_is_refused(text: str) -> None:
    for entry in parse_bank(text, "patterns"):
        assert entry.category == "patterns"
        assert entry.confidence in CONFIDENCES
        assert abs(entry.observation_count) <= MAX_PARSED_COUNT
        assert entry.heading.endswith(entry.name)
        assert set(entry.notes) <= set(entry.metadata.split("\n"))


@given(text=bank_texts)
def test_positions_rise_and_headings_are_single_lines(text: str) -> None:
    entries = parse_bank(text, "patterns")
    positions = [entry.position for entry in entries]

    assert positions == sorted(set(positions))
    assert not any("\n" in entry.heading for entry in entries)


@given(
    text=st.lists(st.sampled_from(["<!--", "-->", "<!", "--", ">", "-", "x", "\n"])).map("".join)
)
@example("<!-->a-->b<!--")
def test_comments_go_as_the_shortest_match_does(text: str) -> None:
    assert _without_comments(text) == re.sub("<!--.*?-->", "", text, flags=re.DOTALL)


def test_comments_that_are_never_closed_take_no_quadratic_time() -> None:
    text = "<!--" * 500_000

    assert _without_comments(text) == text


def test_an_entry_is_its_heading_its_description_and_its_metadata() -> None:
    text = "# Title\n\n### Anti-Pattern: Name \n\nFirst.\n\nSecond.\n\n- Observation count: 3\n- Because: x\n\nMore.\n\n"

    assert parse_bank(text, "anti-patterns") == [
        BankEntry(
            category="anti-patterns",
            heading="Anti-Pattern: Name",
            name="Name",
            description="First.\n\nSecond.",
            metadata="- Observation count: 3\n- Because: x\n\nMore.",
            observation_count=3,
            confidence="medium",
            last_observed=None,
            position=1,
            notes=("- Because: x", "", "More."),
        )
    ]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Anti-Pattern: A", "A"),
        ("Pattern: A", "A"),
        ("Heuristic: A", "Heuristic: A"),
        ("Pattern: Pattern: A", "Pattern: A"),
        ("pattern: A", "pattern: A"),
        ("Pattern:A", "Pattern:A"),
        ("Pattern:   A", "  A"),
        ("A Pattern: B", "A Pattern: B"),
        ("", ""),
    ],
)
def test_the_name_is_the_heading_less_one_prefix(heading: str, name: str) -> None:
    entry = parse_one(f"###  {heading} \nWhy.")

    assert (entry.heading, entry.name) == (heading, name)


@pytest.mark.parametrize(
    "text",
    ["", " \n\t\n", "### ", "###  \n \n### ", "# T\ntext", "## T", "### # T\nx", "### ## T\nx"],
)
def test_blank_chunks_and_titles_are_no_entries(text: str) -> None:
    assert parse_bank(text, "patterns") == []


@pytest.mark.parametrize(
    "text", ["#### Four", "###No space", " ### Indented", "####", "#No title", "###\tTab"]
)
def test_only_three_hashes_and_a_space_at_the_line_start_split(text: str) -> None:
    assert parse_one(text).position == 0
    assert parse_one(f"### Pattern: x\nWhy.\n{text}\nmore").description == f"Why.\n{text}\nmore"


def test_a_chunk_with_an_empty_first_line_is_an_entry_without_a_heading() -> None:
    first, second = parse_bank("\n# Title\n### \n# Another\n", "patterns")

    assert (first.heading, first.description, first.position) == ("", "# Title", 0)
    assert (second.heading, second.description, second.position) == ("", "# Another", 1)


def test_skipped_chunks_keep_their_position() -> None:
    entries = parse_bank("### \n### # T\n### a\n### b", "patterns")

    assert [(entry.heading, entry.position) for entry in entries] == [("a", 3), ("b", 4)]


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_only_a_newline_ends_a_line(separator: str) -> None:
    entry = parse_one(f"### a{separator}- Observation count: 5\nWhy.{separator}### b")

    assert entry.observation_count == 1
    assert entry.description == f"Why.{separator}### b"
