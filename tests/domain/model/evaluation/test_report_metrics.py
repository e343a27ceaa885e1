import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.evaluation.report import hit, ndcg, percentile, recall, reciprocal_rank

IDS = tuple("abcdefghijkl")
K = 10

rankings = st.lists(st.sampled_from(IDS), unique=True)
judgements = st.dictionaries(st.sampled_from(IDS), st.sampled_from([-1.0, 0.0, 1.0, 2.0, 2.0, 4.0]))
relevant = judgements.filter(lambda grades: max(grades.values(), default=0.0) > 0)
depths = st.integers(1, 12)


@pytest.mark.parametrize(
    ("ranked", "figure"),
    [
        ("abc", 1.0),
        ("bac", (1 / 1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))),
        ("xxa", (3 / 2) / (3 + 1 / math.log2(3))),
        ("xyz", 0.0),
        ("", 0.0),
    ],
)
def test_ndcg_by_hand(ranked: str, figure: float) -> None:
    assert ndcg(ranked, {"a": 3.0, "b": 1.0, "c": 0.0}, K) == pytest.approx(figure)


def test_ndcg_as_trec_eval_gives_it() -> None:
    """Gains 3 2 3 0 1 2, while another 3 and another 2 were not found: 6.8611 of 8.7403."""
    grades = {"a": 3.0, "b": 2.0, "c": 3.0, "d": 0.0, "e": 1.0, "f": 2.0, "g": 3.0, "h": 2.0}

    assert ndcg("abcdef", grades, 6) == pytest.approx(6.8611 / 8.7403, abs=1e-4)


def test_the_other_figures_by_hand() -> None:
    grades = {"a": 1.0, "b": 1.0, "c": 2.0, "z": 0.0}

    assert recall("zab", grades, 2) == pytest.approx(1 / 3)
    assert recall("zab", grades, 3) == pytest.approx(2 / 3)
    assert (hit("zab", grades, 1), hit("zab", grades, 2)) == (0.0, 1.0)
    assert reciprocal_rank("zab", grades) == 0.5
    assert reciprocal_rank("zyx", grades) == 0.0


@given(ranked=rankings, grades=judgements, k=depths)
def test_every_figure_is_from_0_to_1(ranked: list[str], grades: dict[str, float], k: int) -> None:
    figures = (ndcg(ranked, grades, k), recall(ranked, grades, k), hit(ranked, grades, k))

    assert all(0 <= figure <= 1 + 1e-12 for figure in (*figures, reciprocal_rank(ranked, grades)))


@given(grades=relevant, k=depths)
def test_a_perfect_ranking_has_1(grades: dict[str, float], k: int) -> None:
    best = sorted(grades, key=lambda document: -grades[document])

    assert ndcg(best, grades, k) == 1
    assert reciprocal_rank(best, grades) == hit(best, grades, k) == 1
    assert recall(best, grades, len(grades)) == 1


@given(ranked=rankings, grades=relevant, data=st.data())
def test_the_order_of_equal_grades_is_irrelevant(
    ranked: list[str], grades: dict[str, float], data: st.DataObject
) -> None:
    places = [place for place, document in enumerate(ranked) if grades.get(document, 0.0) == 2.0]
    shuffled = data.draw(st.permutations([ranked[place] for place in places]))
    other = list(ranked)
    for place, document in zip(places, shuffled, strict=True):
        other[place] = document

    assert ndcg(other, grades, K) == ndcg(ranked, grades, K)
    assert reciprocal_rank(other, grades) == reciprocal_rank(ranked, grades)


@given(ranked=rankings, grades=relevant, k=depths)
def test_the_better_of_two_neighbours_first_is_never_worse(
    ranked: list[str], grades: dict[str, float], k: int
) -> None:
    for at, (left, right) in enumerate(pairwise(ranked)):
        if grades.get(left, 0.0) < grades.get(right, 0.0):
            better = [*ranked[:at], right, left, *ranked[at + 2 :]]
            assert ndcg(better, grades, k) >= ndcg(ranked, grades, k)
            assert recall(better, grades, k) >= recall(ranked, grades, k)
            assert hit(better, grades, k) >= hit(ranked, grades, k)
            assert reciprocal_rank(better, grades) >= reciprocal_rank(ranked, grades)


@given(ranked=rankings, grades=relevant, k=depths)
def test_more_answers_never_take_recall_or_hits_away(
    ranked: list[str], grades: dict[str, float], k: int
) -> None:
    assert recall(ranked, grades, k + 1) >= recall(ranked, grades, k)
    assert hit(ranked, grades, k + 1) >= hit(ranked, grades, k)


@given(ranked=rankings, k=depths)
def test_where_nothing_is_relevant_every_figure_is_0(ranked: list[str], k: int) -> None:
    for grades in ({}, {"a": 0.0, "b": -1.0}):
        assert ndcg(ranked, grades, k) == recall(ranked, grades, k) == hit(ranked, grades, k) == 0
        assert reciprocal_rank(ranked, grades) == 0


@pytest.mark.parametrize(("percent", "value"), [(50, 20.0), (95, 40.0), (100, 40.0), (1, 10.0)])
def test_percentiles_by_nearest_rank(percent: float, value: float) -> None:
    assert percentile([30.0, 10.0, 40.0, 20.0], percent) == value
    assert percentile([7.0], percent) == 7.0
    assert percentile([], percent) == 0.0


@given(values=st.lists(st.floats(0, 1e6), min_size=1), percent=st.floats(1, 100))
def test_a_percentile_is_a_value_that_so_many_do_not_exceed(
    values: list[float], percent: float
) -> None:
    found = percentile(values, percent)

    assert found in values
    assert sum(value <= found for value in values) / len(values) * 100 >= percent - 1e-9
