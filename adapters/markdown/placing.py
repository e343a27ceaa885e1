"""Place captured sections into the memory files of their day and kind."""

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

import attrs

from hardwon.adapters.markdown.document import FileSection
from hardwon.adapters.markdown.memory_file import MemoryFile, as_section, memory_file, with_sections
from hardwon.adapters.markdown.section_text import conversation_of, with_link
from hardwon.domain.model.document import MAX_SECTIONS
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.topic_words import is_like, slug
from hardwon.ports.documents import ENDING

FULL = 1024 * 1024
"""
Characters above which a file gets no more sections.

Above 4 MB it could not be indexed.
"""

DAY_LENGTH = len("2026-03-01-")


class PlacedFiles(NamedTuple):
    """
    Planned files.

    Attributes:
        files: The texts of the files that get sections, by name, in the folder of their kind.
        names: The name of the file of each section, by the section's id.
    """

    files: Mapping[str, str]
    names: Mapping[str, str]


def in_order(sections: Iterable[FileSection]) -> list[FileSection]:
    """Sort *sections* for placement: conversations first, then by kind and time."""
    return sorted(
        sections,
        key=lambda section: (
            section.kind != "conversation",
            section.kind,
            section.at,
            section.section_id,
        ),
    )


def with_links(sections: Iterable[FileSection], names: Mapping[str, str]) -> list[FileSection]:
    """Link *sections* to conversations whose file is known in *names*, by id."""
    return [_with_link(section, names) for section in sections]


def _with_link(section: FileSection, names: Mapping[str, str]) -> FileSection:
    name = names.get(conversation_of(section.text) or "")
    return attrs.evolve(section, text=with_link(section.text, name)) if name else section


def all_placed(
    sections: Iterable[FileSection],
    files: Mapping[str, str],
    begin: Callable[[FileSection], str],
    taken: Collection[str] = (),
) -> PlacedFiles:
    """
    Return the files of a kind and day with *sections* in them.

    A section goes into the file that has it already, else into the file with the most similar
    topic, else into a new one. A file without any captured section is the user's: it is left alone,
    as is one that is full, or hides its sections.

    Args:
        sections: Of one kind and day; of duplicate ids the last wins.
        files: The files that may be changed, by name: at least those that are `wanted`, and those
            that have a section.
        begin: Returns the text of a new file for its first section, before any section.
        taken: Names that no new file may have, besides those of *files*.

    Raises:
        InvalidEntryError: a section is not found in the text of a new file.
    """
    wanted = {section.section_id: section for section in sections}
    hidden = set[tuple[str, str]]()
    while True:
        plan = _Placing(files, begin, taken=frozenset(taken), hidden=hidden)
        for section in wanted.values():
            plan.add(section)
        placed = plan.placed()
        if not (lost := _lost(placed, wanted)):
            return placed
        hidden |= lost
        _refuse(next((section_id for name, section_id in lost if name not in files), None))


def day_of(section: FileSection) -> str:
    """Return the prefix of file names of *section*'s day: `2026-03-01-`."""
    return f"{section.at:%Y-%m-%d}-"


def wanted(names: Iterable[str], sections: Iterable[FileSection]) -> list[str]:
    """Return those of *names* whose files may take one of *sections*."""
    topics = {slug(section.topic) for section in sections}
    return [name for name in names if any(_may_take(_of(name), topic) for topic in topics)]


def _may_take(named: str, topic: str) -> bool:
    return is_like(named, topic) or named.rstrip("0123456789") == f"{topic}-"


def _lost(placed: PlacedFiles, sections: Mapping[str, FileSection]) -> set[tuple[str, str]]:
    found = {
        (name, text[extent.start : extent.stop])
        for name, text in placed.files.items()
        for extent in memory_file(text).own
    }
    places = placed.names.items()
    return {
        (name, section_id)
        for section_id, name in places
        if (name, as_section(sections[section_id])) not in found
    }


def _refuse(section_id: str | None) -> None:
    if section_id is not None:
        raise InvalidEntryError(
            f"the section {section_id!r} can't be found again once it is written"
        )


class _Target(NamedTuple):
    """A file and the sections to add to it."""

    file: MemoryFile
    sections: list[FileSection]

    @property
    def takes_more(self) -> bool:
        size = len(self.file.text) + sum(len(section.text) for section in self.sections)
        held = {*self.file.section_ids, *(section.section_id for section in self.sections)}
        return size < FULL and 0 < len(held) < MAX_SECTIONS

    @property
    def is_permanent(self) -> bool:
        """Whether anything in it is permanent, so that other sections go elsewhere."""
        return self.file.is_permanent or any(section.permanent for section in self.sections)


class _Placing:
    def __init__(
        self,
        files: Mapping[str, str],
        begin: Callable[[FileSection], str],
        taken: Collection[str],
        hidden: Collection[tuple[str, str]],
    ) -> None:
        self._texts = dict(files)
        self._begin = begin
        self._taken = taken
        self._hidden = hidden
        self._files = dict[str, _Target]()

    def add(self, section: FileSection) -> None:
        found = itertools.chain(self._holding(section), self._similar(section))
        name = next(
            (name for name in found if (name, section.section_id) not in self._hidden), None
        )
        if name is None:
            name = next(itertools.filterfalse(self._is_taken, _names(section)))
            self._texts[name] = self._begin(section)
        self._file(name).sections.append(section)

    def placed(self) -> PlacedFiles:
        changed = {name: target for name, target in self._files.items() if target.sections}
        files = {
            name: with_sections(target.file, target.sections) for name, target in changed.items()
        }
        return PlacedFiles(
            files,
            {
                section.section_id: name
                for name, target in changed.items()
                for section in target.sections
            },
        )

    def _file(self, name: str) -> "_Target":
        if name not in self._files:
            self._files[name] = _Target(memory_file(self._texts[name]), [])
        return self._files[name]

    def _holding(self, section: FileSection) -> Iterator[str]:
        having = (name for name in sorted(self._texts) if section.section_id in self._texts[name])
        return (name for name in having if section.section_id in self._file(name).file.section_ids)

    def _similar(self, section: FileSection) -> Iterator[str]:
        topic = slug(section.topic)
        same = itertools.takewhile(self._is_taken, _names(section))
        like = (name for name in sorted(self._texts) if is_like(_of(name), topic))
        usable = [name for name in dict.fromkeys((*same, *like)) if name in self._texts]
        most_similar_first = sorted(usable, key=lambda name: _dissimilarity(_of(name), topic))
        files = ((name, self._file(name)) for name in most_similar_first)
        return (
            name
            for name, file in files
            if file.takes_more and file.is_permanent == section.permanent
        )

    def _is_taken(self, name: str) -> bool:
        return name in self._texts or name in self._taken


def _dissimilarity(named: str, topic: str) -> tuple[bool, int]:
    return (named != topic, -len(_words(named) & _words(topic)))


def _of(name: str) -> str:
    return name[DAY_LENGTH:].removesuffix(ENDING)


def _names(section: FileSection) -> Iterator[str]:
    stem = day_of(section) + slug(section.topic)
    yield f"{stem}{ENDING}"
    yield from (f"{stem}-{number}{ENDING}" for number in itertools.count(2))


def _words(named: str) -> set[str]:
    return set(named.split("-"))
