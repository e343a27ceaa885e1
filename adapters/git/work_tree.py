"""The working copy of a project, in a git repository or not."""

import errno
import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from hardwon.adapters.git.identity import git_folder, identify, top_of
from hardwon.domain.model.deadline import Deadline
from hardwon.ports.override import override
from hardwon.ports.repository import PathKind, WorkTree

if TYPE_CHECKING:
    from hardwon.adapters.git.branches import Branches

MAX_WALKED = 20_000
"""The number of files that are listed without git."""

NOT_LISTED = frozenset(("node_modules", "venv", "target", "build", "dist", "__pycache__"))
_OPENED = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
_SPECIAL = "\\*?["


class GitWorkTree(WorkTree):
    """
    The files below a folder, each read and asked for once.

    Args:
        root: The folder of the project.
        deadline: The end of the time for git and for reading.
    """

    def __init__(self, root: str, deadline: Deadline) -> None:
        self._root = os.path.realpath(root)
        self._deadline = deadline
        self._listed = dict[str, Sequence[str]]()
        self._branches = dict[str, "Branches"]()

    @override
    def kind_of(self, path: str) -> PathKind:
        try:
            if (real := self._real(path)) is None:
                return "outside"
            kind = os.stat(real).st_mode
        except (OSError, ValueError):
            return "missing"
        return "folder" if stat.S_ISDIR(kind) else "file" if stat.S_ISREG(kind) else "missing"

    @override
    def content(self, path: str, at_most: int) -> bytes | None:
        self._ensure_time()
        try:
            return _read_regular(self._real(path) or "", at_most)
        except (OSError, ValueError):
            return None

    @override
    def files(self, ending: str) -> Sequence[str]:
        if ending not in self._listed:
            found = self._of_git(ending)
            self._listed[ending] = sorted(self._walked(ending) if found is None else found)
        return self._listed[ending]

    @override
    def is_elsewhere(self, path: str) -> bool:
        folder = os.path.dirname(os.path.join(self._root, path))
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        identity = identify(folder)
        if not identity.is_repository:
            return False
        name = os.path.relpath(os.path.join(self._root, path), identity.root).replace(os.sep, "/")
        if identity.root not in self._branches:
            from hardwon.adapters.git.branches import Branches  # noqa: PLC0415  # rarely needed

            self._branches[identity.root] = Branches(identity, self._deadline)
        return self._branches[identity.root].have(name)

    @override
    def is_settled(self) -> bool:
        from hardwon.adapters.git.default_branch import UNFINISHED  # noqa: PLC0415  # for the worker only

        top = top_of(self._root)
        names = (*UNFINISHED, "BISECT_LOG")
        return top is None or not any(
            os.path.lexists(os.path.join(git_folder(top), name)) for name in names
        )

    def _real(self, path: str) -> str | None:
        """Return the path of a file without links, None outside of the project."""
        forms = (path, unicodedata.normalize("NFD", path), path.lstrip("/"))
        places = [os.path.join(self._root, form) for form in dict.fromkeys(forms)]
        below = (place for place in places if self._is_below(os.path.abspath(place)))
        real = os.path.realpath(next(filter(os.path.lexists, below), places[0]))
        return real if self._is_below(real) else None

    def _is_below(self, path: str) -> bool:
        return path.startswith(os.path.join(self._root, ""))

    def _ensure_time(self) -> None:
        if self._deadline.passed():
            raise TimeoutError(errno.ETIMEDOUT, "no time is left for files")

    def _of_git(self, ending: str) -> list[str] | None:
        """Return the files that git lists below the root, None without git."""
        identity = identify(self._root)
        if not identity.is_repository:
            return None
        from hardwon.adapters.git.history import HistoryQuestion  # noqa: PLC0415  # rarely needed

        escaped = "".join(f"\\{sign}" if sign in _SPECIAL else sign for sign in ending)
        question = HistoryQuestion(identity._replace(root=self._root), self._deadline)
        listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        with suppress(OSError, ValueError):
            output = question.ask([*listing, "--", f":(glob)**/*{escaped}"])
            return [*dict.fromkeys(_decoded(output))]
        return None

    def _walked(self, ending: str) -> Iterator[str]:
        count = 0
        for parent, folders, names in os.walk(self._root):
            self._ensure_time()
            folders[:] = sorted(
                name for name in folders if name not in NOT_LISTED and not name.startswith(".")
            )
            below = os.path.relpath(parent, self._root).replace(os.sep, "/")
            for name in names:
                count += 1
                if name.endswith(ending):
                    yield name if below == "." else f"{below}/{name}"
            if count > MAX_WALKED:
                return


def _read_regular(path: str, at_most: int) -> bytes | None:
    number = os.open(path, _OPENED)
    with open(number, "rb") as file:
        facts = os.fstat(number)
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > at_most:
            return None
        content = file.read(at_most + 1)
    return None if len(content) > at_most else content


def _decoded(output: bytes) -> Iterator[str]:
    """Yield the names in git's answer that are text."""
    for name in output.split(b"\0")[:-1]:
        with suppress(UnicodeDecodeError):
            yield name.decode()
