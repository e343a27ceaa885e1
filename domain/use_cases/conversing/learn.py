"""What the store comes to know of files that were written."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import attrs


@attrs.frozen
class Learned:
    """
    What the store knows now.

    Attributes:
        embedded: How many vectors were made.
        troubles: What went wrong, one line each: the files are there, `hardwon index` brings them in.
        is_known: Whether the store was there to learn.

    """

    embedded: int = 0
    troubles: tuple[str, ...] = ()
    is_known: bool = True


Learn: TypeAlias = Callable[[Sequence[str]], Learned]
"""Brings files of the project into the store."""
