"""The block of a next session start, made beforehand."""

from typing import NamedTuple

from hardwon.domain.model.injection.receipt import Receipt


class PreparedStart(NamedTuple):
    """
    The block that a session start would have printed at a time.

    Attributes:
        stamp: Of everything that it was made from; another stamp makes it void.
        text: The block; empty if there was nothing to print.
        receipt: Its receipt, without a session; its time is when the block was made.
        numbers: The entries in it.
    """

    stamp: str
    text: str
    receipt: Receipt
    numbers: tuple[int, ...]
