import attrs

from hardwon.domain.model.vocabulary import Category, Kind


@attrs.frozen(kw_only=True)
class EntryFilter:
    """
    Which entries a search may return.

    Attributes:
        kind: Only entries of this kind.
        category: Only learnings of this category; None for all.

    """

    kind: Kind = "learning"
    category: Category | None = None


LEARNINGS = EntryFilter()
