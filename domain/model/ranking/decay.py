"""
How an entry loses worth with age (requirements D-L8 to D-L10, D-C7 to D-C10).

What the six tiers and the five context types mean (requirements D-L1 to D-L6, D-L11, D-DB25).
"""

import datetime as dt
import math
from collections.abc import Mapping
from typing import NamedTuple

from hardwon.domain.model.ranking.prominence import DAY, LATEST_TIME
from hardwon.domain.model.vocabulary import ContextType, DecayMode, Tier

TIER_BOOSTS: Mapping[Tier, float] = {
    "constitutional": 3.0,
    "critical": 2.0,
    "important": 1.5,
    "normal": 1.0,
    "temporary": 0.5,
    "deprecated": 0.0,
}
"""What being important counts for in ranking."""

HIGHEST_BOOST = max(TIER_BOOSTS.values())

FADING_TIERS: frozenset[Tier] = frozenset({"normal", "temporary"})
"""The tiers whose entries lose worth with age (requirement D-L8)."""

NEVER_SEARCHED: Tier = "deprecated"

TEMPORARY_LIFETIME = dt.timedelta(days=7)

TIER_PURPOSES: Mapping[Tier, str] = {
    "constitutional": "universal rules, core constraints, lessons that prevent repeated mistakes",
    "critical": "core decisions, architecture choices",
    "important": "key implementations, major features",
    "normal": "standard context, typical work",
    "temporary": "debugging sessions, experiments; gone after 7 days",
    "deprecated": "outdated info, superseded decisions; never found by a search",
}
"""What each tier is for, in the words of tool schemas."""

CONTEXT_TYPE_PURPOSES: Mapping[ContextType, str] = {
    "research": "analysis",
    "implementation": "code work",
    "decision": "architecture",
    "discovery": "bugs found",
    "general": "the rest",
}
"""What each context type is for, likewise."""


def expires_at(tier: Tier, created_at: dt.datetime, *, permanent: bool) -> dt.datetime | None:
    """Return the moment from which an entry is gone: 7 days on for a temporary one, None for what stays (rule U-10)."""
    is_last = created_at > LATEST_TIME - TEMPORARY_LIFETIME
    return None if tier != "temporary" or permanent or is_last else created_at + TEMPORARY_LIFETIME


HALF_LIFE_DAYS = 90
FLOOR = 0.1
IMMUNE_WEIGHT = 1.0
"""The importance weight from which an entry does not age (requirement D-L10)."""

DAILY_RATES: Mapping[Tier, float] = {
    "constitutional": 0.0,
    "critical": 0.001,
    "important": 0.005,
    "normal": 0.01,
    "temporary": 0.05,
    "deprecated": 0.1,
}
"""Of exponential decay: 0.01 a day halves in 69 days, 0.05 in 14 (M-D3)."""

EXEMPT_TIERS: frozenset[Tier] = frozenset({"constitutional", "critical"})


class Decay(NamedTuple):
    """
    How age tells on an entry; it counts from creation, being read makes nothing younger (M-D11).

    Attributes:
        enabled: Whether it tells at all.
        mode: `half-life` halves normal and temporary entries every 90 days; `rates` has one rate a tier (M-D3).
        floor: What is left of the oldest, in `[0, 1]` (M-D17).
        exempt_tiers: What never ages, in either mode.

    """

    enabled: bool = True
    mode: DecayMode = "half-life"
    floor: float = FLOOR
    exempt_tiers: frozenset[Tier] = EXEMPT_TIERS

    def factor(
        self, *, tier: Tier, importance_weight: float, permanent: bool, created_at: dt.datetime, now: dt.datetime
    ) -> float:
        """
        Return what is left of an entry's worth, in `[floor, 1]`; what was made in the future is new.

        Args:
            tier: How important it is.
            importance_weight: In `[0, 1]`; 1 does not age.
            permanent: What is kept for good does not age.
            created_at: When it was made.
            now: The moment of asking.

        """
        if not self.enabled or permanent or importance_weight >= IMMUNE_WEIGHT or tier in self.exempt_tiers:
            return 1.0
        return max(self.floor, self._unbounded(tier, max(0.0, (now - created_at) / DAY)))

    def _unbounded(self, tier: Tier, days: float) -> float:
        if self.mode == "rates":
            return math.exp(-DAILY_RATES[tier] * days)
        return math.pow(0.5, days / HALF_LIFE_DAYS) if tier in FADING_TIERS else 1.0
