"""Projects in SQLite."""

from collections.abc import Mapping

from hardwon.adapters.sql.projects import SqlProjects
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.registry import (
    COLUMNS,
    SELECT,
    read_projects,
    read_trusted_folders,
    to_project,
)
from hardwon.domain.model.project import Project
from hardwon.ports.override import override

UPDATE = (
    f"UPDATE project SET {', '.join(f'{column} = :{column}' for column in COLUMNS[1:])} WHERE id"
    " = :id"
)


class SqliteProjects(SqlProjects):
    """Projects in the table `project`."""

    INSERT = (
        f"INSERT INTO project ({', '.join(COLUMNS)}) VALUES"
        f" ({', '.join(f':{column}' for column in COLUMNS)})"
    )
    COUNT = "SELECT count(*) FROM entry WHERE project = :id"
    ENTRY_COUNTS = "SELECT project, count(*) FROM entry WHERE project IS NOT NULL GROUP BY project"
    TRUST = "INSERT OR IGNORE INTO trusted_folder (path) VALUES (:path)"
    DISTRUST = "DELETE FROM trusted_folder WHERE path = :path"
    PLACES = """
        SELECT p.project FROM entry_place p JOIN entry e ON e.seq = p.entry_seq
        WHERE e.id = :entry_id ORDER BY p.project
    """
    ADD_PLACE = """
        INSERT OR IGNORE INTO entry_place (entry_seq, project)
        SELECT seq, :project FROM entry WHERE id = :entry_id AND project IS NOT :project
    """
    NAMING = (
        "UPDATE entry SET project = :into WHERE project = :id",
        "UPDATE OR IGNORE entry_place SET project = :into WHERE project = :id",
        "DELETE FROM entry_place WHERE project = :id",
        "UPDATE receipt SET project = :into WHERE project = :id",
        "UPDATE project SET joined = :into WHERE joined = :id AND id != :into",
        "UPDATE project SET joined = NULL WHERE joined = :id",
        "DELETE FROM project WHERE id = :id",
    )

    def __init__(self, database: SqliteDatabase) -> None:
        super().__init__(database)
        self._file = database

    @override
    def known(self) -> tuple[Project, ...]:
        return read_projects(self._file)

    @override
    def put(self, project: Project) -> None:
        with self._database.transaction():
            self._database.rows(UPDATE, **self._values(project))
            self._database.note_change()

    @override
    def trusted_folders(self) -> tuple[str, ...]:
        return read_trusted_folders(self._file)

    @override
    def _with_key(self, key: str) -> Project | None:
        return next(
            map(to_project, self._database.rows(f"{SELECT} WHERE key = :key", key=key)), None
        )

    @override
    def _values(self, project: Project) -> Mapping[str, object]:
        identity = project.identity
        values = (
            *(project.id, project.label, identity.key, identity.root, identity.is_repository),
            *(identity.device, identity.inode, project.remote, project.first_commit),
            *(project.authorship, project.trust, project.joined, project.chosen),
        )
        return dict(zip(COLUMNS, values, strict=True))

    @override
    def _is_taken(self, project_id: str) -> bool:
        return bool(self._database.rows("SELECT 1 FROM project WHERE id = :id", id=project_id))
