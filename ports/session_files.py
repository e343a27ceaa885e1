from collections.abc import Mapping
from typing import Protocol

from hardwon.domain.model.files.markdown import FrontValue, Markdown


class SessionFiles(Protocol):
    """The project's folder of sessions."""

    def parse(self, text: str) -> Markdown:
        """Return what *text* says, as if it were read from a file."""
        ...

    def create(self, stem: str, front_matter: Mapping[str, FrontValue], body: str) -> str:
        """
        Write a new file, whole or not at all; return its path, absolute with links resolved.

        Args:
            stem: Its name without ending; when that is taken, `-2`, `-3` and so on follow it.
            front_matter: What stands at its head.
            body: What stands below.

        Raises:
            InvalidEntryError: it would be longer than a file may be.
            UnreadableFileError: it can't be written.

        """
        ...
