"""Credits: sums of outcomes by entry and kind of moment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.credit import MAX_SHIFT, MIN_BASELINE, Tally
from hardwon.domain.model.injection.credits import Credits
from hardwon.domain.model.injection.receipt import EVENTS, OutcomeCount
from hardwon.domain.model.likelihood import MODELS
from tests.strategies import few_examples

counts = st.builds(
    OutcomeCount,
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from(EVENTS),
    has_helped=st.booleans(),
    is_settled=st.booleans(),
    times=st.integers(1, 60),
)


def count(entry_id: str, times: int, *, helped: bool, is_settled: bool = False) -> OutcomeCount:
    return OutcomeCount(entry_id, "failure", helped, is_settled=is_settled, times=times)


OTHERS = [count("others", MIN_BASELINE, helped=True)]


@given(known=st.lists(counts, max_size=8))
@few_examples
def test_only_sums_count_and_the_shift_is_bounded(known: list[OutcomeCount]) -> None:
    forwards, backwards = Credits.of(known), Credits.of(known[::-1])
    for entry_id in ("a", "b", "c", "unknown"):
        for event in EVENTS:
            credit = forwards.at(entry_id, event)
            of_it = [
                item for item in known if item[:2] == (entry_id, event) and not item.is_withheld
            ]

            assert credit == backwards.at(entry_id, event)
            assert credit.tally.total == sum(item.times for item in of_it)
            assert credit.tally.helped == sum(item.times for item in of_it if item.has_helped)
            assert abs(credit.shift) <= MAX_SHIFT
            assert 0 < credit.chance < 1
            assert credit.shift == 0 or credit.tally.total


def test_a_harmful_entry_is_harmful_until_it_is_confirmed() -> None:
    failures = [count("bad", 12, helped=False)]
    harmful = Credits.of([*OTHERS, *failures])
    confirmed = Credits.of([*OTHERS, *(item._replace(is_settled=True) for item in failures)])

    assert harmful.harmful == {"bad"}
    assert harmful.at("bad", "failure").is_harmful
    assert not harmful.at("bad", "edit").is_harmful
    assert confirmed.harmful == frozenset()
    assert confirmed.at("bad", "failure").tally == Tally(0, 12)


def test_few_outcomes_harm_nothing() -> None:
    few = [count("bad", 4, helped=False)]

    assert Credits.of([*OTHERS, *few]).harmful == frozenset()
    assert Credits.of([count("bad", 40, helped=False)]).harmful == frozenset()


@given(shift=st.floats(-MAX_SHIFT, MAX_SHIFT), closeness=st.floats(-1, 1))
@few_examples
def test_credit_moves_the_gate_within_its_bound(shift: float, closeness: float) -> None:
    """Below a probability of 0.84 no credit lets an entry pass, above 0.94 none keeps it out."""
    model = MODELS["failure"]
    plain = model.of({**dict.fromkeys(model.weights, 0.5), "closeness": closeness})
    moved = plain._replace(credit=shift)

    assert moved.log_odds == pytest.approx(plain.log_odds + shift)
    assert plain.probability >= 0.84 or not moved.is_likely
    assert plain.probability < 0.94 or moved.is_likely
    assert model.of(moved.parts) == moved


def test_a_lesson_is_compared_with_what_a_trial_withheld_if_that_is_enough() -> None:
    """Others go well, but it would have failed as often without the lesson."""
    known = [count("hard", 12, helped=False), *OTHERS]
    without = [count("hard", MIN_BASELINE, helped=False)._replace(is_withheld=True)]
    few = [without[0]._replace(times=MIN_BASELINE - 1)]

    assert Credits.of([*known, *without]).harmful == frozenset()
    assert Credits.of([*known, *few]).harmful == {"hard"}
    assert Credits.of([*known, *without]).at("hard", "failure").tally == Tally(0, 12)
