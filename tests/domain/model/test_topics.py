"""Names of topics, from the texts of their entries."""

from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.topics import MAX_WORDS, distinctive_words

texts = st.text(st.sampled_from("abc 12"), max_size=20)


def test_words_of_one_topic_alone_come_first() -> None:
    feeds = ["A wheel needs its data files", "The wheel misses a data file", "Build a wheel again"]
    tables = ["An index needs a vacuum", "An index is not used", "A data table without an index"]

    assert [words[0] for words in distinctive_words([feeds, tables])] == ["wheel", "index"]


def test_one_word_in_two_forms_counts_once() -> None:
    [words] = distinctive_words([["timeouts leak", "timeouts leak", "timeout leak", "timeout"]])

    assert words == ("leak", "timeout")


def test_a_word_of_one_text_names_no_topic_of_several() -> None:
    assert distinctive_words([["pool leak", "pool size"], ["lonely"]]) == [("pool",), ("lonely",)]


@given(topics=st.lists(st.lists(texts, min_size=1, max_size=4), max_size=4))
def test_names_are_short_and_of_words_of_the_topic(topics: list[list[str]]) -> None:
    for words, of_topic in zip(distinctive_words(topics), topics, strict=True):
        assert len(words) <= MAX_WORDS
        assert all(word in " ".join(of_topic).lower() for word in words)
