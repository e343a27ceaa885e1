"""Questions that name several concepts, all of which an answer must hold (requirements D-T1.2, D-U2)."""

import re
from collections.abc import Iterable, Mapping, Sequence

from hardwon.domain.model.errors import InvalidQueryError
from hardwon.domain.model.keyword_query import words_of

FEWEST_CONCEPTS = 2
MOST_CONCEPTS = 5


def concepts_of(asked: Sequence[str]) -> tuple[str, ...]:
    """
    Return the concepts that are *asked*, each once, as their words in lower case, in order.

    Raises:
        InvalidQueryError: they are not 2 to 5 different ones, or one of them has no word.
    """
    concepts = tuple(dict.fromkeys(map(_plain, asked)))
    if "" in concepts:
        wordless = next(each for each in asked if not _plain(each))
        raise InvalidQueryError(f"concept {wordless!r} has no word to look for: give letters or digits")
    if not FEWEST_CONCEPTS <= len(concepts) <= MOST_CONCEPTS:
        raise InvalidQueryError(
            f"concepts must be {FEWEST_CONCEPTS} to {MOST_CONCEPTS} different ones, got {len(concepts)}: {list(asked)!r}"
        )
    return concepts


def concept_counts(concepts: Iterable[str], text: str) -> Mapping[str, int]:
    """
    Return how often each of *concepts* stands in *text*, in their order.

    Whole words count, letter case does not; the words of a longer concept must
    follow one another, whatever stands between them.
    """
    words = _plain(text)
    return {concept: len(re.findall(rf"(?<!\S){re.escape(_plain(concept))}(?!\S)", words)) for concept in concepts}


def _plain(text: str) -> str:
    return " ".join(words_of(text))
