"""The fields of an entry that the store decides, kept while its file is absent."""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import attrs

from hardwon.domain.model.activity import Usage
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import Tier


class Standing(NamedTuple):
    """
    Those fields as they were when the file went; the names are those of `Entry`.

    Attributes:
        file_hash: sha256 of the file as it was then; a name and phrases hold of that text only.

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
        """Return *entry* with all of this in place of its own."""
        return attrs.evolve(entry, **self._asdict())


class AbsentFile(NamedTuple):
    """
    A file that is gone, or a captured section.

    Attributes:
        file_path: Absolute, links resolved; the `place` of a captured section, which is in any file.
        standings: Of the file by the empty anchor, and of its sections by theirs.

    """

    file_path: str
    standings: Mapping[str, Standing]

    def over(self, entries: Iterable[Entry]) -> dict[str, Entry]:
        """Return by anchor those of *entries* that it had, each as it stood."""
        known = ((entry, self.standings.get(entry.anchor_id)) for entry in entries)
        return {entry.anchor_id: standing.over(entry) for entry, standing in known if standing}


def standing_of(entry: Entry) -> Standing:
    """Return what is to be kept of *entry*."""
    return Standing(*(getattr(entry, field) for field in Standing._fields))
