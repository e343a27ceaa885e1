"""Files of agents, by how what is ours stands in them."""

import json
import tomllib
from collections.abc import Callable
from typing import Any

import attrs

from hardwon.adapters.agents.json_text import edited, read_document
from hardwon.domain.model.errors import TakenNameError, UneditableFileError
from hardwon.domain.model.setup.hook_groups import Document
from hardwon.domain.model.setup.marked_lines import with_lines, without_lines

SCHEMA = "$schema"


@attrs.frozen(kw_only=True)
class JsonTarget:
    """
    A JSON file with members of ours.

    Attributes:
        path: Where it is, absolute.
        root: The folder that it may not lead out of.
        put: Brings what is ours into the document.
        cut: Takes it out.

    """

    path: str
    root: str
    put: Callable[[Document], Document]
    cut: Callable[[Document], Document]

    @property
    def snippet(self) -> str:
        """What a user would add by hand."""
        return json.dumps(self.put({}))

    def with_ours(self, text: str | None) -> str:
        """Return *text* with what is ours, the user's own as it was."""
        document = read_document(text or "")
        return edited(text or "", document, self.put(document))

    def without_ours(self, text: str) -> str:
        """Return *text* without what is ours."""
        document = read_document(text)
        return edited(text, document, self.cut(document))

    def ensure_not_taken(self, text: str) -> None:
        """Raise where *put* does."""
        self.put(read_document(text))

    def is_blank(self, text: str) -> bool:
        """Tell whether the document is empty, but for the schema that some agents add by themselves."""
        return read_document(text).keys() <= {SCHEMA}


@attrs.frozen(kw_only=True)
class TomlTarget:
    """
    A TOML file with one table of ours, between two marks.

    Attributes:
        path: Where it is, absolute.
        root: The folder that it may not lead out of.
        keys: The table's name, part by part.
        lines: The table.

    """

    path: str
    root: str
    keys: tuple[str, ...]
    lines: str

    @property
    def snippet(self) -> str:
        """What a user would add by hand."""
        return " / ".join(self.lines.splitlines())

    def with_ours(self, text: str | None) -> str:
        """Return *text* with our table at its end, the user's own as it was."""
        self.ensure_not_taken(text or "")
        after = with_lines(text or "", self.lines)
        _read_toml(after)
        return after

    def without_ours(self, text: str) -> str:
        """Return *text* without our table."""
        return without_lines(text)

    def ensure_not_taken(self, text: str) -> None:
        """Raise where the rest has a table of that name."""
        if _has(_read_toml(without_lines(text)), self.keys):
            raise TakenNameError(f"there is a table [{'.'.join(self.keys)}] of your own")

    def is_blank(self, text: str) -> bool:
        """Tell whether there is nothing but space."""
        return not text.strip()


@attrs.frozen(kw_only=True)
class WholeTarget:
    """
    A file that is all ours.

    Attributes:
        path: Where it is, absolute.
        root: The folder that it may not lead out of.
        text: What it holds.

    """

    path: str
    root: str
    text: str

    @property
    def snippet(self) -> str:
        """What a user would do by hand."""
        return "rename it, and run hardwon init again"

    def with_ours(self, text: str | None) -> str:
        """Return our text, unless there is another."""
        if text is not None:
            self.ensure_not_taken(text)
        return self.text

    def without_ours(self, text: str) -> str | None:
        """Return None for our text, and any other as it is."""
        return None if text == self.text else text

    def ensure_not_taken(self, text: str) -> None:
        """Raise where there is another text."""
        if text != self.text:
            raise TakenNameError("there is a file of your own by that name")

    def is_blank(self, text: str) -> bool:  # noqa: ARG002  # a text that is not ours stays, whatever it says
        """Tell that the file stays."""
        return False


def _read_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UneditableFileError(f"with our table or without it is no TOML: {error}") from error


def _has(document: object, keys: tuple[str, ...]) -> bool:
    for key in keys:
        if not isinstance(document, dict) or key not in document:
            return False
        document = document[key]
    return True
