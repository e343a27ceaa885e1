import os
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from hardwon.adapters.markdown.confinement import is_within
from hardwon.adapters.markdown.front_matter import write_markdown
from hardwon.adapters.markdown.memory_folder import MemoryFolder, PlannedFiles, UsableFile, unwritable
from hardwon.adapters.markdown.whole_files import reason
from hardwon.domain.model.conversation.note import Note
from hardwon.domain.model.files.kinds import FOLDERS, MEMORY
from hardwon.domain.model.sections.memory_edits import without_notes
from hardwon.domain.model.sections.memory_file import first_body, front_matter, memory_file
from hardwon.domain.model.sections.placing import Placed, all_placed, day_of, in_order, wanted, with_links
from hardwon.domain.model.sections.session_sections import SectionOfSession, sections_of_session
from hardwon.domain.model.sections.verbatim import escaped
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS, Kind

FOLDER_OF = {kind: folder for folder, kind in FOLDERS.items() if kind in CONVERSATION_KINDS}


class MarkdownConversationFiles:
    """
    Sections of markdown files in the folders `conversations`, `decisions`, `gotchas` and `preferences` of `memory`.

    Args:
        project_root: The project's folder.

    """

    def __init__(self, project_root: str) -> None:
        self._root = os.path.realpath(project_root)

    def put(self, notes: Sequence[Note]) -> tuple[str, ...]:
        """Write each of *notes* into its file, conversations first: the others name the file of theirs."""
        stands_in = dict[str, str]()  # the path of each note's file
        for (kind, day), same in groupby(in_order(notes), key=lambda note: (note.kind, day_of(note))):
            linked = with_links(same, {note_id: os.path.basename(path) for note_id, path in stands_in.items()})
            stands_in |= self._put(self._made(kind), day, linked)
        return tuple(sorted(set(stands_in.values())))

    def remove(self, note_ids: Sequence[str]) -> tuple[str, ...]:
        """Take the sections of these names out of the files of all four folders."""
        removed = (path for _, folder in self._folders() for path in _remove(folder, note_ids))
        return tuple(sorted(removed))

    def of_session(self, session_id: str) -> Sequence[SectionOfSession]:
        """Return the sections of the session, folder by folder, file by file."""
        return [
            section
            for kind, folder in self._folders()
            for _, file in folder.usable(folder.names(), [escaped(session_id)])
            for section in sections_of_session(file.text, kind, session_id)
        ]

    def _put(self, folder: MemoryFolder, day: str, notes: Sequence[Note]) -> dict[str, str]:
        """Write *notes* of one kind and day; return the path of each one's file."""
        placed = Placed({}, {})

        def planned() -> PlannedFiles:
            nonlocal placed
            names = folder.names(day)
            before = _present(folder, names, notes)
            placed = all_placed(notes, {name: file.text for name, file in before.items()}, _begun, names)
            return {name: (text, before.get(name)) for name, text in placed.files.items()}

        folder.change(planned)
        return {note_id: os.path.join(folder.path, name) for note_id, name in placed.names.items()}

    def _folders(self) -> Iterator[tuple[Kind, MemoryFolder]]:
        """Yield the folders that there are, with their kinds."""
        for kind in FOLDER_OF:
            if os.path.isdir(path := self._path(kind)):
                yield kind, MemoryFolder(path)

    def _made(self, kind: Kind) -> MemoryFolder:
        """Return the folder of that kind; it is made if there is none."""
        path = self._path(kind)
        try:
            os.makedirs(path, exist_ok=True)
        except OSError as error:
            raise unwritable(path, reason(error)) from error
        return MemoryFolder(path)

    def _path(self, kind: Kind) -> str:
        """Return the folder of that kind, links resolved."""
        named = os.path.join(self._root, MEMORY, FOLDER_OF[kind])
        path = os.path.realpath(named)
        if not is_within(path, [self._root]):
            raise unwritable(named, f"it leads out, to {path!r}")
        return path


def _begun(note: Note) -> str:
    return write_markdown(front_matter(note), first_body(note))


def _present(folder: MemoryFolder, names: Collection[str], notes: Sequence[Note]) -> dict[str, UsableFile]:
    """Return the files that *notes* may go into: those named like them, and those that have them."""
    like = wanted(names, notes)
    others = sorted({*names}.difference(like))
    found = (*folder.usable(like, [""]), *folder.usable(others, [note.note_id for note in notes]))
    return dict(found)


def _remove(folder: MemoryFolder, note_ids: Collection[str]) -> list[str]:
    """Take sections out of the files of *folder*; return the paths of those that had any."""
    touched = list[str]()

    def planned() -> PlannedFiles:
        files = dict(folder.usable(folder.names(), note_ids))
        after = {name: without_notes(memory_file(file.text), note_ids) for name, file in files.items()}
        changed = {name: (text, files[name]) for name, text in after.items() if text != files[name].text}
        touched.extend(os.path.join(folder.path, name) for name in changed)
        return changed

    folder.change(planned)
    return sorted(set(touched))
