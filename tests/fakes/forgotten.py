"""The forgotten texts of a store in memory."""

import datetime as dt
from collections.abc import Iterable

from hardwon.domain.model.forgotten import identifying, names_of, recognisable, without_passages
from hardwon.ports.erasure import ForgottenHashes, ForgottenTexts
from hardwon.ports.override import override

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


class InMemoryForgottenTexts(ForgottenTexts):
    def __init__(self) -> None:
        self.owners: dict[str, set[str]] = {}

    @override
    def add(
        self, owner: str, texts: Iterable[str], at: dt.datetime, words: Iterable[str] = ()
    ) -> None:
        for passage in identifying(texts, words):
            self.owners.setdefault(passage, set()).add(names_of(owner)[0])

    @override
    def holds(self, texts: Iterable[str]) -> bool:
        return bool(self.owners) and any(
            passage in self.owners for text in texts for passage in recognisable(text)
        )

    @override
    def without(self, text: str) -> str:
        return without_passages(text, recognisable(text) & self.owners.keys())

    @override
    def lift(self, owner: str) -> bool:
        lifted = [passage for passage, owners in self.owners.items() if owners & {*names_of(owner)}]
        for passage in lifted:
            del self.owners[passage]
        return bool(lifted)

    @override
    def hashes(self) -> ForgottenHashes:
        rows = (
            (passage.encode(), owner.encode(), NOW)
            for passage, names in self.owners.items()
            for owner in names
        )
        return ForgottenHashes((b"",), tuple(sorted(rows)))

    @override
    def adopt(self, hashes: ForgottenHashes) -> None:
        for passage, owner, _ in hashes.rows:
            self.owners.setdefault(passage.decode(), set()).add(owner.decode())
