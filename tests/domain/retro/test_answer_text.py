"""An answer found in what an agent printed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.retro.answer import MOST_TRIES, Decoded, find_answer
from tests.strategies import few_examples

ANSWER = {"act": {"patterns": [{"text": "Say } and { and ```"}]}}
SMALL = json.dumps(ANSWER)


def decode(text: str, start: int) -> Decoded:
    """Read JSON."""
    try:
        return Decoded(*json.JSONDecoder().raw_decode(text, start))
    except ValueError as error:
        raise InvalidEntryError(f"no JSON at {start}") from error


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
    assert find_answer(text, decode) == ANSWER


def test_an_answer_that_says_more_is_found_in_its_fence() -> None:
    assert find_answer(f'```json\n{{"summary": "short", {SMALL[1:]}\n```', decode) == {"summary": "short", **ANSWER}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{SMALL} and {SMALL}", "there are 2 answers"),
        ('So: {"act": {"patterns": [', "no JSON at 4"),
        ("no JSON at all", "no JSON at 0"),
        ("```\nnone\n```", "no JSON at 0"),
        ('{"act": ' * (MOST_TRIES + 1) + SMALL, "no JSON at 0"),
    ],
)
def test_what_is_no_answer_is_named(text: str, words: str) -> None:
    with pytest.raises(InvalidEntryError, match=words):
        find_answer(text, decode)


@few_examples
@given(text=st.text(max_size=40), after=st.text(max_size=40))
def test_whatever_stands_around_it_it_is_found(text: str, after: str) -> None:
    assert find_answer(f"{text}\n{SMALL}\n{after}", decode) == ANSWER
