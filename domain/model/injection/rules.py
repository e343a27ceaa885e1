"""Which rules stand before every session (requirements D-O5, D-L1, D-L7)."""

import datetime as dt
from collections.abc import Iterable
from typing import NamedTuple

from hardwon.domain.model.injection.entry_text import piece_text
from hardwon.domain.model.ranking.prominence import LAST_MOMENT
from hardwon.domain.model.text import tokens
from hardwon.domain.model.vocabulary import Kind

BUDGET_TOKENS = 500


class ConstitutionalText(NamedTuple):
    """
    A constitutional entry as it is printed.

    A tuple, as importing attrs alone costs a session start three times Python's own start.

    Attributes:
        seq: The store's number of the entry.
        entry_id: Last word in every tie.
        kind: What it is.
        name: Short title, one line.
        description: The rule.
        notes: Further lines, may be empty.
        importance_weight: In `[0, 1]`, the highest first.
        created_at: Among equals the newest goes first.

    """

    seq: int
    entry_id: str
    kind: Kind
    name: str
    description: str
    notes: str
    importance_weight: float
    created_at: dt.datetime

    @property
    def text(self) -> str:
        """All of it that is printed."""
        return piece_text("note", self)


def within_budget(texts: Iterable[ConstitutionalText], budget_tokens: int = BUDGET_TOKENS) -> list[ConstitutionalText]:
    """
    Return those of *texts* that are surfaced: whole ones, of at most *budget_tokens* together.

    By weight, then the newest, then by id, whatever order they come in. One that
    does not fit is passed over; smaller ones after it may still fit.
    """
    chosen, room = list[ConstitutionalText](), budget_tokens
    for each in sorted(texts, key=_order):
        if (needed := tokens(each.text)) <= room:
            chosen.append(each)
            room -= needed
    return chosen


def _order(each: ConstitutionalText) -> tuple[float, dt.timedelta, str]:
    return (-each.importance_weight, LAST_MOMENT - each.created_at, each.entry_id)
