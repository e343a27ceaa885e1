"""One folder of memory files on the disk: what of it can be changed, and changing it."""

import contextlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from hardwon.adapters.markdown.folder_lock import only_writer
from hardwon.adapters.markdown.whole_files import (
    ChangedFileError,
    create_file,
    is_read_only,
    read_regular_file,
    reason,
    remove_file,
    rewrite_file,
)
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.files.markdown import ENDING

LARGEST = 64 * 1024 * 1024  # bytes; what is longer is no file of ours
MOST_TRIES = 5
"""So often a change is made anew because somebody else was faster."""


class UsableFile(NamedTuple):
    """
    A file that may be written to.

    Attributes:
        text: As it is, its line ends and all.
        facts: What the system said of it when it was read.

    """

    text: str
    facts: os.stat_result


PlannedFiles: TypeAlias = Mapping[str, tuple[str, UsableFile | None]]
"""Texts by name, each with the file as it was read, None for a new one; an empty text removes it."""

Plan: TypeAlias = Callable[[], PlannedFiles]


class MemoryFolder:
    """
    The markdown files of one folder; those that can't be used are passed over: links, binary, huge, read-only ones.

    Args:
        path: Absolute, links resolved; need not exist.

    """

    def __init__(self, path: str) -> None:
        self.path = path

    def names(self, day: str = "") -> list[str]:
        """Return the names of all that is called like a file of that *day*, usable or not, in order."""
        return sorted(name for name in os.listdir(self.path) if name.startswith(day) and name.endswith(ENDING))

    def usable(self, names: Collection[str], holding: Collection[str]) -> Iterator[tuple[str, UsableFile]]:
        """Yield of *names* the files that hold any of the texts *holding*; an empty one is in every file."""
        wanted = [text.encode() for text in holding]
        for name in names:
            with contextlib.suppress(OSError, ValueError):
                if file := _usable(os.path.join(self.path, name), wanted):
                    yield name, file

    def change(self, planned: Plan) -> None:
        """
        Bring files to what is *planned*, while no other process of ours does.

        Args:
            planned: Returns what is to be there; asked again when somebody else wrote one of them meanwhile.

        Raises:
            UnreadableFileError: a file or the folder can't be written.

        """
        try:
            with only_writer(self.path):
                self._change(planned)
        except OSError as error:
            raise unwritable(self.path, reason(error)) from error

    def _change(self, planned: Plan) -> None:
        for _ in range(MOST_TRIES - 1):
            with contextlib.suppress(ChangedFileError, FileExistsError):
                return self._write_all(planned())
        return self._write_all(planned())

    def _write_all(self, files: PlannedFiles) -> None:
        for name, (text, was) in sorted(files.items()):
            _write(os.path.join(self.path, name), text, was)


def unwritable(path: str, why: str) -> UnreadableFileError:
    """Return the error that says so."""
    return UnreadableFileError(f"{path!r} can't be written: {why}")


def _usable(path: str, wanted: Collection[bytes]) -> UsableFile | None:
    if os.path.islink(path):
        return None
    data, facts = read_regular_file(path, LARGEST)
    if is_read_only(path, facts) or len(data) > LARGEST or not any(each in data for each in wanted):
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
        raise unwritable(path, reason(error)) from error
