"""The activity of an entry: usage, validations and history."""

import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.vocabulary import Tier

UNTRIED_SCORE = 0.5

MIN_VALIDATIONS = 5
USEFUL_OF_TEN = 9
"""Of ten validations, those that must be useful."""

PROMOTABLE_TIERS: frozenset[Tier] = frozenset({"normal", "important", "temporary"})


class Validations(NamedTuple):
    """The judgements of users on an entry."""

    total: int = 0
    useful: int = 0

    @property
    def confidence_score(self) -> float:
        """The share of useful ones, in `[0, 1]`, or 0.5 without any."""
        return self.useful / self.total if self.total else UNTRIED_SCORE

    def offers_promotion(self, tier: Tier) -> bool:
        """Return whether an entry of *tier* may be offered to become critical."""
        is_proved = self.total >= MIN_VALIDATIONS and self.useful * 10 >= self.total * USEFUL_OF_TEN
        return is_proved and tier in PROMOTABLE_TIERS


class Usage(NamedTuple):
    """
    Counters of searches and judgements.

    Attributes:
        access_count: How often a search found it or it was loaded.
    """

    access_count: int = 0
    last_accessed: dt.datetime | None = None
    validations: Validations = Validations()


UNUSED = Usage()


class FieldChange(NamedTuple):
    """
    A change of a field.

    Attributes:
        field: Its public name, such as `importance_tier`.
        old: The value before, as text, if any.
    """

    field: str
    old: str | None
    new: str | None


class PastChange(NamedTuple):
    """
    A recorded change of a field.

    Attributes:
        number: The store's number of the entry, which may be deleted.
    """

    number: int
    field: str
    old: str | None
    new: str | None
    at: dt.datetime
