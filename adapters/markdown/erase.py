"""Erase forgotten text from the markdown files that hardwon writes."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hardwon.adapters.durable import remove_unfinished
from hardwon.adapters.markdown.bank_edit import BankView, MarkdownBanks
from hardwon.adapters.markdown.bank_files import MarkdownBankFiles
from hardwon.adapters.markdown.conversation_files import (
    MAX_BYTES,
    MemoryFolder,
    PlannedFiles,
    UsableFile,
)
from hardwon.adapters.markdown.conversation_format import plain_section, section_chunk
from hardwon.adapters.markdown.file_text import decode_file
from hardwon.adapters.markdown.knowledge_bank import entries_of, identity_of
from hardwon.adapters.markdown.memory_file import memory_file, sections_in, without_sections
from hardwon.adapters.markdown.whole_files import read_regular_file
from hardwon.domain.model.erasure import Erasure
from hardwon.domain.model.errors import UneditableFileError
from hardwon.domain.model.excerpt import Span
from hardwon.domain.model.knowledge_bank import ENTRY_HEAD, BankEntry
from hardwon.domain.model.own_files import CONVERSATION_FOLDERS, MEMORY, is_within
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.retro.bank_edit import PLACES, BankPlace
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.erasure import ErasurePlace, KeptElsewhere, Occurrences, OwnedText
from hardwon.ports.override import override


class OwnMemoryFiles(ErasurePlace):
    """
    The files in the folders of `memory` that hardwon writes.

    A section with forgotten text is removed, and so are lines outside of sections. A session, or a
    file whose name holds such text, is removed as a whole.
    """

    def __init__(self, project_roots: Iterable[str]) -> None:
        self._roots = tuple(dict.fromkeys(map(os.path.realpath, project_roots)))

    @override
    def found(self, erasure: Erasure) -> Sequence[Occurrences]:
        return [
            Occurrences(
                os.path.join(folder.path, name),
                max(1, len(_sections_holding(file.text, erasure))),
                "section",
            )
            for folder in self._folders()
            for name, file in _holding(folder, erasure)
        ]

    @override
    def texts(self, erasure: Erasure) -> Iterable[OwnedText]:
        for folder in self._folders():
            for _, file in _holding(folder, erasure):
                yield from _texts(file.text, erasure)

    @override
    def erase(self, erasure: Erasure) -> None:
        for folder in self._folders():

            def planned(folder: MemoryFolder = folder) -> PlannedFiles:
                return {
                    name: (_without(name, file.text, erasure), file)
                    for name, file in _holding(folder, erasure)
                }

            folder.change(planned)
            _remove_unfinished(folder.path, erasure)

    @override
    def secrets(self) -> Sequence[Occurrences]:
        return [
            Occurrences(os.path.join(folder.path, name), 1, "file")
            for folder in self._folders()
            for name, file in folder.usable(folder.names(), [""])
            if redact(file.text) != file.text
        ]

    @override
    def redact(self) -> None:
        for folder in self._folders():

            def planned(folder: MemoryFolder = folder) -> PlannedFiles:
                return {
                    name: (redact(file.text), file)
                    for name, file in folder.usable(folder.names(), [""])
                }

            folder.change(planned)

    def paths(self) -> list[str]:
        """Return the paths of all files, usable or not."""
        return [
            os.path.join(folder.path, name) for folder in self._folders() for name in folder.names()
        ]

    def _folders(self) -> Iterator[MemoryFolder]:
        for root in self._roots:
            for name in CONVERSATION_FOLDERS:
                path = os.path.realpath(os.path.join(root, MEMORY, name))
                if os.path.isdir(path) and is_within(path, [root]):
                    yield MemoryFolder(path)


def _remove_unfinished(folder: str, erasure: Erasure) -> None:
    try:
        remove_unfinished(folder, erasure.is_in)
    except OSError as error:
        raise UneditableFileError(f"{folder}: {error.strerror or error}") from error


def _holding(folder: MemoryFolder, erasure: Erasure) -> Iterator[tuple[str, UsableFile]]:
    for name, file in folder.usable(folder.names(), [""]):
        if erasure.is_in(name) or erasure.is_in(file.text):
            yield name, file


def _sections_holding(text: str, erasure: Erasure) -> Mapping[str, str]:
    found = sections_in(text).items()
    return {
        anchor: section
        for anchor, section in found
        if anchor in erasure.ids or erasure.is_in(section)
    }


def _texts(text: str, erasure: Erasure) -> Iterator[OwnedText]:
    gone = _sections_holding(text, erasure)
    if not gone:
        yield OwnedText("", text[memory_file(text).body_start :])
    for anchor, section in gone.items():
        yield OwnedText(anchor, plain_section(section))
        chunk = section_chunk(anchor, section)
        yield from (
            OwnedText(anchor, exchange.text) for exchange in (chunk.exchanges if chunk else ())
        )


def _without(name: str, text: str, erasure: Erasure) -> str:
    if erasure.is_in(name) or not sections_in(text):
        return ""
    return erasure.without(without_sections(memory_file(text), _sections_holding(text, erasure)))


class BankLessons(ErasurePlace):
    """The lessons of a project's knowledge bank and of the user's own."""

    def __init__(self, files: MarkdownBankFiles) -> None:
        self._files = files

    @override
    def found(self, erasure: Erasure) -> Sequence[Occurrences]:
        texts = self._files.banks().texts
        counts = {place: len(_lessons(texts[place], place.category, erasure)) for place in PLACES}
        return [
            Occurrences(self._files.path(place), count, "lesson")
            for place, count in counts.items()
            if count
        ]

    @override
    def texts(self, erasure: Erasure) -> Iterable[OwnedText]:
        for place, text in self._files.banks().texts.items():
            for _, entry in _lessons(text, place.category, erasure):
                yield OwnedText(identity_of(entry.text), entry.text)

    @override
    def erase(self, erasure: Erasure) -> None:
        with self._files.held() as banks:
            texts: dict[BankPlace, str] = {
                place: _without_lessons(text, place.category, erasure)
                for place, text in banks.texts.items()
            }
            self._files.write(MarkdownBanks(texts))
            for folder in dict.fromkeys(
                os.path.dirname(self._files.path(place)) for place in PLACES
            ):
                if os.path.isdir(folder):
                    _remove_unfinished(folder, erasure)

    @override
    def secrets(self) -> Sequence[Occurrences]:
        unsafe = (
            place for place, text in self._files.banks().texts.items() if redact(text) != text
        )
        return [Occurrences(self._files.path(place), 1, "file") for place in unsafe]

    @override
    def redact(self) -> None:
        with self._files.held() as banks:
            self._files.write(
                MarkdownBanks({place: redact(text) for place, text in banks.texts.items()})
            )


def _lessons(text: str, category: Category, erasure: Erasure) -> list[tuple[Span, BankEntry]]:
    """Return the lessons with forgotten text, and their spans in *text*."""
    view = BankView(text)
    found = list[tuple[Span, BankEntry]]()
    for chunk in [*view.chunks()][1:]:
        whole = Span(chunk.start - len(ENTRY_HEAD), chunk.end)
        written = view.text[whole.start : whole.end]
        for entry in entries_of(written, category):
            if erasure.is_in(written) or (entry.text and identity_of(entry.text) in erasure.ids):
                found.append((view.raw(whole), entry))
    return found


def _without_lessons(text: str, category: Category, erasure: Erasure) -> str:
    for span, _ in reversed(_lessons(text, category, erasure)):
        text = text[: span.start] + text[span.end :]
    return text


class FilesOfTheUser(KeptElsewhere):
    """Files that hardwon must not change: documents, and unchanged knowledge banks."""

    @override
    def holding(self, erasure: Erasure, files: Iterable[str]) -> Sequence[str]:
        return [
            f"a file of yours: {path}"
            for path in files
            if os.path.isfile(path) and _holds(path, erasure)
        ]


def _holds(path: str, erasure: Erasure) -> bool:
    try:
        return erasure.is_in(decode_file(read_regular_file(path, MAX_BYTES).data).text)
    except (OSError, ValueError):
        return True
