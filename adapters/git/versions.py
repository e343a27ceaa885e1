"""
Decide whether a file's version in a work tree is the user's.

Git's files tell the default branch; git tells also who wrote the lines that other branches
brought. Standard library only.
"""

import errno
import os
import time
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from hardwon.adapters.git.default_branch import (
    HEADS,
    OF_ORIGIN,
    ORIGIN_HEAD,
    default_branch,
    is_checked_out,
    is_without_commits,
)
from hardwon.adapters.git.history import HistoryQuestion, user_addresses
from hardwon.adapters.git.identity import GIT, common_folder, git_folder, top_of
from hardwon.adapters.git.probe import FILTERS, MAX_OUTPUT_BYTES, without_filters
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.project import Identity
from hardwon.domain.model.repository import OF_OTHERS, OWN, Version
from hardwon.domain.model.vocabulary import TrustMode
from hardwon.ports.override import override
from hardwon.ports.repository import FileVersions

LARGEST_FILE = 1 << 24
LARGEST_POINTER = 1 << 16
MAX_FILTERS = 1000
SECONDS = 5.0
"""Time limit for git, for one file."""

BROUGHT_BY = ("FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD")
"""Files of git that name commits which no reference may reach."""
MAX_NAMED = 50
HASH_LENGTHS = (40, 64)
WATCHED = ("HEAD", "index", "logs/HEAD", "FETCH_HEAD")
"""Files of git that change with what is checked out."""

PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
AS_PATCH = (*PLAIN, "--patch", "--unified=0", "--text", "--submodule=short")
OF_COMMITS = ("--root", "-m", "--no-show-signature", "--no-notes")
"""Each merge is compared with all its parents."""
COMMIT = b"\x01"
"""The beginning of a line that no patch can have."""


class CheckedOutVersions(FileVersions):
    """
    Versions by git's files alone, for hooks.

    Those of a checked-out default branch are the user's.
    """

    @override
    def version_of(self, path: str) -> Version:
        try:
            return OWN if all(_is_own(place.top) for place in _places(path)) else OF_OTHERS
        except (OSError, ValueError):
            return OF_OTHERS


class GitVersions(FileVersions):
    """
    Versions by git, where its files do not suffice.

    Args:
        mode: Whether an author's address says that a commit is the user's; it can be forged.
        seconds: Time limit for each answer of git.
    """

    def __init__(self, mode: TrustMode, seconds: float = SECONDS) -> None:
        self._mode = mode
        self._seconds = seconds
        self._known = dict[str, tuple[tuple[int, ...], _Repository]]()

    @override
    def version_of(self, path: str) -> Version:
        try:
            versions = [self._of(place) for place in _places(path) if not _is_own(place.top)]
        except (OSError, ValueError):
            return OF_OTHERS
        partly = [version for version in versions if not version.is_own]
        # A link or submodule that is not wholly the user's can lead to any text.
        return OWN if not partly else partly[0] if len(versions) == 1 else OF_OTHERS

    def _of(self, place: "_Place") -> Version:
        stamp = tuple(_stamp(place.top))
        if self._known.get(place.top, ((),))[0] != stamp:
            self._known[place.top] = (stamp, _Repository(place.top, self._mode, self._seconds))
        return self._known[place.top][1].version(place.path)


class _Place(NamedTuple):
    """A file, link or submodule of a work tree."""

    top: str
    path: str


def _places(path: str) -> Iterator[_Place]:
    """Yield the places in work trees that decide what is read at *path*."""
    parts, held = os.path.abspath(path).split(os.sep), os.path.realpath(path)
    ends = range(2, len(parts) + 1) if held != os.sep.join(parts) else ()
    for link in filter(os.path.islink, (os.sep.join(parts[:end]) for end in ends)):
        folder = os.path.realpath(os.path.dirname(link))
        if top := top_of(folder):
            yield _Place(top, os.path.join(folder, os.path.basename(link)))
    while top := top_of(os.path.dirname(held)):
        yield _Place(top, held)
        if os.path.isdir(os.path.join(top, GIT)):
            return
        held = top  # a submodule


def _is_own(top: str) -> bool:
    """
    Return whether git's files show that all of the work tree is the user's.

    A work tree without a repository or commits is.
    """
    common = common_folder(top)
    return common is None or is_checked_out(top, common) or is_without_commits(common)


def _stamp(top: str) -> Iterator[int]:
    folder = git_folder(top)
    for name in WATCHED:
        try:
            yield os.stat(os.path.join(folder, name)).st_mtime_ns
        except OSError:
            yield 0


class _Repository:
    """
    A work tree and its repository, as git tells at one time.

    Raises:
        OSError: git can't be asked, or did not answer in time; also of each method.
        ValueError: git would run programs of the repository; also of each method.
    """

    def __init__(self, top: str, mode: TrustMode, seconds: float) -> None:
        self._top = top
        self._common = common_folder(top) or top
        self._mode = mode
        self._seconds = seconds
        self._touched_below = dict[str, frozenset[str]]()
        self._is_silent = False

    def version(self, path: str) -> Version:
        """Return the version of the file, link or submodule at *path*."""
        if self._is_silent:
            return OF_OTHERS
        self._is_silent = True  # until git has answered: it is not waited for again
        version = self._version(path, os.path.relpath(path, self._top).replace(os.sep, "/"))
        self._is_silent = False
        return version

    def _version(self, path: str, name: str) -> Version:
        if name.casefold() not in self._touched(os.path.dirname(name) or name):
            return OWN
        added = _Added.of(self._patches(name), self._addresses)
        if not added.by_others:
            return OWN
        text = _text_of(path)
        accepted = [self._content(f"{default}:{name}") for default in self._defaults]
        if text is not None and text in accepted:
            return OWN
        proven = added.by_user.union(*map(_lines_in, filter(None, accepted)))
        return Version(frozenset(proven | (self._uncommitted(name, text) - added.by_others)))

    def _question(self) -> HistoryQuestion:
        return HistoryQuestion(
            Identity(self._common, self._top, is_repository=True),
            Deadline.after(self._seconds, time.monotonic),
        )

    @cached_property
    def _addresses(self) -> set[str]:
        return user_addresses(self._question()) if self._mode == "own" else set()

    @cached_property
    def _defaults(self) -> list[str]:
        form = ["for-each-ref", "--format=%(refname)%00%(symref)%00", HEADS, ORIGIN_HEAD]
        parts = [
            os.fsdecode(part).strip("\n")
            for part in _whole(self._question().ask(form)).split(b"\0")
        ]
        refs = dict(zip(parts[::2], parts[1::2], strict=False))
        heads = [name.removeprefix(HEADS) for name in refs if name.startswith(HEADS)]
        branch = default_branch(self._common, heads, refs.get(ORIGIN_HEAD, ""))
        return [f"{HEADS}{branch}", f"{OF_ORIGIN}{branch}"] if branch else []

    @cached_property
    def _others(self) -> list[str]:
        """
        Revisions of all commits outside the default branch.

        Those of an unfinished merge and the last fetch are included.
        """
        folder = git_folder(self._top)
        texts = (_text_of(os.path.join(folder, name), LARGEST_POINTER) or "" for name in BROUGHT_BY)
        words = (
            line.split(None, 1)[0] for text in texts for line in text.splitlines() if line.strip()
        )
        named = [word for word in words if len(word) in HASH_LENGTHS and word.isalnum()]
        return [
            "--all",
            "--reflog",
            "--ignore-missing",
            "HEAD",
            *named[:MAX_NAMED],
            "--not",
            *self._defaults,
            "--",
        ]

    def _touched(self, folder: str) -> frozenset[str]:
        """Return the casefolded names that other commits changed below *folder*."""
        if folder not in self._touched_below:
            form = [
                "log",
                *OF_COMMITS,
                *PLAIN,
                "--name-only",
                "-z",
                "--format=",
                *self._others,
                _pathspec(folder),
            ]
            names = os.fsdecode(_whole(self._question().ask(form))).split("\0")
            self._touched_below[folder] = frozenset(name.strip("\n").casefold() for name in names)
        return self._touched_below[folder]

    def _patches(self, name: str) -> bytes:
        form = [
            "log",
            *OF_COMMITS,
            *AS_PATCH,
            "--format=%x01%ae%x01%P",
            *self._others,
            _pathspec(name),
        ]
        return _whole(self._question().ask(form))

    def _content(self, name: str) -> str | None:
        code, output = self._question().try_to(["cat-file", "blob", name])
        return None if code else _as_file(_whole(output))

    def _uncommitted(self, name: str, text: str | None) -> set[str]:
        """Return the lines of a file's whole *text* that the last commit lacks."""
        question, exactly = self._question(), f":(top,literal){name}"
        is_untracked, _ = question.try_to(["ls-files", "--error-unmatch", "--", exactly])
        if is_untracked:
            return _lines_in(text or "")
        code, names = question.try_to(FILTERS, MAX_FILTERS)
        off = without_filters(code, names, MAX_FILTERS)
        form = ["diff", *AS_PATCH, "--ignore-submodules=dirty", "HEAD", "--", exactly]
        return {line for _, line in _added_lines(_whole(question.ask(form, settings=off)))}


class _Added(NamedTuple):
    """Lines of a file added by commits outside the default branch."""

    by_user: set[str]
    by_others: set[str]

    @classmethod
    def of(cls, patches: bytes, addresses: set[str]) -> "_Added":
        """Sort the added lines of *patches* by author."""
        added = cls(set(), set())
        for commit, line in _added_lines(patches):
            _, address, parents = commit.split(COMMIT, 2)
            is_own, is_merge = os.fsdecode(address).lower() in addresses, b" " in parents.strip()
            if not (is_own and is_merge):  # merged lines are judged by their own commits
                (added.by_user if is_own else added.by_others).add(line)
        return added


def _added_lines(patches: bytes) -> Iterator[tuple[bytes, str]]:
    """Yield each added line of *patches*, after the line of its commit."""
    commit, is_content = b"", False
    for line in patches.split(b"\n"):
        if line.startswith(COMMIT):
            commit, is_content = line, False
        elif line.startswith((b"diff --git ", b"@@")):
            is_content = line.startswith(b"@@")
        elif is_content and line.startswith(b"+"):
            yield commit, line[1:].decode("utf-8", "replace").strip()


def _pathspec(name: str) -> str:
    """Return the pathspec of *name* in any case, as some file systems ignore case."""
    escaped = "".join(f"\\{character}" if character in "\\*?[" else character for character in name)
    return f":(top,icase){escaped}"


def _whole(output: bytes) -> bytes:
    if len(output) >= MAX_OUTPUT_BYTES:
        raise OSError(errno.EFBIG, "git's answer is too long")
    return output


def _text_of(path: str, most: int = LARGEST_FILE) -> str | None:
    if os.path.islink(path):
        return os.readlink(path)
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return _as_file(file.read(most))


def _as_file(content: bytes) -> str:
    return content.replace(b"\r\n", b"\n").decode("utf-8", "replace")


def _lines_in(text: str) -> set[str]:
    return {line.strip() for line in text.split("\n")}
