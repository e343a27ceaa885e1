"""Give entries the project that holds their file."""

import os
from collections.abc import Callable

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import UNPLACED
from hardwon.domain.model.project import Identity, Project
from hardwon.domain.use_cases.know_projects import KnowProjects
from hardwon.ports.entries import EntryRepository

MAX_AT_ONCE = 1000
"""The number of entries placed in one transaction."""


@attrs.frozen(kw_only=True)
class PlaceFiles:
    """
    Give entries the project that holds their file.

    Attributes:
        identify: Returns the identity of a folder, also of one that is gone.
        home: The user's folder; a project there holds no other folders.
        workspace: The workspace that the user named; None for the folder above a project.
    """

    know: KnowProjects
    identify: Callable[[str], Identity]
    label_of: Callable[[str], str]
    home: str = ""
    workspace: str | None = None
    _found: dict[tuple[str, str | None], Project] = attrs.field(factory=dict, init=False)

    def placed(self, entry: Entry) -> Entry:
        """
        Return *entry* in the project that holds its file.

        Its label may name the folder of that project.
        """
        folder, label = os.path.dirname(entry.file_path or ""), entry.source_project
        project = self._found.get((folder, label)) or self._project(folder, label)
        self._found[folder, label] = project
        return attrs.evolve(
            entry,
            project=project.id,
            source_project=entry.source_project or project.label,
            workspace=self.workspace or os.path.dirname(project.identity.root),
        )

    def place_all(self, repository: EntryRepository) -> int:
        """Place entries of files without a project, and count them."""
        placed = 0
        while entries := repository.matching(UNPLACED, limit=MAX_AT_ONCE):
            with repository.transaction():
                for entry in entries:
                    repository.put(self.placed(entry))
            placed += len(entries)
        return placed

    def ask(self, deadline: Deadline) -> None:
        """Ask git whether projects of unknown authorship are the user's."""
        for project in self.know.registry().projects:
            if project.authorship == "unknown" and os.path.isabs(project.identity.key):
                self.know.here(project.identity, project.label, deadline)

    def _project(self, folder: str, label: str | None) -> Project:
        named = _folder_called(label, folder)
        identity = self.identify(named or folder)
        holder = None if identity.is_repository else self.know.registry().holding(folder)
        if holder and self._is_of(holder, named):
            return holder
        return self.know.register(identity, self.label_of(identity.root))

    def _is_of(self, holder: Project, named: str | None) -> bool:
        root, is_repository = holder.identity.root, holder.identity.is_repository
        return root != self.home and (is_repository or named is None or len(root) >= len(named))


def _folder_called(label: str | None, folder: str) -> str | None:
    while os.path.basename(folder) != label:
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return None
    return folder
