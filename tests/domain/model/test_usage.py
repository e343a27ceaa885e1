import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.activity import Validations
from hardwon.domain.model.vocabulary import TIERS, Tier

judged = st.integers(1, 1000).flatmap(
    lambda total: st.builds(Validations, st.just(total), st.integers(0, total))
)


@pytest.mark.parametrize(
    ("total", "useful", "offered"),
    [
        (4, 4, False),
        (5, 5, True),
        (5, 4, False),
        (10, 9, True),
        (10, 8, False),
        (19, 17, False),
        (20, 18, True),
    ],
)
def test_promotion_is_offered_from_five_validations_of_which_nine_in_ten_were_useful(
    total: int, useful: int, *, offered: bool
) -> None:
    assert Validations(total, useful).offers_promotion("normal") == offered


@pytest.mark.parametrize("tier", TIERS)
def test_only_what_is_below_critical_and_not_deprecated_can_rise(tier: Tier) -> None:
    assert Validations(5, 5).offers_promotion(tier) == (
        tier in {"important", "normal", "temporary"}
    )


def test_before_any_validation_confidence_is_one_half_and_nothing_is_offered() -> None:
    assert Validations().confidence_score == 0.5
    assert not any(Validations().offers_promotion(tier) for tier in TIERS)


@given(validations=judged)
def test_confidence_is_the_plain_share_of_what_was_useful(validations: Validations) -> None:
    assert validations.confidence_score * validations.total == pytest.approx(validations.useful)
    assert 0 <= validations.confidence_score <= 1


@given(validations=judged)
def test_the_offer_agrees_with_the_confidence_shown(validations: Validations) -> None:
    offered = validations.total >= 5 and validations.confidence_score >= 0.90

    assert validations.offers_promotion("normal") == offered
