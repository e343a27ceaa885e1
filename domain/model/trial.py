"""
A trial of what lessons change: a share of them is withheld.

Which ones depends on session and lesson alone: a trial that is switched off and on withholds the
same ones, and a larger share withholds them, too.
"""

import datetime as dt
import re
from typing import NamedTuple

from hardwon.domain.model.errors import InvalidQueryError
from hardwon.domain.model.injection.receipt import text_digest

MIN_SHARE, MAX_SHARE = 0.01, 0.5

_DIGITS = 13
"""Of a digest in hex. A float holds as many exactly."""


class Trial(NamedTuple):
    """
    A running trial.

    Attributes:
        share: Of the lessons that are withheld.
        since: When it was switched on.
    """

    share: float
    since: dt.datetime

    def withholds(self, session_id: str, entry_id: str) -> bool:
        """Return whether the lesson is withheld in that session."""
        drawn = int(text_digest(f"{session_id}\n{entry_id}")[:_DIGITS], 16)
        return drawn < self.share * 16.0**_DIGITS


def parse_share(text: str) -> float:
    """
    Parse the share of a trial, in percent.

    >>> parse_share("10%"), parse_share(" 2.5 %")
    (0.1, 0.025)

    Raises:
        InvalidQueryError: it is no percentage from 1 to 50.
    """
    found = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,3})?)\s?%", text.strip())
    share = float(found[1]) / 100 if found else 0.0
    if not MIN_SHARE <= share <= MAX_SHARE:
        raise InvalidQueryError(f"{text[:40]!r} is no share: give a percentage from 1% to 50%")
    return share
