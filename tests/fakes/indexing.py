"""The use cases that bring files in and take entries out, on fakes."""

from typing import Any

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import changes_between
from hardwon.domain.model.file_entry import PLAIN, Defaults
from hardwon.domain.use_cases.edit_entries import Forget
from hardwon.domain.use_cases.index_files import IndexFiles
from hardwon.domain.use_cases.index_one_file import IndexOneFile
from tests.fakes.clock import FixedClock
from tests.fakes.departures import InMemoryAbsences
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.files import ROOT, InMemoryFiles
from tests.fakes.history import InMemoryHistory
from tests.fakes.tombstones import InMemoryTombstones
from tests.fakes.usage import InMemoryUsageLog
from tests.fakes.versions import InMemoryVersions
from tests.fakes.workplaces import working_in
from tests.strategies import NOW


def index_files(
    files: InMemoryFiles,
    repository: InMemoryEntryRepository,
    defaults: Defaults = PLAIN,
    *,
    versions: InMemoryVersions | None = None,
) -> IndexFiles:
    """Return the indexing of *files* into *repository*, with all it needs."""
    tombstones, history = InMemoryTombstones(repository.state), InMemoryHistory(repository.state)
    absences = InMemoryAbsences(repository.state)
    return IndexFiles(
        sources=files,
        repository=repository,
        project_root=ROOT,
        index_one_file=IndexOneFile(
            repository=repository,
            versions=versions or InMemoryVersions(),
            tombstones=tombstones,
            absences=absences,
            usage=InMemoryUsageLog(repository.state),
            history=history,
            workplace=working_in("app", "work", "main"),
            defaults=defaults,
            clock=FixedClock(),
        ),
        forget=Forget(
            repository=repository,
            tombstones=tombstones,
            absences=absences,
            history=history,
            clock=FixedClock(),
        ),
    )


def change(repository: InMemoryEntryRepository, entry: Entry, **fields: Any) -> None:
    """Change *entry* as its user does, but for the time of the change."""
    changed = attrs.evolve(entry, **fields)
    repository.put(changed)
    InMemoryHistory(repository.state).record(
        entry.number or 0, changes_between(entry, changed), NOW
    )
