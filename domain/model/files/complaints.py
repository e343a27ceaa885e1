"""What is said of a file that could not be read in full."""

from collections.abc import Sequence

MOST_COMPLAINTS = 5


def first_of(complaints: Sequence[str], rest: str) -> tuple[str, ...]:
    """Return the first five of *complaints*, and where there are more, how many: `7 more` and *rest*."""
    more = len(complaints) - MOST_COMPLAINTS
    return (*complaints[:MOST_COMPLAINTS], *((f"{more} more {rest}",) if more > 0 else ()))
