from typing import NamedTuple

from hardwon.domain.model.scope import ANYWHERE, Scope
from hardwon.domain.model.vocabulary import KINDS, Category, Kind


class EntryFilter(NamedTuple):
    """
    Which entries a search may return.

    Attributes:
        kinds: Only entries of one of these kinds.
        category: Only learnings of this category; None for all.
        scope: Only entries from these places.
        permanent: Only entries that are kept for good; False does not ask.
        tag: Only entries the user labelled so, to the letter.
        folder: Only entries of files below this folder, its path absolute, links resolved.

    """

    kinds: tuple[Kind, ...] = ("learning",)
    category: Category | None = None
    scope: Scope = ANYWHERE
    permanent: bool = False
    tag: str | None = None
    folder: str | None = None


LEARNINGS = EntryFilter()
EVERYTHING = EntryFilter(kinds=KINDS)
