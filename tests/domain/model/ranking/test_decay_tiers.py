import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import expires_at
from hardwon.domain.model.ranking.decay import (
    CONTEXT_TYPE_PURPOSES,
    FADING_TIERS,
    TIER_BOOSTS,
    TIER_PURPOSES,
)
from hardwon.domain.model.vocabulary import CONTEXT_TYPES, TIERS, Tier
from tests.strategies import NOW


def test_a_higher_tier_has_a_higher_boost() -> None:
    assert tuple(TIER_BOOSTS) == TIERS
    assert list(TIER_BOOSTS.values()) == [3.0, 2.0, 1.5, 1.0, 0.5, 0.0]


def test_only_normal_and_temporary_entries_fade() -> None:
    assert {"normal", "temporary"} == FADING_TIERS


def test_every_tier_and_context_type_says_what_it_is_for() -> None:
    assert tuple(TIER_PURPOSES) == TIERS
    assert tuple(CONTEXT_TYPE_PURPOSES) == CONTEXT_TYPES
    assert TIER_PURPOSES["critical"] == "core decisions, architecture choices"
    assert CONTEXT_TYPE_PURPOSES["discovery"] == "bugs found"


@given(tier=st.sampled_from(TIERS), permanent=st.booleans())
def test_only_a_temporary_entry_that_is_not_permanent_expires_after_seven_days(
    tier: Tier, *, permanent: bool
) -> None:
    expiry = expires_at(tier, NOW, permanent=permanent)

    assert expiry == (NOW + dt.timedelta(days=7) if tier == "temporary" and not permanent else None)


@pytest.mark.parametrize(("day", "is_gone"), [(6, False), (8, True)])
def test_a_temporary_entry_is_there_on_day_six_and_gone_on_day_eight(
    day: int, *, is_gone: bool
) -> None:
    expiry = expires_at("temporary", NOW, permanent=False)

    assert expiry is not None
    assert (expiry <= NOW + dt.timedelta(days=day)) == is_gone
