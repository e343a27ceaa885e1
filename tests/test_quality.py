"""The figures of `make quality` on the labelled sets stay as good as they are."""

from collections.abc import Iterator

import pytest

from bench.quality.block import Block, blocks
from bench.quality.labelled import HALVES
from bench.quality.lessons_store import LessonsStore, lessons_store

ALL = 20


@pytest.fixture(scope="module")
def lessons() -> Iterator[LessonsStore]:
    with lessons_store() as store:
        yield store


def precision(graded: list[Block]) -> float:
    return sum(block.hits for block in graded) / sum(len(block.shown) for block in graded)


def recall(graded: list[Block]) -> float:
    found = [block.hits / len(block.relevant) for block in graded if block.relevant]
    return sum(found) / len(found)


@pytest.mark.parametrize("half", HALVES)
def test_a_block_for_a_host_is_more_relevant_than_a_full_one_and_misses_little(
    lessons: LessonsStore, half: str
) -> None:
    full, stopped = ([*blocks(lessons, half, framed=framed)] for framed in (False, True))

    assert {len(block.shown) for block in full} == {ALL}
    assert precision(full) < 0.34
    assert precision(stopped) >= 0.43
    assert recall(stopped) >= 0.69
    assert recall(full) - recall(stopped) <= 0.05
