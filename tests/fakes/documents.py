"""Files in memory; the name of a file is its path."""

import datetime as dt
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import attrs

from hardwon.adapters.markdown.document import FileSection, MarkdownDocument, file_sections
from hardwon.adapters.markdown.document_format import FrontValue, Markdown, spec_folder
from hardwon.adapters.markdown.memory_file import (
    first_body,
    front_matter,
    memory_file,
    sections_of_session,
    without_sections,
)
from hardwon.adapters.markdown.placing import all_placed, day_of, in_order, with_links
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import changes_between
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.file_entry import PLAIN, Defaults
from hardwon.domain.model.file_state import AbsentFile
from hardwon.domain.model.vocabulary import Kind
from hardwon.domain.use_cases.edit_entries import DeleteEntries
from hardwon.domain.use_cases.index_files import IndexFiles
from hardwon.domain.use_cases.index_one_file import IndexOneFile
from hardwon.ports.documents import (
    Captured,
    ConversationFiles,
    Instructions,
    Listing,
    SectionOfSession,
    SessionFiles,
    SourceFiles,
)
from hardwon.ports.file_state import MAX_ABSENT, Absences, Tombstone, Tombstones
from hardwon.ports.override import override
from tests.fakes.activity import InMemoryHistory, InMemoryUsageLog
from tests.fakes.clock import FixedClock
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.projects import InMemoryVersions, working_in
from tests.fakes.state import State, text_hash
from tests.strategies import NOW


class InMemoryTombstones(Tombstones):
    def __init__(self, state: State) -> None:
        self._state = state

    @override
    def add(self, tombstone: Tombstone, at: dt.datetime) -> None:
        assert at.tzinfo
        self._state.tombstones[tombstone.file_path, tombstone.anchor_id] = tombstone.file_hash

    @override
    def deleted(self, file_path: str, file_hash: str) -> frozenset[str]:
        tombstones = self._state.tombstones.items()
        return frozenset(
            anchor
            for (path, anchor), digest in tombstones
            if (path, digest) == (file_path, file_hash)
        )

    @override
    def forget(self, file_path: str) -> None:
        tombstones = self._state.tombstones
        self._state.tombstones = {
            section: digest for section, digest in tombstones.items() if section[0] != file_path
        }


class InMemoryAbsences(Absences):
    def __init__(self, state: State, most: int = MAX_ABSENT) -> None:
        self._state = state
        self._most = most

    @override
    def keep(self, absent: AbsentFile, at: dt.datetime) -> None:
        others = sorted(
            (path, departure)
            for path, departure in self._state.absent.items()
            if path != absent.file_path
        )
        others.sort(key=lambda other: other[1][1], reverse=True)
        self._state.absent = {**dict(others[: self._most - 1]), absent.file_path: (absent, at)}

    @override
    def absent_file(self, file_path: str, file_hash: str) -> AbsentFile | None:
        if file_path in self._state.absent:
            return self._state.absent[file_path][0]
        alike = [
            (at, absent)
            for _, (absent, at) in sorted(self._state.absent.items())
            if "" in absent.standings and absent.standings[""].file_hash == file_hash
        ]
        return max(alike, key=lambda departure: departure[0])[1] if alike else None

    @override
    def forget(self, file_path: str) -> None:
        self._state.absent = {
            path: departure for path, departure in self._state.absent.items() if path != file_path
        }


ROOT = "/projects/app"
MEMORY = f"{ROOT}/memory/"
SPECS = f"{ROOT}/specs/"
WRITTEN_AT = 1_770_000_000


class InMemoryFiles(SourceFiles):
    """Files to be read; front matter is not parsed but given."""

    def __init__(self) -> None:
        self.files: dict[str, MarkdownDocument] = {}
        self.unreadable: set[str] = set()
        self.reads: list[str] = []

    def put(self, path: str, body: str, mtime: int = WRITTEN_AT, **front_matter: FrontValue) -> str:
        """Write a file of the project's memory, unless *path* is absolute; return its path."""
        return self.write(
            path if path.startswith("/") else MEMORY + path, body, mtime, front_matter
        )

    def write(
        self, path: str, body: str, mtime: int, front_matter: Mapping[str, FrontValue]
    ) -> str:
        """Write a file at that path."""
        digest = text_hash(ascii((sorted(front_matter.items()), body)))
        self.files[path] = MarkdownDocument(path, mtime, digest, Markdown(front_matter, body), ROOT)
        return path

    @override
    def of_project(self) -> Listing:
        found = self._listing(MEMORY, f"{ROOT}/memory-", SPECS)
        return found._replace(files=tuple(filter(_is_memory, found.files)))

    @override
    def of_spec_folder(self, name: str) -> Listing:
        if not name or "/" in name:
            raise UnreadableFileError(f"{name!r} is no spec folder")
        own = tuple(path for path in self.of_project().files if spec_folder(path) == name)
        return Listing(own, (f"{SPECS}{name}/memory/",))

    @override
    def ensure_inside(self, path: str) -> str:
        if path not in self.files or not path.startswith(f"{ROOT}/") or not path.endswith(".md"):
            raise UnreadableFileError(f"{path!r}: name a markdown file inside {ROOT!r}")
        return path

    @override
    def at(self, path: str) -> Listing:
        return self._listing(path)

    @override
    def read(self, path: str) -> MarkdownDocument:
        self.reads.append(path)
        if path in self.unreadable or path not in self.files:
            raise UnreadableFileError(f"{path!r}: it can't be read")
        return self.files[path]

    @override
    def is_gone(self, path: str) -> bool:
        return not any(file.startswith(path) for file in self.files)

    @override
    def parse(self, path: str, mtime: int, text: str) -> MarkdownDocument:
        return MarkdownDocument(path, mtime, "", Markdown({}, text), ROOT)

    def _listing(self, *prefixes: str) -> Listing:
        return Listing(
            tuple(sorted(path for path in self.files if path.startswith(prefixes))), prefixes
        )


class InMemorySessionFiles(SessionFiles):
    """The folder that sessions are written to; texts have no front matter."""

    def __init__(self, files: InMemoryFiles) -> None:
        self._files = files

    @override
    def parse(self, text: str, at: dt.datetime) -> MarkdownDocument:
        return self._files.parse("/", int(at.timestamp()), text)

    @override
    def create(self, text: str, session: Entry, at: dt.datetime) -> str:
        fields: dict[str, FrontValue] = {
            "description": session.description,
            "tags": session.tags,
            "keywords": session.keywords,
            "date": at.isoformat(timespec="seconds"),
        }
        permanent: dict[str, FrontValue] = {"permanent": True} if session.permanent else {}
        path = f"{MEMORY}sessions/{at:memory-%Y%m%d-%H%M%S}.md"
        return self._files.write(path, text, WRITTEN_AT, fields | permanent)


def _is_memory(path: str) -> bool:
    return not path.startswith(SPECS) or path.removeprefix(SPECS).split("/")[1:2] == ["memory"]


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
    def put(self, captured: Sequence[Captured]) -> Mapping[str, str]:
        sections = in_order(
            section for item in captured for section in file_sections(item, lambda _: None)
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


class InMemoryInstructions(Instructions):
    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self._files = files or {}
        self.asked = 0

    @override
    def texts(self) -> Iterator[tuple[str, str]]:
        self.asked += 1
        yield from self._files.items()


def index_files(
    files: InMemoryFiles,
    repository: InMemoryEntryRepository,
    defaults: Defaults = PLAIN,
    *,
    versions: InMemoryVersions | None = None,
) -> IndexFiles:
    """Return the indexing of *files* into *repository*, with all it needs."""
    tombstones, history = InMemoryTombstones(repository.state), InMemoryHistory(repository.state)
    absences = InMemoryAbsences(repository.state)
    return IndexFiles(
        sources=files,
        repository=repository,
        project_root=ROOT,
        index_one_file=IndexOneFile(
            repository=repository,
            versions=versions or InMemoryVersions(),
            tombstones=tombstones,
            absences=absences,
            usage=InMemoryUsageLog(repository.state),
            history=history,
            workplace=working_in("app", "work", "main"),
            defaults=defaults,
            clock=FixedClock(),
        ),
        forget=DeleteEntries(
            repository=repository,
            tombstones=tombstones,
            absences=absences,
            history=history,
            clock=FixedClock(),
        ),
    )


def change(repository: InMemoryEntryRepository, entry: Entry, **fields: Any) -> None:
    """Change *entry* as its user does, but for the time of the change."""
    changed = attrs.evolve(entry, **fields)
    repository.put(changed)
    InMemoryHistory(repository.state).record(
        entry.number or 0, changes_between(entry, changed), NOW
    )
