"""Usage, validations and the history of changes of an entry."""

import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.vocabulary import Tier

UNTRIED_SCORE = 0.5
"""Of what nobody has judged yet."""

ENOUGH_VALIDATIONS = 5
USEFUL_OF_TEN = 9
"""How many of ten validations must call an entry useful: 90 %."""

PROMOTABLE_TIERS: frozenset[Tier] = frozenset({"normal", "important", "temporary"})


class Validations(NamedTuple):
    """
    What users made of an entry.

    Attributes:
        total: How often it was judged.
        useful: How often it was called useful, at most as often.

    """

    total: int = 0
    useful: int = 0

    @property
    def confidence_score(self) -> float:
        """The share that was useful, in `[0, 1]`; 0.5 before any (M-D10)."""
        return self.useful / self.total if self.total else UNTRIED_SCORE

    def offers_promotion(self, tier: Tier) -> bool:
        """Return whether an entry of *tier* may be offered to become critical (requirement D-T7.3)."""
        is_proved = self.total >= ENOUGH_VALIDATIONS and self.useful * 10 >= self.total * USEFUL_OF_TEN
        return is_proved and tier in PROMOTABLE_TIERS


class Usage(NamedTuple):
    """
    What searching and judging an entry has counted.

    Attributes:
        access_count: How often a search found it or somebody loaded it.
        last_accessed: When that was last.
        validations: What those who used it made of it.

    """

    access_count: int = 0
    last_accessed: dt.datetime | None = None
    validations: Validations = Validations()


UNUSED = Usage()


class FieldChange(NamedTuple):
    """
    One field that was changed.

    Attributes:
        field: The customer's name of it, such as `importance_tier`.
        old: What it was, as text; None for nothing.
        new: What it is, likewise.

    """

    field: str
    old: str | None
    new: str | None


class PastChange(NamedTuple):
    """
    One change that was made.

    Attributes:
        number: The store's number of the entry, which may be gone.
        field: As in `FieldChange`.
        old: Likewise.
        new: Likewise.
        at: When.

    """

    number: int
    field: str
    old: str | None
    new: str | None
    at: dt.datetime
