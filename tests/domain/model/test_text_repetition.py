"""A text whose beginning is its title, in two parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.keywords import words_of
from hardwon.domain.model.text import CONTINUES, SplitTitle, has_word, split_by_title

texts = st.lists(
    st.sampled_from(["Read", "read", "lines", "`lines`", "in", "\n", " ", ", ", "é", "İ"])
).map("".join)


@given(title=texts, text=texts)
def test_the_parts_are_the_text_and_the_first_says_the_title(title: str, text: str) -> None:
    split = split_by_title(title, text)

    assert " ".join(f"{split.beginning}{split.rest}".split()) == " ".join(text.split())
    if split.beginning:
        assert [*words_of(split.beginning)] == [*words_of(title)]
        assert split.continued == f"{CONTINUES}{split.rest}"
    else:
        assert split.continued == text


def test_a_single_word_is_no_repetition() -> None:
    assert split_by_title("Lines", "Lines end.") == SplitTitle("", "Lines end.")
    assert split_by_title("Read lines", "Read lines.") == SplitTitle("Read lines", ".")
    assert split_by_title("Read lines", "Read") == SplitTitle("", "Read")
    assert split_by_title("", "Text.") == SplitTitle("", "Text.")


@pytest.mark.parametrize("text", ["Retry", "retry.", "**Retry**"])
def test_a_text_that_is_the_title_and_nothing_else_is_a_repetition(text: str) -> None:
    assert not has_word(split_by_title("Retry", text).rest)
