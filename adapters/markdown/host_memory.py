"""The memory that Claude Code keeps of a project by itself: one fact a file, and an index of them."""

import os
import re

from hardwon.adapters.markdown.document_format import FrontValue, Markdown
from hardwon.adapters.markdown.front_matter import read_markdown
from hardwon.adapters.markdown.instructions import INDEX
from hardwon.adapters.markdown.source_files import MarkdownFiles
from hardwon.ports.documents import Listing
from hardwon.ports.override import override

KINDS = {"user": "preference", "feedback": "preference"}
"""Kinds of entries by its types; others, such as project and reference, are documents."""

_NESTED = re.compile(r"\A(\s*---[ \t]*\n(?:(?!---).*\n)*?)metadata:[ \t]*\n((?:[ \t]+\S.*\n)+)")


class HostMemoryFiles(MarkdownFiles):
    """
    Facts of such a folder, each a preference or a document.

    Args:
        folder: Of one project.

    """

    def __init__(self, folder: str) -> None:
        super().__init__(folder, parse=read_fact)

    @override
    def at(self, path: str) -> Listing:
        # without the index of the facts
        listing = super().at(path)
        return listing._replace(files=tuple(file for file in listing.files if os.path.basename(file) != INDEX))


def read_fact(text: str) -> Markdown:
    """Return a fact in its two parts; its name becomes a title, its type one of our kinds."""
    nested = _NESTED.match(text)
    if nested:
        flat = "".join(f"{line.strip()}\n" for line in nested[2].splitlines())
        text = f"{nested[1]}{flat}{text[nested.end() :]}"
    markdown = read_markdown(text)
    front: dict[str, FrontValue] = {key: value for key, value in markdown.front_matter.items() if key != "name"}
    front["type"] = KINDS.get(str(front.get("type")), "document")
    name = markdown.front_matter.get("name")
    if isinstance(name, str) and name.strip() and "title" not in front:
        front["title"] = name.replace("-", " ").replace("_", " ")
    return markdown._replace(front_matter=front)
