"""Copy the contents of a store into another."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple

import attrs

from hardwon.domain.model.errors import ForgottenError
from hardwon.domain.model.export import (
    DeletedEntry,
    ExportedEntry,
    Record,
    in_batches,
)
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.project import Project
from hardwon.domain.model.vocabulary import Kind
from hardwon.ports.entries import EntryRepository, RankingReads
from hardwon.ports.erasure import ForgottenTexts
from hardwon.ports.overview import Overview
from hardwon.ports.projects import Projects
from hardwon.ports.transfer import StoreContents
from hardwon.ports.vectors import VectorStore

BATCH = 100
"""Vectors that are copied at once."""


class CopyTally(NamedTuple):
    """
    The number of entries of one project and kind that are copied.

    Attributes:
        project: The label of the project, empty for none.
        is_shared: Whether other members of a server see them.
    """

    project: str
    kind: Kind
    entries: int
    is_shared: bool


@attrs.define
class CopyOutcome:
    """
    The outcome of a copy.

    Attributes:
        known: The number of entries that were there; their counters may have risen.
        forgotten: The number of entries left out because their texts were forgotten there.
    """

    added: int = 0
    known: int = 0
    forgotten: int = 0
    vectors: int = 0


def preview(overview: Overview, projects: Projects) -> list[CopyTally]:
    """
    Return what a copy brings, by project and kind.

    Entries of files are shared only if their project shares its conversations.
    """
    known = {project.id: project for project in projects.known()}
    counted = Counter((label.project, label.kind) for label in overview.labels(EVERYTHING))
    tallies = list[CopyTally]()
    for (project_id, kind), entries in counted.items():
        project = known.get(project_id or "")
        is_shared = kind == "learning" or (
            project is not None and project.conversations == "shared"
        )
        tallies.append(
            CopyTally(
                project=project.label if project else "",
                kind=kind,
                entries=entries,
                is_shared=is_shared,
            )
        )
    return sorted(tallies)


class CopyStore(NamedTuple):
    """
    Copies records in batches.

    Idempotent: a retry after an interruption skips what is there. Entries keep their numbers where
    these are free. A project is identified by its key on this machine.

    Attributes:
        source: The contents that are copied.
        forgotten: The forgotten texts of the source; they become forgotten in the target.
        contents: The contents of the target, as are its entries and projects.
    """

    source: StoreContents
    forgotten: ForgottenTexts
    contents: StoreContents
    repository: EntryRepository
    projects: Projects

    def copy(self, progress: Callable[[], None] = lambda: None) -> CopyOutcome:
        """
        Copy all records, and call *progress* after each.

        Raises:
            StorageError: a store can't be read or written now; whole batches were copied.
        """
        outcome, there = CopyOutcome(), dict[str, str]()
        with self.source.snapshot():
            self.repository.forgotten.adopt(self.forgotten.hashes())
            for batch in in_batches(self.source.records(), type):
                with self.repository.batch():
                    moved = [_moved(record, there) for record in batch]
                    self.repository.prefetch(partial(self._first_reads, moved))
                    for record in moved:
                        self._add(record, there, outcome)
                        progress()
        return outcome

    def _first_reads(self, records: Iterable[Record]) -> None:
        for record in records:
            if isinstance(record, ExportedEntry):
                self.repository.by_id(record.entry.entry_id)
                self.repository.put(record.entry)

    def _add(self, record: Record, there: dict[str, str], outcome: CopyOutcome) -> None:
        match record:
            case Project(id=known_as):
                there[known_as] = self._project_there(record, there).id
            case ExportedEntry():
                self._add_entry(record, outcome)
            case DeletedEntry(number=number):
                if self.repository.with_number(number) is None:
                    self.contents.add(record)
                    self.contents.reserve(number + 1)
            case _:
                self.contents.add(record)

    def _project_there(self, project: Project, there: Mapping[str, str]) -> Project:
        added = self.projects.add(project.identity, project.label)
        joined = there.get(project.joined or "")
        now = project._replace(id=added.id, identity=project.identity, joined=joined)
        self.projects.put(now)
        return now

    def _add_entry(self, exported: ExportedEntry, outcome: CopyOutcome) -> None:
        entry = exported.entry
        is_known = self.repository.by_id(entry.entry_id) is not None
        try:
            if not is_known:
                self.contents.reserve(entry.number or 1)
                self.repository.put(entry)
        except ForgottenError:
            outcome.forgotten += 1
            return
        self.contents.add_activity(exported)
        outcome.known += is_known
        outcome.added += not is_known


def _moved(record: Record, there: Mapping[str, str]) -> Record:
    def moved(project: str) -> str:
        return there.get(project, project)

    if not isinstance(record, ExportedEntry):
        return record
    entry, places = record.entry, tuple(map(moved, record.places))
    if entry.project and (project := moved(entry.project)) != entry.project:
        entry = attrs.evolve(entry, project=project)
    elif places == record.places:
        return record
    return attrs.evolve(record, entry=entry, places=places)


def copy_vectors(source: VectorStore, target: VectorStore, entries: RankingReads) -> int:
    """
    Copy the missing vectors of one space, and count them.

    The *entries* are those of the target's store.
    """
    copied, last = 0, 0
    while texts := target.texts(BATCH, last):
        last = texts[-1].number
        has = {*target.load([text.number for text in texts]).numbers}
        missing = [text for text in texts if text.number not in has]
        ids = {
            facts.number: facts.entry_id for facts in entries.facts(text.number for text in missing)
        }
        vectors = source.vectors_of([*ids.values()])
        found = [
            (text, vectors[ids[text.number]]) for text in missing if ids[text.number] in vectors
        ]
        if found:
            target.put(found)
            copied += len(found)
    return copied
