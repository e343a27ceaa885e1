"""Looking at the heads of lists chooses exactly what ranking the whole store chooses."""

import datetime as dt
from random import Random
from typing import NamedTuple

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.ranking.candidates import Candidate
from hardwon.domain.model.ranking.category_balancer import CategoryBalancer, Selection
from hardwon.domain.model.ranking.prominence import Maxima, RankingPolicy, Scored
from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.model.vocabulary import CATEGORIES, CONFIDENCES, Category, Confidence
from hardwon.domain.use_cases import rank as module
from hardwon.domain.use_cases.rank import Selected, select, whole_store_maxima
from hardwon.domain.use_cases.retrieve import NoMatches, Retrieval
from hardwon.ports.entries import RankingReads
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.searches import InMemoryMatches
from tests.fakes.state import State
from tests.strategies import DAY, NOW, cosines, moments, weights


class Lesson(NamedTuple):
    """What ranking sees of one entry, and what the searches find."""

    category: Category = "patterns"
    observations: int = 1
    confidence: Confidence = "medium"
    updated_at: dt.datetime = NOW
    recalls: int = 0
    vector: float | None = None
    keyword: float | None = None


@attrs.frozen
class Store:
    repository: InMemoryEntryRepository
    retrieval: Retrieval


lessons = st.builds(
    Lesson,
    category=st.sampled_from(CATEGORIES),
    observations=st.integers(1, 3),
    confidence=st.sampled_from(CONFIDENCES),
    updated_at=moments,
    recalls=st.sampled_from([0, 5, 10, 12]),
    vector=st.none() | cosines,
    keyword=st.none() | st.sampled_from([1e-6, 0.5, 1.0, 3.0]),
)
stores = st.lists(lessons, min_size=1, max_size=10).flatmap(lambda pool: st.lists(st.sampled_from(pool), max_size=60))
"""Up to 60 lessons of at most ten sorts: ties, lists that are too short, and crowded categories are the rule."""


SPECIALITIES = ["meaning", "words", "record", "all", "none"]


def random_world(seed: int) -> list[Lesson]:
    """
    Return up to 250 lessons where heads of lists mislead.

    Specialists lead one list each and are nothing in the others; all-rounders lead none, but may
    have the best sum; and some categories are weaker than others in everything.
    """
    random = Random(seed)
    strength = {category: random.choice([0.1, 0.5, 1.0]) for category in CATEGORIES}
    crowded = random.choice(CATEGORIES)
    categories = [random.choice([crowded, *CATEGORIES]) for _ in range(random.randrange(250))]
    return [_random_lesson(random, category, strength[category]) for category in categories]


def _random_lesson(random: Random, category: Category, height: float) -> Lesson:
    speciality = random.choice(SPECIALITIES)
    levels = [0.5, 0.6, 0.7] if speciality == "all" else [0.8, 0.9, 1.0]
    good = {name: random.choice(levels) if speciality in {name, "all"} else 0.0 for name in SPECIALITIES}
    return Lesson(
        category=category,
        observations=1 + round(4 * good["record"] * height),
        updated_at=NOW - random.randrange(1, 4) * 30 * (2 - good["record"] * height) * DAY,
        recalls=round(12 * good["record"] * height),
        vector=good["meaning"] * height if random.random() < 0.9 else None,
        keyword=good["words"] * height if good["words"] else None,
    )


first_depths = st.sampled_from([1, 2, 3, 16])
limits = st.integers(0, 25)
weightings = st.just(Weights()) | weights


def build(all_lessons: list[Lesson], *, semantic: bool = True, keyword: bool = True) -> Store:
    state = State()
    for seq, lesson in enumerate(all_lessons, start=1):
        state.entries[seq] = _entry(seq, lesson)
        if lesson.recalls:
            state.recalls[seq] = lesson.recalls, NOW
    by_vector = {seq: each.vector for seq, each in enumerate(all_lessons, start=1) if each.vector is not None}
    by_keyword = {seq: each.keyword for seq, each in enumerate(all_lessons, start=1) if each.keyword is not None}
    retrieval = Retrieval(
        query="anything",
        by_vector=InMemoryMatches(state, by_vector) if semantic else NoMatches(),
        by_keyword=InMemoryMatches(state, by_keyword) if keyword else NoMatches(),
    )
    return Store(InMemoryEntryRepository(state), retrieval)


def _entry(seq: int, lesson: Lesson) -> Entry:
    return Entry(
        name="Lesson",
        description=f"lesson {seq}",
        category=lesson.category,
        observation_count=lesson.observations,
        confidence=lesson.confidence,
        created_at=lesson.updated_at,
        updated_at=lesson.updated_at,
    )


def choose(store: Store, weighting: Weights, limit: int, first_depth: int) -> Selected:
    policy = RankingPolicy(weights=weighting, maxima=whole_store_maxima(store.retrieval, store.repository), now=NOW)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "START_DEPTH", first_depth)
        return select(store.retrieval, store.repository, policy, CategoryBalancer(limit))


def rank_everything(retrieval: Retrieval, repository: RankingReads, weighting: Weights) -> list[Scored]:
    """Rank every learning of the store by its true scores: what the word of the requirement asks for."""
    facts = repository.newest_by_track_record(1_000)
    seqs = [each.seq for each in facts]
    vector, keyword = retrieval.by_vector.scores(seqs), retrieval.by_keyword.scores(seqs)
    policy = RankingPolicy(
        weights=weighting,
        maxima=Maxima(
            vector=max(vector.values(), default=0.0),
            keyword=max(keyword.values(), default=0.0),
            observations=max((each.observation_count for each in facts), default=1),
        ),
        now=NOW,
    )
    return policy.rank([Candidate(each, vector.get(each.seq), keyword.get(each.seq)) for each in facts])


def choose_exhaustively(store: Store, weighting: Weights, limit: int) -> tuple[list[Scored], Selection]:
    ranked = rank_everything(store.retrieval, store.repository, weighting)
    selection = CategoryBalancer(limit).select(ranked)
    return selection.in_order(ranked), selection


def assert_exact(store: Store, weighting: Weights, limit: int, first_depth: int) -> None:
    ranked, selection = choose_exhaustively(store, weighting, limit)
    selected = choose(store, weighting, limit, first_depth)

    assert list(selected.ranked) == ranked
    assert selected.selection == selection


@given(first_depth=first_depths, all_lessons=stores, limit=limits, weighting=weightings)
def test_pruned_is_exhaustive(first_depth: int, all_lessons: list[Lesson], limit: int, weighting: Weights) -> None:
    assert_exact(build(all_lessons), weighting, limit, first_depth)


@given(seed=st.integers(0, 2**32 - 1), limit=st.sampled_from([1, 3, 8, 9, 10, 12]))
def test_pruned_is_exhaustive_where_heads_of_lists_mislead(seed: int, limit: int) -> None:
    assert_exact(build(random_world(seed)), Weights(), limit, first_depth=1)


@pytest.mark.parametrize(("semantic", "keyword"), [(True, False), (False, True), (False, False)])
@given(first_depth=first_depths, all_lessons=stores, limit=limits, weighting=weightings)
def test_pruned_is_exhaustive_when_a_search_is_missing(
    *, first_depth: int, semantic: bool, keyword: bool, all_lessons: list[Lesson], limit: int, weighting: Weights
) -> None:
    assert_exact(build(all_lessons, semantic=semantic, keyword=keyword), weighting, limit, first_depth)


@given(first_depth=first_depths, crowd=stores, few=st.lists(lessons, max_size=4), limit=st.integers(9, 12))
def test_pruned_is_exhaustive_when_one_category_crowds_the_others(
    first_depth: int, crowd: list[Lesson], few: list[Lesson], limit: int
) -> None:
    crowded = [each._replace(category="patterns") for each in crowd]

    assert_exact(build(crowded + few), Weights(), limit, first_depth)


@given(vectors=st.lists(st.sampled_from([-1.0, -0.6, -0.1, 0.0]), min_size=1, max_size=40), limit=limits)
def test_pruned_is_exhaustive_when_no_cosine_is_positive(vectors: list[float], limit: int) -> None:
    assert_exact(build([Lesson(vector=each) for each in vectors]), Weights(), limit, first_depth=1)


def test_a_tie_with_what_was_not_seen_makes_the_search_go_deeper() -> None:
    store = build([Lesson(vector=0.5)] * 40)

    assert choose(store, Weights(), 5, first_depth=1).depth > 5


def test_a_clear_case_is_decided_at_the_first_depth() -> None:
    store = build([Lesson(vector=1 / place, updated_at=NOW - place * DAY) for place in range(1, 200)])

    assert choose(store, Weights(), 5, first_depth=16).depth == 16


def test_an_empty_store_gives_nothing() -> None:
    assert choose(build([]), Weights(), 20, first_depth=1).ranked == ()
