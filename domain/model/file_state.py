"""The fields that the store keeps while a file is absent."""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import attrs

from hardwon.domain.model.activity import Usage
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import Tier


@attrs.frozen(kw_only=True)
class Standing:
    """
    The fields that the store decides, when the file disappeared.

    Attributes:
        file_hash: sha256 of the file then; name and phrases apply to that text only.
    """

    file_hash: str | None
    name: str
    tier: Tier
    importance_weight: float
    permanent: bool
    own_tier: bool
    trigger_phrases: tuple[str, ...]
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    created_at: dt.datetime
    usage: Usage

    def over(self, entry: Entry) -> Entry:
        """Apply these values to *entry*."""
        return attrs.evolve(entry, **attrs.asdict(self, recurse=False))


class AbsentFile(NamedTuple):
    """
    A missing file, or a missing captured section.

    Attributes:
        file_path: Absolute, links resolved; for a captured section, which can be in any file, its
            `place`.
        standings: By anchor; the empty one is that of the whole file.
    """

    file_path: str
    standings: Mapping[str, Standing]

    def over(self, entries: Iterable[Entry]) -> dict[str, Entry]:
        """Return those of *entries* that it had, with kept values."""
        known = ((entry, self.standings.get(entry.anchor_id)) for entry in entries)
        return {entry.anchor_id: standing.over(entry) for entry, standing in known if standing}


KEPT = tuple(field.name for field in attrs.fields(Standing))
"""The fields of an entry that its standing keeps."""


def standing_of(entry: Entry) -> Standing:
    """Return the values of *entry* to keep."""
    return Standing(**{field: getattr(entry, field) for field in KEPT})
