"""A file of the user's of which one marked section is ours."""

import os
from typing import NamedTuple

from hardwon.adapters.markdown.whole_files import is_read_only, read_regular_file, reason, replace_file, rewrite_file
from hardwon.domain.model.errors import InvalidSectionError, UnreadableFileError
from hardwon.domain.model.formats.marked_section import with_section

LARGEST = 16 * 1024 * 1024
READABLE_BY_ALL = 0o644


class _Present(NamedTuple):
    """What there is now; no facts where there is no file yet."""

    text: str = ""
    facts: os.stat_result | None = None


class MarkedFile:
    """
    The file of one path; a symbolic link is followed, so that what it points to changes.

    Args:
        path: Need not exist; its folder must.

    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._target = os.path.realpath(path)

    def put(self, text: str) -> bool:
        """
        Bring *text* into the marked section, whole or not at all; tell whether the file had to change.

        Raises:
            UnreadableFileError: it can't be read as UTF-8 text, or can't be written.
            InvalidSectionError: its markers are not one of each, in order; it was not touched.
        """
        try:
            present = self._read()
            changed = with_section(present.text, text)
            if changed == present.text:
                return False
            self._write(changed, present)
        except InvalidSectionError as error:
            raise InvalidSectionError(f"{self._path}: {error}") from error
        except (OSError, ValueError) as error:
            raise UnreadableFileError(f"{self._path}: {reason(error)}") from error
        return True

    def _read(self) -> _Present:
        try:
            data, facts = read_regular_file(self._target, LARGEST)
        except FileNotFoundError:
            return _Present()
        if len(data) > LARGEST:
            raise ValueError(f"larger than {LARGEST >> 20} MB")
        if b"\0" in data:
            raise ValueError("not a text file")
        try:
            return _Present(data.decode(), facts)
        except UnicodeDecodeError as error:
            raise ValueError(f"not UTF-8 text at byte {error.start}") from error

    def _write(self, text: str, present: _Present) -> None:
        if present.facts is None:
            replace_file(self._target, text, READABLE_BY_ALL)
            return
        if is_read_only(self._target, present.facts):
            raise ValueError("read-only: allow writing, or choose another file")
        rewrite_file(self._target, text, present.facts)
