"""
Throw-away stores, asked answerable and unanswerable questions.

They are asked like `hardwon recall` over everything.
"""

import os
import random
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from bench.eval_sets import relevant_documents
from bench.prompted_stores import STANDING_STILL, asking
from hardwon.adapters.evaluation.cache import VectorCache
from hardwon.domain.model.evaluation.eval_set import EvalSet, JudgedQuery
from hardwon.domain.model.filters import COLLECTIONS, EVERYTHING, Workplace
from hardwon.domain.model.ranking.policy import RecallQuestion
from hardwon.domain.model.ranking.prominence import share
from hardwon.domain.use_cases.recall import Recall

STORES = {5: 10, 10: 10, 30: 5, 100: 3, 2_000: 1}
"""
Entries of a store, and the stores drawn from each set.

A smaller set is taken whole.
"""

MAX_ANSWERABLE = 200
"""Questions that are asked of one store."""

FROM_EACH_OTHER_SET = 25

NONSENSE = os.path.join(os.path.dirname(__file__), "nonsense.txt")

Side = Literal["answerable", "nonsense", "foreign"]
"""The sorts of questions: answerable in the store, from `nonsense.txt`, or of another set."""


class Hit(NamedTuple):
    """
    One of the best ten without a floor.

    Attributes:
        relevance: As the product shows it, `[0, 1]`.
        right: Whether it answers the question.
        closeness: See `Closeness`; None when meaning was not searched.
        background: The mean closeness of the store.
        matched: The BM25 score over that of a full match, not capped.

    """

    relevance: float
    right: bool
    closeness: float | None
    background: float
    matched: float


class Asked(NamedTuple):
    """
    One question to one store.

    Attributes:
        set_name: The set the store was drawn from.
        entries: How many the store was meant to have, a key of `STORES`.
        side: The relation of the question to the store.
        hits: The best ten without a floor, best first.
        answers: How many answers the product gives.
        keeps_right: Whether the first right hit is among these.

    """

    set_name: str
    entries: int
    side: Side
    hits: tuple[Hit, ...]
    answers: int
    keeps_right: bool

    @property
    def first_right(self) -> Hit | None:
        """The best hit that answers, if one of the ten does."""
        return next((hit for hit in self.hits if hit.right), None)


class BothWays(NamedTuple):
    """The same questions, searched by meaning and keyword, and by keyword alone."""

    meaning: list[Asked]
    words: list[Asked]


def ask_all(sets: Sequence[EvalSet], cache: VectorCache, seed: int) -> BothWays:
    """Return every question to every store drawn from *sets*, reproducibly by *seed*."""
    both = BothWays([], [])
    for eval_set in sets:
        others = [other for other in sets if other is not eval_set]
        for entries, draws in STORES.items():
            for number in range(draws):
                draw = random.Random(f"{seed} {eval_set.name} {entries} {number}")
                for by_meaning, by_words in _ask_store(eval_set, others, entries, draw, cache):
                    both.meaning.append(by_meaning)
                    both.words.append(by_words)
    return both


def _ask_store(
    eval_set: EvalSet,
    others: Sequence[EvalSet],
    entries: int,
    draw: random.Random,
    cache: VectorCache,
) -> Iterator[tuple[Asked, Asked]]:
    """
    Yield each question to a store of *entries* entries.

    It is asked by meaning and keyword, and by keyword alone.
    """
    ids = _drawn(eval_set, entries, draw)
    with asking([eval_set.documents[key] for key in ids], cache) as store:
        numbers = {key: store.numbers[eval_set.documents[key].entry_id] for key in ids}
        words_alone = store.recall._replace(retrieve=store.recall.retrieve._replace(semantic=[]))
        for side, text, right in _questions(eval_set, others, numbers.keys(), draw):
            answering = {numbers[key] for key in right}
            by_meaning, by_words = (
                _ask(recall, text, answering) for recall in (store.recall, words_alone)
            )
            yield (
                Asked(eval_set.name, entries, side, *by_meaning),
                Asked(eval_set.name, entries, side, *by_words),
            )


def _drawn(eval_set: EvalSet, entries: int, draw: random.Random) -> list[str]:
    """
    Return the ids of *entries* documents, or of all.

    Half of them, and one more, answer a question.
    """
    if entries >= len(eval_set.documents):
        return list(eval_set.documents)
    answering = dict.fromkeys(
        key for asked in eval_set.queries for key in relevant_documents(eval_set, asked)
    )
    chosen = draw.sample(list(answering), min(entries // 2 + 1, len(answering)))
    others = eval_set.documents.keys() - set(chosen)
    return chosen + draw.sample(sorted(others), entries - len(chosen))


def _questions(
    eval_set: EvalSet, others: Sequence[EvalSet], ids: Collection[str], draw: random.Random
) -> Iterator[tuple[Side, str, list[str]]]:
    """Yield side, text and answering ids of the questions to the documents *ids*."""
    answerable = [
        (asked, right) for asked in eval_set.queries if (right := _right(eval_set, asked, ids))
    ]
    for asked, right in draw.sample(answerable, min(MAX_ANSWERABLE, len(answerable))):
        yield "answerable", asked.query.text, right
    for text in nonsense():
        yield "nonsense", text, []
    for other in others:
        for asked in draw.sample(other.queries, min(FROM_EACH_OTHER_SET, len(other.queries))):
            yield "foreign", asked.query.text, []


def nonsense() -> list[str]:
    """Return questions that no store about software or aerodynamics answers."""
    with open(NONSENSE, encoding="utf-8") as file:
        return file.read().splitlines()


def _right(eval_set: EvalSet, asked: JudgedQuery, ids: Collection[str]) -> list[str]:
    return [key for key in relevant_documents(eval_set, asked) if key in ids]


def _ask(
    recall: Recall, text: str, answering: Collection[int]
) -> tuple[tuple[Hit, ...], int, bool]:
    """
    Return the best ten, the number of answers, and whether one is right.

    The first right hit counts.

    Answers are hits above the floor.
    """
    everything = COLLECTIONS["all"]
    only = EVERYTHING._replace(ranked=True)
    question = RecallQuestion(
        text, only, everything.policy, everything.limit, None, Workplace(project="")
    )
    found = recall.search(question, STANDING_STILL)
    rated = recall.rank(question, found)
    closeness = found.closeness.scores(
        {hit.number: hit.vector for hit in rated if hit.vector is not None}
    )
    hits = tuple(
        Hit(
            relevance=hit.relevance or 0.0,
            right=hit.number in answering,
            closeness=closeness.get(hit.number),
            background=found.context.background,
            matched=share(hit.keyword, found.context.keywords.full),
        )
        for hit in rated
    )
    answers = {
        hit.number for hit in recall.rank(question._replace(minimum=everything.minimum), found)
    }
    first_right = next((hit.number for hit in rated if hit.number in answering), None)
    return hits, len(answers), first_right in answers
