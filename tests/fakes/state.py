"""The state that the ports of one store in memory share."""

import datetime as dt
import hashlib
import os
from collections.abc import Iterable

import attrs

from hardwon.domain.model.activity import UNUSED, PastChange, Usage
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.file_state import AbsentFile
from hardwon.domain.model.filters import ANYWHERE, EntryFilter
from hardwon.domain.model.forgotten import identifying, names_of, recognisable, without_passages
from hardwon.domain.model.identity import word_count
from hardwon.domain.model.injection.receipt import Influence
from hardwon.domain.model.project import Project, Visibility
from hardwon.domain.model.ranking.candidates import RankingFacts, RecallFacts
from hardwon.ports.erasure import ForgottenHashes, ForgottenTexts
from hardwon.ports.override import override


class InMemoryForgottenTexts(ForgottenTexts):
    def __init__(self) -> None:
        self.owners: dict[str, set[str]] = {}

    @override
    def add(
        self, owner: str, texts: Iterable[str], at: dt.datetime, words: Iterable[str] = ()
    ) -> None:
        for passage in identifying(texts, words):
            self.owners.setdefault(passage, set()).add(names_of(owner)[0])

    @override
    def holds(self, texts: Iterable[str]) -> bool:
        return bool(self.owners) and any(
            passage in self.owners for text in texts for passage in recognisable(text)
        )

    @override
    def without(self, text: str) -> str:
        return without_passages(text, recognisable(text) & self.owners.keys())

    @override
    def lift(self, owner: str) -> bool:
        lifted = [passage for passage, owners in self.owners.items() if owners & {*names_of(owner)}]
        for passage in lifted:
            del self.owners[passage]
        return bool(lifted)

    @override
    def hashes(self) -> ForgottenHashes:
        rows = (
            (passage.encode(), owner.encode(), NOW)
            for passage, names in self.owners.items()
            for owner in names
        )
        return ForgottenHashes((b"",), tuple(sorted(rows)))

    @override
    def adopt(self, hashes: ForgottenHashes) -> None:
        for passage, owner, _ in hashes.rows:
            self.owners.setdefault(passage.decode(), set()).add(owner.decode())


@attrs.define
class State:
    """Shared by the fakes of one store; entries are kept without their recall counters."""

    entries: dict[int, Entry] = attrs.field(factory=dict)
    recalls: dict[int, tuple[int, dt.datetime]] = attrs.field(factory=dict)
    usage: dict[int, Usage] = attrs.field(factory=dict)
    expired: set[int] = attrs.field(factory=set)
    history: list[PastChange] = attrs.field(factory=list)
    vectors: dict[tuple[Space, int], tuple[str, Vector]] = attrs.field(factory=dict)
    tombstones: dict[tuple[str, str], str] = attrs.field(factory=dict)
    absent: dict[str, tuple[AbsentFile, dt.datetime]] = attrs.field(factory=dict)
    influences: dict[tuple[int, str], Influence] = attrs.field(factory=dict)
    projects: dict[str, Project] = attrs.field(factory=dict)
    trusted_folders: set[str] = attrs.field(factory=set)
    places: dict[int, set[str]] = attrs.field(factory=dict)
    forgotten: InMemoryForgottenTexts = attrs.field(factory=InMemoryForgottenTexts)
    aliases: dict[str, int] = attrs.field(factory=dict)
    proposals: dict[tuple[int, int], tuple[float, bool]] = attrs.field(factory=dict)
    last_number: int = 0

    def restore(self, before: "State") -> None:
        self.entries, self.recalls, self.vectors = before.entries, before.recalls, before.vectors
        self.usage, self.expired, self.history = before.usage, before.expired, before.history
        self.influences, self.aliases, self.proposals = (
            before.influences,
            before.aliases,
            before.proposals,
        )
        self.last_number, self.tombstones, self.absent = (
            before.last_number,
            before.tombstones,
            before.absent,
        )

    def number_of(self, entry_id: str) -> int | None:
        return next(
            (number for number, entry in self.entries.items() if entry.entry_id == entry_id), None
        )

    def entry(self, number: int) -> Entry:
        count, at = self.recalls.get(number, (0, None))
        usage = self.usage.get(number, UNUSED)
        return attrs.evolve(
            self.entries[number],
            recall_count=count,
            last_recalled_at=at,
            usage=usage,
            number=number,
        )

    def is_retired(self, number: int) -> bool:
        return number in self.expired or self.entries[number].tier == "deprecated"

    def facts(self, number: int) -> RankingFacts:
        entry = self.entries[
            number
        ]  # no counters put in: making an entry costs more than ranking it
        return RankingFacts(
            number,
            entry.entry_id,
            entry.category,
            entry.observation_count,
            entry.confidence,
            entry.updated_at,
            self.recalls[number][0] if number in self.recalls else 0,
            entry.project,
            entry.superseded_by,
            entry.is_gone,
        )

    def within(self, only: EntryFilter) -> list[int]:
        """Return the numbers of the entries of *only* in tie order."""
        numbers = (
            number
            for number, entry in self.entries.items()
            if _is_within(entry, only) and _is_named(number, only)
        )
        numbers = (
            number
            for number in numbers
            if self.is_visible(number, only.visible_in) and self.is_of(number, only.origins)
        )
        numbers = (number for number in numbers if self.has_use(number, only))
        return self.in_tie_order(
            number for number in numbers if not (only.ranked and self.is_retired(number))
        )

    def has_use(self, number: int, only: EntryFilter) -> bool:
        last_shown = self.recalls[number][1] if number in self.recalls else None
        is_used = any(used == number for used, _ in self.influences)
        idle = only.idle_since
        return (
            only.shown in {None, last_shown is not None}
            and only.used in {None, is_used}
            and (idle is None or (last_shown is None or last_shown < idle))
        )

    def is_visible(self, number: int, visible_in: Visibility | None) -> bool:
        entry = self.entries[number]
        return visible_in is None or visible_in.admits(
            entry.project, entry.reach, self.places.get(number, ())
        )

    def is_of(self, number: int, origins: tuple[str, ...]) -> bool:
        return not origins or not {
            self.entries[number].project,
            *self.places.get(number, ()),
        }.isdisjoint(origins)

    def recall_facts(self, number: int) -> RecallFacts:
        entry = self.entries[number]
        return RecallFacts(
            self.facts(number),
            entry.kind,
            entry.project,
            entry.workspace,
            entry.branch,
            entry.permanent,
            entry.content_hash,
            word_count(entry.searchable_text()),
            entry.tier,
            entry.importance_weight,
            entry.created_at.replace(microsecond=0),
            entry.anchor_id,
            entry.file_path,
        )

    def in_tie_order(self, numbers: Iterable[int]) -> list[int]:
        by_id = sorted(numbers, key=lambda number: self.entries[number].entry_id)
        return sorted(by_id, key=lambda number: self.entries[number].updated_at, reverse=True)


def _is_named(number: int, only: EntryFilter) -> bool:
    return (only.among is None or number in only.among) and number not in only.except_for


def _is_within(entry: Entry, only: EntryFilter) -> bool:
    return (
        entry.kind in only.kinds
        and only.category in {None, entry.category}
        and (entry.permanent or not only.permanent)
        and not (only.unlabelled and entry.keywords)
        and not (only.citing and not entry.references)
        and not (only.gone and not entry.is_gone)
        and not (only.stale and not entry.warning)
        and not (only.superseded and not entry.superseded_by)
        and not (only.unplaced and entry.project)
        and _is_of_time(entry.created_at.replace(microsecond=0), only)
        and only.spec_folder in {None, entry.spec_folder}
        and only.anchor in {None, entry.anchor_id}
        and only.tier in {None, entry.tier}
        and only.context_type in {None, entry.context_type}
        and only.source in {None, entry.source}
        and (entry.is_of_others or not only.of_others)
        and only.label in {None, entry.source_project}
        and only.session in {None, entry.session_id}
        and (only.except_session is None or only.except_session != entry.session_id)
        and (only.tag is None or only.tag in entry.tags)
        and (
            only.folder is None or (entry.file_path or "").startswith(os.path.join(only.folder, ""))
        )
        and (
            only.scope == ANYWHERE
            or entry.kind in only.anywhere
            or entry.project in only.scope.projects
            or _is_in(entry.workspace, only.scope.workspace)
        )
    )


def _is_of_time(created_at: dt.datetime, only: EntryFilter) -> bool:
    return (
        (only.since is None or created_at >= only.since)
        and (only.until is None or created_at < only.until)
        and (only.idle_since is None or created_at < only.idle_since)
    )


def _is_in(folder: str | None, workspace: str | None) -> bool:
    """Return whether *folder* is the *workspace*, which may be given by its name."""
    is_named = (
        bool(workspace)
        and os.sep not in str(workspace)
        and (folder or "").endswith(f"{os.sep}{workspace}")
    )
    return is_named or folder == workspace is not None


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
