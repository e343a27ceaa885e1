"""
Keep conversations out of git by lines in `info/exclude`.

Git reads that file and never shares it.
"""

import os
import stat
import time
from collections.abc import Sequence
from contextlib import suppress

from hardwon.adapters.durable import written_file
from hardwon.adapters.folder import make_folder
from hardwon.adapters.git.history import HistoryQuestion
from hardwon.adapters.git.identity import identify, top_of
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.own_files import CONVERSATION_FOLDERS, MEMORY
from hardwon.ports.override import override
from hardwon.ports.repository import GitExclusion

MARK = (
    "# hardwon keeps conversations private; hardwon init --conversations shared takes these"
    " lines out"
)
LARGEST_FILE = 1 << 20
NEW = 0o666
"""The mode of a new file, before the umask."""
SECONDS = 5.0
"""Time limit for git."""

SPECIAL = "\\*?[ "
"""Characters of a path that a pattern quotes."""


class InfoExclude(GitExclusion):
    """The file `info/exclude`, shared by all work trees of a repository."""

    @override
    def exclude(self, project_root: str) -> None:
        if (path := _path(project_root)) is None:
            return
        text = _read(path)
        missing = [line for line in _lines(project_root) if line not in text.splitlines()]
        if missing:
            end = _line_end(text)
            begin = text + (end if text and not text.endswith("\n") else "")
            _write(path, begin + "".join(line + end for line in dict.fromkeys((MARK, *missing))))

    @override
    def include(self, project_root: str) -> None:
        if (path := _path(project_root)) is None or not os.path.lexists(path):
            return
        own, text = {*_lines(project_root)}, _read(path)
        rest = [line for line in text.splitlines(keepends=True) if line.rstrip("\r\n") not in own]
        if not any(line.startswith("/") and f"/{MEMORY}/" in line for line in rest):
            rest = [line for line in rest if line.rstrip("\r\n") != MARK]
        if (after := "".join(rest)) != text:
            _write(path, after)

    @override
    def tracked(self, project_root: str) -> Sequence[str]:
        identity = identify(project_root)
        if not identity.is_repository:
            return ()
        question = HistoryQuestion(identity, Deadline.after(SECONDS, time.monotonic))
        folders = [
            os.path.join(_below(project_root), MEMORY, name) for name in CONVERSATION_FOLDERS
        ]
        with suppress(OSError, ValueError):
            return [
                os.fsdecode(name)
                for name in question.ask(["ls-files", "-z", "--", *folders]).split(b"\0")
                if name
            ]
        return ()


def _path(project_root: str) -> str | None:
    """Return the path of the file, None outside of a repository."""
    identity = identify(project_root)
    if not identity.is_repository:
        return None
    path = os.path.join(os.path.realpath(identity.key), "info", "exclude")
    if os.path.realpath(path) != path:
        raise UnreadableFileError(
            f"{path!r} is a link: conversations can't be kept out of git, so none is written"
        )
    return path


def _lines(project_root: str) -> list[str]:
    below = "".join(
        f"\\{character}" if character in SPECIAL else character
        for character in _below(project_root)
    )
    prefix = f"/{below}/" if below else "/"
    return [f"{prefix}{MEMORY}/{name}/" for name in CONVERSATION_FOLDERS]


def _below(project_root: str) -> str:
    real = os.path.realpath(project_root)
    below = os.path.relpath(real, top_of(real) or real)
    return "" if below == os.curdir else below.replace(os.sep, "/")


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UnreadableFileError(f"{path!r} is not a regular file")
            return file.read(LARGEST_FILE)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise _unusable(path, error) from error


def _write(path: str, text: str) -> None:
    try:
        make_folder(os.path.dirname(path))
        mode = stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else NEW
        with written_file(path, mode, exact=mode != NEW) as file:
            file.write(text.encode(errors="surrogateescape"))
    except OSError as error:
        raise _unusable(path, error) from error


def _unusable(path: str, error: OSError) -> UnreadableFileError:
    return UnreadableFileError(
        f"{path!r}: {error.strerror}; conversations can't be kept out of git, so none is written"
        " (hardwon init --conversations shared lets git see them)"
    )
