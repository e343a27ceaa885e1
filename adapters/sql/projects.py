"""Projects, the places of entries, and trusted folders."""

from abc import abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager

from hardwon.adapters.sql.database import D, Role
from hardwon.domain.model.project import Identity, Project, Registry
from hardwon.domain.model.vocabulary import TrustMode
from hardwon.ports.override import override
from hardwon.ports.projects import Projects


class SqlProjects(Role[D], Projects):
    """Projects in the table `project`, and the rows that refer to them."""

    INSERT: str
    COUNT: str
    ENTRY_COUNTS: str
    TRUST: str
    DISTRUST: str
    PLACES: str
    ADD_PLACE: str
    NAMING: tuple[str, ...]
    """The statements that replace project `id` by project `into` everywhere."""

    @override
    def transaction(self) -> AbstractContextManager[None]:
        return self._database.transaction()

    def registry(self, mode: TrustMode) -> Registry:
        """Return the projects and trusted folders with the trust *mode*."""
        return Registry(self.known(), self.trusted_folders(), mode)

    @override
    def add(self, identity: Identity, label: str) -> Project:
        with self._database.transaction():
            if known := self._with_key(identity.key):
                return known
            project = Project(self._free_id(identity.key), label, identity)
            self._database.rows(self.INSERT, **self._values(project))
            self._database.note_change()
            return project

    @override
    def merge(self, project_id: str, into: str) -> int:
        with self._database.transaction():
            self._ensure_own(project_id)
            moved = self._database.value(self.COUNT, id=project_id)
            self._database.together(
                [(statement, {"id": project_id, "into": into}) for statement in self.NAMING]
            )
            self._database.note_change()
        return int(moved)

    @override
    def entry_counts(self) -> Mapping[str, int]:
        return dict(self._database.rows(self.ENTRY_COUNTS))

    @override
    def trust_below(self, folder: str, *, trusted: bool) -> None:
        with self._database.transaction():
            self._database.rows(
                self.TRUST if trusted else self.DISTRUST, path=folder, **self._here()
            )
            self._database.note_change()

    @override
    def places_of(self, entry_id: str) -> tuple[str, ...]:
        rows = self._database.rows(self.PLACES, entry_id=entry_id)
        return tuple(project for (project,) in rows if isinstance(project, str))

    @override
    def add_place(self, entry_id: str, project_id: str) -> None:
        with self._database.transaction():
            self._database.rows(self.ADD_PLACE, entry_id=entry_id, project=project_id)
            self._database.note_change()

    def _free_id(self, key: str) -> str:
        """
        Return the id of a new project, derived from its key.

        Counts up if a project that has moved away still has that id.
        """
        from hardwon.domain.model.identity import short_hash  # noqa: PLC0415  # brings OpenSSL

        number = 0
        while self._is_taken(short_hash("project", self._place(key), str(number))):
            number += 1
        return short_hash("project", self._place(key), str(number))

    @abstractmethod
    def _with_key(self, key: str) -> Project | None:
        """Return this machine's project with that key."""

    @abstractmethod
    def _values(self, project: Project) -> Mapping[str, object]:
        """Return the columns of *project*."""

    @abstractmethod
    def _is_taken(self, project_id: str) -> bool:
        """Return whether a project has that id."""

    def _here(self) -> Mapping[str, object]:
        return {}

    def _place(self, key: str) -> str:
        return key

    def _ensure_own(self, project_id: str) -> None:
        """Refuse a project that only another member may merge."""
