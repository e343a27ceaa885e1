"""Record the folders in which hardwon wrote files on this machine."""

import json
import os
import uuid
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from hardwon.adapters.folder import append_record
from hardwon.domain.model.identity import short_hash
from hardwon.domain.model.project import LARGEST_NUMBER

FILE_NAME = "folders.jsonl"

ROOT_DEVICE = 0
"""Stands for the root folder's file system, whose number may change."""


MACHINE = "HARDWON_MACHINE"
"""The environment variable that names this machine."""


def machine_id() -> str:
    """Return a hash that identifies this machine."""
    return short_hash("machine", os.environ.get(MACHINE) or _id_of_system())


@cache
def _id_of_system() -> str:
    with suppress(OSError), open("/etc/machine-id", encoding="ascii", errors="replace") as file:
        if text := file.readline().strip():
            return text
    return str(uuid.getnode())


class WrittenFolder(NamedTuple):
    """
    A folder in which files were written.

    Attributes:
        path: Absolute, without links.
        device: Its file system; None if unknown, or on another machine.
        inode: The number of the folder, or of its `.git`; 0 if unknown, or on another machine.
        is_part: Whether it is a linked work tree or a folder in a work tree, which come and go with
            their repository.
    """

    path: str
    device: int | None = None
    inode: int = 0
    is_part: bool = False


def device_of(facts: os.stat_result) -> int:
    """Return the number of the file system, 0 for the root's."""
    return known_device(facts.st_dev)


def known_device(number: int) -> int:
    """Return a file system's *number* as recorded, 0 for the root's."""
    return ROOT_DEVICE if number & LARGEST_NUMBER == _device_of_root() else number & LARGEST_NUMBER


@cache
def _device_of_root() -> int:
    return os.stat(os.sep).st_dev & LARGEST_NUMBER


def inode_of(facts: os.stat_result) -> int:
    """Return the number of a file or folder, as recorded."""
    return facts.st_ino & LARGEST_NUMBER


class WrittenFolders:
    """
    Lines of JSON in the store's folder, append-only.

    A line is added for each new folder, and for one that is gone for good. Numbers of file systems
    mean nothing on another machine: an export omits them, and a copied record ignores them.

    Args:
        folder: The store's folder; reading does not create it.
    """

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, FILE_NAME)

    def add(self, path: str, *, is_part: bool = False) -> None:
        """
        Record the folder at *path* before a file is written (idempotent).

        Raises:
            StorageError: it can't be recorded.
        """
        path = os.path.realpath(path)
        try:
            facts = os.stat(path)
        except OSError:  # nothing can be written there either
            return
        self._add(
            WrittenFolder(
                path=path, device=device_of(facts), inode=inode_of(facts), is_part=is_part
            )
        )

    def dismiss(self, path: str) -> None:
        """
        Record that the folder at *path* is gone for good.

        Raises:
            StorageError: it can't be recorded.
        """
        append_record(self._path, {"path": path, "is_gone": True})

    def all(self) -> list[WrittenFolder]:
        """
        Return the recorded folders that are not gone for good.

        A path may occur for several folders that were there.
        """
        return [*self._read()[0]]

    def is_from_another_machine(self) -> bool:
        """Return whether a folder was recorded on another machine."""
        return any(_is_of_another(document) for _, document in self._documents())

    def dismissed(self) -> set[str]:
        """Return the paths of the folders that are gone for good."""
        return self._read()[1]

    def copy_to(self, folder: str) -> None:
        """Record the same folders in the store's folder *folder*."""
        other = WrittenFolders(folder)
        for written in self.all():
            other._add(written)

    def _add(self, folder: WrittenFolder) -> None:
        if folder not in self.all():
            append_record(self._path, {**folder._asdict(), "machine": machine_id()})

    def _read(self) -> tuple[dict[WrittenFolder, None], set[str]]:
        found, gone = dict[WrittenFolder, None](), set[str]()
        for path, document in self._documents():
            if document.get("is_gone"):
                found = {folder: None for folder in found if folder.path != path}
                gone.add(path)
            else:
                found[_folder(path, document)] = None
                gone.discard(path)
        return found, gone

    def _documents(self) -> list[tuple[str, Mapping[str, object]]]:
        try:
            with open(self._path, encoding="utf-8", errors="replace") as file:
                documents = [_document(line) for line in file]
        except OSError:
            return []
        return [
            (path, document)
            for document in documents
            if isinstance(path := document.get("path"), str)
        ]


def _document(line: str) -> Mapping[str, object]:
    try:
        document = json.loads(line)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _is_of_another(document: Mapping[str, object]) -> bool:
    return document.get("machine", machine_id()) != machine_id()


def _folder(path: str, document: Mapping[str, object]) -> WrittenFolder:
    if _is_of_another(document):
        return WrittenFolder(path, is_part=bool(document.get("is_part")))
    device, inode = document.get("device"), document.get("inode")
    return WrittenFolder(
        path=path,
        device=device if isinstance(device, int) else None,
        inode=inode if isinstance(inode, int) else 0,
        is_part=bool(document.get("is_part")),
    )
