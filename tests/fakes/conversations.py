"""Files of conversations in memory, and plans."""

import posixpath
from collections.abc import Mapping, Sequence
from itertools import groupby

from hardwon.domain.model.conversation.details import Note
from hardwon.domain.model.formats.memory_file import (
    SectionOfSession,
    first_body,
    front_matter,
    memory_file,
    sections_of_session,
    without_notes,
)
from hardwon.domain.model.formats.placing import all_placed, day_of, in_order, with_links
from hardwon.domain.model.vocabulary import Kind
from hardwon.ports.documents import ConversationFiles, PlanFiles
from hardwon.ports.override import override
from tests.fakes.files import MEMORY

FOLDERS: dict[Kind, str] = {
    "conversation": "conversations",
    "decision": "decisions",
    "gotcha": "gotchas",
    "preference": "preferences",
}
KIND_OF = {folder: kind for kind, folder in FOLDERS.items()}


class InMemoryConversationFiles(ConversationFiles):
    """Files by absolute path; front matter is written plainly."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}

    @override
    def put(self, notes: Sequence[Note]) -> tuple[str, ...]:
        stands_in = dict[str, str]()
        for (kind, day), same in groupby(in_order(notes), key=lambda note: (note.kind, day_of(note))):
            begins = f"{MEMORY}{FOLDERS[kind]}/"
            files = {
                path.removeprefix(begins): text for path, text in self.files.items() if path.startswith(begins + day)
            }
            names = {note_id: posixpath.basename(path) for note_id, path in stands_in.items()}
            placed = all_placed(with_links(same, names), files, _begun)
            self.files |= {begins + name: text for name, text in placed.files.items()}
            stands_in |= {note_id: begins + name for note_id, name in placed.names.items()}
        return tuple(sorted(set(stands_in.values())))

    @override
    def remove(self, note_ids: Sequence[str]) -> tuple[str, ...]:
        after = {path: without_notes(memory_file(text), note_ids) for path, text in self.files.items()}
        changed = tuple(sorted(path for path, text in after.items() if text != self.files[path]))
        self.files = {path: text for path, text in after.items() if text}
        return changed

    @override
    def of_session(self, session_id: str) -> Sequence[SectionOfSession]:
        return [
            section
            for path, text in self.files.items()
            for section in sections_of_session(text, KIND_OF[path.removeprefix(MEMORY).split("/")[0]], session_id)
        ]


def _begun(note: Note) -> str:
    head = "".join(f"{key}: {value}\n" for key, value in front_matter(note).items())
    return f"---\n{head}---\n{first_body(note)}"


class InMemoryPlanFiles(PlanFiles):
    """The plans that were given, by the number of their phase."""

    def __init__(self, plans: Mapping[str, str] | None = None) -> None:
        self._plans = plans or {}

    @override
    def of_phase(self, number: str) -> str | None:
        return self._plans.get(number)
