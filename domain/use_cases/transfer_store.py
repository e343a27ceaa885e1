"""Export the contents of a store, and import them into another one."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import attrs

from hardwon.domain.model.activity import PastChange
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.errors import ForgottenError, InvalidEntryError
from hardwon.domain.model.export import (
    DeletedEntry,
    DeletedSection,
    ExportedEntry,
    Location,
    Record,
    in_batches,
    location_of,
    relocated,
)
from hardwon.domain.model.project import Identity, Project, Registry
from hardwon.domain.use_cases.know_projects import KnowProjects, facts_of, without_folder
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository
from hardwon.ports.transfer import StoreContents


class ExportStore(NamedTuple):
    """
    Export a store so that another machine can read it.

    Paths below a project's root become relative to it. Of the user's decision on a project only a
    refusal is exported: trust is given to a folder on one machine.
    """

    contents: StoreContents
    registry: Registry

    def counts(self) -> Mapping[str, int]:
        """Return the number of records of each type."""
        return self.contents.counts()

    def records(self) -> Iterator[Record]:
        """
        Yield all records.

        Within `contents.snapshot`, this and `counts` see one state.
        """
        for record in self.contents.records():
            if isinstance(record, Project):
                yield record._replace(trust="revoked" if record.trust == "revoked" else "unsaid")
                continue
            location = location_of(record)
            yield relocated(record, self._relative(location.path)) if location else record

    def _relative(self, path: str) -> Location:
        project = self.registry.holding(path)
        if project is None or path == project.identity.root:
            return Location(path)
        return Location(os.path.relpath(path, project.identity.root), project.id)


@attrs.define
class ImportedStore:
    """
    The outcome of importing an export.

    Attributes:
        known: The number of known entries; their counters may have risen.
        forgotten: The number of entries left out because the user had their texts forgotten.
        skipped: Entries that were not imported with the reasons, one line each.
    """

    added: int = 0
    known: int = 0
    forgotten: int = 0
    skipped: list[str] = attrs.field(factory=list)


class ImportStore(NamedTuple):
    """
    Import records into a store, a hundred entries a transaction.

    An interrupted import is finished by another one. A known entry keeps its texts, tier and labels; each of its counters becomes the larger of both.
    So an export can be imported again, and two stores can be merged. A project is the one of its
    key, or a clone of the same repository. Git looks up a folder that is here; the facts of another
    one are kept.
    """

    repository: EntryRepository
    contents: StoreContents
    know: KnowProjects
    identify: Callable[[str], Identity]
    clock: Clock

    def merge(
        self,
        records: Iterable[tuple[int, Record]],
        deadline: Deadline,
        progress: Callable[[], None] = lambda: None,
    ) -> ImportedStore:
        """
        Add *records*, given with their lines in the file.

        Args:
            records: Those of one export, in its order.
            deadline: For asking git about projects; the others are looked up later.
            progress: Called after each record.
        """
        run = _Run(self, deadline, is_unused=self.contents.is_unused())
        for batch in in_batches(records, lambda given: type(given[1])):
            with self.repository.batch():
                moved = [(line, run.moved(record)) for line, record in batch]
                run.read_ahead([given for _, given in moved if isinstance(given, ExportedEntry)])
                for line, record in moved:
                    run.add(line, record)
                    progress()
        with self.repository.transaction():
            run.settle()
            self.repository.retire_expired(self.clock.now())
        return run.outcome


class _Moved(NamedTuple):
    there: Project
    here: Project


class _Run:
    def __init__(self, stores: ImportStore, deadline: Deadline, *, is_unused: bool) -> None:
        self._stores = stores
        self._deadline = deadline
        self._is_unused = is_unused
        self._has_forgotten = False
        self._projects = dict[str, _Moved]()
        self.outcome = ImportedStore()

    def moved(self, record: Record) -> Record:
        """Return *record* as of this machine, once its project was added."""
        here = self._here(record)
        return self._moved(here) if isinstance(here, ExportedEntry) else here

    def read_ahead(self, batch: Sequence[ExportedEntry]) -> None:
        """Read what adding these entries will read."""
        self._stores.repository.prefetch(partial(self._first_reads, batch))
        changes = [change for exported in batch for change in exported.history]
        self._has_forgotten = self._is_forgotten(*changes)

    def _first_reads(self, batch: Iterable[ExportedEntry]) -> None:
        for exported in batch:
            self._stores.repository.by_id(exported.entry.entry_id)
            self._stores.repository.put(exported.entry)

    def add(self, line: int, record: Record) -> None:
        """Add one moved record, whose line in the file messages name."""
        contents = self._stores.contents
        match record:
            case Project(id=there):
                self._projects[there] = _Moved(record, self._project_here(record))
            case ExportedEntry():
                self._add_entry(line, record)
            case DeletedEntry(number=number):
                if self._is_unused:  # elsewhere the number is another entry's
                    contents.add(record)
                    contents.reserve(number + 1)
            case DeletedSection(path=path, anchor_id=anchor_id) if self._section(path, anchor_id):
                pass  # it was not deleted here
            case _:
                contents.add(record)

    def settle(self) -> None:
        for project in self._projects.values():
            self._stores.know.settle(project.here)

    def _add_entry(self, line: int, exported: ExportedEntry) -> None:
        repository, entry = self._stores.repository, exported.entry
        known = repository.by_id(entry.entry_id)
        if known is None and (holder := self._section(entry.file_path, entry.anchor_id)):
            self.outcome.skipped.append(
                f"line {line}: its file is kept as a {holder.kind} here, which stays as it is"
            )
            return
        try:
            self._put(entry, known)
        except ForgottenError:
            self.outcome.forgotten += 1
        except InvalidEntryError as error:
            self.outcome.skipped.append(f"line {line}: {error}")
        else:
            self._stores.contents.add_activity(
                attrs.evolve(exported, history=self._kept_history(exported))
            )
            self.outcome.added += known is None
            self.outcome.known += known is not None

    def _put(self, entry: Entry, known: Entry | None) -> None:
        repository = self._stores.repository
        if known is None:
            if self._is_unused and entry.number is not None:
                self._stores.contents.reserve(entry.number)
            repository.put(entry)
        elif known.observation_count < entry.observation_count:
            repository.put(attrs.evolve(known, observation_count=entry.observation_count))

    def _kept_history(self, exported: ExportedEntry) -> tuple[PastChange, ...]:
        if not self._has_forgotten:
            return exported.history
        return tuple(change for change in exported.history if not self._is_forgotten(change))

    def _is_forgotten(self, *changes: PastChange) -> bool:
        texts = (text for change in changes for text in (change.old, change.new) if text)
        return self._stores.repository.forgotten.holds(texts)

    def _section(self, path: str | None, anchor_id: str) -> Entry | None:
        entries = self._stores.repository.of_file(path) if path else []
        return next((entry for entry in entries if entry.anchor_id == anchor_id), None)

    def _here(self, record: Record) -> Record:
        location = location_of(record)
        if location is None or location.below is None:
            return record
        root = self._projects[location.below].here.identity.root
        return relocated(record, Location(os.path.join(root, location.path)))

    def _moved(self, exported: ExportedEntry) -> ExportedEntry:
        entry = exported.entry
        moved = self._projects.get(entry.project or "")
        workspace = entry.workspace
        if moved and workspace == os.path.dirname(moved.there.identity.root):
            workspace = os.path.dirname(moved.here.identity.root)
        entry = redact_entry(
            attrs.evolve(entry, project=self._id_here(entry.project), workspace=workspace)
        )
        places = (self._id_here(place) or place for place in exported.places)
        earlier = {*exported.aliases, exported.entry_id} - {entry.entry_id}
        return attrs.evolve(
            exported, entry=entry, places=tuple(places), aliases=tuple(sorted(earlier))
        )

    def _id_here(self, project: str | None) -> str | None:
        return self._projects[project].here.id if project in self._projects else project

    def _project_here(self, there: Project) -> Project:
        project = self._known(there) or self._clone_of(there) or self._without_folder(there)
        if there.trust == "revoked" and project.trust == "unsaid":
            return self._stores.know.trust(project, trusted=False)
        return project

    def _known(self, there: Project) -> Project | None:
        """
        Return the project with the key of *there*, after git looked it up.

        None if it is another repository.
        """
        know, key = self._stores.know, there.identity.key
        known = know.registry().with_key(key)
        if know.exists(key) and (identity := self._stores.identify(there.identity.root)).key == key:
            known = know.look_up(know.here(identity, there.label, self._deadline), self._deadline)
        commits = {
            project.first_commit for project in (known, there) if project and project.first_commit
        }
        return known if len(commits) < 2 else None  # noqa: PLR2004  # two commits are two repositories

    def _clone_of(self, there: Project) -> Project | None:
        know, facts = self._stores.know, facts_of(there)
        registry = know.registry()
        clones = (project for project in registry.projects if facts and facts_of(project) == facts)
        here = (project for project in clones if know.exists(project.identity.key))
        return next((project for project in here if registry.is_shared(project)), None)

    def _without_folder(self, there: Project) -> Project:
        """Return *there* as a project without a folder here, added if unknown."""
        projects = self._stores.know.projects
        added = projects.add(without_folder(there), there.label)
        now = added._replace(
            remote=there.remote, first_commit=there.first_commit, authorship=there.authorship
        )
        projects.put(now)
        return now
