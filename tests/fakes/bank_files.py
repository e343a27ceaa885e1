"""The files of the knowledge banks, in memory."""

from collections.abc import Iterator
from contextlib import contextmanager

from hardwon.domain.model.errors import UneditableFileError
from hardwon.domain.model.retro.bank_edit import PLACES, BankPlace, BankTexts


class InMemoryBankFiles:
    """Files by place; those of `refused` can't be written."""

    def __init__(self, texts: BankTexts | None = None) -> None:
        self.files = dict.fromkeys(PLACES, "") | dict(texts or {})
        self.refused = set[BankPlace]()

    def texts(self) -> BankTexts:
        return dict(self.files)

    @contextmanager
    def held(self) -> Iterator[BankTexts]:
        yield self.texts()

    def write(self, texts: BankTexts) -> None:
        changed = [place for place in PLACES if texts[place] != self.files[place]]
        if refused := self.refused.intersection(changed):
            raise UneditableFileError(f"{refused} can't be used")
        self.files |= {place: texts[place] for place in changed}

    def path(self, place: BankPlace) -> str:
        return f"{place.scope}/{place.category}.md"
