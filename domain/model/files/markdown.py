"""What is read of a markdown file, before anything is made of it."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

FrontValue: TypeAlias = str | bool | tuple[str, ...]

ENDING = ".md"
"""How the name of a markdown file ends, in small letters or capitals."""


class Markdown(NamedTuple):
    """
    A text in two parts.

    Attributes:
        front_matter: The named values at its head.
        body: All below them, its line ends newlines.
        complaints: What could not be read of the head, one line each.

    """

    front_matter: Mapping[str, FrontValue]
    body: str
    complaints: tuple[str, ...] = ()


class MarkdownFile(NamedTuple):
    """
    A markdown file as it was read.

    Attributes:
        path: Absolute, links resolved.
        mtime: When it was changed, in Unix seconds.
        file_hash: sha256 of its bytes.
        markdown: What it says.

    """

    path: str
    mtime: int
    file_hash: str
    markdown: Markdown
