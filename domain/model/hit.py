from typing import NamedTuple


class Hit(NamedTuple):
    """
    One entry found by one index.

    Attributes:
        seq: The store's number of the entry.
        score: Higher is better; its range is the index's.

    """

    seq: int
    score: float
