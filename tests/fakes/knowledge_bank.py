"""Knowledge banks, their files and the ledger of imports, in memory."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from hardwon.adapters.markdown.bank_edit import MarkdownBanks
from hardwon.adapters.markdown.knowledge_bank import parse_bank
from hardwon.domain.model.errors import UneditableFileError
from hardwon.domain.model.knowledge_bank import BankEntry, BankFile
from hardwon.domain.model.retro.bank_edit import PLACES, BankPlace, Banks
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.file_state import ImportLedger
from hardwon.ports.knowledge_bank import BankFiles, KnowledgeBank
from hardwon.ports.override import override
from tests.fakes.state import text_hash


class InMemoryImportLedger(ImportLedger):
    def __init__(self) -> None:
        self._headings: defaultdict[str, set[str]] = defaultdict(set)
        self._fingerprints: dict[str, str] = {}

    @override
    def headings(self, path: str) -> set[str]:
        return set(self._headings[path])

    @override
    def fingerprint(self, path: str) -> str | None:
        return self._fingerprints.get(path)

    @override
    def record(self, path: str, headings: set[str], fingerprint: str) -> None:
        self._headings[path] |= headings
        self._fingerprints[path] = fingerprint

    @override
    def paths(self) -> Sequence[str]:
        return sorted(self._fingerprints)

    @override
    def withdraw(self, path: str, headings: set[str]) -> None:
        self._headings[path] -= headings


class InMemoryKnowledgeBank(KnowledgeBank):
    """Files by name; the name without its ending is the category, the part before the slash the project."""

    def __init__(
        self, texts: Mapping[str, str] | None = None, on_read: Callable[[], None] = lambda: None
    ) -> None:
        self.texts = dict(texts or {})
        self.reads: list[str] = []
        self.unreadable: set[str] = set()
        self._on_read = on_read

    @override
    def files(self) -> Sequence[BankFile]:
        return [self._file(path, text) for path, text in self.texts.items()]

    @override
    def read(self, file: BankFile) -> Sequence[BankEntry] | None:
        self.reads.append(file.path)
        self._on_read()
        if file.path in self.unreadable:
            return None
        return parse_bank(self.texts[file.path], file.category) if file.path in self.texts else ()

    def _file(self, path: str, text: str) -> BankFile:
        project, _, name = path.rpartition("/")
        categories: dict[str, Category] = {
            "anti-patterns.md": "anti-patterns",
            "heuristics.md": "heuristics",
            "patterns.md": "patterns",
        }
        return BankFile(
            path, categories[name], project or None, text_hash(text), len(text.encode())
        )


class InMemoryBankFiles(BankFiles):
    """Files by place; those of `refused` can't be written."""

    def __init__(self, texts: Mapping[BankPlace, str] | None = None) -> None:
        self.files = dict.fromkeys(PLACES, "") | dict(texts or {})
        self.refused = set[BankPlace]()

    @override
    def banks(self) -> Banks:
        return MarkdownBanks(dict(self.files))

    @override
    @contextmanager
    def held(self) -> Iterator[Banks]:
        yield self.banks()

    @override
    def write(self, banks: Banks) -> None:
        texts = banks.texts
        changed = [place for place in PLACES if texts[place] != self.files[place]]
        if refused := self.refused.intersection(changed):
            raise UneditableFileError(f"{refused} can't be used")
        self.files |= {place: texts[place] for place in changed}

    @override
    def path(self, place: BankPlace) -> str:
        return f"{place.scope}/{place.category}.md"
