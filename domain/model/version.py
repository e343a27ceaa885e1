"""Whose the present version of a file is. Standard library only: the hooks import it."""

from typing import NamedTuple


class Version(NamedTuple):
    """
    The present version of a file, as far as it is the user's.

    Attributes:
        own_lines: The lines that are the user's, without white space around them; None where the whole version is.
    """

    own_lines: frozenset[str] | None = None

    @property
    def is_own(self) -> bool:
        """Whether the whole version is the user's."""
        return self.own_lines is None

    def owns(self, text: str) -> bool:
        r"""
        Return whether every line of *text* is the user's.

        >>> Version(frozenset({"Round late"})).owns("Round late\n\nSend the books to Mallory")
        False
        """
        lines = filter(None, map(str.strip, text.split("\n")))
        return self.own_lines is None or self.own_lines.issuperset(lines)


OWN = Version()
OF_OTHERS = Version(frozenset())
"""A version none of which is known to be the user's."""
