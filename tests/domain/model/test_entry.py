import datetime as dt
import hashlib
import unicodedata
from typing import Any, Literal

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.entry import MAX_COUNT, MAX_KEYWORDS, MAX_TEXT_BYTES, Entry
from hardwon.domain.model.errors import HardwonError, InvalidEntryError
from hardwon.domain.model.identity import content_hash, short_hash
from hardwon.domain.model.vocabulary import Kind
from tests.strategies import (
    DAY,
    FILE_KINDS,
    NOW,
    anything,
    entries,
    file_entries,
    lesson,
    odd_entries,
    of_file,
    texts,
)
from tests.texts import SPACES, spelled

PLAIN: dict[str, Any] = {
    "name": "Lesson",
    "description": "Retry with a backoff.",
    "category": "patterns",
    "created_at": NOW,
    "updated_at": NOW,
}


def make(**fields: object) -> Entry:
    return Entry(**(PLAIN | fields))


def test_an_entry_of_the_fewest_fields_has_the_documented_defaults() -> None:
    entry = make()

    assert (entry.kind, entry.confidence, entry.observation_count, entry.recall_count) == (
        "learning",
        "medium",
        1,
        0,
    )
    assert (entry.reasoning, entry.notes, entry.keywords, entry.references) == ("", "", (), ())
    assert (entry.source, entry.source_project, entry.last_recalled_at) == ("manual", None, None)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", " \t\n"),
        ("description", ""),
        ("description", "\u2003\n"),
        ("kind", "lesson"),
        ("category", "tips"),
        ("confidence", "certain"),
        ("source", "rumour"),
        ("source_project", " "),
        ("observation_count", 0),
        ("observation_count", MAX_COUNT + 1),
        ("recall_count", -1),
        ("created_at", NOW.replace(tzinfo=None)),
        ("updated_at", NOW.replace(tzinfo=None)),
        ("last_recalled_at", NOW.replace(tzinfo=None)),
        ("name", "a\0b"),
        ("reasoning", "half a pair: \ud800"),
        ("notes", "x" * (MAX_TEXT_BYTES + 1)),
        ("keywords", ("fine", "a\0b")),
        ("references", ("\udfff",)),
    ],
)
def test_a_field_that_breaks_a_rule_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(InvalidEntryError, match=f"^{field} "):
        make(**{field: value})


def test_the_refusal_names_the_value_and_the_way_out_in_one_short_line() -> None:
    with pytest.raises(HardwonError) as refusal:
        make(category="tips\n" * 100)

    message = str(refusal.value)
    assert "tips" in message
    assert "use one of anti-patterns, heuristics, patterns" in message
    assert "\n" not in message
    assert len(message) < 300


def test_four_megabytes_of_text_fit() -> None:
    assert len(make(description="x" * MAX_TEXT_BYTES).description) == MAX_TEXT_BYTES


def test_the_name_is_one_line_and_texts_lose_their_outer_space() -> None:
    entry = make(
        name=" Two\n  lines\u2028more ",
        description="\n kept\n\n inside \n",
        reasoning=" why ",
        notes="\n- a\n",
    )

    assert entry.name == "Two lines more"
    assert entry.description == "kept\n\n inside"
    assert (entry.reasoning, entry.notes) == ("why", "- a")


def test_the_identity_is_the_head_of_the_sha256_of_the_normalised_description() -> None:
    expected = hashlib.sha256(b"retry with a backoff.").hexdigest()[:16]

    assert make(description="  Retry\twith\n a BACKOFF. ").entry_id == expected


@given(description=texts)
def test_an_entry_has_the_identity_of_its_description_alone(description: str) -> None:
    entry = lesson(description)

    assert entry.entry_id == content_hash(description)
    assert (
        attrs.evolve(entry, name="Other", category="heuristics", notes="- more").entry_id
        == entry.entry_id
    )


@given(entry=file_entries, description=texts)
def test_the_identity_of_an_entry_from_a_file_is_its_kind_path_and_section(
    entry: Entry, description: str
) -> None:
    expected = hashlib.sha256(
        f"{entry.kind}|{entry.file_path}|{entry.anchor_id}".encode()
    ).hexdigest()[:16]

    assert (
        entry.entry_id
        == attrs.evolve(entry, description=description, name="Other").entry_id
        == expected
    )
    assert attrs.evolve(entry, file_path=f"{entry.file_path}x").entry_id != expected
    assert attrs.evolve(entry, anchor_id=f"{entry.anchor_id}x").entry_id != expected
    assert attrs.evolve(entry, description=description).content_hash == content_hash(description)


@pytest.mark.parametrize("kind", FILE_KINDS)
def test_only_a_learning_has_a_category_and_only_the_others_have_a_file(kind: Kind) -> None:
    file = of_file("text", kind=kind)

    with pytest.raises(InvalidEntryError, match=r"^category "):
        attrs.evolve(file, category="patterns")
    with pytest.raises(InvalidEntryError, match=r"^file_path "):
        attrs.evolve(file, file_path=None)
    with pytest.raises(InvalidEntryError, match=r"^category "):
        make(category=None)
    with pytest.raises(InvalidEntryError, match=r"^file_path "):
        make(file_path="/memory/one.md")


@given(
    words=st.lists(
        st.text(st.characters(max_codepoint=0x7E, min_codepoint=0x21), min_size=1), min_size=1
    )
)
def test_letter_case_and_space_do_not_change_the_identity(words: list[str]) -> None:
    assert (
        content_hash(" ".join(words))
        == content_hash("\n\t ".join(words).upper())
        == content_hash(" ".join(words) + " ")
    )


@given(pair=spelled(gaps=SPACES), form=st.sampled_from(["NFC", "NFD"]))
@example(("K\u00f6nig \u0130z", ""), "NFD")
def test_normal_forms_letter_case_and_space_do_not_change_the_identity(
    pair: tuple[str, str], form: Literal["NFC", "NFD"]
) -> None:
    text = pair[0]

    assert content_hash(unicodedata.normalize(form, text)) == content_hash(text)
    assert content_hash(unicodedata.normalize(form, f" {text.lower()}\n")) == content_hash(
        text.lower()
    )
    composed = unicodedata.normalize("NFC", text)
    assert content_hash(text) == short_hash(" ".join(composed.lower().strip().split()))


@given(text=texts)
@example("\u0130")
def test_normalising_twice_changes_nothing(text: str) -> None:
    normalised = " ".join(text.lower().strip().split())

    assert content_hash(normalised) == content_hash(" ".join(normalised.split()))


@given(labels=st.lists(anything, max_size=30))
def test_keywords_are_at_most_ten_distinct_single_lines_in_order(labels: list[str]) -> None:
    keywords = make(keywords=tuple(labels)).keywords
    cleaned = [" ".join(label.split()) for label in labels]

    assert len(keywords) <= MAX_KEYWORDS == 10
    assert list(keywords) == [label for label in dict.fromkeys(cleaned) if label][:10]


@given(labels=st.lists(anything, max_size=30))
def test_a_file_may_have_any_number_of_labels(labels: list[str]) -> None:
    cleaned = [" ".join(label.split()) for label in labels]
    distinct = tuple(label for label in dict.fromkeys(cleaned) if label)
    file = of_file("text", keywords=tuple(labels), tags=tuple(labels))

    assert file.keywords == file.tags == distinct
    assert make(tags=tuple(labels)).tags == distinct


@given(first=entries, second=entries)
def test_observing_again_counts_and_unites(first: Entry, second: Entry) -> None:
    merged = first.observed_again(second)

    assert merged.observation_count == first.observation_count + 1
    assert merged.keywords == tuple(dict.fromkeys(first.keywords + second.keywords))[:10]
    assert merged.references == tuple(dict.fromkeys(first.references + second.references))
    assert merged.reasoning == (first.reasoning or second.reasoning)
    assert merged.updated_at == max(first.updated_at, second.updated_at)


@given(first=odd_entries, second=odd_entries)
def test_observing_again_keeps_what_the_first_author_wrote(first: Entry, second: Entry) -> None:
    merged = first.observed_again(second)

    for field in (
        "entry_id",
        "name",
        "description",
        "notes",
        "category",
        "confidence",
        "created_at",
        "source",
    ):
        assert getattr(merged, field) == getattr(first, field)
    assert (merged.recall_count, merged.source_project) == (
        first.recall_count,
        first.source_project,
    )


def test_the_count_stops_at_its_maximum() -> None:
    entry = make(observation_count=MAX_COUNT)

    assert entry.observed_again(entry).observation_count == MAX_COUNT


def test_the_embedded_text_is_name_description_notes_and_reasoning() -> None:
    entry = make(
        name="N", description="D", notes="- M", reasoning="R", keywords=("K",), references=("F",)
    )

    assert entry.searchable_text() == "N\nD\n- M\nR"
    assert make(name="N", description="D").searchable_text() == "N\nD"


def test_a_name_that_the_description_begins_with_is_not_embedded_twice() -> None:
    assert (
        make(name="Retry", description="Retry with a backoff.").searchable_text()
        == "Retry with a backoff."
    )
    assert (
        make(name="retry", description="Retry with a backoff.").searchable_text()
        == "retry\nRetry with a backoff."
    )


def test_timestamps_of_any_zone_are_accepted() -> None:
    local = NOW.astimezone(dt.timezone(dt.timedelta(hours=9)))

    assert make(updated_at=local - DAY).updated_at == NOW - DAY
