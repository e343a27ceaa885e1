"""What the ports of one store in memory share."""

import datetime as dt
import hashlib
import os
from collections.abc import Iterable

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.ranking.facts import RankingFacts
from hardwon.domain.model.ranking.recall_facts import RecallFacts
from hardwon.domain.model.scope import ANYWHERE
from hardwon.domain.model.searchable import word_count
from hardwon.domain.model.space import Space
from hardwon.domain.model.vector import Vector


@attrs.define
class State:
    """What the fakes of one store share; entries are kept without their recall counters."""

    entries: dict[int, Entry] = attrs.field(factory=dict)
    recalls: dict[int, tuple[int, dt.datetime]] = attrs.field(factory=dict)
    vectors: dict[tuple[Space, int], tuple[str, Vector]] = attrs.field(factory=dict)
    last_seq: int = 0

    def restore(self, before: "State") -> None:
        self.entries, self.recalls, self.vectors = before.entries, before.recalls, before.vectors
        self.last_seq = before.last_seq

    def seq_of(self, entry_id: str) -> int | None:
        return next((seq for seq, entry in self.entries.items() if entry.entry_id == entry_id), None)

    def entry(self, seq: int) -> Entry:
        count, at = self.recalls.get(seq, (0, None))
        return attrs.evolve(self.entries[seq], recall_count=count, last_recalled_at=at)

    def facts(self, seq: int) -> RankingFacts:
        entry = self.entry(seq)
        return RankingFacts(
            seq,
            entry.entry_id,
            entry.category,
            entry.observation_count,
            entry.confidence,
            entry.updated_at,
            entry.recall_count,
        )

    def within(self, only: EntryFilter) -> list[int]:
        """Return the numbers of the entries of *only* in tie order."""
        return self.in_tie_order(seq for seq, entry in self.entries.items() if _is_within(entry, only))

    def recall_facts(self, seq: int) -> RecallFacts:
        entry = self.entry(seq)
        return RecallFacts(
            self.facts(seq),
            entry.kind,
            entry.source_project,
            entry.workspace,
            entry.branch,
            entry.permanent,
            entry.content_hash,
            word_count(entry.searchable_text()),
        )

    def in_tie_order(self, seqs: Iterable[int]) -> list[int]:
        by_id = sorted(seqs, key=lambda seq: self.entries[seq].entry_id)
        return sorted(by_id, key=lambda seq: self.entries[seq].updated_at, reverse=True)


def _is_within(entry: Entry, only: EntryFilter) -> bool:
    places = (entry.source_project, entry.workspace)
    return (
        entry.kind in only.kinds
        and only.category in {None, entry.category}
        and (entry.permanent or not only.permanent)
        and (only.tag is None or only.tag in entry.tags)
        and (only.folder is None or (entry.file_path or "").startswith(os.path.join(only.folder, "")))
        and (
            only.scope == ANYWHERE
            or any(place is not None and place == own for place, own in zip(only.scope, places, strict=True))
        )
    )


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
