"""Which file of a day a note goes into."""

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from hardwon.domain.model.conversation.details import Note
from hardwon.domain.model.conversation.topics import is_like, slug
from hardwon.domain.model.document import MOST_SECTIONS
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.formats.conversation_format import conversation_of, with_link
from hardwon.domain.model.formats.document_format import ENDING
from hardwon.domain.model.formats.memory_file import MemoryFile, as_section, memory_file, with_notes

FULL = 1024 * 1024
"""A file of so many characters takes no more notes: from 4 MB on it could not be indexed."""

DAY_LENGTH = len("2026-03-01-")


class Placed(NamedTuple):
    """
    Files as they are to be.

    Attributes:
        files: The texts of those that notes stand in, by name, in the folder of their kind.
        names: The file that each note stands in, by the note's id.

    """

    files: Mapping[str, str]
    names: Mapping[str, str]


def in_order(notes: Iterable[Note]) -> list[Note]:
    """Return *notes* in the order they are placed in: conversations first, then by kind and time; equal ones as given."""
    return sorted(notes, key=lambda note: (note.kind != "conversation", note.kind, note.at, note.note_id))


def with_links(notes: Iterable[Note], names: Mapping[str, str]) -> list[Note]:
    """Return *notes* with links to the conversations whose files are known: their *names* by id."""
    return [_with_link(note, names) for note in notes]


def _with_link(note: Note, names: Mapping[str, str]) -> Note:
    name = names.get(conversation_of(note.text) or "")
    return note._replace(text=with_link(note.text, name)) if name else note


def all_placed(
    notes: Iterable[Note], files: Mapping[str, str], begin: Callable[[Note], str], taken: Collection[str] = ()
) -> Placed:
    """
    Return the files of a kind and day with *notes* in them.

    A note goes into the file that has it already, else into one with a like topic,
    the likest first, else into a new one. A file without any section of ours is the
    user's own: it is left alone, as is one that is full, or hides its sections.

    Args:
        notes: Sections, all of that kind and day; of those of one name the last counts.
        files: What there is that may be changed, by name: at least those that are `wanted`, and those that have a note.
        begin: Returns what a file holds that a note begins, before any section.
        taken: The names that no new file may have, besides those of *files*.

    Raises:
        InvalidEntryError: a note cannot be found again in a file of its own.

    """
    wanted = {note.note_id: note for note in notes}
    hidden = set[tuple[str, str]]()
    while True:
        plan = _Plan(files, begin, frozenset(taken), hidden)
        for note in wanted.values():
            plan.take(note)
        placed = plan.placed()
        if not (lost := _lost(placed, wanted)):
            return placed
        hidden |= lost
        _refuse(next((note_id for name, note_id in lost if name not in files), None))


def day_of(note: Note) -> str:
    """Return how the names of the files of *note*'s day begin: `2026-03-01-`."""
    return f"{note.at:%Y-%m-%d}-"


def wanted(names: Iterable[str], notes: Iterable[Note]) -> list[str]:
    """Return of *names* those of the files that any of *notes* may go into although it is not there yet."""
    topics = {slug(note.topic) for note in notes}
    return [name for name in names if any(_may_take(_of(name), topic) for topic in topics)]


def _may_take(named: str, topic: str) -> bool:
    return is_like(named, topic) or named.rstrip("0123456789") == f"{topic}-"


def _lost(placed: Placed, notes: Mapping[str, Note]) -> set[tuple[str, str]]:
    """Return the notes, with the names of their files, that a reader of these would not find as they are."""
    found = {
        (name, text[each.start : each.stop]) for name, text in placed.files.items() for each in memory_file(text).own
    }
    places = placed.names.items()
    return {(name, note_id) for note_id, name in places if (name, as_section(notes[note_id])) not in found}


def _refuse(note_id: str | None) -> None:
    if note_id is not None:
        raise InvalidEntryError(f"the section {note_id!r} can't be found again once it is written")


class _Growing(NamedTuple):
    """A file, and the notes that go into it."""

    file: MemoryFile
    notes: list[Note]

    @property
    def takes_more(self) -> bool:
        """Whether it is ours, and not full."""
        size = len(self.file.text) + sum(len(note.text) for note in self.notes)
        held = {*self.file.note_ids, *(note.note_id for note in self.notes)}
        return size < FULL and 0 < len(held) < MOST_SECTIONS

    @property
    def is_permanent(self) -> bool:
        """Whether something in it is kept for good: what is not stands elsewhere."""
        return self.file.is_permanent or any(note.permanent for note in self.notes)


class _Plan:
    """Which note goes into which file."""

    def __init__(
        self,
        files: Mapping[str, str],
        begin: Callable[[Note], str],
        taken: Collection[str],
        hidden: Collection[tuple[str, str]],
    ) -> None:
        self._texts = dict(files)
        self._begin = begin
        self._taken = taken
        self._hidden = hidden
        self._files = dict[str, _Growing]()

    def take(self, note: Note) -> None:
        """Choose the file of the next note."""
        found = itertools.chain(self._holding(note), self._alike(note))
        name = next((name for name in found if (name, note.note_id) not in self._hidden), None)
        if name is None:
            name = next(itertools.filterfalse(self._is_taken, _names(note)))
            self._texts[name] = self._begin(note)
        self._file(name).notes.append(note)

    def placed(self) -> Placed:
        """Return the files with what was taken."""
        changed = {name: each for name, each in self._files.items() if each.notes}
        files = {name: with_notes(each.file, each.notes) for name, each in changed.items()}
        return Placed(files, {note.note_id: name for name, each in changed.items() for note in each.notes})

    def _file(self, name: str) -> "_Growing":
        """Return the file of that name; it is parsed when it is needed first."""
        if name not in self._files:
            self._files[name] = _Growing(memory_file(self._texts[name]), [])
        return self._files[name]

    def _holding(self, note: Note) -> Iterator[str]:
        having = (name for name in sorted(self._texts) if note.note_id in self._texts[name])
        return (name for name in having if note.note_id in self._file(name).file.note_ids)

    def _alike(self, note: Note) -> Iterator[str]:
        topic = slug(note.topic)
        same = itertools.takewhile(self._is_taken, _names(note))
        like = (name for name in sorted(self._texts) if is_like(_of(name), topic))
        usable = [name for name in dict.fromkeys((*same, *like)) if name in self._texts]
        likest_first = sorted(usable, key=lambda name: _unlikeness(_of(name), topic))
        files = ((name, self._file(name)) for name in likest_first)
        return (name for name, file in files if file.takes_more and file.is_permanent == note.permanent)

    def _is_taken(self, name: str) -> bool:
        return name in self._texts or name in self._taken


def _unlikeness(named: str, topic: str) -> tuple[bool, int]:
    return (named != topic, -len(_words(named) & _words(topic)))


def _of(name: str) -> str:
    """Return what a file is named after."""
    return name[DAY_LENGTH:].removesuffix(ENDING)


def _names(note: Note) -> Iterator[str]:
    stem = day_of(note) + slug(note.topic)
    yield f"{stem}{ENDING}"
    yield from (f"{stem}-{number}{ENDING}" for number in itertools.count(2))


def _words(named: str) -> set[str]:
    return set(named.split("-"))
