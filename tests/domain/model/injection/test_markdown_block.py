import itertools
import time
from collections.abc import Iterator

import pytest

from hardwon.domain.model.injection.markdown_block import (
    SourcedEntry,
    deduplicate,
    rank,
    render,
    select,
)
from hardwon.domain.model.injection.neutral_text import SECTIONS
from hardwon.domain.model.knowledge_bank import BankEntry, BankScope
from hardwon.domain.model.vocabulary import Category, Confidence

CATEGORIES: tuple[Category, ...] = ("anti-patterns", "heuristics", "patterns")


def entry(
    heading: str = "x",
    *,
    category: Category = "patterns",
    description: str = "",
    metadata: str = "",
    count: int = 1,
    confidence: Confidence = "medium",
    seen: str | None = None,
    position: int = 0,
    source: BankScope = "local",
) -> SourcedEntry:
    return SourcedEntry(
        BankEntry(
            category, heading, heading, description, metadata, count, confidence, seen, position
        ),
        source,
    )


def headings(entries: list[SourcedEntry]) -> list[str]:
    return [sourced.entry.heading for sourced in entries]


@pytest.fixture
def _five_hours_behind_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not hasattr(time, "tzset"):
        pytest.skip("this platform can't change its time zone")
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "XST+5")
        time.tzset()
        yield
    time.tzset()


def test_a_higher_count_takes_the_place_of_the_first_seen() -> None:
    entries = [
        entry("first", description="A  lesson."),
        entry("other", description="Another."),
        entry("equal", description="a lesson.", source="global"),
        entry("higher", description="a LESSON.", count=2, category="heuristics", source="global"),
        entry("not higher than that", description="a lesson.", count=2, source="global"),
    ]

    assert headings(deduplicate(entries)) == ["higher", "other"]


def test_entries_without_a_description_are_one_lesson() -> None:
    assert headings(deduplicate([entry("a"), entry("b"), entry("c", category="heuristics")])) == [
        "a"
    ]


def test_the_count_outweighs_the_confidence_and_that_the_recency() -> None:
    entries = [
        entry("recent", seen="2024-01-01"),
        entry("sure", confidence="high", seen="2020-01-01"),
        entry("frequent", count=2, confidence="low"),
        entry("unsure", confidence="low", seen="2025-01-01"),
    ]

    assert headings(rank(entries)) == ["frequent", "sure", "recent", "unsure"]


def test_a_date_outranks_a_position_unless_it_lies_before_1970() -> None:
    entries = [
        entry("old", seen="1969-07-20T20:17:00Z"),
        entry("place 1", position=1),
        entry("place 2", position=2, seen="yesterday"),
        entry("dated", seen="1970-01-02T00:00:00Z"),
    ]

    assert headings(rank(entries)) == ["dated", "place 2", "place 1", "old"]


def test_equals_keep_their_order() -> None:
    assert headings(rank([entry("a"), entry("b"), entry("c")])) == ["a", "b", "c"]


@pytest.mark.usefixtures("_five_hours_behind_utc")
def test_a_date_without_a_zone_is_local_time() -> None:
    entries = [
        entry("03:59 UTC", seen="2024-01-01T03:59:00Z"),
        entry("05:00 UTC", seen="2024-01-01"),
        entry("04:30 UTC", seen="2024-01-01T06:30:00+02:00"),
        entry("05:01 UTC", seen="2024-01-01T05:01:00Z"),
    ]

    assert headings(rank(entries)) == ["05:01 UTC", "05:00 UTC", "04:30 UTC", "03:59 UTC"]


@pytest.mark.parametrize("zone", ["", "Z", "+23:59", "-23:59"])
@pytest.mark.parametrize("date", ["0001-01-01T00:00:00", "9999-12-31T23:59:59"])
def test_the_ends_of_the_calendar_are_dates_too(date: str, zone: str) -> None:
    assert len(rank([entry(seen=date + zone), entry()])) == 2


def test_threes_come_first_and_the_fill_after_in_the_order_of_categories() -> None:
    entries = [
        entry(f"{category[0]}{n}", category=category)
        for n in range(1, 6)
        for category in sorted(CATEGORIES)
    ]

    assert headings(select(entries, 11)) == [
        "a1",
        "a2",
        "a3",
        "h1",
        "h2",
        "h3",
        "p1",
        "p2",
        "p3",
        "a4",
        "a5",
    ]
    assert headings(select(entries, 9)) == ["a1", "a2", "a3", "h1", "h2", "h3", "p1", "p2", "p3"]
    assert headings(select(entries, 8)) == ["a1", "a2", "a3", "a4", "a5", "h1", "h2", "h3"]


def test_only_categories_with_entries_are_owed_three() -> None:
    entries = [
        entry(f"{category[0]}{n}", category=category)
        for n in range(1, 6)
        for category in CATEGORIES[1:]
    ]

    assert headings(select(entries, 6)) == ["h1", "h2", "h3", "p1", "p2", "p3"]
    assert headings(select(entries, 5)) == ["h1", "h2", "h3", "h4", "h5"]


def test_a_small_category_leaves_its_room_to_the_fill() -> None:
    entries = [entry("h1", category="heuristics"), *(entry(f"p{n}") for n in range(1, 9))]

    assert headings(select(entries, 6)) == ["h1", "p1", "p2", "p3", "p4", "p5"]


def test_nothing_selected_prints_nothing() -> None:
    assert render([]) == ""


def test_an_entry_prints_what_it_has() -> None:
    selected = [
        entry("Pattern: Bare", source="global"),
        entry("Pattern: Full", description="Why.\n\nHow.", metadata="- Observation count:  007"),
        entry("", category="heuristics", metadata="- x"),
    ]

    assert render(selected).split("\n") == [
        "## Engineering Memory (from knowledge bank)",
        "",
        "*Memory: 3 entries (2 local, 1 global) | semantic: disabled*",
        "",
        "### Heuristics",
        "### ",
        "- x",
        "",
        "### Patterns to Follow",
        "### Pattern: Bare",
        "",
        "### Pattern: Full",
        "Why.",
        "",
        "How.",
        "- Observation count:  007",
        "",
        "---",
        "",
    ]


@pytest.mark.parametrize("order", list(itertools.permutations(CATEGORIES)))
def test_headers_have_a_fixed_order(order: tuple[Category, ...]) -> None:
    lines = render([entry(category=category) for category in order]).split("\n")

    assert [line for line in lines if line in SECTIONS.values()] == list(SECTIONS.values())
