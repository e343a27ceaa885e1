"""Importance tiers, context types, and the decay of entries with age."""

import datetime as dt
import math
from collections.abc import Mapping
from typing import NamedTuple

from hardwon.domain.model.ranking.prominence import DAY
from hardwon.domain.model.vocabulary import ContextType, DecayMode, Tier

TIER_BOOSTS: Mapping[Tier, float] = {
    "constitutional": 3.0,
    "critical": 2.0,
    "important": 1.5,
    "normal": 1.0,
    "temporary": 0.5,
    "deprecated": 0.0,
}
"""The weight of each tier in ranking."""

HIGHEST_BOOST = max(TIER_BOOSTS.values())

FADING_TIERS: frozenset[Tier] = frozenset({"normal", "temporary"})
"""The tiers that decay by half-life."""

NEVER_SEARCHED: Tier = "deprecated"

TIER_PURPOSES: Mapping[Tier, str] = {
    "constitutional": "universal rules, core constraints, lessons that prevent repeated mistakes",
    "critical": "core decisions, architecture choices",
    "important": "key implementations, major features",
    "normal": "standard context, typical work",
    "temporary": "debugging sessions, experiments; gone after 7 days",
    "deprecated": "outdated info, superseded decisions; never found by a search",
}
"""The purpose of each tier, in the words of tool schemas."""

CONTEXT_TYPE_PURPOSES: Mapping[ContextType, str] = {
    "research": "analysis",
    "implementation": "code work",
    "decision": "architecture",
    "discovery": "bugs found",
    "general": "the rest",
}
"""The meaning of each context type, likewise."""


HALF_LIFE_DAYS = 90
FLOOR = 0.1
IMMUNE_WEIGHT = 1.0
"""The importance weight from which an entry does not decay."""

DAILY_RATES: Mapping[Tier, float] = {
    "constitutional": 0.0,
    "critical": 0.001,
    "important": 0.005,
    "normal": 0.01,
    "temporary": 0.05,
    "deprecated": 0.1,
}
"""Daily rates of exponential decay: 0.01 halves in 69 days, 0.05 in 14."""

EXEMPT_TIERS: frozenset[Tier] = frozenset({"constitutional", "critical"})


class Decay(NamedTuple):
    """
    The decay of an entry with its age since creation.

    Being read does not reset it.

    Attributes:
        mode: `half-life` halves normal and temporary entries every 90 days; `rates` has a rate for
            each tier.
        exempt_tiers: The tiers that never decay, in either mode.
    """

    enabled: bool = True
    mode: DecayMode = "half-life"
    floor: float = FLOOR
    exempt_tiers: frozenset[Tier] = EXEMPT_TIERS

    def factor(
        self,
        *,
        tier: Tier,
        importance_weight: float,
        permanent: bool,
        created_at: dt.datetime,
        now: dt.datetime,
    ) -> float:
        """Return the factor of an entry's weight, in `[floor, 1]`."""
        if (
            not self.enabled
            or permanent
            or importance_weight >= IMMUNE_WEIGHT
            or tier in self.exempt_tiers
        ):
            return 1.0
        return max(self.floor, self._unbounded(tier, max(0.0, (now - created_at) / DAY)))

    def _unbounded(self, tier: Tier, days: float) -> float:
        if self.mode == "rates":
            return math.exp(-DAILY_RATES[tier] * days)
        return math.pow(0.5, days / HALF_LIFE_DAYS) if tier in FADING_TIERS else 1.0
