"""
Projects in the tables of a server, visible to all members.

A project is a working copy on the machine of one member. Paths on another machine are prefixed with
its owner and name, so that they never match paths here.
"""

import os
import socket
from collections.abc import Mapping
from typing import Any, NamedTuple

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.query import number_of
from hardwon.adapters.sql.projects import SqlProjects
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.project import Identity, Project, Trust
from hardwon.ports.override import override

MACHINE = "HARDWON_MACHINE"
"""The environment variable that names this machine, by default its host name."""

NO_INODE = -1
"""
The inode of folders on other machines.

It differs from 0, an unknown inode on this machine.
"""

COLUMNS = (
    *("label", "key", "root", "is_repository", "device", "inode"),
    *("remote", "first_commit", "authorship", "trust", "joined", "conversations"),
)
"""The columns that a project's owner may change."""

SELECT = f"""
    SELECT p.id, {", ".join(f"p.{column}" for column in COLUMNS)}, p.owner, p.machine, o.trust FROM hardwon.project p
    LEFT JOIN hardwon.opinion o ON o.tenant = p.tenant AND o.project = p.id AND o.owner = current_user
    WHERE p.tenant = %(tenant)s
"""

OWN = "tenant = %(tenant)s AND owner = current_user AND machine = %(machine)s"

UPDATE = f"""
    UPDATE hardwon.project SET {", ".join(f"{column} = %({column})s" for column in COLUMNS)}
    WHERE {OWN} AND id = %(id)s
"""

TAKE_BACK = (
    "DELETE FROM hardwon.opinion WHERE tenant = %(tenant)s AND owner = current_user AND project ="
    " %(id)s"
)
SAY = """
    INSERT INTO hardwon.opinion (tenant, project, trust) VALUES (%(tenant)s, %(id)s, %(trust)s)
    ON CONFLICT (tenant, owner, project) DO UPDATE SET trust = excluded.trust
"""


class WorkingCopy(NamedTuple):
    """
    A working copy, with its owner.

    Attributes:
        owner: The member's role.
        is_here: Whether it belongs to this member and this machine.

    """

    project: Project
    owner: str
    is_here: bool


def this_machine() -> str:
    """Return this machine's name, which distinguishes its working copies."""
    return os.environ.get(MACHINE) or socket.gethostname()


class PostgresProjects(SqlProjects[PostgresDatabase]):
    """Projects in the tables of a server."""

    INSERT = f"""
        INSERT INTO hardwon.project (tenant, machine, id, {", ".join(COLUMNS)})
        VALUES (%(tenant)s, %(machine)s, %(id)s, {", ".join(f"%({column})s" for column in COLUMNS)})
    """
    COUNT = "SELECT count(*) FROM hardwon.entry WHERE tenant = %(tenant)s AND project = %(id)s"
    ENTRY_COUNTS = """
        SELECT project, count(*) FROM hardwon.entry WHERE tenant = %(tenant)s AND project IS NOT NULL GROUP BY project
    """
    TRUST = """
        INSERT INTO hardwon.trusted_folder (tenant, machine, path) VALUES (%(tenant)s, %(machine)s, %(path)s)
        ON CONFLICT DO NOTHING
    """
    DISTRUST = f"DELETE FROM hardwon.trusted_folder WHERE {OWN} AND path = %(path)s"
    PLACES = f"""
        SELECT project FROM hardwon.entry_place
        WHERE tenant = %(tenant)s AND number = {number_of("entry_id")} ORDER BY project
    """
    ADD_PLACE = f"""
        INSERT INTO hardwon.entry_place (tenant, number, entry_owner, project)
        SELECT e.tenant, e.number, e.owner, %(project)s FROM hardwon.entry e
        WHERE e.tenant = %(tenant)s AND e.number = {number_of("entry_id")} AND e.project IS DISTINCT FROM %(project)s
        ON CONFLICT DO NOTHING
    """
    NAMING = (
        (
            "UPDATE hardwon.entry SET project = %(into)s WHERE tenant = %(tenant)s AND project ="
            " %(id)s"
        ),
        """
        INSERT INTO hardwon.entry_place (tenant, number, entry_owner, project) SELECT tenant, number, entry_owner, %(into)s
        FROM hardwon.entry_place WHERE tenant = %(tenant)s AND project = %(id)s ON CONFLICT DO NOTHING
        """,
        "DELETE FROM hardwon.entry_place WHERE tenant = %(tenant)s AND project = %(id)s",
        (
            "UPDATE hardwon.receipt SET project = %(into)s WHERE tenant = %(tenant)s AND project ="
            " %(id)s"
        ),
        (
            "UPDATE hardwon.project SET joined = %(into)s WHERE tenant = %(tenant)s AND joined ="
            " %(id)s AND id != %(into)s"
        ),
        "UPDATE hardwon.project SET joined = NULL WHERE tenant = %(tenant)s AND joined = %(id)s",
        TAKE_BACK,
        "DELETE FROM hardwon.project WHERE tenant = %(tenant)s AND id = %(id)s",
    )

    @override
    def known(self) -> tuple[Project, ...]:
        return tuple(copy.project for copy in _copies(self._database, "ORDER BY p.added"))

    @override
    def put(self, project: Project) -> None:
        with self._database.transaction():
            for known in self._with_id(project.id):
                if known.is_here:
                    self._database.rows(UPDATE, **self._values(project))
                else:
                    self._say(project, known)
            self._database.note_change()

    def _say(self, project: Project, known: WorkingCopy) -> None:
        if project.identity != known.project.identity:
            raise StorageError(
                f"{known.project.identity.root} is on another machine: it can't be moved from here"
            )
        trust: Trust = project.trust
        if trust != known.project.trust:
            self._database.rows(TAKE_BACK if trust == "unsaid" else SAY, id=project.id, trust=trust)

    @override
    def trusted_folders(self) -> tuple[str, ...]:
        rows = self._database.rows(
            f"SELECT path FROM hardwon.trusted_folder WHERE {OWN} ORDER BY path", **self._here()
        )
        return tuple(path for (path,) in rows)

    @override
    def _ensure_own(self, project_id: str) -> None:
        for known in self._with_id(project_id):
            if known.owner != self._database.role:
                raise StorageError(
                    f"{known.project.identity.root} belongs to {known.owner}, who alone can"
                    " merge it"
                )

    @override
    def _with_key(self, key: str) -> Project | None:
        own = "AND p.owner = current_user AND p.machine = %(machine)s AND p.key = %(key)s"
        copies = _copies(self._database, own, **self._here(), key=self._on_this_machine(key))
        return next((copy.project for copy in copies), None)

    def _with_id(self, project_id: str) -> list[WorkingCopy]:
        return _copies(self._database, "AND p.id = %(id)s", id=project_id)

    @override
    def _is_taken(self, project_id: str) -> bool:
        return bool(self._with_id(project_id))

    @override
    def _here(self) -> Mapping[str, object]:
        return {"machine": this_machine()}

    @override
    def _place(self, key: str) -> str:
        return _prefix(self._database.role, this_machine()) + self._on_this_machine(key)

    def _on_this_machine(self, path: str) -> str:
        return path.removeprefix(_prefix(self._database.role, this_machine()))

    @override
    def _values(self, project: Project) -> Mapping[str, object]:
        identity = project.identity
        return {
            **{column: getattr(project, column) for column in COLUMNS if column in Project._fields},
            **identity._asdict(),
            "key": self._on_this_machine(identity.key),
            "root": self._on_this_machine(identity.root),
            "conversations": project.chosen,
            "id": project.id,
            **self._here(),
        }


def _copies(database: PostgresDatabase, conditions: str, **parameters: object) -> list[WorkingCopy]:
    machine = this_machine()
    copies = list[WorkingCopy]()
    for *columns, owner, at, opinion in database.rows(f"{SELECT} {conditions}", **parameters):
        project = _project(columns)
        is_here = (owner, at) == (database.role, machine)
        copies.append(
            WorkingCopy(
                project if is_here else _elsewhere(project, _prefix(owner, at), opinion),
                owner,
                is_here,
            )
        )
    return copies


def _project(columns: list[Any]) -> Project:
    project_id, label, key, root, is_repository, device, inode, *others = columns
    identity = Identity(
        key=key, root=root, is_repository=is_repository, device=int(device), inode=int(inode)
    )
    return Project(project_id, label, identity, *others)


def _elsewhere(project: Project, prefix: str, opinion: Trust | None) -> Project:
    """
    Return a project of another machine as this member sees it.

    Its owner's trust does not apply here, but its owner's refusal does.
    """
    identity = project.identity
    if not project.is_waiting:
        identity = Identity(
            key=f"{prefix}{identity.key}",
            root=f"{prefix}{identity.root}",
            is_repository=identity.is_repository,
            device=0,
            inode=NO_INODE,
        )
    return project._replace(
        identity=identity, trust=opinion or ("revoked" if project.trust == "revoked" else "unsaid")
    )


def _prefix(owner: str, machine: str) -> str:
    return f"{owner}@{machine}:"
