"""The files of the knowledge banks, in memory."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from hardwon.adapters.markdown.bank_edit import MarkdownBanks
from hardwon.domain.model.errors import UneditableFileError
from hardwon.domain.model.retro.bank_edit import PLACES, BankPlace, Banks
from hardwon.ports.knowledge_bank import BankFiles
from hardwon.ports.override import override


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
