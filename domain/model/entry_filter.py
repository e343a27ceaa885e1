from typing import NamedTuple

from hardwon.domain.model.vocabulary import Category, Kind


class EntryFilter(NamedTuple):
    """
    Which entries a search may return.

    Attributes:
        kind: Only entries of this kind.
        category: Only learnings of this category; None for all.

    """

    kind: Kind = "learning"
    category: Category | None = None


LEARNINGS = EntryFilter()
