"""Where the subject of a conversation changes."""

from collections.abc import Iterator
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.chunker import (
    CHANGE,
    ENOUGH_WORDS,
    LOOKED_AHEAD,
    MISSING_WORD,
    NEIGHBOURS,
    USUAL_PAIRS,
    USUAL_SIMILARITY,
    first_change,
    goes_on,
    keywords,
)
from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.topic_words import salient_words
from tests.conversations import DATABASE, DEEP_TALK, FRONTEND, dialogue
from tests.strategies import few_examples

WORDS = "parser feed schema index button hover release image proxy port".split()
texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
conversations = st.lists(st.tuples(texts, texts.map("Yes: {}".format)), min_size=1, max_size=8).map(
    lambda spoken: dialogue(*spoken)
)


def overlap(left: Exchange, right: Exchange) -> float:
    both, smaller = keywords(left) & keywords(right), min(len(keywords(left)), len(keywords(right)))
    return len(both) / smaller if smaller else 0.0


def value(talk: tuple[Exchange, ...], cuts: tuple[int, ...]) -> float:
    """Return how good a segmentation is, by the definition."""
    pairs = [overlap(*pair) for pair in combinations(talk, 2)]
    nearby = [overlap(*pair) for pair in pairwise(talk)]
    seen = (1 - NEIGHBOURS) * sum(pairs) / len(pairs) + NEIGHBOURS * sum(nearby) / len(nearby)
    threshold = (seen * len(pairs) + USUAL_SIMILARITY * USUAL_PAIRS) / (len(pairs) + USUAL_PAIRS)
    return sum(
        sum(overlap(*pair) - threshold for pair in combinations(talk[start:stop], 2))
        - CHANGE
        - MISSING_WORD * max(0, ENOUGH_WORDS - len({*salient_words(talk[start].user)}))
        for start, stop in pairwise((0, *cuts, len(talk)))
    )


def segmentations(size: int) -> Iterator[tuple[int, ...]]:
    for count in range(size):
        yield from combinations(range(1, size), count)


@few_examples
@given(talk=conversations.filter(lambda talk: len(talk) > 1))
def test_the_change_is_that_of_the_best_of_all_segmentations(talk: tuple[Exchange, ...]) -> None:
    values = {cuts: value(talk, cuts) for cuts in segmentations(len(talk))}
    best = max(values.values())
    firsts = {next(iter(cuts), None) for cuts, of_cuts in values.items() if of_cuts >= best - 1e-9}

    change = first_change(talk, len(talk))

    assert change in firsts | {None}
    if change is None:
        assert any(first is None or len(talk) - first < LOOKED_AHEAD for first in firsts)


def test_a_change_is_seen_with_the_second_exchange_on_the_new_subject() -> None:
    talk = dialogue(*DATABASE, *FRONTEND)

    assert [first_change(talk[:seen], seen) for seen in range(1, 9)] == [
        None,
        None,
        None,
        None,
        None,
        4,
        4,
        4,
    ]


def test_only_the_running_exchanges_are_cut() -> None:
    talk = dialogue(*DATABASE, *FRONTEND)

    assert [first_change(talk, running) for running in (7, 6, 5, 4, 1)] == [3, 2, 1, None, None]


def test_a_prompt_of_few_words_begins_no_subject() -> None:
    short = tuple(("and then?", reply) for _, reply in (*DATABASE[1:], *FRONTEND))

    assert first_change(dialogue(DATABASE[0], *short), 8) is None


@pytest.mark.parametrize(
    "spoken",
    [
        ("修复登录页面的错误。", "已经修复了登录页面。"),
        ("", "2026-01-05 12:00:00 ERROR 0x7f3a at 0x00ff"),
        ("def f(x):\n    return x", "```python\ndef f(x):\n    return x\n```"),
        ("How does the parser read the byte order mark of a feed?", "It skips it."),
    ],
)
def test_one_subject_in_any_language_or_none_is_not_cut(spoken: tuple[str, str]) -> None:
    assert first_change(dialogue(*[spoken] * 9), 9) is None


def test_in_sentences_without_spaces_nothing_is_found_rather_than_everything() -> None:
    talk = dialogue(
        *(
            (f"请修复第{place}个错误。", f"第{place}个错误修好了。")
            for place in "一二三四五六七八九"
        )
    )

    assert first_change(talk, 9) is None


def test_after_a_full_chunk_the_same_subject_goes_on_and_another_does_not() -> None:
    same, other = (
        dialogue(*DEEP_TALK, DEEP_TALK[0], DEEP_TALK[1]),
        dialogue(*DEEP_TALK, DEEP_TALK[0], FRONTEND[0]),
    )

    assert goes_on(same, 8)
    assert not goes_on(other, 8)
