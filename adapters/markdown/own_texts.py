"""
Texts in a project's `memory` that hardwon wrote and users edit.

A text is a section or a whole file.
"""

import os
from typing import NamedTuple

from hardwon.adapters.durable import only_writer
from hardwon.adapters.markdown.file_text import CONFLICTED, has_conflict
from hardwon.adapters.markdown.memory_file import memory_file, sections_in
from hardwon.adapters.markdown.source_files import LARGEST_FILE
from hardwon.adapters.markdown.whole_files import (
    ChangedFileError,
    WholeFile,
    is_read_only,
    read_real_file,
    reason,
    rewrite_file,
)
from hardwon.domain.model.errors import InvalidEntryError, UneditableFileError
from hardwon.domain.model.own_files import MEMORY, is_within
from hardwon.ports.documents import OwnTexts
from hardwon.ports.override import override


class _Part(NamedTuple):
    """A part of a file, and the file as it was read."""

    whole: str
    start: int
    stop: int
    file: WholeFile

    @property
    def text(self) -> str:
        return self.whole[self.start : self.stop]


class MarkdownOwnTexts(OwnTexts):
    """Files below the project's folder `memory`."""

    def __init__(self, project_root: str) -> None:
        self._folder = os.path.join(os.path.realpath(project_root), MEMORY)

    @override
    def read(self, path: str, anchor: str) -> str:
        try:
            return self._part(path, anchor).text
        except (OSError, ValueError) as error:
            raise _uneditable(path, reason(error)) from error

    @override
    def replace(self, path: str, anchor: str, before: str, after: str) -> None:
        try:
            with only_writer(os.path.dirname(path)):
                part = self._part(path, anchor)
                if part.text != before:
                    raise ChangedFileError("it was changed meanwhile: edit it again")
                whole = part.whole[: part.start] + after + part.whole[part.stop :]
                _ensure_same_sections(part, whole, anchor)
                rewrite_file(path, whole, part.file.facts)
        except (OSError, ValueError) as error:
            if isinstance(error, InvalidEntryError):
                raise
            raise _uneditable(path, reason(error)) from error

    def _part(self, path: str, anchor: str) -> _Part:
        if not is_within(path, [self._folder]):
            raise ValueError("hardwon did not write it")
        file = read_real_file(path, LARGEST_FILE)
        whole = file.data.decode()
        if is_read_only(path, file.facts):
            raise ValueError("read-only: allow writing")
        if has_conflict(whole):
            raise ValueError(CONFLICTED)
        if not anchor:
            return _Part(whole=whole, start=0, stop=len(whole), file=file)
        for extent in memory_file(whole).own:
            closing = f"<!-- /ANCHOR:{anchor} -->"
            if extent.anchor_id == anchor and whole.endswith(closing, extent.start, extent.stop):
                start = whole.index("-->", extent.start) + len("-->")
                return _Part(whole, *_inner(whole, start, extent.stop - len(closing)), file)
        raise ValueError(f"it has no section {anchor} with both markers")


def _inner(whole: str, start: int, stop: int) -> tuple[int, int]:
    text = whole[start:stop]
    start += len(text) - len(text.lstrip())
    return start, start + len(text.strip())


def _ensure_same_sections(part: _Part, whole: str, anchor: str) -> None:
    """Check that *whole* has the sections of *part*, and only *anchor*'s text changed."""
    before, after = sections_in(part.whole), sections_in(whole)
    kept = {name: text for name, text in before.items() if name != anchor}
    if anchor and (before.keys() != after.keys() or not kept.items() <= after.items()):
        raise InvalidEntryError(
            "the markers of its sections, <!-- ANCHOR:… -->, would not be read as they are: keep"
            " them"
        )


def _uneditable(path: str, why: str) -> UneditableFileError:
    return UneditableFileError(f"{path!r} can't be edited here: {why}")
