"""
The data of version 6 for version 7, which knows projects.

Entries, learnings and checkpoints get the project of their path or bank. Only paths and the
store's records decide, never names. An entry with only a project's name waits under a
project that stands for that name. No process is run.
"""

import json
import os
import re
import sqlite3
import stat
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import NamedTuple

from hardwon.adapters.folder import open_without_waiting
from hardwon.adapters.git.identity import identify
from hardwon.domain.model.identity import short_hash
from hardwon.domain.model.knowledge_bank import NAME_PREFIXES
from hardwon.domain.model.plain_text import plain_title
from hardwon.domain.model.project import WAITING, Authorship, Identity, escaped

MEMORY, SPECS = "memory", "specs"
"""Folders of a project that hold its files."""

_OF_AN_AGENT = re.compile(r"(?:-|[A-Za-z]--)[A-Za-z0-9-]*")
"""
The folder name of Claude Code's own memory of a project.

It is made of the project's path.
"""
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9]")


class PlacedProject(NamedTuple):
    """
    A project of the new table.

    Attributes:
        root: Its folder, empty for a waiting project.
        workspace: The folder that holds it, None for a waiting project.
    """

    id: str
    root: str = ""
    workspace: str | None = None


def move_to_projects(connection: sqlite3.Connection) -> None:
    """
    Fill the columns and tables of version 7 within the open transaction.

    Never fails on a path.
    """
    with _texts_of_any_bytes(connection):
        projects = _Projects(connection)
        _move_files(connection, projects)
        _move_learnings(connection, projects)
        _move_checkpoints(connection, projects)
        _move_facts_of_agents(connection, projects)


class _Projects:
    """The registered projects, by key and folder."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._by_key = dict[str, PlacedProject]()
        self._by_folder = dict[str, PlacedProject]()

    def at(self, folder: str) -> PlacedProject:
        """
        Return the project of *folder*, an absolute path.

        A missing folder gets a project of that path.
        """
        if folder not in self._by_folder:
            is_there = os.path.isdir(folder)
            identity = (identify(folder) if is_there else _gone(folder)).as_text()
            authorship: Authorship = "own" if is_there and not identity.is_repository else "unknown"
            self._by_folder[folder] = self._registered(identity, name_of(identity.root), authorship)
        return self._by_folder[folder]

    def waiting(self, label: str) -> PlacedProject:
        """Return the project for *label* until the user says which is meant."""
        text = escaped(label)
        return self._registered(Identity(WAITING + text, ""), text, "foreign")

    def with_agent_folder(self, name: str) -> list[PlacedProject]:
        """Return the projects whose path Claude Code turns into that folder name."""
        places = self._by_key.values()
        return [
            placed
            for placed in places
            if placed.root and _NOT_IN_NAMES.sub("-", placed.root) == name
        ]

    def _registered(self, identity: Identity, label: str, authorship: Authorship) -> PlacedProject:
        if identity.key not in self._by_key:
            # As for projects added later: a folder has the same id in every copy of the store.
            placed = PlacedProject(short_hash("project", identity.key, "0"), identity.root)
            self._connection.execute(
                "INSERT INTO project (id, key, label, root, is_repository, device, inode,"
                " authorship) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(placed.id, identity.key, label, identity.root),
                    *(identity.is_repository, identity.device, identity.inode, authorship),
                ),
            )
            workspace = os.path.dirname(identity.root) if identity.root else None
            self._by_key[identity.key] = placed._replace(workspace=workspace)
        return self._by_key[identity.key]


def project_folder(path: str) -> str:
    """
    Return the folder of the project that the file *path* belongs to.

    It is the innermost that holds `memory`, `specs` or `docs/knowledge-bank`, else the file's
    own. It need not exist.
    """
    parts = path.split(os.sep)[:-1]
    for mark in ((MEMORY,), (SPECS,), BANK):
        width = len(mark)
        for at in range(len(parts) - width, 0, -1):
            if tuple(parts[at : at + width]) == mark:
                in_specs = mark == (MEMORY,) and parts[:at][-2:-1] == [SPECS]
                return os.sep.join(parts[: at - 2 if in_specs else at]) or os.sep
    return os.sep.join(parts) or os.sep


def _move_files(connection: sqlite3.Connection, projects: _Projects) -> None:
    folders = dict[str, PlacedProject | None]()
    moved = list[tuple[str, str | None, int]]()
    lost = list[tuple[int]]()
    for seq, path in connection.execute(
        "SELECT entry_seq, file_path FROM entry_text WHERE file_path IS NOT NULL ORDER BY entry_seq"
    ).fetchall():
        folder = os.path.dirname(path)
        if folder not in folders:
            folders[folder] = _holder(path, projects)
        if placed := folders[folder]:
            moved.append((placed.id, placed.workspace, seq))
        else:
            lost.append((seq,))
    connection.execute(
        "UPDATE entry SET workspace = NULL WHERE kind = 'learning' AND workspace IS NOT NULL"
    )
    connection.executemany("UPDATE entry SET project = ?, workspace = ? WHERE seq = ?", moved)
    connection.executemany("UPDATE entry SET workspace = NULL WHERE seq = ?", lost)
    connection.execute(
        "UPDATE entry_text SET door = iif(source = 'session-capture', 'capture', 'file') WHERE"
        " file_path IS NOT NULL"
    )


def _holder(path: str, projects: _Projects) -> PlacedProject | None:
    folder = project_folder(path)
    if not os.path.isabs(path) or "\0" in path or _agent_folder(path, folder):
        return None
    return projects.at(folder)


def _agent_folder(path: str, folder: str) -> str | None:
    parent, name = os.path.split(folder)
    is_one = os.path.basename(parent) == "projects" and _OF_AN_AGENT.fullmatch(name)
    return name if is_one and path.startswith(os.path.join(folder, MEMORY, "")) else None


def _move_facts_of_agents(connection: sqlite3.Connection, projects: _Projects) -> None:
    """
    Give facts of agents the project of their folder.

    If not exactly one project has that path, they get the project that they name.
    """
    for seq, path, label in connection.execute(
        "SELECT e.seq, t.file_path, e.source_project FROM entry e JOIN entry_text t ON t.entry_seq"
        " = e.seq WHERE e.kind != 'learning' AND e.project IS NULL ORDER BY e.seq"
    ).fetchall():
        name = _agent_folder(path, project_folder(path)) if path else None
        found = projects.with_agent_folder(name) if name else []
        placed = found[0] if len(found) == 1 else projects.waiting(label) if label else None
        if placed:
            changed = (placed.id, placed.workspace, seq)
            connection.execute("UPDATE entry SET project = ?, workspace = ? WHERE seq = ?", changed)


def _move_learnings(connection: sqlite3.Connection, projects: _Projects) -> None:
    """
    Give learnings their project.

    It is that of their bank, else the one that they name, else they apply everywhere.
    """
    ledger = Ledger(connection)
    homes, doors, places = (
        list[tuple[str | None, str, int]](),
        list[tuple[str, int]](),
        list[tuple[int, str]](),
    )
    for row in connection.execute(
        "SELECT e.seq, e.source_project, t.name, t.source FROM entry e JOIN entry_text t ON"
        " t.entry_seq = e.seq WHERE e.kind = 'learning' ORDER BY e.seq"
    ).fetchall():
        learning = Learning(*row)
        banks = ledger.banks_of(learning)
        folders = [bank.folder for bank in banks]
        found = list(
            dict.fromkeys(projects.at(folder).id for folder in folders if folder is not None)
        )
        is_own = not (banks or learning.label) or None in folders[:1]
        home = None if is_own else found[0] if found else projects.waiting(learning.label or "").id
        homes.append((home, "everywhere" if is_own else "shared", learning.seq))
        places.extend((learning.seq, project) for project in found if project != home)
        if banks and learning.source == "import":
            doors.append(("global-bank" if is_own else "bank", learning.seq))
    connection.executemany("UPDATE entry SET project = ?, reach = ? WHERE seq = ?", homes)
    connection.executemany("UPDATE entry_text SET door = ? WHERE entry_seq = ?", doors)
    connection.executemany(
        "INSERT OR IGNORE INTO entry_place (entry_seq, project) VALUES (?, ?)", places
    )


def _move_checkpoints(connection: sqlite3.Connection, projects: _Projects) -> None:
    for number, metadata in connection.execute(
        "SELECT id, metadata FROM checkpoints ORDER BY id"
    ).fetchall():
        known = _fields(metadata)
        name, root = known.get("project"), known.get("root")
        if not isinstance(name, str):
            continue
        is_placed = isinstance(root, str) and os.path.isabs(root)
        placed = projects.at(str(root)) if is_placed else projects.waiting(name)
        changed = json.dumps({**known, "project": placed.id, "label": name})
        connection.execute("UPDATE checkpoints SET metadata = ? WHERE id = ?", (changed, number))


def _fields(metadata: str) -> dict[str, object]:
    try:
        found = json.loads(metadata)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _gone(folder: str) -> Identity:
    try:
        real = os.path.realpath(folder)
    except (OSError, ValueError):  # too many links; a zero byte
        real = folder
    return Identity(real, real)


@contextmanager
def _texts_of_any_bytes(connection: sqlite3.Connection) -> Iterator[None]:
    """Decode invalid UTF-8 to surrogates, where sqlite3 would fail."""
    factory: Callable[[bytes], object] = connection.text_factory
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        connection.text_factory = factory


NAME_WORDS = 8
"""The first words of a lesson are its name if its heading is empty."""
BANK = ("docs", "knowledge-bank")
"""The folders that hold the bank of a project."""
FILES = ("anti-patterns.md", "heuristics.md", "patterns.md")
LARGEST_FILE = 1024 * 1024
"""
Bytes of the largest bank that is read to settle a conflict.

For larger ones the headings alone decide.
"""

_ESCAPED = re.compile(rb"\\x([89a-f][0-9a-f])")


class Learning(NamedTuple):
    """
    A learning of version 6.

    Attributes:
        label: The name of the project it was stored from, None without one.
    """

    seq: int
    label: str | None
    name: str
    source: str


class Bank:
    """
    An imported file of a knowledge bank.

    Args:
        path: As the file system knows it.
        folder: Of the project, None for the user's own bank.

    """

    def __init__(self, path: str, folder: str | None) -> None:
        self.path = path
        self.folder = folder
        self.label = name_of(folder).strip() or None if folder else None
        """The label that the import gave its lessons."""

    def holds(self, lesson: str) -> bool | None:
        """
        Return whether the file now holds the text *lesson*.

        Ignores case and white space. None if the file is gone.
        """
        return None if self._text is None else _normalised(lesson) in self._text

    @cached_property
    def _text(self) -> str | None:
        with (
            suppress(OSError, ValueError),
            open(self.path, "rb", opener=open_without_waiting) as file,
        ):
            facts = os.fstat(file.fileno())
            if stat.S_ISREG(facts.st_mode) and facts.st_size <= LARGEST_FILE:
                return _normalised(file.read(LARGEST_FILE).decode("utf-8", "replace"))
        return None


class Ledger:
    """The imported banks by their recorded headings."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._banks: defaultdict[str, dict[str, Bank]] = defaultdict(dict)
        banks = dict[str, Bank | None]()
        for recorded, heading in connection.execute(
            "SELECT path, heading FROM source_heading ORDER BY path"
        ):
            if recorded not in banks:
                banks[recorded] = bank_at(recorded)
            if bank := banks[recorded]:
                for name in _names(heading):
                    self._banks[name].setdefault(bank.path, bank)

    def banks_of(self, learning: Learning) -> list[Bank]:
        """
        Return the banks that hold *learning*, its own first.

        Empty if that is not certain. A heading alone says little, as any bank may have it. It is
        enough if only one bank has it and the learning was imported from a folder of that name.
        Otherwise the text in the file decides. If no file has it, or it is gone, the name of the
        folder decides from which the learning was imported.
        """
        banks = sorted(
            self._with_name(learning), key=lambda bank: (bank.label != learning.label, bank.path)
        )
        is_imported = learning.source == "import"
        if len(banks) == 1 and is_imported and learning.label in {None, banks[0].label}:
            return banks
        text = self._description(learning) if banks else ""
        holding = [bank for bank in banks if bank.holds(text)]
        gone = [bank for bank in banks if is_imported and bank.holds(text) is None]
        of_the_user = [bank for bank in holding if bank.folder is None]
        likely = [bank for bank in (*gone, *banks) if is_imported and _is_from(learning, bank)]
        first = next(iter((*of_the_user, *holding, *likely)), None)
        return list(dict.fromkeys((first, *holding, *gone))) if first else []

    def _with_name(self, learning: Learning) -> list[Bank]:
        found = dict(self._banks.get(learning.name, {}))
        if unnamed := self._banks.get(""):
            beginning = " ".join(self._description(learning).split()[:NAME_WORDS])
            found.update(unnamed if beginning == learning.name else {})
        return list(found.values())

    def _description(self, learning: Learning) -> str:
        found = self._connection.execute(
            "SELECT description FROM entry_text WHERE entry_seq = ?", (learning.seq,)
        )
        return "".join(text for (text,) in found)


def bank_at(recorded: str) -> Bank | None:
    """
    Return the bank with a *recorded* path of the ledger.

    None for other files, such as an older index.
    """
    if not os.path.isabs(recorded) or os.path.basename(recorded) not in FILES:
        return None
    folder = os.path.dirname(recorded)
    parts = folder.split(os.sep)
    if tuple(parts[-len(BANK) :]) != BANK:
        return Bank(recorded, None)
    path = recorded if os.path.isdir(folder) else _unescaped(recorded)
    return Bank(path, os.sep.join(path.split(os.sep)[: -len(BANK) - 1]) or os.sep)


def name_of(folder: str) -> str:
    """Return the name of a folder as valid text."""
    return os.fsencode(os.path.basename(folder)).decode("utf-8", "replace") or os.sep


def _unescaped(recorded: str) -> str:
    """
    Return the path with its escaped bytes that are not UTF-8 restored.

    Unchanged if there is no such folder.
    """
    path = os.fsdecode(
        _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()), os.fsencode(recorded))
    )
    return path if path != recorded and os.path.isdir(os.path.dirname(path)) else recorded


def _names(heading: str) -> Iterator[str]:
    """
    Yield the possible entry names of a heading.

    They are the current one and that of versions which kept the formatting.
    """
    name = heading
    for prefix in filter(None, NAME_PREFIXES.values()):
        if heading.startswith(prefix):
            name = heading[len(prefix) :]
            break
    yield plain_title(name)
    yield name


def _is_from(learning: Learning, bank: Bank) -> bool:
    return learning.label == bank.label or (learning.label is None and bank.folder is not None)


def _normalised(text: str) -> str:
    return " ".join(text.lower().split())
