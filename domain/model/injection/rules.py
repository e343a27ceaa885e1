"""Constitutional entries: the rules that are injected into every session."""

import datetime as dt
from collections.abc import Iterable
from typing import NamedTuple

from hardwon.domain.model.injection.entry_text import piece_text
from hardwon.domain.model.ranking.prominence import LATEST_TIME
from hardwon.domain.model.text import tokens
from hardwon.domain.model.vocabulary import Kind

BUDGET_TOKENS = 500


class ConstitutionalText(NamedTuple):
    """
    A constitutional entry as it is printed.

    A tuple, as importing attrs alone costs a session start three times Python's own start.

    Attributes:
        seq: The store's number of the entry.
        description: The rule.
        importance_weight: In `[0, 1]`, the highest first.
        created_at: Breaks ties, the newest first, before the id.
        project: The id of its project; None for none.
        origin: The label of its project if that is another one than the user's, else empty.
    """

    seq: int
    entry_id: str
    kind: Kind
    name: str
    description: str
    notes: str
    importance_weight: float
    created_at: dt.datetime
    project: str | None = None
    origin: str = ""

    @property
    def text(self) -> str:
        """All of it that is printed."""
        return piece_text("note", self, self.origin)


def within_budget(texts: Iterable[ConstitutionalText], budget_tokens: int = BUDGET_TOKENS) -> list[ConstitutionalText]:
    """
    Return those of *texts* that are injected: whole ones, of at most *budget_tokens* together.

    By weight, then the newest, then by id. One that does not fit is skipped; smaller ones after it may still fit.
    """
    chosen, room = list[ConstitutionalText](), budget_tokens
    for rule in sorted(texts, key=_order):
        if (needed := tokens(rule.text)) <= room:
            chosen.append(rule)
            room -= needed
    return chosen


def _order(rule: ConstitutionalText) -> tuple[float, dt.timedelta, str]:
    return (-rule.importance_weight, LATEST_TIME - rule.created_at, rule.entry_id)
