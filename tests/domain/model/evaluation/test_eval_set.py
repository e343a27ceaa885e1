import datetime as dt

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError, InvalidEvaluationError
from hardwon.domain.model.evaluation.eval_set import (
    DEFAULT_TIME,
    MAX_QUESTIONS,
    EvalQuery,
    EvalSet,
    Judgement,
    assemble,
    document_entry,
    known_items,
    rare_words,
)
from hardwon.domain.model.identity import title_to_search
from tests.strategies import characters, lesson, texts


def document(document_id: str, text: str = "text") -> Entry:
    entry = document_entry(document_id, text)
    assert entry
    return entry


def test_a_document_becomes_an_entry_with_all_its_fields() -> None:
    entry = document_entry(
        "d/1", " Its text. ", title="Title", written_at="2024-03-03T00:00:00", group="g"
    )

    assert entry
    assert (entry.kind, entry.name, entry.description, entry.source_project) == (
        "document",
        "Title",
        "Its text.",
        "g",
    )
    assert entry.updated_at == entry.created_at == dt.datetime(2024, 3, 3, tzinfo=dt.UTC)


@given(
    text=texts
    | st.lists(st.sampled_from(["word", " ", "  ", "\t", "\n", "\x1c", "\u2003"]), min_size=1).map(
        "".join
    )
)
def test_a_name_made_of_the_beginning_adds_no_word_to_what_is_searched(text: str) -> None:
    entry = document_entry("d", text)

    assert entry is None or title_to_search(entry.name, entry.description) == ""


@pytest.mark.parametrize("written_at", ["", "yesterday", "2024-13-01", "0001-01-01T00:00:00+14:00"])
def test_an_unreadable_timestamp_is_always_the_same(written_at: str) -> None:
    entry = document_entry("d", "text", written_at=written_at)

    assert entry
    assert entry.updated_at == DEFAULT_TIME


def test_a_title_stands_for_a_missing_text_and_without_both_there_is_no_document() -> None:
    titled = document_entry("d", "\n", title="Only a title")

    assert titled
    assert titled.description == "Only a title"
    assert document_entry("d", " ", title="\t") is None


@given(ids=st.sets(st.text(characters, min_size=1, max_size=8).filter(str.strip)))
def test_documents_of_different_ids_are_different_entries(ids: set[str]) -> None:
    assert len({document(doc_id).entry_id for doc_id in ids}) == len(ids)


def test_a_text_that_cannot_be_stored_is_refused() -> None:
    with pytest.raises(InvalidEntryError):
        document_entry("d", "half a pair \ud800")


def test_queries_without_a_relevant_document_are_left_out_and_the_rest_is_reported() -> None:
    queries = [EvalQuery("1", "one"), EvalQuery("2", "two"), EvalQuery("3", "three")]
    judgements = [
        Judgement("1", "a", 2),
        Judgement("1", "b", 1),
        Judgement("2", "a", 0),
        Judgement("1", "z", 1),
    ]
    made = assemble(
        "name", {"a": document("a"), "b": None}, queries, [*judgements, Judgement("9", "a", 1)]
    )

    assert [(judged.query.query_id, judged.grades) for judged in made.queries] == [
        ("1", {"a": 2, "b": 1})
    ]
    assert list(made.documents) == ["a"]
    assert made.warnings == (
        "name: documents without a text: 1 left out, the first is 'b'",
        "name: judgements of unknown documents: 1 left out, the first is 'z'",
        "name: judgements of unknown queries: 1 left out, the first is '9'",
    )


@pytest.mark.parametrize(
    ("documents", "judgements"),
    [
        ({}, []),
        ({"a": None}, [Judgement("1", "a", 1)]),
        ({"a": document("a")}, [Judgement("1", "a", 0)]),
    ],
)
def test_a_set_without_anything_to_measure_is_refused(
    documents: dict[str, Entry | None], judgements: list[Judgement]
) -> None:
    with pytest.raises(InvalidEvaluationError, match="nothing to measure"):
        assemble("name", documents, [EvalQuery("1", "one")], judgements)


def test_questions_are_asked_when_the_newest_document_was_written() -> None:
    newest = document_entry("b", "text", written_at="2030-01-01")
    made = assemble(
        "name", {"a": document("a"), "b": newest}, [EvalQuery("1", "one")], [Judgement("1", "a", 1)]
    )

    assert made.now == dt.datetime(2030, 1, 1, tzinfo=dt.UTC)


def test_a_title_asks_for_the_text_it_stands_over() -> None:
    entry = attrs.evolve(
        lesson("Close it.", name="Sockets stay open"), reasoning="It hung.", notes="- Cost: high"
    )
    made = known_items("self", [entry])

    [asked] = made.queries
    [(document_id, kept)] = made.documents.items()
    assert (asked.query.text, asked.grades) == ("Sockets stay open", {document_id: 1.0})
    assert kept.description == "Close it.\n- Cost: high\nIt hung."
    assert title_to_search(kept.name, kept.description) == ""
    assert kept.updated_at == entry.updated_at


def test_a_title_that_asks_for_nothing_is_not_asked_but_its_text_is_there() -> None:
    made = known_items(
        "self", [lesson("Close it now.", name="Close it now"), lesson("Other.", name="Sockets")]
    )

    assert made.queries == ()
    assert len(made.documents) == 2


def test_at_most_500_titles_are_asked_always_the_same() -> None:
    entries = [
        lesson(f"Text {number}.", name="Sockets stay open") for number in range(MAX_QUESTIONS + 20)
    ]
    expected = sorted(entry.entry_id for entry in entries)[:MAX_QUESTIONS]

    for made in (known_items("self", entries), known_items("self", entries[::-1])):
        assert [asked.query.query_id for asked in made.queries] == expected
        assert len(made.documents) == MAX_QUESTIONS + 20


def test_a_rare_word_is_one_that_no_form_of_is_in_another_document() -> None:
    texts = {
        "a": "The zebra parses a socket.",
        "b": "Parsing the sockets with parseQuagga, then the quagga.",
        "c": "A gnu of 12345678 x86_64 ostriches.",
    }
    asked = rare_words(
        "words", EvalSet("self", {key: document(key, text) for key, text in texts.items()}, ())
    )

    assert [(item.query.text, [*item.grades]) for item in asked.queries] == [
        ("ostriches", ["c"]),
        ("quagga", ["b"]),
        ("zebra", ["a"]),
    ]


def test_at_most_100_rare_words_are_asked_evenly_spread() -> None:
    words = [f"{a}{b}{c}word" for a in "bcdfghjklm" for b in "aeiou" for c in "bcdfghjklmnp"]
    documents = {word: document(word, word) for word in words}
    asked = [
        item.query.text for item in rare_words("words", EvalSet("self", documents, ())).queries
    ]

    assert asked == sorted(words)[::6]
    assert len(words) == 600
