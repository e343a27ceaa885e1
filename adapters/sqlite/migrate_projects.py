"""
The data part of version 7: entries of earlier versions go to the project whose folder holds their file.

Earlier versions knew a project by its folder's name. Paths decide here, names never: a learning of which nothing but a name
is known waits until the user says where it belongs (`hardwon project merge`).
"""

import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hardwon.adapters.git.identity import identify
from hardwon.domain.model.identity import short_hash
from hardwon.domain.model.knowledge_bank import NAME_PREFIXES
from hardwon.domain.model.plain_text import plain_title
from hardwon.domain.model.project import WAITING, Identity

BANK_FOLDER = os.path.join("docs", "knowledge-bank")
MEMORY_FOLDERS = ("specs", "memory")
"""The folders of a project that hold its files, the outermost first."""

HOST_MEMORY = os.path.join(".claude", "projects", "")
"""Part of the path of what Claude Code remembers of a project, whose folder that path does not tell."""


def move_to_projects(connection: sqlite3.Connection) -> None:
    """Give every entry its project, and every learning its reach, within the open transaction."""
    projects = _Projects(connection)
    _move_files(connection, projects)
    _move_learnings(connection, projects)
    _move_checkpoints(connection, projects)


class _Projects:
    """The projects of the store, added when they are first asked for."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._ids = dict[str, str]()
        self._keys = dict[str, str]()

    def of_folder(self, folder: str) -> str:
        """Return the id of the project that *folder* is in; one that is gone stands for itself."""
        if folder not in self._ids:
            identity = identify(folder) if os.path.isdir(folder) else Identity(folder, folder)
            authorship = "unknown" if identity.is_repository else "own"
            self._ids[folder] = self._add(identity, os.path.basename(identity.root) or os.sep, authorship)
        return self._ids[folder]

    def waiting(self, label: str) -> str:
        """Return the id of the project that stands for *label*, whose folder is not known."""
        return self._add(Identity(f"{WAITING}{label}", ""), label, "foreign")

    def _add(self, identity: Identity, label: str, authorship: str) -> str:
        key = _storable(identity.key)
        if key not in self._keys:
            self._keys[key] = short_hash("project", key, "0")
            self._connection.execute(
                "INSERT INTO project (id, key, label, root, is_repository, device, inode, authorship)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(self._keys[key], key, _storable(label), _storable(identity.root), identity.is_repository),
                    *(identity.device, identity.inode, authorship),
                ),
            )
        return self._keys[key]


def _storable(text: str) -> str:
    return os.fsencode(text).decode("utf-8", "backslashreplace")


def _move_files(connection: sqlite3.Connection, projects: _Projects) -> None:
    paths = [
        path for (path,) in connection.execute("SELECT DISTINCT file_path FROM entry_text WHERE file_path NOTNULL")
    ]
    ids = {path: projects.of_folder(folder) for path in paths if (folder := _project_folder(path))}
    roots = dict(connection.execute("SELECT id, root FROM project"))
    connection.execute("UPDATE entry SET workspace = NULL")
    connection.executemany(
        "UPDATE entry SET project = ?, workspace = ?"
        " WHERE seq IN (SELECT entry_seq FROM entry_text WHERE file_path = ?)",
        ((project, os.path.dirname(roots[project]), path) for path, project in ids.items()),
    )
    connection.execute(
        "UPDATE entry_text SET door = iif(source = 'session-capture', 'capture', 'file') WHERE file_path NOTNULL"
    )


def _project_folder(path: str) -> str | None:
    """Return the folder of the project that the file at *path* belongs to; None if the path does not tell."""
    if HOST_MEMORY in path:
        return None
    parts = path.split(os.sep)[:-1]
    for name in MEMORY_FOLDERS:
        if name in parts:
            return os.sep.join(parts[: len(parts) - 1 - parts[::-1].index(name)]) or os.sep
    return os.sep.join(parts) or os.sep


class _Bank(NamedTuple):
    """A file of a knowledge bank: its project, None for the user's own bank."""

    path: str
    project: str | None


def _move_learnings(connection: sqlite3.Connection, projects: _Projects) -> None:
    banks = [_Bank(path, _bank_project(path, projects)) for (path,) in connection.execute("SELECT path FROM sources")]
    holding = defaultdict[str, list[str | None]](list)
    for bank in banks:
        for name in _names(connection, bank.path):
            holding[name].append(bank.project)
    rows = connection.execute(
        "SELECT e.seq, t.name, t.source, e.source_project FROM entry e JOIN entry_text t ON t.entry_seq = e.seq"
        " WHERE e.kind = 'learning'"
    ).fetchall()
    for seq, name, source, label in rows:
        _place(connection, seq, holding[name] if source == "import" and name in holding else (), label, projects)


def _place(
    connection: sqlite3.Connection, seq: int, places: Iterable[str | None], label: str | None, projects: _Projects
) -> None:
    """Give one learning its project: that of a bank that holds it, or the one that waits for its label."""
    found = [*dict.fromkeys(places)]
    if None in found or not (found or label):
        _update(connection, seq, None, "everywhere", "global-bank" if found else None)
    elif not found:
        _update(connection, seq, projects.waiting(label or ""), "shared", None)
    else:
        _update(connection, seq, found[0], "shared", "bank")
    first = None if None in found else next(iter(found), None)
    connection.executemany(
        "INSERT INTO entry_place (entry_seq, project) VALUES (?, ?)",
        ((seq, project) for project in found if project not in {None, first}),
    )


def _update(connection: sqlite3.Connection, seq: int, project: str | None, reach: str, door: str | None) -> None:
    connection.execute("UPDATE entry SET project = ?, reach = ? WHERE seq = ?", (project, reach, seq))
    connection.execute("UPDATE entry_text SET door = ? WHERE entry_seq = ?", (door, seq))


def _bank_project(path: str, projects: _Projects) -> str | None:
    folder = os.path.dirname(path)
    if not folder.endswith(os.path.join(os.sep, BANK_FOLDER)):
        return None
    return projects.of_folder(folder[: -len(BANK_FOLDER) - 1] or os.sep)


def _names(connection: sqlite3.Connection, path: str) -> Iterator[str]:
    """Yield the names that learnings have whose headings stand in the bank file at *path*."""
    for (heading,) in connection.execute("SELECT heading FROM source_heading WHERE path = ?", (path,)):
        prefixes = (prefix for prefix in NAME_PREFIXES.values() if prefix and heading.startswith(prefix))
        yield plain_title(heading.removeprefix(next(prefixes, "")))


def _move_checkpoints(connection: sqlite3.Connection, projects: _Projects) -> None:
    for number, metadata in connection.execute("SELECT id, metadata FROM checkpoints").fetchall():
        contents = json.loads(metadata)
        name, root = contents.get("project"), contents.get("root")
        if not isinstance(name, str):
            continue
        project = projects.of_folder(root) if isinstance(root, str) and root else projects.waiting(name)
        connection.execute(
            "UPDATE checkpoints SET metadata = ? WHERE id = ?",
            (json.dumps({**contents, "project": project, "label": name}, ensure_ascii=False), number),
        )
