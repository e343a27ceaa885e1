"""Find lessons that were edited in, or removed from, a knowledge bank by hand: the store keeps them as they were."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import attrs

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.knowledge_bank import BankEntry, name_in
from hardwon.domain.model.plain_text import plain_title
from hardwon.domain.model.redaction import stored_form
from hardwon.ports.entries import EntryRepository
from hardwon.ports.file_state import ImportLedger
from hardwon.ports.knowledge_bank import BankFile, KnowledgeBank
from hardwon.ports.repository import FileVersions

ALL = 2**31 - 1


class Drift(NamedTuple):
    """
    A learning whose file says otherwise.

    Attributes:
        path: The file.
        heading: The heading under which it stood when it was imported.
        entry: The learning as stored.
        text: Its present text under that heading, without secrets; empty if it has none.

    """

    path: str
    heading: str
    entry: Entry
    text: str


@attrs.frozen(slots=False, kw_only=True)
class FindDrift:
    """
    Compare the banks with the store; an instance compares once.

    A lesson is edited if its heading was imported, its text is unknown to the store, and the store has one lesson of that name
    from there whose text the file has no more. It is removed if the heading is gone, and its text from every file.
    Earlier texts of a lesson are known: a file that still has one is not edited. A version that is not the user's edits nothing.

    Attributes:
        bank: The files.
        ledger: The headings that were imported.
        versions: Whose the versions of files are.
        workplace: The project of the bank.

    """

    bank: KnowledgeBank
    repository: EntryRepository
    ledger: ImportLedger
    versions: FileVersions
    workplace: Workplace

    def find(self) -> tuple[Drift, ...]:
        """Return the edited and removed lessons, by file and heading; those of files that can't be read are left out."""
        return tuple(drift for file in self._texts for drift in self._of_file(file) if self._is_own(file))

    def _is_own(self, file: BankFile) -> bool:
        return file.project is None or self.versions.of(file.path).is_own

    def _of_file(self, file: BankFile) -> Iterator[Drift]:
        present = defaultdict[str, list[str]](list)
        for heading, text in self._texts[file]:
            present[heading].append(text)
        here = {content_hash(text) for _, text in self._texts[file]}
        for heading in sorted(self.ledger.headings(file.path)):
            unknown = [text for text in present[heading] if not self._is_known(text)]
            if present[heading] and not unknown:
                continue
            entries = self._stored(file, heading, here if unknown else self._everywhere)
            if len(entries) == 1 and len(unknown) <= 1:
                yield Drift(file.path, heading, entries[0], "".join(unknown))

    def _is_known(self, text: str) -> bool:
        identity = content_hash(text)
        is_entry = self.repository.get(identity) or self.repository.reworded(identity)
        return is_entry is not None or self.repository.forgotten.holds([text])

    def _stored(self, file: BankFile, heading: str, except_for: set[str]) -> list[Entry]:
        """Return the learnings of the name in that *heading* that come from there, without those of the ids *except_for*."""
        name = _compared(name_in(heading))
        return [
            entry
            for entry in (self._global if file.project is None else self._local)
            if (entry.category, _compared(entry.name)) == (file.category, name) and entry.entry_id not in except_for
        ]

    @cached_property
    def _texts(self) -> dict[BankFile, list[tuple[str, str]]]:
        """The headings and texts of every file that can be read, without secrets; no blank ones."""
        read = ((file, self.bank.read(file)) for file in self.bank.files())
        return {file: [*_texts_of(entries)] for file, entries in read if entries is not None}

    @cached_property
    def _everywhere(self) -> set[str]:
        return {content_hash(text) for texts in self._texts.values() for _, text in texts}

    @cached_property
    def _local(self) -> list[Entry]:
        return self._searched(LEARNINGS._replace(origins=self.workplace.own or ("",)))

    @cached_property
    def _global(self) -> list[Entry]:
        return [entry for entry in self._searched(LEARNINGS) if entry.reach == "everywhere"]

    def _searched(self, only: EntryFilter) -> list[Entry]:
        return self.repository.find(only._replace(ranked=True), limit=ALL)


def _texts_of(entries: Sequence[BankEntry]) -> Iterator[tuple[str, str]]:
    texts = ((stored_form(entry.heading), stored_form(entry.text).strip()) for entry in entries)
    return ((heading, text) for heading, text in texts if text)


def _compared(name: str) -> str:
    return plain_title(name).casefold()
