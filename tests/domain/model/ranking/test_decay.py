import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.ranking.decay import DAILY_RATES, Decay
from hardwon.domain.model.vocabulary import TIERS, DecayMode, Tier
from tests.strategies import DAY, NOW

RATES = Decay(mode="rates")

modes = st.sampled_from(["half-life", "rates"])
floors = st.floats(0, 1)
tiers = st.sampled_from(TIERS)
exempt_tiers = st.frozensets(tiers)
days = st.floats(-10_000, 100_000)
importance_weights = st.sampled_from([0.0, 0.5, 0.99, 1.0])
decays = st.builds(
    Decay, enabled=st.booleans(), mode=modes, floor=floors, exempt_tiers=exempt_tiers
)


def factor(
    decay: Decay,
    age: float,
    tier: Tier = "normal",
    importance_weight: float = 0.5,
    *,
    permanent: bool = False,
) -> float:
    return decay.factor(
        tier=tier,
        importance_weight=importance_weight,
        permanent=permanent,
        created_at=NOW - age * DAY,
        now=NOW,
    )


@pytest.mark.parametrize(
    ("age", "left"),
    [(0, 1.0), (90, 0.5), (180, 0.25), (298, 0.5 ** (298 / 90)), (300, 0.1), (36_500, 0.1)],
)
@pytest.mark.parametrize("tier", ["normal", "temporary"])
def test_normal_and_temporary_entries_halve_every_ninety_days_down_to_the_floor(
    age: int, left: float, tier: Tier
) -> None:
    assert factor(Decay(), age, tier) == left


@pytest.mark.parametrize("tier", ["constitutional", "critical", "important", "deprecated"])
def test_the_other_tiers_do_not_age(tier: Tier) -> None:
    assert factor(Decay(), 365, tier) == 1.0


@pytest.mark.parametrize(
    ("tier", "half_life"), [("normal", 69.3), ("temporary", 13.9), ("important", 138.6)]
)
def test_a_daily_rate_has_the_half_life_it_is_known_by(tier: Tier, half_life: float) -> None:
    assert round(math.log(2) / DAILY_RATES[tier], 1) == half_life
    assert factor(RATES, half_life, tier) == pytest.approx(0.5, abs=0.001)


@pytest.mark.parametrize(
    ("tier", "left"),
    [
        ("constitutional", 1.0),
        ("critical", 1.0),
        ("important", math.exp(-0.05)),
        ("normal", math.exp(-0.1)),
        ("temporary", math.exp(-0.5)),
        ("deprecated", math.exp(-1.0)),
    ],
)
def test_rate_mode_has_one_decay_rate_per_tier(tier: Tier, left: float) -> None:
    assert factor(RATES, 10, tier) == pytest.approx(left)


def test_critical_entries_age_by_their_rate_once_they_are_not_exempt() -> None:
    assert factor(RATES._replace(exempt_tiers=frozenset()), 100, "critical") == pytest.approx(
        math.exp(-0.1)
    )


@given(decay=decays, tier=tiers, age=days)
def test_permanent_full_weight_and_ageless_entries_do_not_decay(
    decay: Decay, tier: Tier, age: float
) -> None:
    assert factor(decay, age, tier, permanent=True) == 1.0
    assert factor(decay, age, tier, 1.0) == 1.0
    assert factor(decay._replace(enabled=False), age, tier) == 1.0
    assert factor(decay._replace(exempt_tiers=frozenset({tier})), age, tier) == 1.0


@given(decay=decays, tier=tiers, weight=importance_weights, one=days, other=days)
@example(decay=Decay(), tier="normal", weight=0.5, one=-30, other=0)
def test_worth_falls_with_age_between_one_and_the_floor(
    decay: Decay, tier: Tier, weight: float, one: float, other: float
) -> None:
    younger, older = (factor(decay, age, tier, weight) for age in sorted([one, other]))

    assert 1 >= younger >= older >= decay.floor


@given(mode=modes, tier=tiers, age=st.floats(-10_000, 0))
def test_a_clock_that_was_wrong_never_boosts(mode: DecayMode, tier: Tier, age: float) -> None:
    assert factor(Decay(mode=mode), age, tier) == 1.0
