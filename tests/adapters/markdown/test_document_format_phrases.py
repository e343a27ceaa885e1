import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.markdown.document_format import phrases_of


def test_phrases_are_the_items_below_their_heading() -> None:
    body = (
        '# Title\n- not one\n\n## Trigger Phrases\n\nSay one of:\n- save context\n* `document this`\n+ "oauth callback"\n'
        "1. **token refresh**\n\n## Next\n- nor this\n"
    )

    assert phrases_of(body) == ("save context", "document this", "oauth callback", "token refresh")


@pytest.mark.parametrize(
    "heading",
    ["# Triggers", "### trigger phrase", "## 2. \U0001f680 TRIGGER PHRASES:", "## **Triggers** ##"],
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


@given(
    body=st.text()
    | st.lists(st.sampled_from(["# Triggers\n", "- abc\n", "1. def", "\n", "```", " ", "- "])).map(
        "".join
    )
)
def test_any_text_can_be_asked_for_phrases(body: str) -> None:
    assert all(phrase for phrase in phrases_of(body))


def test_hostile_text_takes_no_longer_than_any_other() -> None:
    for body in (
        "# Triggers\n" * 200_000,
        "# Triggers\n" + "- ab\n" * 500_000,
        "# " + "1" * 2_000_000,
        "- " * 1_000_000,
    ):
        assert phrases_of(body) == ()
