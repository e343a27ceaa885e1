"""An answer found in the output of an agent."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.errors import InvalidEntryError
from hardwon.entrypoints.cli.retro_json import MAX_TRIES, find_answer
from tests.strategies import few_examples

ANSWER = {"act": {"patterns": [{"text": "Say } and { and ```"}]}}
SMALL = json.dumps(ANSWER)


@pytest.mark.parametrize(
    "text",
    [
        SMALL,
        f"```\n{SMALL}\n```",
        f"~~~~json\n{SMALL}\n~~~~",
        f"Sure: {SMALL} Done.",
        f'The form {{"act": ...}} as asked:\n{SMALL}',
    ],
)
def test_an_answer_is_found(text: str) -> None:
    assert find_answer(text) == ANSWER


def test_an_answer_that_says_more_is_found_in_its_fence() -> None:
    assert find_answer(f'```json\n{{"summary": "short", {SMALL[1:]}\n```') == {
        "summary": "short",
        **ANSWER,
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{SMALL} and {SMALL}", "there are 2 answers"),
        ('So: {"act": {"patterns": [', "char 26"),
        ("no JSON at all", "is not JSON"),
        ("```\nnone\n```", "'none' is not JSON"),
        ('{"act": ' * (MAX_TRIES + 1) + SMALL, "is not JSON"),
    ],
)
def test_a_text_that_is_no_answer_is_named(text: str, words: str) -> None:
    with pytest.raises(InvalidEntryError, match=words):
        find_answer(text)


@few_examples
@given(text=st.text(max_size=40), after=st.text(max_size=40))
def test_an_answer_is_found_in_any_surrounding_text(text: str, after: str) -> None:
    assert find_answer(f"{text}\n{SMALL}\n{after}") == ANSWER
