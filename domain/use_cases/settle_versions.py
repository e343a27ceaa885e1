"""Settle the entries from others' versions of files."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby, islice
from pathlib import PurePath

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.filters import OF_OTHERS
from hardwon.domain.model.knowledge_bank import BankEntry, BankFile, name_in
from hardwon.domain.model.plain_text import plain_title
from hardwon.domain.use_cases.import_knowledge import ImportKnowledge, stored_identity
from hardwon.domain.use_cases.index_files import IndexFiles
from hardwon.ports.activity import History
from hardwon.ports.file_state import ImportLedger

ALL = 2**31 - 1


@attrs.frozen(slots=False, kw_only=True)
class SettleVersions:
    """
    Settle the entries of one project that are kept at home.

    Their file's version was not the user's. An entry stays as long as a file has it; what the user
    changed or judged stays for good. An instance settles once.

    Attributes:
        imports: The imports of the project's knowledge banks, one for each of its existing folders.
        bank_files: The paths of all its files of knowledge banks that were ever imported.
        most_files: The maximum number of files; callers that must not wait leave the rest to the
            worker.
    """

    imports: Sequence[ImportKnowledge]
    bank_files: Sequence[str]
    ledger: ImportLedger
    index_files: IndexFiles
    history: History
    projects: tuple[str, ...]
    most_files: int = ALL

    def settle(self) -> int:
        """Settle the entries, and return how many stay at home."""
        learnings = [entry for entry in self._at_home() if entry.kind == "learning"]
        for entry in learnings:
            self._settle_learning(entry)
        files = sorted((entry for entry in self._at_home() if entry.file_path), key=_path)
        for path, entries in islice(groupby(files, key=_path), self.most_files):
            self._settle_file(path, [*entries])
        return len(self._at_home())

    def _at_home(self) -> list[Entry]:
        found = self.index_files.repository.matching(OF_OTHERS._replace(ranked=False), limit=ALL)
        return [entry for entry in found if entry.project in self.projects]

    def _settle_learning(self, entry: Entry) -> None:
        repository = self.index_files.repository
        places = self._lessons.get(entry.entry_id, [])
        if own := next((now for now in self._as_of_user(entry, places)), None):
            repository.put(own)
        elif not places and self._is_complete:
            with repository.transaction():
                if self._is_touched(entry):
                    repository.put(attrs.evolve(entry, door="bank"))
                else:
                    repository.delete(entry.entry_id)
                    self._withdraw(entry)

    def _as_of_user(self, entry: Entry, places: "Iterable[_Place]") -> Iterator[Entry]:
        for importing, file, lesson in places:
            if importing.version_of(file).owns(lesson.lines):
                try:
                    yield importing.as_of_user(entry, lesson, file)
                except InvalidEntryError:
                    continue

    def _is_touched(self, entry: Entry) -> bool:
        changes = self.history.changes_of(entry.number, ALL) if entry.number is not None else []
        return entry.usage.validations.total > 0 or any(
            change.field != "content" for change in changes
        )

    def _withdraw(self, entry: Entry) -> None:
        """Let a user's version bring a lesson of that name again."""
        for path in self.bank_files:
            if PurePath(path).stem == entry.category:
                headings = self.ledger.headings(path)
                self.ledger.withdraw(
                    path, {heading for heading in headings if _name_of(heading) == entry.name}
                )

    @cached_property
    def _lessons(self) -> "dict[str, list[_Place]]":
        found = dict[str, list[_Place]]()
        for importing, file, lessons in self._read:
            for lesson in lessons or ():
                found.setdefault(stored_identity(lesson), []).append((importing, file, lesson))
        return found

    @property
    def _is_complete(self) -> bool:
        """
        Whether every file can be read now.

        One with a conflict may have any lesson.
        """
        return all(lessons is not None for _, _, lessons in self._read)

    @cached_property
    def _read(self) -> "list[tuple[ImportKnowledge, BankFile, Sequence[BankEntry] | None]]":
        files = ((importing, file) for importing in self.imports for file in importing.bank.files())
        return [
            (importing, file, importing.bank.read(file))
            for importing, file in files
            if file.project is not None
        ]

    def _settle_file(self, path: str, entries: Sequence[Entry]) -> None:
        if not self.index_files.sources.is_gone(path):
            self._reread(path)
        elif any(map(self._is_touched, entries)):
            self.index_files.forget.gone(path)
        else:
            with self.index_files.repository.transaction():
                for entry in entries:
                    self.index_files.repository.delete(entry.entry_id)

    def _reread(self, path: str) -> None:
        indexing = self.index_files.index_one_file
        if not indexing.versions.version_of(path).is_own:
            return  # an index reads what others changed again
        try:
            indexing.index(self.index_files.sources.read(path))
        except (UnreadableFileError, InvalidEntryError):
            return  # it stays at home, and the next index tells why


_Place = tuple[ImportKnowledge, BankFile, BankEntry]


def _path(entry: Entry) -> str:
    return entry.file_path or ""


def _name_of(heading: str) -> str:
    return plain_title(name_in(heading))
