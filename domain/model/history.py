"""What became of an entry, field by field (requirement D-DB22)."""

import datetime as dt
from typing import NamedTuple


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
