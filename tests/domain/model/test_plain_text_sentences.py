import pytest
from hypothesis import given

from hardwon.domain.model.plain_text import sentences
from tests.conversations import utterances

SPLIT = {
    "": [],
    "One. Two! Three?": ["One.", "Two!", "Three?"],
    "We use it, e.g. in a.py. It is 3.11 now.": ["We use it, e.g. in a.py.", "It is 3.11 now."],
    "A sentence that\nruns on. And ends": ["A sentence that runs on.", "And ends"],
    "# Title\nText below.": ["Title", "Text below."],
    "- first item\n- second item\n\nAfter.": ["first item", "second item", "After."],
    "1. **Bold** point\n2) Other": ["Bold point", "Other"],
    "Before.\n```python\nx = 1. Done.\n```\nAfter.": ["Before.", "After."],
    "Never closed:\n```\ncode. Code.": ["Never closed:"],
    "| a | b |\n|---|---|\nText.": ["Text."],
    "<!-- hidden. --> Shown.": ["Shown."],
    "> quoted line\n---\n...": ["quoted line"],
    'He said "stop." Then he went.': ['He said "stop."', "Then he went."],
    "\u4f60\u597d\u3002\u4e16\u754c\u3002": ["\u4f60\u597d\u3002", "\u4e16\u754c\u3002"],
    "! ? . 1. a": [],
}


@pytest.mark.parametrize(("markdown", "expected"), SPLIT.items())
def test_prose_is_split_into_sentences(markdown: str, expected: list[str]) -> None:
    assert sentences(markdown) == expected


@given(text=utterances)
def test_a_sentence_is_one_line_that_says_something(text: str) -> None:
    for sentence in sentences(text):
        assert sentence == " ".join(sentence.split())
        assert sentence
