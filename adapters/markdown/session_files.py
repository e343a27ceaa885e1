import itertools
import os
from collections.abc import Mapping

from hardwon.adapters.markdown.confinement import is_within
from hardwon.adapters.markdown.front_matter import read_markdown, write_markdown
from hardwon.adapters.markdown.source_files import LARGEST_FILE
from hardwon.adapters.markdown.whole_files import create_file, reason
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.files.kinds import MEMORY
from hardwon.domain.model.files.markdown import ENDING, FrontValue, Markdown
from hardwon.domain.model.line_ends import with_newlines

FOLDER = "sessions"


class MarkdownSessionFiles:
    """
    Sessions as markdown files in the project's folder `memory/sessions`.

    Args:
        project_root: The project's folder.

    """

    def __init__(self, project_root: str) -> None:
        self._root = os.path.realpath(project_root)
        self._folder = os.path.join(self._root, MEMORY, FOLDER)

    def parse(self, text: str) -> Markdown:
        """Return what *text* says."""
        return read_markdown(with_newlines(text))

    def create(self, stem: str, front_matter: Mapping[str, FrontValue], body: str) -> str:
        """Write a new file."""
        text = write_markdown(front_matter, body)
        if (size := _size(text)) > LARGEST_FILE:
            raise InvalidEntryError(f"the session has {size} bytes, at most {LARGEST_FILE} (4 MB) fit: shorten it")
        if not is_within(target := os.path.realpath(self._folder), [self._root]):
            raise UnreadableFileError(f"{self._folder!r} can't be written: it leads out, to {target!r}")
        try:
            os.makedirs(self._folder, exist_ok=True)
            return self._in_free_place(stem, text)
        except OSError as error:
            raise UnreadableFileError(f"{self._folder!r} can't be written: {reason(error)}") from error

    def _in_free_place(self, stem: str, text: str) -> str:
        for number in itertools.count(1):
            path = os.path.join(self._folder, f"{stem}{f'-{number}' if number > 1 else ''}{ENDING}")
            try:
                create_file(path, text)
            except FileExistsError:
                continue
            return os.path.realpath(path)
        raise AssertionError("there is always another number")


def _size(text: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        raise InvalidEntryError("the session holds half a surrogate pair: it is not valid text") from error
