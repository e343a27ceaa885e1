"""Files of conversations in memory."""

import posixpath
from collections.abc import Mapping, Sequence
from itertools import groupby

from hardwon.adapters.markdown.document import FileSection, file_sections
from hardwon.adapters.markdown.memory_file import (
    first_body,
    front_matter,
    memory_file,
    sections_of_session,
    without_sections,
)
from hardwon.adapters.markdown.placing import all_placed, day_of, in_order, with_links
from hardwon.domain.model.conversation.session import Chunk
from hardwon.domain.model.vocabulary import Kind
from hardwon.ports.documents import ConversationFiles, SectionOfSession
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
    def put(self, chunks: Sequence[Chunk]) -> Mapping[str, str]:
        sections = in_order(
            section for chunk in chunks for section in file_sections(chunk, lambda _: None)
        )
        paths = dict[str, str]()
        for (kind, day), same in groupby(
            sections, key=lambda section: (section.kind, day_of(section))
        ):
            begins = f"{MEMORY}{FOLDERS[kind]}/"
            files = {
                path.removeprefix(begins): text
                for path, text in self.files.items()
                if path.startswith(begins + day)
            }
            names = {section_id: posixpath.basename(path) for section_id, path in paths.items()}
            placed = all_placed(with_links(same, names), files, _begun)
            self.files |= {begins + name: text for name, text in placed.files.items()}
            paths |= {section_id: begins + name for section_id, name in placed.names.items()}
        return paths

    @override
    def remove(self, section_ids: Sequence[str]) -> tuple[str, ...]:
        after = {
            path: without_sections(memory_file(text), section_ids)
            for path, text in self.files.items()
        }
        changed = tuple(sorted(path for path, text in after.items() if text != self.files[path]))
        self.files = {path: text for path, text in after.items() if text}
        return changed

    @override
    def of_session(self, session_id: str) -> Sequence[SectionOfSession]:
        return [
            section
            for path, text in self.files.items()
            for section in sections_of_session(
                text, KIND_OF[path.removeprefix(MEMORY).split("/")[0]], session_id
            )
        ]


def _begun(section: FileSection) -> str:
    head = "".join(f"{key}: {value}\n" for key, value in front_matter(section).items())
    return f"---\n{head}---\n{first_body(section)}"
