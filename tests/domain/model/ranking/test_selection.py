from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.ranking.candidates import Candidate, IndexHit, RankingFacts
from hardwon.domain.model.ranking.prominence import ScoredCandidate, Signals
from hardwon.domain.model.ranking.selection import (
    CategoryBalancer,
    best_hits,
    by_category,
    in_order,
)
from hardwon.domain.model.vocabulary import CATEGORIES, Category
from tests.strategies import NOW


def scored(number: int, category: Category, score: float) -> ScoredCandidate:
    facts = RankingFacts(number, f"{number:016x}", category, 1, "medium", NOW, 0)
    return ScoredCandidate(candidate=Candidate(facts), signals=Signals(), score=score)


rankings = st.lists(st.sampled_from(CATEGORIES), max_size=40).map(
    lambda categories: [
        scored(place, category, 1 / (1 + place)) for place, category in enumerate(categories)
    ]
)
limits = st.integers(-2, 45)


def choose(ranked: list[ScoredCandidate], limit: int) -> list[ScoredCandidate]:
    return in_order(CategoryBalancer(limit).select(ranked))


@given(ranked=rankings, limit=limits)
def test_all_places_are_used_and_never_more_than_the_limit(
    ranked: list[ScoredCandidate], limit: int
) -> None:
    chosen = choose(ranked, limit)

    assert len(chosen) == max(0, min(limit, len(ranked)))
    assert not Counter(candidate.facts.number for candidate in chosen) - Counter(
        candidate.facts.number for candidate in ranked
    )


@given(ranked=rankings, limit=st.integers(9, 45))
def test_no_category_is_starved_of_its_three_best(
    ranked: list[ScoredCandidate], limit: int
) -> None:
    chosen = choose(ranked, limit)

    for group in by_category(ranked).values():
        assert all(owed in chosen for owed in group[:3])


@given(ranked=rankings, limit=st.integers(9, 45))
def test_the_other_places_go_by_score_alone(ranked: list[ScoredCandidate], limit: int) -> None:
    selection = CategoryBalancer(limit).select(ranked)
    left_over = [candidate for candidate in ranked if candidate not in selection.owed]

    assert list(selection.by_score) == left_over[: len(selection.by_score)]
    assert set(Counter(candidate.facts.category for candidate in selection.owed).values()) <= {
        1,
        2,
        3,
    }


@given(ranked=rankings, limit=st.integers(0, 8))
def test_below_nine_places_the_choice_is_the_pure_top_by_score(
    ranked: list[ScoredCandidate], limit: int
) -> None:
    assert choose(ranked, limit) == ranked[:limit]


@given(ranked=rankings, limit=st.integers(max_value=0))
def test_a_limit_of_zero_or_less_chooses_nothing(ranked: list[ScoredCandidate], limit: int) -> None:
    assert choose(ranked, limit) == []


@given(ranked=rankings, limit=limits)
def test_within_a_category_the_best_are_chosen(ranked: list[ScoredCandidate], limit: int) -> None:
    chosen = by_category(choose(ranked, limit))

    for category, group in by_category(ranked).items():
        assert chosen.get(category, []) == group[: len(chosen.get(category, []))]


def test_three_weak_heuristics_are_kept_beside_thirty_strong_patterns() -> None:
    strong = [scored(number, "patterns", 0.9) for number in range(30)]
    weak = [scored(number, "heuristics", 0.1) for number in range(30, 34)]

    assert choose(strong + weak, 9) == strong[:6] + weak[:3]
    assert choose(strong + weak, 8) == strong[:8]


@given(
    scores=st.dictionaries(st.integers(1, 30), st.sampled_from([0.1, 0.2, 0.3, 0.4, 0.5])),
    k=st.integers(0, 40),
    order=st.permutations(range(1, 31)),
)
def test_the_best_hits_are_those_of_sorting_all(
    scores: dict[int, float], k: int, order: list[int]
) -> None:
    ranked = sorted(scores, key=lambda number: (-scores[number], order.index(number)))

    assert best_hits(scores, k, lambda tied: sorted(tied, key=order.index)) == [
        IndexHit(number, scores[number]) for number in ranked[:k]
    ]


def test_only_equal_scores_are_put_in_the_order_of_ties() -> None:
    asked = list[list[int]]()

    def in_order(tied: list[int]) -> list[int]:
        asked.append(tied)
        return tied

    best_hits({1: 0.5, 2: 0.9, 3: 0.5, 4: 0.1, 5: 0.1}, 2, in_order)

    assert asked == [[1, 3]]
