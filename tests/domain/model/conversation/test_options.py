"""Choices by letter or number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.describe import described
from hardwon.domain.model.conversation.options import with_option
from tests.conversations import dialogue

LISTED = """Three options:

a) Postgres: nothing new to run.
b) Meilisearch: one small binary. It has to be kept in step.
**c)** Elasticsearch: needs memory.
"""
NUMBERED = "1. The nightly dump.\n2. The live API."


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("let's go with b", "let's go with b: Meilisearch: one small binary."),
        ("ok, use option B.", "ok, use option B: Meilisearch: one small binary."),
        ("take (a), please", "take (a), please: Postgres: nothing new to run."),
        ("do 2 then", "do 2 then: The live API."),
        ("let's go with d", "let's go with d"),
        ("let's go with SQLite", "let's go with SQLite"),
    ],
)
def test_the_option_is_named(choice: str, expected: str) -> None:
    assert with_option(choice, [LISTED, NUMBERED]) == expected


@given(choice=st.text(), replies=st.lists(st.text(), max_size=3))
def test_any_text_is_kept(choice: str, replies: list[str]) -> None:
    assert with_option(choice, replies).startswith(choice.rstrip(" .!"))


def test_a_decision_by_letter_says_what_was_chosen() -> None:
    [draft] = Chunker().chunk(
        dialogue(("How could we do the full text search?", LISTED), ("let's go with b", "Good."))
    )

    assert described(draft, "app", None).metadata.decisions == (
        "let's go with b: Meilisearch: one small binary.",
    )
