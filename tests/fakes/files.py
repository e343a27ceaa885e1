"""Markdown files in memory; a file's name is its path."""

import datetime as dt
from collections.abc import Mapping

from hardwon.adapters.markdown.document import MarkdownDocument
from hardwon.adapters.markdown.document_format import FrontValue, Markdown, spec_folder
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.ports.documents import Listing, SessionFiles, SourceFiles
from hardwon.ports.override import override
from tests.fakes.state import text_hash

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
