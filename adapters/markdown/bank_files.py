"""
Knowledge-bank files, changed.

Knowledge-bank files, read. Standard library only.

The record of the last injection, written. Standard library only.
"""

import datetime as dt
import json
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import NamedTuple, TypeAlias

from hardwon.adapters.markdown.source_files import is_within
from hardwon.adapters.markdown.whole_files import (
    FileChange,
    JointWriteError,
    is_read_only,
    only_writer,
    read_regular_file,
    reason,
    replace_file,
    write_together,
)
from hardwon.domain.model.errors import UneditableFileError, UnreadableFileError
from hardwon.domain.model.injection.markdown_block import SourcedEntry, count_source
from hardwon.domain.model.knowledge_bank import BankEntry, BankScope, parse_bank
from hardwon.domain.model.retro.bank_edit import PLACES, BankPlace, BankTexts
from hardwon.domain.model.text import with_newlines
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.knowledge_bank import BankFile

# The hook runs through here and pathlib is slow to import.


Warn: TypeAlias = Callable[[str], None]

FILES: tuple[Category, ...] = ("anti-patterns", "patterns", "heuristics")
"""The files of a bank, in the order they are read."""
LOCAL_FOLDER = "docs/knowledge-bank"
LARGEST_FILE = 16 * 1024 * 1024


class BankText(NamedTuple):
    """The text of one knowledge-bank file, and where it comes from."""

    source: BankScope
    category: Category
    path: str
    text: str


def read_banks(project_root: str, store: str, warn: Warn) -> Iterator[BankText]:
    """
    Yield the files that are there: the project's three, then the store's.

    Args:
        project_root: Its knowledge bank is the folder ``docs/knowledge-bank``.
        store: The folder that holds the files of all projects.
        warn: Gets one line for every file that is there but can't be used whole.
    """
    folders: tuple[tuple[BankScope, str], ...] = (
        ("local", os.path.join(project_root, LOCAL_FOLDER)),
        ("global", store),
    )
    for source, folder in folders:
        for category in FILES:
            path = os.path.join(folder, f"{category}.md")
            text = read_bank(path, warn, within=project_root if source == "local" else "")
            if text is not None:
                yield BankText(source, category, path, text)


def read_bank(path: str, warn: Warn, *, within: str = "") -> str | None:
    """
    Return the text of one file with newlines as line ends and bad bytes replaced.

    Args:
        path: The file.
        warn: Told in one line of a file that is there and can't be used whole.
        within: The folder that no link may lead out of; empty for the user's own files.

    Returns:
        At most the first `LARGEST_FILE` bytes, with a warning when there are
        more; None when there is no such file, or, with a warning, when it is
        not a regular file, can't be read, or lies outside *within*.
    """
    try:
        _refuse_outside(path, within)
        data = read_regular_file(path, LARGEST_FILE).data
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        warn(f"{path!r} is left out: {reason(error)}")
        return None
    if len(data) > LARGEST_FILE:
        warn(f"{path!r} is longer than {LARGEST_FILE} bytes: the rest is left out; split or shorten it")
    text = data[:LARGEST_FILE].decode("utf-8", "replace")
    return with_newlines(text)


def _refuse_outside(path: str, folder: str) -> None:
    """
    Refuse a file that links take out of *folder*; nothing is refused when that is empty.

    Raises:
        ValueError: so it is.
    """
    if not folder or not os.path.lexists(path):
        return
    if not os.path.realpath(path).startswith(os.path.join(os.path.realpath(folder), "")):
        raise ValueError("a link leads out of the project")


READABLE_BY_ALL, PRIVATE = 0o644, 0o600
OPEN_FOLDER, PRIVATE_FOLDER = 0o755, 0o700
LOCK_SECONDS = 5.0
"""How long to wait for another retrospective that writes."""


class MarkdownBankFiles:
    """
    The three files of the project's bank and the three of the store's folder; satisfies `BankFiles`.

    Args:
        project_root: Its bank is the folder `docs/knowledge-bank`; nothing outside of it is written.
        store: The folder that holds the user's own bank.
        lock_seconds: How long to wait for each folder that somebody else holds.

    """

    def __init__(self, project_root: str, store: str, lock_seconds: float = LOCK_SECONDS) -> None:
        self._roots: dict[BankScope, str] = {
            "local": os.path.realpath(project_root),
            "global": os.path.realpath(store),
        }
        self._lock_seconds = lock_seconds
        self._facts = dict[BankPlace, os.stat_result]()
        self._texts = dict[BankPlace, str]()

    def path(self, place: BankPlace) -> str:
        """Return the path of that file."""
        folder = LOCAL_FOLDER if place.scope == "local" else ""
        return os.path.join(self._roots[place.scope], folder, f"{place.category}.md")

    def texts(self) -> BankTexts:
        """Return the text of every file."""
        self._facts.clear()
        self._texts = {place: self._read(place) for place in PLACES}
        return self._texts

    @contextmanager
    def held(self) -> Iterator[BankTexts]:
        """Hold both folders."""
        with ExitStack() as stack:
            for root in dict.fromkeys(filter(os.path.isdir, self._roots.values())):
                try:
                    stack.enter_context(only_writer(root, self._lock_seconds))
                except OSError as error:
                    raise _uneditable(root, reason(error)) from error
            yield self.texts()

    def write(self, texts: BankTexts) -> None:
        """Write what differs."""
        targets = {place: self._target(place) for place in PLACES if texts[place] != self._texts[place]}
        try:
            write_together([self._change(place, path, texts[place]) for place, path in targets.items()])
        except JointWriteError as error:
            raise _uneditable(error.path, str(error)) from error

    def _read(self, place: BankPlace) -> str:
        path = self.path(place)
        try:
            data, self._facts[place] = read_regular_file(path, LARGEST_FILE)
            text = data.decode()
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError as error:
            raise _unusable(path, f"not UTF-8 text at byte {error.start}") from error
        except (OSError, ValueError) as error:
            raise _unusable(path, reason(error)) from error
        if len(data) > LARGEST_FILE:
            raise _unusable(path, f"longer than {LARGEST_FILE} bytes: split or shorten it")
        return text

    def _target(self, place: BankPlace) -> str:
        """Return the file itself, links resolved."""
        named = self.path(place)
        real = os.path.realpath(named)
        if not is_within(real, [self._roots[place.scope]]):
            raise _uneditable(named, f"it leads out, to {real!r}")
        if place in self._facts and is_read_only(real, self._facts[place]):
            raise _uneditable(named, "read-only: allow writing")
        return real

    def _change(self, place: BankPlace, path: str, text: str) -> FileChange:
        facts = self._facts.get(place)
        if facts:
            return FileChange(path, text, stat.S_IMODE(facts.st_mode), self._texts[place], facts)
        is_shared = place.scope == "local"
        try:
            os.makedirs(os.path.dirname(path), mode=OPEN_FOLDER if is_shared else PRIVATE_FOLDER, exist_ok=True)
        except OSError as error:
            raise _uneditable(path, reason(error)) from error
        return FileChange(path, text, READABLE_BY_ALL if is_shared else PRIVATE, "", None)


def _unusable(path: str, why: str) -> UnreadableFileError:
    return UnreadableFileError(f"{path!r} can't be used: {why}")


def _uneditable(path: str, why: str) -> UneditableFileError:
    return UneditableFileError(f"{path!r} can't be written: {why}")


class MarkdownKnowledgeBank:
    """
    The knowledge bank as markdown files: the project's three, then the store's.

    Args:
        project_root: Its bank is the folder `docs/knowledge-bank`.
        store: The folder that holds the user's own bank.
        warn: Told in one line of every file that can't be read.

    """

    def __init__(self, project_root: str, store: str, warn: Callable[[str], None]) -> None:
        self._root = root = os.path.realpath(project_root)
        self._folders = (
            (os.path.join(root, LOCAL_FOLDER), _project_name(root)),
            (os.path.realpath(store), None),
        )
        self._warn = warn

    def files(self) -> Sequence[BankFile]:
        """Return the files that are there."""
        found = (
            _file(os.path.join(folder, f"{category}.md"), category, project)
            for folder, project in self._folders
            for category in FILES
        )
        return [file for file in found if file]

    def read(self, file: BankFile) -> Sequence[BankEntry] | None:
        """Return the entries of *file*."""
        is_local = os.path.dirname(file.path) == self._folders[0][0]
        text = read_bank(file.path, self._warn, within=self._root if is_local else "")
        return None if text is None else parse_bank(text, file.category)


def _project_name(root: str) -> str | None:
    return os.fsencode(os.path.basename(root)).decode("utf-8", "replace").strip() or None


def _file(path: str, category: Category, project: str | None) -> BankFile | None:
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return None
    return BankFile(path, category, project, f"{facts.st_mtime_ns}-{facts.st_size}", facts.st_size)


# The hook runs through here and pathlib is slow to import.


RECORD_NAME = ".last-injection.json"


def record_injection(
    store: str, project_root: str, selected: Sequence[SourcedEntry], now: dt.datetime, warn: Callable[[str], None]
) -> None:
    """
    Write `.last-injection.json` in the store, whole or not at all.

    Args:
        store: Made when missing, for its owner alone.
        project_root: Recorded by its base name.
        selected: What is printed, in the order of choice.
        now: With its zone.
        warn: Gets one line when the store can't be written.
    """
    try:
        record = json.dumps(_record(project_root, selected, now), indent=2)
        os.makedirs(store, mode=0o700, exist_ok=True)
        replace_file(os.path.join(store, RECORD_NAME), record)
    except (OSError, ValueError) as error:
        warn(f"{RECORD_NAME} is not written in {store!r}: {reason(error)}")


def _record(project_root: str, selected: Sequence[SourcedEntry], now: dt.datetime) -> dict[str, object]:
    return {
        "timestamp": now.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "project": os.path.basename(os.path.abspath(project_root)),
        "entries_injected": len(selected),
        "sources": {"local": count_source(selected, "local"), "global": count_source(selected, "global")},
        "entry_names": [sourced.entry.name for sourced in selected],
    }
