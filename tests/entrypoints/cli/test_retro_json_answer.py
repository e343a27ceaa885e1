"""Items of an agent's answer: accepted and refused."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.errors import InvalidAnswerError, InvalidEntryError
from hardwon.domain.model.redaction import REDACTED
from hardwon.domain.model.retro.lesson import RetroFeature, RetroLesson, read_lessons
from hardwon.entrypoints.cli.retro_json import read_answer
from tests.strategies import few_examples

NOW = dt.datetime(2026, 6, 2, 10, tzinfo=dt.UTC)
FEATURE = RetroFeature(name="csv-reader", project="feeds", files=("src/reader.py", "docs/spec.md"))
ITEM = {
    "text": "Quote every field.\nUnquoted commas split rows.",
    "provenance": "Feature csv-reader, review 2",
    "confidence": "High",
    "keywords": ["csv-quoting", "Unquoted Commas", "row-splitting", "code"],
    "reasoning": "Splitting rows at commas cost a day; found when the reader failed.",
}


def lesson(**fields: object) -> RetroLesson:
    """Return the lesson of one item with *fields*."""
    [read] = read_lessons(read_answer({"act": {"patterns": [{**ITEM, **fields}]}}), FEATURE, NOW)
    return read


def test_an_item_becomes_an_entry_of_the_project() -> None:
    read = lesson()
    entry = read.entry

    assert (entry.name, entry.description, entry.category) == (
        "Quote every field",
        ITEM["text"],
        "patterns",
    )
    assert (entry.source, entry.source_project, entry.confidence) == ("retro", "feeds", "high")
    assert entry.keywords == ("csv-quoting", "unquoted-commas", "row-splitting")
    assert entry.reasoning == ITEM["reasoning"]
    assert entry.references == ("src/reader.py",)
    assert entry.notes == "- Observed in: Feature csv-reader, review 2"
    assert entry.created_at == entry.updated_at == NOW
    assert read.dropped == ("code",)


def test_keywords_and_reasoning_may_be_missing() -> None:
    [read] = read_lessons(
        read_answer({"act": {"heuristics": [{"text": "Measure first."}]}}), FEATURE, NOW
    )

    assert (read.entry.keywords, read.entry.reasoning, read.entry.confidence) == ((), "", "medium")
    assert read.observed_in == "csv-reader"
    assert lesson(keywords=None, reasoning=None).entry.keywords == ()


@pytest.mark.parametrize("universal", [True, "true", " TRUE"])
def test_a_universal_item_is_of_no_project(universal: object) -> None:
    assert lesson(universal=universal).entry.source_project is None
    assert lesson(universal="False").entry.source_project == "feeds"


def test_fields_that_no_entry_has_are_left_out_and_named_once() -> None:
    item = {**ITEM, "category": "x", "references": [7]}
    answer = read_answer(
        {"act": {"patterns": [item], "heuristics": [{**item, "text": "Measure.", "a\nb": {}}]}}
    )

    assert (sorted(answer.unknown), answer.problems) == (
        ['"a\\nb"', '"category"', '"references"'],
        (),
    )
    assert len(read_lessons(answer, FEATURE, NOW)) == 2


def test_all_errors_are_reported_at_once() -> None:
    wrong = {"text": "a\0b", "confidence": "sure", "universal": 1, "keywords": [1]}
    answer = read_answer(
        {
            "act": {
                "x": [],
                "patterns": [ITEM, 7, wrong],
                "heuristics": [ITEM, {}],
                "anti_patterns": 0,
            }
        }
    )
    with pytest.raises(InvalidAnswerError) as refused:
        read_lessons(answer, FEATURE, NOW)

    assert [
        line.partition(" is ")[0].partition(" says ")[0] for line in refused.value.problems
    ] == [
        'act has an unknown list "x": use patterns, anti_patterns, heuristics',
        "act.patterns[1]",
        "act.patterns[2].confidence",
        "act.patterns[2].universal",
        "act.patterns[2].keywords",
        "act.anti_patterns",
        "act.heuristics[1].text",
        "act.patterns[2]: text holds a NUL character at position 1: remove it",
        "act.heuristics[0]",
    ]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Pattern: Quote all", "Quote all"),
        ("### Anti-pattern:  Pattern: x", "x"),
        ("# ## Title", "Title"),
        ("  two\nlines ", "two lines"),
        ("#hashtag", "#hashtag"),
    ],
)
def test_a_name_is_normalised_for_a_heading(given: str, name: str) -> None:
    assert lesson(name=given).entry.name == name


def test_a_name_is_made_of_the_text() -> None:
    assert lesson(name=" ").entry.name.startswith("Quote every field")
    assert lesson(name="###").entry.name.startswith("Quote every field")
    assert lesson(text="...", name="").entry.name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Measure the parser, before you choose one.", "Measure the parser"),
        (
            "First, measure the parser on a large feed and then choose.",
            "First, measure the parser on a large feed…",
        ),
        ("Use e.g. the csv module because commas split rows", "Use e.g. the csv module"),
        ("Never call line.split(',') on rows: it breaks.", "Never call line.split(',') on rows"),
        ("Always run git with -C here (never cd).", "Always run git with -C here"),
        ("Measure first.", "Measure first"),
        ("Why " + "x" * 200, "Why"),
    ],
)
def test_a_made_name_is_a_clause_of_at_most_eight_words(text: str, name: str) -> None:
    assert lesson(text=text, name="").entry.name == name


def test_secrets_are_in_neither_place() -> None:
    secret = "ghp_" + "a1B2" * 9
    read = lesson(
        text=f"Use {secret}",
        provenance=f"in {secret}",
        name=f"n {secret}",
        reasoning=secret,
        keywords=[secret],
    )

    assert secret not in repr(read)
    assert read.entry.keywords == ()
    assert secret not in repr(read.for_bank(1))
    assert REDACTED in read.for_bank(1).observed_in


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], "the answer is []"),
        ({"acts": {}}, "act is null"),
        ({"act": []}, "act is []"),
        ({"act": {"anti-patterns": []}}, 'unknown list "anti-patterns": use patterns'),
        ({"act": {"patterns": {}}}, "act.patterns is {}"),
        ({"act": {"patterns": ["x"]}}, 'act.patterns[0] is "x"'),
        ({"act": {"patterns": [ITEM, {**ITEM, "text": None}]}}, "act.patterns[1].text is missing"),
        ({"act": {"heuristics": [{**ITEM, "text": 7}]}}, "act.heuristics[0].text is 7"),
        ({"act": {"heuristics": [{**ITEM, "text": " \n"}]}}, "act.heuristics[0]: text is blank"),
        (
            {"act": {"heuristics": [{**ITEM, "text": "a\0b"}]}},
            "act.heuristics[0]: text holds a NUL",
        ),
        ({"act": {"heuristics": [{**ITEM, "text": "a\ud800"}]}}, "half a surrogate pair"),
        (
            {"act": {"heuristics": [{**ITEM, "confidence": "sure"}]}},
            'confidence is "sure": it must be one of high, medium, low',
        ),
        (
            {"act": {"heuristics": [{**ITEM, "confidence": 0.9}]}},
            "confidence is 0.9: it must be one of",
        ),
        (
            {"act": {"heuristics": [{**ITEM, "keywords": "a b"}]}},
            'keywords is "a b": it must be a list of texts',
        ),
        ({"act": {"heuristics": [{**ITEM, "keywords": ["a", 1]}]}}, 'keywords is ["a", 1]'),
        (
            {"act": {"heuristics": [{**ITEM, "universal": "yes"}]}},
            'universal is "yes": it must be true or false',
        ),
        (
            {"act": {"patterns": [ITEM], "heuristics": [ITEM]}},
            "act.heuristics[0] says the same as act.patterns[0]",
        ),
        (
            {"act": {"patterns": [{**ITEM, "text": "<private>all</private>"}]}},
            "act.patterns[0]: text is blank",
        ),
    ],
)
def test_an_error_is_named_with_its_place(document: object, words: str) -> None:
    with pytest.raises(InvalidEntryError) as refused:
        read_lessons(read_answer(document), FEATURE, NOW)

    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["act", "patterns", "heuristics", "text", "keywords", "name", "universal"]
            ),
            inner,
        )
    ),
    max_leaves=12,
)


@few_examples
@given(document=json_values)
def test_any_json_is_an_answer_or_is_refused(document: object) -> None:
    for answer in (document, {"act": document}, {"act": {"patterns": document}}):
        try:
            lessons = read_lessons(read_answer(answer), FEATURE, NOW)
        except InvalidEntryError as error:
            assert "\n" not in str(error)  # noqa: PT017 - whatever is refused is refused in one line
        else:
            assert all(
                item.entry.description.strip() and item.entry.source == "retro" for item in lessons
            )
