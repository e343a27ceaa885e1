"""
Write entries as markdown for people, in a folder for each project.

It has a file for each kind. Learnings are written as a knowledge bank in `docs/knowledge-bank`,
which an import reads back.
"""

import datetime as dt
import errno
import os
import re
import shutil
import stat
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count

import attrs

from hardwon.adapters.durable import PRIVATE, is_stale, refuse_irregular, temporary_name
from hardwon.adapters.folder import Folder, make_folder
from hardwon.adapters.markdown.bank_edit import with_lesson
from hardwon.adapters.markdown.front_matter import write_markdown
from hardwon.adapters.markdown.knowledge_bank import entries_of
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.knowledge_bank import TITLES
from hardwon.domain.model.retro.lesson import bank_lesson, observed_in_of
from hardwon.domain.model.vocabulary import KINDS, Category, Kind

PRIVATE_FOLDER = 0o700
NO_PROJECT = "no-project"
LONGEST_NAME = 60
"""In characters. Every file system takes 255 bytes."""
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices."""

FILE_NAMES: Mapping[Kind, str] = {kind: f"{kind}s.md" for kind in KINDS}


@contextmanager
def written_folder(path: str, *, replace: bool) -> Iterator[str]:
    """
    Yield a temporary folder whose files are moved to *path* at the end.

    Args:
        path: The folder, created if missing; links resolved.
        replace: Whether existing files may be replaced; others stay.

    Raises:
        FileExistsError: it holds something and *replace* is false.
        OSError: it can't be written.
    """
    place, name = os.path.split(path)
    with Folder(place) as around:
        _refuse_full(around, name, path, replace=replace)
        _sweep(around, name)
        temporary = os.path.join(place, temporary_name(around, name))
        make_folder(temporary, PRIVATE_FOLDER)
        try:
            yield temporary
            for folder, _, names in os.walk(temporary):
                _move(
                    folder,
                    os.path.normpath(os.path.join(path, os.path.relpath(folder, temporary))),
                    names,
                )
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _sweep(around: Folder, name: str) -> None:
    """Remove the temporary folders that killed exports to *name* left."""
    for left in around.names():
        with suppress(FileNotFoundError):
            if left.startswith(f"{name}.") and is_stale(around, left):
                shutil.rmtree(os.path.join(around.path, left), ignore_errors=True)


def _refuse_full(around: Folder, name: str, path: str, *, replace: bool) -> None:
    if not around.has(name):
        return
    if not stat.S_ISDIR(around.facts(name).st_mode):
        raise NotADirectoryError(errno.ENOTDIR, "it is no folder: name another one", path)
    with Folder(path) as there:
        if not replace and there.names():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)


def _move(folder: str, target: str, names: Iterable[str]) -> None:
    with Folder(folder) as source, Folder(target, PRIVATE_FOLDER) as there:
        for name in names:
            refuse_irregular(there, name)
            source.move_into(name, there)


class ReadableExport:
    """Writes entries one by one below a folder."""

    def __init__(self, folder: str, labels: Mapping[str, str], now: dt.datetime) -> None:
        self._folder = folder
        self._labels = labels
        self._now = now
        self._names = dict[str, str]()
        self._headings = defaultdict[str, set[str]](set)

    def add(self, entry: Entry) -> None:
        """
        Append *entry* to the file of its project and kind.

        A learning that a bank can't hold goes into a file of its kind.

        Raises:
            OSError: it can't be written.
        """
        if entry.category:
            place = self._path(entry, "docs", "knowledge-bank", f"{entry.category}.md")
            if text := _bank_text(entry, entry.category, self._headings[place]):
                self._append(place, f"# {TITLES[entry.category]}\n", text)
                return
        head = {
            "kind": entry.kind,
            "project": self._labels.get(entry.project or "", ""),
            "exported": f"{self._now:%Y-%m-%d}",
        }
        self._append(
            self._path(entry, FILE_NAMES[entry.kind]), write_markdown(head, ""), _section(entry)
        )

    def _path(self, entry: Entry, *names: str) -> str:
        return os.path.join(self._folder, self._name(entry.project or ""), *names)

    def _name(self, project: str) -> str:
        if project not in self._names:
            name = safe_name(self._labels.get(project, project)) if project else NO_PROJECT
            taken = {
                other.casefold() for other in (*self._names.values(), NO_PROJECT if project else "")
            }
            candidates = (name if number == 1 else f"{name}-{number}" for number in count(1))
            self._names[project] = next(name for name in candidates if name.casefold() not in taken)
        return self._names[project]

    @staticmethod
    def _append(path: str, head: str, text: str) -> None:
        place, name = os.path.split(path)
        with Folder(place, PRIVATE_FOLDER) as folder:
            is_new = not folder.has(name)
            handle = folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE)
            with open(handle, "a", encoding="utf-8", newline="\n") as file:
                file.write(head + text if is_new else text)


def safe_name(label: str) -> str:
    """
    Return *label* as the name of a folder on every system.

    It has letters, digits and `_`, with `-` and `.` inside.
    """
    plain = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", label))[:LONGEST_NAME].strip("-.")
    return f"{plain}-" if RESERVED.fullmatch(plain) else plain or "project"


def _bank_text(entry: Entry, category: Category, used: set[str]) -> str:
    """
    Return *entry* in a knowledge bank's form, under a heading not in *used*.

    It is empty if it would not be read back.
    """
    if any(mark in entry.name + entry.description + entry.notes for mark in ("<!--", "-->")):
        return ""  # a comment may end in another entry
    lesson = bank_lesson(entry, observed_in_of(entry.notes), entry.observation_count)
    for number in count(1):
        name = lesson.name if number == 1 else f"{lesson.name} ({number})"
        try:
            text = with_lesson("", attrs.evolve(lesson, name=name))
        except InvalidEntryError:
            return ""
        [read] = entries_of(text, category)
        if read.heading not in used:
            used.add(read.heading)
            return text.removeprefix(f"# {TITLES[category]}\n")
    return ""


def _section(entry: Entry) -> str:
    facts = {
        "Id": entry.entry_id,
        "Tier": entry.tier,
        "Created": f"{entry.created_at:%Y-%m-%d}",
        "Changed": f"{entry.updated_at:%Y-%m-%d}",
        "File": (entry.file_path or "") + (f"#{entry.anchor_id}" if entry.anchor_id else ""),
        "Keywords": ", ".join(entry.keywords),
        "Tags": ", ".join(entry.tags),
        "References": ", ".join(entry.references),
        "Trigger phrases": ", ".join(entry.trigger_phrases),
    }
    lines = "\n".join(f"- {name}: {value}" for name, value in facts.items() if value)
    texts = (f"## {entry.name}", lines, entry.description, entry.reasoning, entry.notes)
    return "".join(f"\n{text}\n" for text in texts if text)


def write_entries(
    folder: str, entries: Iterable[Entry], labels: Mapping[str, str], now: dt.datetime
) -> int:
    """Write *entries* below the empty *folder* and return their number."""
    export, number = ReadableExport(folder, labels, now), 0
    for entry in entries:
        export.add(entry)
        number += 1
    return number
