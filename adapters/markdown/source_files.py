"""
Find and read markdown files of project, roots and host.

Only files inside them are read.
"""

import hashlib
import os
import re
import stat
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from hardwon.adapters.markdown.document_format import (
    SPECS,
    FrontValue,
    Markdown,
    spec_folder,
)
from hardwon.adapters.markdown.file_text import CONFLICTED, decode_file, has_conflict
from hardwon.adapters.markdown.front_matter import read_markdown
from hardwon.adapters.markdown.instructions import INDEX
from hardwon.adapters.markdown.whole_files import read_real_file, reason
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.own_files import MEMORY, NOT_STORABLE, is_storable, is_within
from hardwon.domain.model.text import with_newlines
from hardwon.ports.documents import ENDING, ENDINGS, Listing, SourceFiles
from hardwon.ports.override import override

if TYPE_CHECKING:
    from hardwon.adapters.markdown.document import MarkdownDocument


def regular_markdown(path: str, folders: Sequence[str]) -> str:
    """
    Return the real path of the markdown file at *path*.

    A path outside is refused before the file is accessed.

    Args:
        path: Absolute.
        folders: Allowed folders, without links.

    Raises:
        UnreadableFileError: it is not absolute, lies outside, does not exist, or is no regular file
            `*.md`.
    """
    try:
        if wrong := _fault(path, real := os.path.realpath(path), folders):
            raise UnreadableFileError(_refusal(path, wrong, folders))
    except (OSError, ValueError) as error:
        raise UnreadableFileError(_refusal(path, reason(error), folders)) from error
    return real


def _fault(path: str, real: str, folders: Sequence[str]) -> str | None:
    if not os.path.isabs(path):
        return "the path is not absolute"
    if not is_within(real, folders):
        return "it lies outside, or leads there"
    mode = os.stat(real).st_mode
    if stat.S_ISDIR(mode):
        return "it is a folder"
    is_file = stat.S_ISREG(mode) and real.lower().endswith(ENDINGS)
    return None if is_file else f"it is no regular file *{ENDING}"


def _refusal(path: str, wrong: str, folders: Sequence[str]) -> str:
    return f"{path!r}: {wrong}; name a markdown file inside {' or '.join(map(repr, folders))}"


BESIDE = f"{MEMORY}-"
LARGEST_FILE = 4 * 1024 * 1024
NOT_IN_NAMES = set("/\\\0")
NANOSECONDS = 10**9


class MarkdownFiles(SourceFiles):
    """
    Markdown files of a project, of other roots, or anywhere.

    Args:
        project_root: Its memory is the folder `memory` in it, `memory-*.md` beside that, and all
            below `specs/*/memory`.
        roots: More folders with memory: all below their `specs/*/memory`, or everything in those
            without `specs`.
        parse: Splits a text into front matter and body.
        is_foreign: Whether the project is foreign: its files are read unless they have several
            names.
    """

    def __init__(
        self,
        project_root: str,
        roots: Sequence[str] = (),
        parse: Callable[[str], Markdown] = read_markdown,
        *,
        is_foreign: bool = False,
    ) -> None:
        self._parse = lru_cache(maxsize=16)(
            parse
        )  # indexed files are read again, most often unchanged
        self._is_foreign = is_foreign
        self._root = os.path.realpath(project_root)
        self._more_roots = tuple(map(os.path.realpath, roots))
        self._roots = (self._root, *self._more_roots)

    @override
    def of_project(self) -> Listing:
        memory = os.path.join(self._root, MEMORY)
        return self._found().listing(os.path.join(memory, ""), f"{memory}-", *self._places())

    def _found(self) -> "_Finder":
        memory = os.path.join(self._root, MEMORY)
        found = _Finder(self._roots)
        found.folder(memory)
        found.beside(self._root)
        for root in self._roots:
            found.spec_folders(os.path.join(root, SPECS))
        for root in self._whole_roots():
            found.folder(root)
        for root in self._missing_roots():
            found.skip(root, f"{root!r} is no folder: mount it, or name another root")
        return found

    @override
    def of_spec_folder(self, name: str) -> Listing:
        if (
            not name.strip()
            or name in {os.curdir, os.pardir}
            or NOT_IN_NAMES & set(name)
            or not is_storable(name)
        ):
            raise UnreadableFileError(
                f"{name!r} is no spec folder: write the name of one, such as '005-memory'"
            )
        prefixes = tuple(os.path.join(place, name, MEMORY, "") for place in self._places())

        def concerns(path: str) -> bool:
            holds_it = any(prefix.startswith(os.path.join(path, "")) for prefix in prefixes)
            return holds_it or path in self._roots or spec_folder(path) == name

        return self._found().listing(*prefixes, only=concerns)

    @override
    def ensure_inside(self, path: str) -> str:
        return regular_markdown(path, self._roots)

    @override
    def at(self, path: str) -> Listing:
        real = os.path.realpath(path)
        found = _Finder([real])
        if not os.path.isdir(real):
            found.file(real)
            return found.listing(real)
        found.folder(real)
        return found.listing(os.path.join(real, ""))

    @override
    def read(self, path: str) -> "MarkdownDocument":
        if not is_storable(path):
            raise UnreadableFileError(f"{path!r}: {NOT_STORABLE}")
        try:
            data, facts = read_real_file(path, LARGEST_FILE, is_foreign=self._is_foreign)
        except (OSError, ValueError) as error:
            raise UnreadableFileError(f"{path!r}: {reason(error)}") from error
        if len(data) > LARGEST_FILE:
            raise UnreadableFileError(
                f"{path!r} is longer than {LARGEST_FILE} bytes (4 MB): split or shorten it"
            )
        try:
            text, note = decode_file(data)
        except ValueError as error:
            raise UnreadableFileError(f"{path!r}: {error}") from error
        if "\0" in text:
            raise UnreadableFileError(f"{path!r} is no text: it holds a NUL byte")
        text = with_newlines(text)
        if has_conflict(text):
            raise UnreadableFileError(f"{path!r}: {CONFLICTED}")
        digest = hashlib.sha256(data).hexdigest()
        return self._document(
            path, facts.st_mtime_ns // NANOSECONDS, digest=digest, text=text, note=note
        )

    @override
    def parse(self, path: str, mtime: int, text: str) -> "MarkdownDocument":
        return self._document(path, mtime, digest="", text=text)

    def _document(
        self, path: str, mtime: int, digest: str, text: str, note: str = ""
    ) -> "MarkdownDocument":
        from hardwon.adapters.markdown.document import MarkdownDocument  # noqa: PLC0415  # 40 ms

        markdown = self._parse(text)
        noted = markdown._replace(complaints=(*filter(None, (note,)), *markdown.complaints))
        return MarkdownDocument(
            path=path, mtime=mtime, file_hash=digest, markdown=noted, project_root=self._root
        )

    @override
    def is_gone(self, path: str) -> bool:
        try:
            os.lstat(path)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return True
        except OSError:
            return False
        return False

    def _whole_roots(self) -> list[str]:
        return [root for root in self._more_roots if not os.path.isdir(os.path.join(root, SPECS))]

    def _missing_roots(self) -> list[str]:
        return [root for root in self._more_roots if not os.path.isdir(root)]

    def _places(self) -> list[str]:
        """
        Return the folders of spec folders, with a slash.

        Missing roots are left out, so that their files do not count as gone.
        """
        whole, missing = self._whole_roots(), self._missing_roots()
        places = [
            root if root in whole else os.path.join(root, SPECS)
            for root in self._roots
            if root not in missing
        ]
        return [os.path.join(place, "") for place in places]


class _Finder:
    """A search for files within *boundaries*, which reports others as skipped."""

    def __init__(self, boundaries: Sequence[str]) -> None:
        self._boundaries = boundaries
        self._files = set[str]()
        self._linked = set[str]()
        self._skipped = list[tuple[str, str]]()

    def listing(self, *prefixes: str, only: Callable[[str], bool] = lambda _: True) -> Listing:
        linked = (path for path in sorted(self._linked) if only(path))
        storable = tuple(filter(is_storable, (*prefixes, *linked)))  # as stored paths are
        skipped = (line for path, line in sorted(self._skipped) if only(path))
        return Listing(tuple(sorted(filter(only, self._files))), storable, tuple(skipped))

    def folder(self, folder: str) -> None:
        if not os.path.isdir(folder) or not self._stays_within(folder):
            return
        if (real := os.path.realpath(folder)) != folder:
            self._linked.add(os.path.join(real, ""))
        for place, folders, names in os.walk(folder, onerror=self._unreadable):
            folders[:] = [name for name in folders if self._is_entered(os.path.join(place, name))]
            for name in names:
                if name.lower().endswith(ENDINGS):
                    self.file(os.path.join(place, name))

    def beside(self, folder: str) -> None:
        """Find `memory-*.md` in *folder*."""
        for name in self._names_in(folder):
            if name.startswith(BESIDE) and name.lower().endswith(ENDINGS):
                self.file(os.path.join(folder, name))

    def spec_folders(self, specs: str) -> None:
        for name in self._names_in(specs) if os.path.isdir(specs) else ():
            if not name.startswith("."):
                self.folder(os.path.join(specs, name, MEMORY))

    def skip(self, path: str, line: str) -> None:
        self._skipped.append((path, line))

    def file(self, path: str) -> None:
        if not os.path.lexists(path) or not self._stays_within(path):
            return
        real = os.path.realpath(path)
        if is_storable(real):
            self._files.add(real)
        else:
            self.skip(real, f"{real!r}: {NOT_STORABLE}")

    def _is_entered(self, folder: str) -> bool:
        is_hidden = os.path.basename(folder).startswith(".")
        return not is_hidden and self._stays_within(folder) and not os.path.islink(folder)

    def _stays_within(self, path: str) -> bool:
        stays = is_within(os.path.realpath(path), self._boundaries)
        if not stays:
            boundaries = ", ".join(map(repr, self._boundaries))
            self.skip(path, f"{path!r}: a link that leads out of {boundaries}, name it to index it")
        return stays

    def _names_in(self, folder: str) -> list[str]:
        try:
            return os.listdir(folder)
        except OSError as error:
            self._unreadable(error)
            return []

    def _unreadable(self, error: OSError) -> None:
        self.skip(error.filename, f"{error.filename!r}: {error.strerror or error}")


KINDS = {"user": "preference", "feedback": "preference"}
"""Kinds of entries by the host's types."""

_NESTED = re.compile(r"\A(\s*---[ \t]*\n(?:(?!---).*\n)*?)metadata:[ \t]*\n((?:[ \t]+\S.*\n)+)")


class HostMemoryFiles(MarkdownFiles):
    """
    Claude Code's own memory of one project: facts and an index.

    A fact is a preference or a document.
    """

    def __init__(self, folder: str) -> None:
        super().__init__(folder, parse=read_fact)

    @override
    def at(self, path: str) -> Listing:
        # without the index of the facts
        listing = super().at(path)
        return listing._replace(
            files=tuple(file for file in listing.files if os.path.basename(file) != INDEX)
        )


def read_fact(text: str) -> Markdown:
    """Parse a fact with a title and one of our kinds."""
    nested = _NESTED.match(text)
    if nested:
        flat = "".join(f"{line.strip()}\n" for line in nested[2].splitlines())
        text = f"{nested[1]}{flat}{text[nested.end() :]}"
    markdown = read_markdown(text)
    front: dict[str, FrontValue] = {
        key: value for key, value in markdown.front_matter.items() if key != "name"
    }
    front["type"] = KINDS.get(str(front.get("type")), "document")
    name = markdown.front_matter.get("name")
    if isinstance(name, str) and name.strip() and "title" not in front:
        front["title"] = name.replace("-", " ").replace("_", " ")
    return markdown._replace(front_matter=front)
