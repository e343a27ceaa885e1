"""The projects in the store's tables."""

from collections.abc import Mapping
from contextlib import AbstractContextManager

from hardwon.adapters.sqlite.database import Database, Row
from hardwon.adapters.sqlite.registry import COLUMNS, SELECT, read_projects, read_trusted_folders, to_project
from hardwon.domain.model.project import Identity, Project
from hardwon.ports.override import override
from hardwon.ports.projects import Projects

INSERT = f"INSERT INTO project ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
UPDATE = f"UPDATE project SET {', '.join(f'{column} = ?' for column in COLUMNS[1:])} WHERE id = ?"

NAMING = (
    "UPDATE entry SET project = ?2 WHERE project = ?1",
    "UPDATE OR IGNORE entry_place SET project = ?2 WHERE project = ?1",
    "DELETE FROM entry_place WHERE project = ?1",
    "UPDATE receipt SET project = ?2 WHERE project = ?1",
    "UPDATE project SET joined = ?2 WHERE joined = ?1 AND id != ?2",
    "UPDATE project SET joined = NULL WHERE joined = ?1",
    "DELETE FROM project WHERE id = ?1",
)
"""Statements by which all that names the project ?1 names the project ?2."""


class SqliteProjects(Projects):
    """Projects in the store's tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def transaction(self) -> AbstractContextManager[None]:
        return self._database.transaction()

    @override
    def known(self) -> tuple[Project, ...]:
        return read_projects(self._database)

    @override
    def add(self, identity: Identity, label: str) -> Project:
        with self._database.transaction():
            for row in self._database.rows(f"{SELECT} WHERE key = ?", (identity.key,)):
                return to_project(row)
            project = Project(self._free_id(identity.key), label, identity)
            self._database.rows(INSERT, _row(project))
            self._database.note_change()
            return project

    @override
    def put(self, project: Project) -> None:
        with self._database.transaction():
            self._database.rows(UPDATE, (*_row(project)[1:], project.id))
            self._database.note_change()

    @override
    def merge(self, project_id: str, into: str) -> int:
        with self._database.transaction():
            moved = self._database.value("SELECT count(*) FROM entry WHERE project = ?", (project_id,))
            for statement in NAMING:
                self._database.rows(statement, (project_id, into)[: 2 if "?2" in statement else 1])
            self._database.note_change()
        return int(moved)

    @override
    def entry_counts(self) -> Mapping[str, int]:
        counts = "SELECT project, count(*) FROM entry WHERE project IS NOT NULL GROUP BY project"
        return dict(self._database.rows(counts))

    @override
    def trusted_folders(self) -> tuple[str, ...]:
        return read_trusted_folders(self._database)

    @override
    def trust_below(self, folder: str, *, trusted: bool) -> None:
        change = "INSERT OR IGNORE INTO trusted_folder (path) VALUES (?)"
        with self._database.transaction():
            self._database.rows(change if trusted else "DELETE FROM trusted_folder WHERE path = ?", (folder,))
            self._database.note_change()

    @override
    def places_of(self, entry_id: str) -> tuple[str, ...]:
        rows = self._database.rows(
            "SELECT p.project FROM entry_place p JOIN entry e ON e.seq = p.entry_seq WHERE e.id = ? ORDER BY p.project",
            (entry_id,),
        )
        return tuple(project for (project,) in rows if isinstance(project, str))

    @override
    def add_place(self, entry_id: str, project_id: str) -> None:
        with self._database.transaction():
            self._database.rows(
                "INSERT OR IGNORE INTO entry_place (entry_seq, project)"
                " SELECT seq, ?2 FROM entry WHERE id = ?1 AND project IS NOT ?2",
                (entry_id, project_id),
            )
            self._database.note_change()

    def _free_id(self, key: str) -> str:
        """Return the id of a new project: of its key, unless a project that moved away from there has it."""
        from hardwon.domain.model.identity import short_hash  # noqa: PLC0415  # brings OpenSSL

        number = 0
        while self._database.rows("SELECT 1 FROM project WHERE id = ?", (short_hash("project", key, str(number)),)):
            number += 1
        return short_hash("project", key, str(number))


def _row(project: Project) -> Row:
    identity = project.identity
    return (
        *(project.id, project.label, identity.key, identity.root, identity.is_repository),
        *(identity.device, identity.inode, project.remote, project.first_commit),
        *(project.authorship, project.trust, project.joined, project.chosen),
    )
