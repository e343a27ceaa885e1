import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.ranking.candidates import ScoreStatistics
from hardwon.domain.use_cases.retrieve import Closeness, StandardisedMatches
from tests.fakes.searches import InMemoryMatches
from tests.fakes.state import State
from tests.strategies import cosines, lesson

found = st.lists(cosines, max_size=6)


def spaces_of(*lists: list[float]) -> tuple[list[InMemoryMatches], dict[int, float]]:
    """Return what each space found, and every entry's distance from its space's mean, in deviations."""
    state, spaces, expected = State(), list[InMemoryMatches](), dict[int, float]()
    for scores in lists:
        numbers = range(len(state.entries) + 1, len(state.entries) + 1 + len(scores))
        state.entries.update((number, lesson(f"entry {number}")) for number in numbers)
        own = dict(zip(numbers, scores, strict=True))
        spaces.append(InMemoryMatches(state, own))
        deviation = statistics.pstdev(scores) if scores else 0.0
        expected |= {
            number: (score - statistics.fmean(scores)) / (deviation or 1.0)
            for number, score in own.items()
        }
    return spaces, expected


@given(one=found, two=found, k=st.integers(1, 12))
def test_entries_of_two_spaces_are_compared_by_z_score(
    one: list[float], two: list[float], k: int
) -> None:
    spaces, expected = spaces_of(one, two)
    matches = StandardisedMatches(spaces)

    assert matches.count() == len(expected)
    assert matches.scores(expected) == pytest.approx(expected, abs=1e-6)
    top = matches.top(k)
    assert [hit.score for hit in top] == pytest.approx(
        sorted(expected.values(), reverse=True)[:k], abs=1e-6
    )
    assert {hit.number: hit.score for hit in top} == matches.scores([hit.number for hit in top])


@given(one=found, two=found)
def test_the_order_within_a_space_stays(one: list[float], two: list[float]) -> None:
    spaces, _ = spaces_of(one, two)
    place = {hit.number: at for at, hit in enumerate(StandardisedMatches(spaces).top(100))}

    for space in spaces:
        places = [place[hit.number] for hit in space.top(100)]
        assert places == sorted(places)


def test_nothing_found_anywhere_has_no_spread() -> None:
    matches = StandardisedMatches(spaces_of([], [])[0])

    assert (matches.statistics(), matches.top(3), matches.scores([1])) == (
        ScoreStatistics(),
        [],
        {},
    )


def test_closeness_is_measured_in_each_space_by_itself() -> None:
    (near_zero, near_half), _ = spaces_of([0.0] * 60 + [0.6], [0.5] * 60 + [0.52])
    closeness = Closeness.of([near_zero, near_half])

    assert closeness.closest() == pytest.approx(0.6)
    assert closeness.upper_bound(100.0) >= closeness.closest()
    assert closeness.scores({61: 0.0, 122: 0.0}) == {
        61: pytest.approx(0.6),
        122: pytest.approx(near_half.statistics().closeness(0.52)),
    }
    assert (Closeness().closest(), Closeness().background()) == (0.0, 0.0)
