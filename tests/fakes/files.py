"""Markdown files in memory; a file's name is its path."""

from collections.abc import Mapping

from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.formats.document_format import FrontValue, Markdown, MarkdownFile, spec_folder
from hardwon.ports.documents import Listing, SessionFiles, SourceFiles
from hardwon.ports.override import override
from tests.fakes.state import text_hash

ROOT = "/projects/app"
MEMORY = f"{ROOT}/memory/"
SPECS = f"{ROOT}/specs/"
WRITTEN_AT = 1_770_000_000


class InMemoryFiles(SourceFiles, SessionFiles):
    """Files to be read, and the folder that sessions are written to; front matter is not parsed but given."""

    def __init__(self) -> None:
        self.files: dict[str, MarkdownFile] = {}
        self.unreadable: set[str] = set()
        self.reads: list[str] = []

    def put(self, path: str, body: str, mtime: int = WRITTEN_AT, **front_matter: FrontValue) -> str:
        """Write a file of the project's memory, unless *path* is absolute; return its path."""
        return self._put(path if path.startswith("/") else MEMORY + path, body, mtime, front_matter)

    def _put(self, path: str, body: str, mtime: int, front_matter: Mapping[str, FrontValue]) -> str:
        digest = text_hash(ascii((sorted(front_matter.items()), body)))
        self.files[path] = MarkdownFile(path, mtime, digest, Markdown(front_matter, body))
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
    def read(self, path: str) -> MarkdownFile:
        self.reads.append(path)
        if path in self.unreadable or path not in self.files:
            raise UnreadableFileError(f"{path!r}: it can't be read")
        return self.files[path]

    @override
    def is_gone(self, path: str) -> bool:
        return not any(file.startswith(path) for file in self.files)

    @override
    def parse(self, text: str) -> Markdown:
        return Markdown({}, text)

    @override
    def create(self, stem: str, front_matter: Mapping[str, FrontValue], body: str) -> str:
        return self._put(f"{MEMORY}sessions/{stem}.md", body, WRITTEN_AT, front_matter)

    def _listing(self, *prefixes: str) -> Listing:
        return Listing(tuple(sorted(path for path in self.files if path.startswith(prefixes))), prefixes)


def _is_memory(path: str) -> bool:
    return not path.startswith(SPECS) or path.removeprefix(SPECS).split("/")[1:2] == ["memory"]
