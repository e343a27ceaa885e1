import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.triggers import phrases_of, usable_phrases


def test_phrases_are_the_items_below_their_heading() -> None:
    body = (
        '# Title\n- not one\n\n## Trigger Phrases\n\nSay one of:\n- save context\n* `document this`\n+ "oauth callback"\n'
        "1. **token refresh**\n\n## Next\n- nor this\n"
    )

    assert phrases_of(body) == ("save context", "document this", "oauth callback", "token refresh")


@pytest.mark.parametrize(
    "heading", ["# Triggers", "### trigger phrase", "## 2. \U0001f680 TRIGGER PHRASES:", "## **Triggers** ##"]
)
def test_a_heading_may_be_of_any_level_with_signs_around_it(heading: str) -> None:
    assert phrases_of(f"{heading}\n- save context") == ("save context",)


@pytest.mark.parametrize(
    "body",
    [
        "- save context",
        "## Trigger happy\n- save context",
        "## How triggers work\n- save context",
        "```\n## Triggers\n- save context\n```",
        "<!--\n## Triggers\n- save context\n-->",
        "## Triggers\nsave context",
    ],
)
def test_nothing_else_is_a_phrase(body: str) -> None:
    assert phrases_of(body) == ()


def test_phrases_that_can_not_be_used_are_left_out() -> None:
    texts = ["ab", "abc", "ABC", "x" * 100, "x" * 101, " two\n lines ", "", "'quoted'"]

    assert usable_phrases(texts) == ("abc", "x" * 100, "two lines", "quoted")


def test_of_more_than_twenty_phrases_the_first_twenty_are_kept() -> None:
    texts = [f"phrase {number}" for number in range(21)]

    assert usable_phrases(texts) == tuple(texts[:20])


@given(texts=st.lists(st.text(max_size=8) | st.sampled_from(["Save It", "save it", "\u017fave it"]), max_size=60))
def test_there_are_at_most_20_distinct_phrases_of_one_line(texts: list[str]) -> None:
    phrases = usable_phrases(texts)

    assert len(phrases) <= 20
    assert len({phrase.casefold() for phrase in phrases}) == len(phrases)
    assert all(3 <= len(phrase) <= 100 and phrase == " ".join(phrase.split()) for phrase in phrases)
    assert usable_phrases(phrases) == phrases


@given(
    body=st.text()
    | st.lists(st.sampled_from(["# Triggers\n", "- abc\n", "1. def", "\n", "```", " ", "- "])).map("".join)
)
def test_any_text_can_be_asked_for_phrases(body: str) -> None:
    assert all(phrase for phrase in phrases_of(body))


@pytest.mark.large
def test_hostile_text_takes_no_longer_than_any_other() -> None:
    for body in (
        "# Triggers\n" * 200_000,
        "# Triggers\n" + "- ab\n" * 500_000,
        "# " + "1" * 2_000_000,
        "- " * 1_000_000,
    ):
        assert phrases_of(body) == ()
