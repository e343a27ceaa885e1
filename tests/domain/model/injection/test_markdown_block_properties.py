import datetime as dt
from collections import Counter

from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.injection.markdown_block import (
    OWED_PER_CATEGORY,
    SourcedEntry,
    deduplicate,
    rank,
    render,
    select,
)
from hardwon.domain.model.injection.neutral_text import SECTIONS
from hardwon.domain.model.knowledge_bank import BankEntry, BankScope

CATEGORIES = list(SECTIONS)
SOURCES: tuple[BankScope, ...] = ("local", "global")

dates = st.sampled_from(
    ["0001-01-01", "9999-12-31T23:59:59.999999", "2024-02-30", "2024-01-01T00:00:00Z", "20240101"]
)
bank_entries = st.builds(
    BankEntry,
    category=st.sampled_from(CATEGORIES),
    heading=st.text(max_size=5),
    name=st.text(max_size=5),
    description=st.text(max_size=2),
    metadata=st.text(max_size=5),
    observation_count=st.integers(-2, 3),
    confidence=st.sampled_from(["high", "medium", "low"]),
    last_observed=st.none()
    | st.text(max_size=5)
    | dates
    | st.datetimes().map(dt.datetime.isoformat),
    position=st.integers(0, 3),
)
sourced_entries = st.lists(
    st.builds(SourcedEntry, bank_entries, st.sampled_from(SOURCES)), max_size=30
)


@given(entries=sourced_entries, limit=st.integers(-3, 40))
def test_any_entries_give_a_block_within_the_limit(entries: list[SourcedEntry], limit: int) -> None:
    selected = select(rank(deduplicate(entries)), limit)

    assert len(selected) <= max(limit, 0)
    assert not Counter(selected) - Counter(entries)
    assert render(selected).endswith("\n---\n" if selected else "")


@given(entries=sourced_entries, limit=st.integers(1, 40))
def test_all_room_is_used(entries: list[SourcedEntry], limit: int) -> None:
    assert len(select(entries, limit)) == min(limit, len(entries))


@given(entries=sourced_entries, spare=st.integers(0, 20))
def test_every_category_gets_three_when_there_is_room_for_three_of_each(
    entries: list[SourcedEntry], spare: int
) -> None:
    sizes = Counter(sourced.entry.category for sourced in entries)
    selected = select(entries, OWED_PER_CATEGORY * len(sizes) + spare)
    chosen = Counter(sourced.entry.category for sourced in selected)

    assert all(chosen[category] >= min(OWED_PER_CATEGORY, size) for category, size in sizes.items())


@given(entries=sourced_entries, limit=st.integers(1, 40))
def test_within_a_category_the_best_are_chosen_in_their_order(
    entries: list[SourcedEntry], limit: int
) -> None:
    selected = select(entries, limit)

    for category in CATEGORIES:
        ranked = [sourced for sourced in entries if sourced.entry.category == category]
        chosen = [sourced for sourced in selected if sourced.entry.category == category]
        assert chosen == ranked[: len(chosen)]


UNNAMED = SourcedEntry(BankEntry("patterns", "", "", "", "", 1, "medium", None, 0), "local")


@given(entries=sourced_entries)
@example(entries=[UNNAMED, UNNAMED._replace(entry=UNNAMED.entry._replace(description="\u2026"))])
def test_deduplication_keeps_one_of_each_hash_with_the_highest_count(
    entries: list[SourcedEntry],
) -> None:
    kept = deduplicate(entries)
    hashes = [content_hash(sourced.entry.text) for sourced in kept]

    assert hashes == list(dict.fromkeys(content_hash(sourced.entry.text) for sourced in entries))
    for key, sourced in zip(hashes, kept, strict=True):
        rivals = [rival for rival in entries if content_hash(rival.entry.text) == key]
        assert sourced == max(rivals, key=lambda rival: rival.entry.observation_count)


@given(entries=sourced_entries)
def test_ranks_fall_by_count_and_then_by_confidence(entries: list[SourcedEntry]) -> None:
    confidences = ["low", "medium", "high"]
    keys = [
        (kept.entry.observation_count, confidences.index(kept.entry.confidence))
        for kept in rank(entries)
    ]

    assert keys == sorted(keys, reverse=True)
