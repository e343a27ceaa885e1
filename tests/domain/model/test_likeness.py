"""Lessons are compared by their words."""

from hypothesis import given

from hardwon.domain.model.likeness import LessonTexts, overlap
from tests.strategies import phrases

OLDER = LessonTexts("Pin Node 18 in CI", "All pipelines use Node 18 because sharp fails.")
NEWER = LessonTexts("CI runs on Node 22", "Sharp has builds for Node 22, the pin is gone.")


def test_lessons_on_one_subject_overlap_and_others_do_not() -> None:
    assert overlap(OLDER, NEWER) > 0.3
    assert overlap(OLDER, LessonTexts("Basil", "Grow basil beside the kitchen window.")) == 0


@given(phrases, phrases)
def test_the_overlap_is_symmetric_and_whole_only_for_the_same_words(one: str, other: str) -> None:
    left, right = LessonTexts("", one), LessonTexts("", other)

    assert overlap(left, right) == overlap(right, left)
    assert 0 <= overlap(left, right) <= 1 + 1e-9
    if set(one.split()) == set(other.split()):
        assert overlap(left, right) > 1 - 1e-9
    elif not set(one.split()) & set(other.split()):
        assert overlap(left, right) == 0
