"""Projects in SQLite."""

from collections.abc import Mapping, Sequence
from typing import Any

from hardwon.adapters.sql.projects import SqlProjects
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.decoding import PROJECT_DECODERS, RowDecoder
from hardwon.domain.model.project import Identity, Project
from hardwon.ports.override import override

COLUMNS = (
    *("id", "label", "key", "root", "is_repository", "device", "inode"),
    *("remote", "first_commit", "authorship", "trust", "joined", "conversations"),
)
decode_project = RowDecoder(COLUMNS, PROJECT_DECODERS)

SELECT = f"SELECT {', '.join(COLUMNS)} FROM project"


def to_project(row: Sequence[Any]) -> Project:
    """
    Return the project of a row of `SELECT`.

    Values that can't be decoded get defaults.
    """
    row = decode_project(row)
    identity = Identity._make((*row[2:4], bool(row[4]), *row[5:7]))
    return Project._make((*row[:2], identity, *row[7:]))


UPDATE = (
    f"UPDATE project SET {', '.join(f'{column} = :{column}' for column in COLUMNS[1:])} WHERE id"
    " = :id"
)


class SqliteProjects(SqlProjects[SqliteDatabase]):
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

    @override
    def known(self) -> tuple[Project, ...]:
        rows = self._database.rows(f"{SELECT} ORDER BY rowid")
        return tuple(map(to_project, rows))

    @override
    def put(self, project: Project) -> None:
        with self._database.transaction():
            self._database.rows(UPDATE, **self._values(project))
            self._database.note_change()

    @override
    def trusted_folders(self) -> tuple[str, ...]:
        rows = self._database.rows("SELECT path FROM trusted_folder ORDER BY path")
        return tuple(path for (path,) in rows if isinstance(path, str))

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
