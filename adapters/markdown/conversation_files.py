"""Captured conversations, sessions and plans as markdown files."""

import contextlib
import datetime as dt
import itertools
import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple, TypeAlias

from hardwon.adapters.durable import only_writer
from hardwon.adapters.folder import make_folder
from hardwon.adapters.markdown.document import FileSection, MarkdownDocument, file_sections
from hardwon.adapters.markdown.document_format import FrontValue, Markdown
from hardwon.adapters.markdown.file_text import CONFLICTED, has_conflict, without_conflict
from hardwon.adapters.markdown.front_matter import read_markdown, write_markdown
from hardwon.adapters.markdown.memory_file import (
    first_body,
    front_matter,
    memory_file,
    sections_of_session,
    without_sections,
)
from hardwon.adapters.markdown.placing import (
    PlacedFiles,
    all_placed,
    day_of,
    in_order,
    wanted,
    with_links,
)
from hardwon.adapters.markdown.section_text import escaped
from hardwon.adapters.markdown.source_files import LARGEST_FILE
from hardwon.adapters.markdown.whole_files import (
    ChangedFileError,
    create_file,
    ensure_real,
    is_read_only,
    read_regular_file,
    reason,
    remove_file,
    rewrite_file,
)
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.own_files import KIND_OF_FOLDER, MEMORY, is_within
from hardwon.domain.model.text import with_newlines
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS, Kind
from hardwon.ports.documents import (
    ENDING,
    Captured,
    ConversationFiles,
    SectionOfSession,
    SessionFiles,
)
from hardwon.ports.override import override

MAX_BYTES = 64 * 1024 * 1024  # longer files were not written by hardwon
MAX_TRIES = 5
"""Upper bound of attempts."""

_DATED = re.compile(r"\d{4}-\d\d-\d\d-")
"""Begins every name that hardwon gives. Others are of the user."""


class UsableFile(NamedTuple):
    """A file that may be changed, with its original line ends."""

    text: str
    facts: os.stat_result


PlannedFiles: TypeAlias = Mapping[str, tuple[str, UsableFile | None]]
"""
New texts by name, and the files as read, None for a new one.

An empty text removes the file.
"""

Plan: TypeAlias = Callable[[], PlannedFiles]


class MemoryFolder:
    """
    The markdown files of a folder.

    Links, binary, huge, read-only and conflicted files are left alone.

    Args:
        path: Absolute, links resolved; need not exist.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def names(self, day: str = "") -> list[str]:
        """Return the names of all files of *day*, usable or not, sorted."""
        return sorted(
            name for name in os.listdir(self.path) if name.startswith(day) and name.endswith(ENDING)
        )

    def moved(self, day: str) -> Iterator[str]:
        """Yield files that may be of *day* after the user moved them."""
        for place, folders, names in os.walk(self.path):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                is_of_day = name.startswith(day) and place != self.path
                if name.endswith(ENDING) and (is_of_day or not _DATED.match(name)):
                    yield os.path.relpath(os.path.join(place, name), self.path)

    def usable(
        self, names: Collection[str], holding: Collection[str]
    ) -> Iterator[tuple[str, UsableFile]]:
        """Yield the usable files among *names* that contain any of *holding*."""
        return (
            (name, file)
            for name, file in self.writable(names, holding)
            if not has_conflict(file.text)
        )

    def writable(
        self, names: Collection[str], holding: Collection[str]
    ) -> Iterator[tuple[str, UsableFile]]:
        """Yield the `usable` files, and conflicted ones."""
        wanted = [text.encode() for text in holding]
        for name in names:
            with contextlib.suppress(OSError, ValueError):
                if file := _writable(os.path.join(self.path, name), wanted):
                    yield name, file

    def change(self, planned: Plan) -> None:
        """
        Write the *planned* files under the lock of the folder.

        Args:
            planned: Returns the new texts; called again if another process changed a file
                meanwhile.
        """
        try:
            with only_writer(self.path):
                self._change(planned)
        except OSError as error:
            raise _unwritable(self.path, reason(error)) from error

    def _change(self, planned: Plan) -> None:
        for _ in range(MAX_TRIES - 1):
            with contextlib.suppress(ChangedFileError, FileExistsError):
                return self._write_all(planned())
        return self._write_all(planned())

    def _write_all(self, files: PlannedFiles) -> None:
        for name, (text, was) in sorted(files.items()):
            _write(os.path.join(self.path, name), text, was)


def _unwritable(path: str, why: str) -> UnreadableFileError:
    return UnreadableFileError(f"{path!r} can't be written: {why}")


def _writable(path: str, wanted: Collection[bytes]) -> UsableFile | None:
    if os.path.islink(path):
        return None
    data, facts = read_regular_file(path, MAX_BYTES, follow=False)
    if not any(part in data for part in wanted):  # most files; the other checks take longer
        return None
    ensure_real(path, facts)
    if is_read_only(path, facts) or len(data) > MAX_BYTES:
        return None
    return UsableFile(data.decode(), facts)


def _write(path: str, text: str, was: UsableFile | None) -> None:
    try:
        if was is None:
            create_file(path, text)
        elif not text:
            remove_file(path, was.facts)
        elif text != was.text:
            rewrite_file(path, text, was.facts)
    except (ChangedFileError, FileExistsError):
        raise
    except OSError as error:
        raise _unwritable(path, reason(error)) from error


FOLDER = "sessions"
NAME_FORMAT = "memory-%Y%m%d-%H%M%S"


class MarkdownSessionFiles(SessionFiles):
    """
    Sessions as markdown files in the project's folder `memory/sessions`.

    Args:
        project_root: The project's folder.
        prepare: Called before a file is written; its error is raised and prevents that.
    """

    def __init__(self, project_root: str, prepare: Callable[[], None] = lambda: None) -> None:
        self._root = os.path.realpath(project_root)
        self._folder = os.path.join(self._root, MEMORY, FOLDER)
        self._prepare = prepare

    @override
    def parse(self, text: str, at: dt.datetime) -> MarkdownDocument:
        return MarkdownDocument(
            path="/",
            mtime=int(at.timestamp()),
            file_hash="",
            markdown=_read(text),
            project_root=self._root,
        )

    @override
    def create(self, text: str, session: Entry, at: dt.datetime) -> str:
        markdown = _read(text)
        fields: dict[str, FrontValue] = {
            **markdown.front_matter,
            "description": session.description,
            "tags": session.tags,
            "keywords": session.keywords,
            "date": markdown.front_matter.get("date", at.isoformat(timespec="seconds")),
            **({"permanent": True} if session.permanent else {}),
        }
        return self._created(
            f"{at:{NAME_FORMAT}}", write_markdown(fields, without_conflict(markdown.body))
        )

    def _created(self, stem: str, text: str) -> str:
        if (size := _size(text)) > LARGEST_FILE:
            raise InvalidEntryError(
                f"the session has {size} bytes, at most {LARGEST_FILE} (4 MB) fit: shorten it"
            )
        if not is_within(target := os.path.realpath(self._folder), [self._root]):
            raise UnreadableFileError(
                f"{self._folder!r} can't be written: it leads out, to {target!r}"
            )
        self._prepare()
        try:
            make_folder(target)
            return _in_free_place(target, stem, text)
        except OSError as error:
            raise UnreadableFileError(
                f"{self._folder!r} can't be written: {reason(error)}"
            ) from error


def _in_free_place(folder: str, stem: str, text: str) -> str:
    for number in itertools.count(1):
        path = os.path.join(folder, f"{stem}{f'-{number}' if number > 1 else ''}{ENDING}")
        with contextlib.suppress(FileExistsError):
            create_file(path, text)
            return path
    raise AssertionError("there is always another number")


def _read(text: str) -> Markdown:
    """Split *text*, but keep an unreadable head in the body."""
    markdown = read_markdown(with_newlines(text))
    return Markdown({}, text) if markdown.complaints else markdown


def _size(text: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        raise InvalidEntryError(
            "the session holds half a surrogate pair: it is not valid text"
        ) from error


PLACES = (".planning/phases", "docs/features", "specs", "docs/plans", "plans")
DOCUMENTS = ("plan.md", "PLAN.md", "spec.md", "prd.md", "README.md")
MAX_NAMES = 2_000
"""Upper bound of the names of a folder that are searched for a plan."""

_NUMBER = re.compile(
    r"(?:phase|plan|feature|spec)?[-_ .]*0*(?P<number>[0-9]+(?:\.[0-9]+)?)(?![0-9])(?!\.[0-9])",
    re.IGNORECASE,
)


class ProjectPlanFiles:
    """
    Plans: files and folders named by a phase's number.

    The places are searched once an instance.
    """

    def __init__(self, project_root: str) -> None:
        self._root = project_root

    def of_phase(self, number: str) -> str | None:
        """Return the plan of phase *number* from the first place."""
        numbered = self._numbered.get(_without_zeros(number.strip()), ())
        return next((plan for path in numbered if (plan := self._plan(path))), None)

    @cached_property
    def _numbered(self) -> Mapping[str, Sequence[str]]:
        found = defaultdict[str, list[str]](list)
        for place in PLACES:
            for name in self._names(place):
                if begins := _NUMBER.match(name):
                    found[_without_zeros(begins["number"])].append(f"{place}/{name}")
        return found

    def _plan(self, path: str) -> str | None:
        if not os.path.isdir(f"{self._root}/{path}"):
            return path if path.lower().endswith(".md") else None
        names = self._names(path)
        document = next(
            (
                candidate
                for candidate in (*DOCUMENTS, *names)
                if candidate in names and candidate.lower().endswith(".md")
            ),
            None,
        )
        return f"{path}/{document}" if document else path

    def _names(self, folder: str) -> list[str]:
        try:
            names = sorted(filter(_is_usable, os.listdir(f"{self._root}/{folder}")))[:MAX_NAMES]
        except (OSError, ValueError):
            return []
        return sorted(names, key=lambda name: "plan" not in name.lower())


def _is_usable(name: str) -> bool:
    return name.isprintable() and not name.startswith(".")


def _without_zeros(number: str) -> str:
    return number.lstrip("0") or number[-1:]


FOLDER_OF = {kind: folder for folder, kind in KIND_OF_FOLDER.items() if kind in CONVERSATION_KINDS}


class MarkdownConversationFiles(ConversationFiles):
    """
    Sections of markdown files in the folders of `memory`.

    The folders are `conversations`, `decisions`, `gotchas` and `preferences`.

    Args:
        project_root: The project's folder.
        prepare: Called before a file is written; its error is raised and prevents that.
    """

    def __init__(self, project_root: str, prepare: Callable[[], None] = lambda: None) -> None:
        self._root = os.path.realpath(project_root)
        self._prepare = prepare
        self._plans = ProjectPlanFiles(project_root)

    @override
    def put(self, captured: Sequence[Captured]) -> Mapping[str, str]:
        sections = in_order(
            section for item in captured for section in file_sections(item, self._plans.of_phase)
        )
        paths = dict[str, str]()
        if captured:
            self._prepare()
        for (kind, day), same in groupby(
            sections, key=lambda section: (section.kind, day_of(section))
        ):
            linked = with_links(
                same, {section_id: self._link(path) for section_id, path in paths.items()}
            )
            paths |= self._put(self._made(kind), day, linked)
        return paths

    @override
    def remove(self, section_ids: Sequence[str]) -> tuple[str, ...]:
        removed = (path for _, folder in self._folders() for path in _remove(folder, section_ids))
        return tuple(sorted(removed))

    @override
    def of_session(self, session_id: str) -> Sequence[SectionOfSession]:
        return [
            section
            for kind, folder in self._folders()
            for _, file in folder.usable(folder.names(), [escaped(session_id)])
            for section in sections_of_session(file.text, kind, session_id)
        ]

    def _put(
        self, folder: MemoryFolder, day: str, sections: Sequence[FileSection]
    ) -> dict[str, str]:
        placed = PlacedFiles({}, {})

        def planned() -> PlannedFiles:
            nonlocal placed
            names = folder.names(day)
            before = _present(folder, names, sections, moved=[*folder.moved(day)])
            placed = all_placed(
                sections,
                {name: file.text for name, file in before.items()},
                begin=_begun,
                taken=names,
            )
            return {name: (text, before.get(name)) for name, text in placed.files.items()}

        folder.change(planned)
        return {
            section_id: os.path.join(folder.path, name) for section_id, name in placed.names.items()
        }

    def _link(self, path: str) -> str:
        """Return the path from the folder of conversations, with slashes."""
        return os.path.relpath(path, self._path("conversation")).replace(os.sep, "/")

    def _folders(self) -> Iterator[tuple[Kind, MemoryFolder]]:
        for kind in FOLDER_OF:
            if os.path.isdir(path := self._path(kind)):
                yield kind, MemoryFolder(path)

    def _made(self, kind: Kind) -> MemoryFolder:
        path = self._path(kind)
        try:
            make_folder(path)
        except OSError as error:
            raise _unwritable(path, reason(error)) from error
        return MemoryFolder(path)

    def _path(self, kind: Kind) -> str:
        named = os.path.join(self._root, MEMORY, FOLDER_OF[kind])
        path = os.path.realpath(named)
        if not is_within(path, [self._root]):
            raise _unwritable(named, f"it leads out, to {path!r}")
        return path


def _begun(section: FileSection) -> str:
    return write_markdown(front_matter(section), first_body(section))


def _present(
    folder: MemoryFolder,
    names: Collection[str],
    sections: Sequence[FileSection],
    moved: Collection[str] = (),
) -> dict[str, UsableFile]:
    """
    Return the files that *sections* may go into, and *moved* ones that have one.

    It raises if a conflicted file has one of them, so that no section is in two files.
    """
    section_ids = [section.section_id for section in sections]
    like = wanted(names, sections)
    others = sorted({*names, *moved}.difference(like))
    found = dict((*folder.writable(like, [""]), *folder.writable(others, section_ids)))
    for name in [name for name, file in found.items() if has_conflict(file.text)]:
        text = found.pop(name).text
        if any(section_id in text for section_id in section_ids):
            raise _unwritable(os.path.join(folder.path, name), CONFLICTED)
    return found


def _remove(folder: MemoryFolder, section_ids: Collection[str]) -> list[str]:
    touched = list[str]()

    def planned() -> PlannedFiles:
        files = dict(folder.usable(folder.names(), section_ids))
        after = {
            name: without_sections(memory_file(file.text), section_ids)
            for name, file in files.items()
        }
        changed = {
            name: (text, files[name]) for name, text in after.items() if text != files[name].text
        }
        touched.extend(os.path.join(folder.path, name) for name in changed)
        return changed

    folder.change(planned)
    return sorted(set(touched))
