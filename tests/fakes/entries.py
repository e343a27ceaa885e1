"""The entries of a store in memory, and proposed supersessions."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

import attrs

from hardwon.domain.model.activity import UNUSED
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.forgotten import ensure_not_forgotten
from hardwon.domain.model.injection.entry_text import ConstitutionalText, PrintedEntry
from hardwon.domain.model.injection.related_conversations import (
    SUMMARISED_CHARACTERS,
    ConversationSummary,
)
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.ranking.candidates import RankingFacts, RecallFacts
from hardwon.domain.model.ranking.prominence import TrackRecord
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.entries import (
    EntryRepository,
    Field,
    ListOrder,
    Proposal,
    Proposals,
    RankingReads,
)
from hardwon.ports.override import override
from tests.fakes.state import InMemoryForgottenTexts, State, text_hash

RECALL_CAP = 10
RANKED_LEARNINGS = LEARNINGS._replace(ranked=True)


def _comes_after(entry: Entry, other: Entry) -> bool:
    """Return whether *entry* follows *other* in tie order."""
    return (other.updated_at, entry.entry_id) > (entry.updated_at, other.entry_id)


def _in_order(entries: Iterable[Entry], order: ListOrder) -> list[Entry]:
    match order:
        case "oldest":
            return sorted(entries, key=lambda entry: entry.created_at)
        case "name":
            return sorted(entries, key=lambda entry: _small(entry.name))
        case _:
            return sorted(entries, key=lambda entry: getattr(entry, order), reverse=True)


def _small(text: str) -> str:
    return "".join(sign.lower() if sign.isascii() else sign for sign in text)


class InMemoryEntryRepository(EntryRepository, RankingReads):
    files_at_once = 3

    def __init__(self, state: State | None = None) -> None:
        self.state = state or State()
        self.busy = False

    @property
    @override
    def forgotten(self) -> InMemoryForgottenTexts:
        return self.state.forgotten

    @override
    @contextmanager
    def transaction(self, of: Collection[str] | None = None) -> Iterator[None]:
        self._ensure_writable()
        before = attrs.evolve(
            self.state,
            entries=dict(self.state.entries),
            recalls=dict(self.state.recalls),
            vectors=dict(self.state.vectors),
            usage=dict(self.state.usage),
            expired=set(self.state.expired),
            history=list(self.state.history),
            tombstones=dict(self.state.tombstones),
            absent=dict(self.state.absent),
            influences=dict(self.state.influences),
            aliases=dict(self.state.aliases),
            proposals=dict(self.state.proposals),
        )
        try:
            yield
        except BaseException:
            self.state.restore(before)
            raise

    @override
    def batch(self) -> AbstractContextManager[None]:
        return self.transaction()

    @override
    @contextmanager
    def snapshot(self) -> Iterator[None]:
        yield

    @override
    def prefetch(self, reads: Callable[[], object]) -> None:
        """Do nothing: memory answers at once."""

    @override
    def by_id(self, entry_id: str) -> Entry | None:
        number = self.state.number_of(entry_id)
        return None if number is None else self.state.entry(number)

    @override
    def with_number(self, number: int) -> Entry | None:
        return self.state.entry(number) if number in self.state.entries else None

    @override
    def put(self, entry: Entry) -> None:
        self._ensure_writable()
        state = self.state
        ensure_not_forgotten(entry, state.forgotten.holds)
        if any(other.entry_id != entry.entry_id for other in self._of_section(entry)):
            raise StorageError("a section of a file has one entry")
        number = state.number_of(entry.entry_id)
        if number is None:
            number = state.last_number = state.last_number + 1
        before = state.entries.get(number)
        created_at = before.created_at if before else entry.created_at
        state.entries[number] = attrs.evolve(
            entry, created_at=created_at, recall_count=0, last_recalled_at=None, usage=UNUSED
        )
        if before is None or before.expires_at != entry.expires_at:
            state.expired.discard(number)
        new = text_hash(entry.searchable_text())
        state.vectors = {
            key: value
            for key, value in state.vectors.items()
            if key[1] != number or (value[0] == new and not state.is_retired(number))
        }

    @override
    def reword(self, entry_id: str, entry: Entry) -> None:
        self._ensure_writable()
        number = self.state.number_of(entry_id)
        if number is not None:
            self.state.aliases.pop(entry.entry_id, None)
            self.state.aliases[entry_id] = number
            self.state.entries[number] = entry
            for place, other in self.state.entries.items():
                if other.superseded_by == entry_id:
                    self.state.entries[place] = attrs.evolve(other, superseded_by=entry.entry_id)
        self.put(entry)

    @override
    def reworded(self, old_id: str) -> Entry | None:
        number = self.state.aliases.get(old_id)
        return (
            self.state.entry(number)
            if number in self.state.entries and self.state.number_of(old_id) is None
            else None
        )

    @override
    def matching(
        self,
        only: EntryFilter,
        *,
        limit: int,
        offset: int = 0,
        order: ListOrder = "updated_at",
        after: Entry | None = None,
    ) -> list[Entry]:
        entries = map(self.state.entry, self.state.within(only))
        later = [entry for entry in entries if after is None or _comes_after(entry, after)]
        return _in_order(later, order)[offset : offset + limit]

    @override
    def outdated(self, numbers: Iterable[int]) -> frozenset[int]:
        among = {*numbers}
        pairs = [
            pair
            for pair, (_, rejected) in self.state.proposals.items()
            if not rejected and among.issuperset(pair)
        ]
        return frozenset(
            pair[0]
            for pair in pairs
            if all(self.state.entries[number].superseded_by is None for number in pair)
        )

    @override
    def hydrate(self, numbers: Sequence[int]) -> list[Entry]:
        return [self.state.entry(number) for number in numbers if number in self.state.entries]

    @override
    def printed(self, numbers: Sequence[int]) -> list[PrintedEntry]:
        return [
            PrintedEntry(
                **{
                    field: getattr(entry, field)
                    for field in PrintedEntry._fields
                    if field != "origin"
                }
            )
            for number in numbers
            for entry in self.hydrate([number])
        ]

    @override
    def summaries(self, numbers: Sequence[int]) -> list[ConversationSummary]:
        return [
            ConversationSummary(
                number,
                entry.entry_id,
                entry.kind,
                entry.name,
                entry.description[:SUMMARISED_CHARACTERS],
                entry.updated_at,
            )
            for number in numbers
            for entry in self.hydrate([number])
        ]

    @override
    def newest_summaries(self, only: EntryFilter, limit: int) -> list[ConversationSummary]:
        return self.summaries(self.state.within(only)[:limit])

    @override
    def facts(self, numbers: Iterable[int]) -> list[RankingFacts]:
        return [self.state.facts(number) for number in numbers if number in self.state.entries]

    @override
    def recall_facts(self, numbers: Iterable[int]) -> list[RecallFacts]:
        return [
            self.state.recall_facts(number) for number in numbers if number in self.state.entries
        ]

    @override
    def references(self, numbers: Iterable[int]) -> Mapping[int, tuple[str, ...]]:
        return {
            number: self.state.entries[number].references
            for number in numbers
            if number in self.state.entries
        }

    @override
    def newest_by_track_record(
        self,
        k: int,
        visible_in: Visibility | None = None,
        of: Collection[TrackRecord] | None = None,
    ) -> dict[TrackRecord, list[RankingFacts]]:
        buckets: defaultdict[TrackRecord, list[RankingFacts]] = defaultdict(list)
        for facts in map(
            self.state.facts, self.state.within(RANKED_LEARNINGS._replace(visible_in=visible_in))
        ):
            recalls = min(facts.recall_count, RECALL_CAP)
            buckets[facts.category, facts.observation_count, facts.confidence, recalls].append(
                facts
            )
        return {
            record: bucket[:k] for record, bucket in buckets.items() if of is None or record in of
        }

    @override
    def count(self, only: EntryFilter) -> int:
        return len(self.state.within(only))

    @override
    def sizes(self, visible_in: Visibility | None = None) -> Mapping[Category, int]:
        numbers = self.state.within(RANKED_LEARNINGS._replace(visible_in=visible_in))
        categories = (self.state.entries[number].category for number in numbers)
        return Counter(category for category in categories if category)

    @override
    def tally(self, only: EntryFilter, field: Field) -> Mapping[str, int]:
        values = [
            getattr(self.state.entries[number], field) or "" for number in self.state.within(only)
        ]
        return dict(Counter(sorted(values)).most_common())

    @override
    def ids_starting_with(self, prefix: str, limit: int) -> list[str]:
        ids = {
            entry.entry_id
            for entry in self.state.entries.values()
            if entry.entry_id.startswith(prefix)
        }
        earlier = (
            self.reworded(old_id) for old_id in self.state.aliases if old_id.startswith(prefix)
        )
        return sorted(ids | {entry.entry_id for entry in earlier if entry})[:limit]

    @override
    def most_observed(self, visible_in: Visibility | None = None) -> int:
        numbers = self.state.within(RANKED_LEARNINGS._replace(visible_in=visible_in))
        return max((self.state.entries[number].observation_count for number in numbers), default=1)

    @override
    def retire_expired(self, now: dt.datetime) -> int:
        due = {
            number
            for number, entry in self.state.entries.items()
            if entry.expires_at and entry.expires_at <= now
        }
        expired = {number for number in due if not self.state.is_retired(number)}
        if expired:
            self._ensure_writable()
        self.state.expired |= expired
        self.state.vectors = {
            key: value for key, value in self.state.vectors.items() if key[1] not in expired
        }
        return len(expired)

    @override
    def constitutional(self, only: EntryFilter) -> list[ConstitutionalText]:
        within = {*self.state.within(only._replace(ranked=True))}
        return [
            ConstitutionalText(
                number,
                entry.entry_id,
                entry.kind,
                entry.name,
                entry.description,
                entry.notes,
                entry.importance_weight,
                entry.created_at,
                entry.project,
                entry.citations,
            )
            for number, entry in self.state.entries.items()
            if entry.tier == "constitutional"
            and number in within
            and not self._repeats_its_file(number)
        ]

    def _repeats_its_file(self, number: int) -> bool:
        entry = self.state.entries[number]
        whole = self.with_file(entry.file_path) if entry.anchor_id else None
        return (
            whole is not None
            and whole.tier == "constitutional"
            and not self.state.is_retired(whole.number or 0)
        )

    @override
    def delete(self, entry_id: str) -> bool:
        self._ensure_writable()
        number = self.state.number_of(entry_id)
        if number is None:
            return False
        del self.state.entries[number]
        for place, other in self.state.entries.items():
            if other.superseded_by == entry_id:
                self.state.entries[place] = attrs.evolve(other, superseded_by=None)
        self.state.proposals = {
            pair: value for pair, value in self.state.proposals.items() if number not in pair
        }
        self.state.recalls.pop(number, None)
        self.state.usage.pop(number, None)
        self.state.expired.discard(number)
        self.state.vectors = {
            key: value for key, value in self.state.vectors.items() if key[1] != number
        }
        self.state.influences = {
            key: value for key, value in self.state.influences.items() if key[0] != number
        }
        return True

    @override
    def with_file(self, file_path: str | None) -> Entry | None:
        return next((entry for entry in self._of_file(file_path) if not entry.anchor_id), None)

    @override
    def of_file(self, file_path: str) -> list[Entry]:
        return sorted(self._of_file(file_path), key=lambda entry: entry.anchor_id)

    def _of_file(self, file_path: str | None) -> list[Entry]:
        numbers = (
            number
            for number, entry in self.state.entries.items()
            if file_path and entry.file_path == file_path
        )
        return list(map(self.state.entry, numbers))

    def _of_section(self, entry: Entry) -> list[Entry]:
        return [
            other for other in self._of_file(entry.file_path) if other.anchor_id == entry.anchor_id
        ]

    @override
    def files_starting_with(self, prefix: str) -> list[str]:
        paths = (entry.file_path for entry in self.state.entries.values() if entry.file_path)
        return sorted({path for path in paths if path.startswith(prefix)})

    def _ensure_writable(self) -> None:
        if self.busy:
            raise StorageError("the store is busy")


class InMemoryProposals(Proposals):
    def __init__(self, state: State) -> None:
        self._state = state

    @override
    def propose(self, proposal: Proposal) -> None:
        older, newer = self._state.number_of(proposal.older), self._state.number_of(proposal.newer)
        if older is not None and newer is not None:
            self._state.proposals.setdefault((older, newer), (proposal.probability, False))

    @override
    def open(self, limit: int) -> list[Proposal]:
        found = [
            Proposal(
                self._state.entries[older].entry_id,
                self._state.entries[newer].entry_id,
                probability,
            )
            for (older, newer), (probability, rejected) in self._state.proposals.items()
            if not rejected and self._is_current(older) and self._is_current(newer)
        ]
        return sorted(found, key=lambda known: (-known.probability, known.older, known.newer))[
            :limit
        ]

    @override
    def reject(self, older: str, newer: str) -> bool:
        pair = self._state.number_of(older), self._state.number_of(newer)
        for known, (probability, rejected) in self._state.proposals.items():
            if known == pair and not rejected:
                self._state.proposals[known] = (probability, True)
                return True
        return False

    def _is_current(self, number: int) -> bool:
        return (
            not self._state.is_retired(number) and self._state.entries[number].superseded_by is None
        )
