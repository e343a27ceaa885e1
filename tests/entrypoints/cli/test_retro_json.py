"""An answer read from the output of an agent."""

import pytest

from hardwon.domain.model.errors import InvalidEntryError
from hardwon.entrypoints.cli.retro_json import answer_from_text
from tests.entrypoints.folders import ANSWER, IN_PROSE

SMALL = '{"act": {"patterns": [{"text": "Say } and { and ```"}]}}'


def test_prose_and_a_fence_change_nothing() -> None:
    bare = answer_from_text(ANSWER.read_text(encoding="utf-8"))

    assert len(bare.items) == 6
    assert answer_from_text(IN_PROSE.read_text(encoding="utf-8")) == bare


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the answer is empty"),
        ("no JSON at all", "is not JSON"),
        ("[1, 2]", "the answer is [1, 2]"),
        ('{"act": {"patterns": [{"text": "cut', "is not JSON"),
        ('{"act": {"patterns": [{"text": "a", "text": "b"}]}}', '"text" is given twice'),
        (f"{SMALL} and {SMALL}", "there are 2 answers"),
        ('{"act": ' + "[" * 99_999, "nested too deeply"),
        ("{" * 99_999, "is not JSON"),
        ("`" * 10**6 + "\n" + "a" * 10**6, "is not JSON"),
        ('{"act":' * 50_000, "nested too deeply"),
        ('{"act": {"patterns": [{"text": ' + "9" * 5000 + "}]}}", "a number that is too long"),
    ],
)
def test_a_text_that_is_no_answer_is_named(text: str, words: str) -> None:
    with pytest.raises(InvalidEntryError) as refused:
        answer_from_text(text)

    assert words in str(refused.value)
