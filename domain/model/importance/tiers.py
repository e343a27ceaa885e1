"""What the six tiers and the five context types mean (requirements D-L1 to D-L6, D-L11, D-DB25)."""

import datetime as dt
from collections.abc import Mapping

from hardwon.domain.model.ranking.ranking_policy import LAST_MOMENT
from hardwon.domain.model.vocabulary import ContextType, Tier

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
    is_last = created_at > LAST_MOMENT - TEMPORARY_LIFETIME
    return None if tier != "temporary" or permanent or is_last else created_at + TEMPORARY_LIFETIME
