from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.triggers import usable_phrases


def test_phrases_that_can_not_be_used_are_left_out() -> None:
    texts = ["ab", "abc", "ABC", "x" * 100, "x" * 101, " two\n lines ", "", "'quoted'"]

    assert usable_phrases(texts) == ("abc", "x" * 100, "two lines", "quoted")


def test_in_scripts_without_spaces_two_letters_are_a_phrase() -> None:
    assert usable_phrases(["缓存", "缓", "ログ", "캐시"]) == ("缓存", "ログ", "캐시")


def test_of_more_than_twenty_phrases_the_first_twenty_are_kept() -> None:
    texts = [f"phrase {number}" for number in range(21)]

    assert usable_phrases(texts) == tuple(texts[:20])


@given(
    texts=st.lists(
        st.text(max_size=8) | st.sampled_from(["Save It", "save it", "\u017fave it"]), max_size=60
    )
)
def test_there_are_at_most_20_distinct_phrases_of_one_line(texts: list[str]) -> None:
    phrases = usable_phrases(texts)

    assert len(phrases) <= 20
    assert len({phrase.casefold() for phrase in phrases}) == len(phrases)
    assert all(
        2 + phrase.isascii() <= len(phrase) <= 100 and phrase == " ".join(phrase.split())
        for phrase in phrases
    )
    assert usable_phrases(phrases) == phrases
