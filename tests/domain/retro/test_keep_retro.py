"""A retrospective is kept in both places, or in none."""

import datetime as dt
from collections.abc import Mapping

import attrs
import pytest

from hardwon.domain.model.entry_filter import LEARNINGS
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.knowledge_bank import parse_bank
from hardwon.domain.model.retro.answer import RetroItem
from hardwon.domain.model.retro.banks import PLACES, BankPlace, BankTexts
from hardwon.domain.model.retro.lesson import Feature, Lesson, read_lessons
from hardwon.domain.use_cases.filing.import_knowledge import ImportKnowledge
from hardwon.domain.use_cases.keeping.store_entry import StoreEntry
from hardwon.domain.use_cases.retro.keep_retro import KeepRetro
from hardwon.domain.use_cases.retro.look_again import LookAgain
from tests.fakes.bank_files import InMemoryBankFiles
from tests.fakes.banks import InMemoryImportLedger, InMemoryKnowledgeBank
from tests.fakes.clock import FixedClock
from tests.fakes.entries import InMemoryEntryRepository
from tests.strategies import NOW, of_file

OURS, USERS = BankPlace("project", "patterns"), BankPlace("universal", "patterns")
HERE = Feature(name="csv-reader", project="here")


@attrs.define
class Scene:
    """Banks and a store in memory."""

    bank: InMemoryBankFiles = attrs.field(factory=InMemoryBankFiles)
    repository: InMemoryEntryRepository = attrs.field(factory=InMemoryEntryRepository)
    ledger: InMemoryImportLedger = attrs.field(factory=InMemoryImportLedger)

    def keep(self, *lessons: Lesson) -> None:
        KeepRetro(self.bank, StoreEntry(self.repository))(lessons)

    @property
    def again(self) -> LookAgain:
        return LookAgain(bank=self.bank, repository=self.repository, clock=FixedClock(NOW + dt.timedelta(days=9)))

    def bring_in(self) -> None:
        texts = {f"here/{place.category}.md": self.bank.files[place] for place in PLACES if place.scope == "project"}
        bank = InMemoryKnowledgeBank(texts)
        ImportKnowledge(bank=bank, repository=self.repository, ledger=self.ledger, clock=FixedClock()).everything()

    def counts(self) -> list[int]:
        return [entry.observation_count for entry in self.repository.find(LEARNINGS, limit=9)]

    def written(self, place: BankPlace) -> list[int]:
        return [entry.observation_count for entry in parse_bank(self.bank.files[place], place.category)]


def lesson(text: str = "Quote every field.", *, universal: bool = False, name: str = "") -> Lesson:
    """Return one pattern."""
    [read] = read_lessons([RetroItem("act.patterns[0]", "patterns", text, name=name, universal=universal)], HERE, NOW)
    return read


def test_when_a_file_can_not_be_written_the_store_is_as_it_was() -> None:
    scene = Scene()
    scene.bank.refused.add(USERS)
    with pytest.raises(UnreadableFileError):
        scene.keep(lesson(), lesson("Measure first.", universal=True))

    assert scene.counts() == []
    assert set(scene.bank.files.values()) == {""}


class Interrupted(InMemoryBankFiles):
    """Stops when the files are written, before the store is committed."""

    def write(self, texts: BankTexts) -> Mapping[BankPlace, str]:
        super().write(texts)
        raise KeyboardInterrupt


def test_what_was_written_when_it_was_interrupted_comes_in_with_the_next_import() -> None:
    scene = Scene(Interrupted())
    with pytest.raises(KeyboardInterrupt):
        scene.keep(lesson())
    assert (scene.counts(), scene.written(OURS)) == ([], [1])

    scene.bring_in()
    scene.bring_in()
    assert scene.counts() == [1]


def test_an_import_never_counts_what_was_kept() -> None:
    scene = Scene()
    for count in (1, 2):
        scene.keep(lesson(), lesson("Another."))
        scene.bring_in()
        assert scene.counts() == [count, count]


def test_when_a_lesson_does_not_fit_a_file_nothing_is_kept() -> None:
    scene = Scene()
    with pytest.raises(InvalidEntryError):
        scene.keep(lesson(), lesson("With a <!-- comment -->."))

    assert scene.counts() == []
    assert set(scene.bank.files.values()) == {""}


def test_what_the_store_knew_is_written_with_its_count() -> None:
    scene = Scene()
    scene.repository.put(attrs.evolve(lesson().entry, observation_count=4))
    scene.keep(lesson())

    assert (scene.counts(), scene.written(OURS)) == ([5], [5])


def test_what_stands_in_another_category_is_counted_there() -> None:
    other = BankPlace("project", "heuristics")
    scene = Scene(InMemoryBankFiles({other: "### Old\nquote every FIELD.\n"}))
    scene.keep(lesson())

    assert (scene.written(other), scene.written(OURS)) == ([2], [])


def test_what_is_universal_is_not_written_into_a_projects_bank() -> None:
    scene = Scene()
    scene.keep(lesson(universal=True))
    scene.keep(lesson())

    assert (scene.written(USERS), scene.written(OURS), scene.counts()) == ([2], [], [2])


def test_what_is_said_to_be_universal_becomes_so_with_all_its_counts() -> None:
    scene = Scene()
    scene.keep(lesson())
    scene.keep(lesson(universal=True))

    assert (scene.written(USERS), scene.written(OURS), scene.counts()) == ([2], [2], [2])
    [entry] = scene.repository.find(LEARNINGS, limit=9)
    assert entry.source_project is None


def test_what_is_foreseen_is_not_written() -> None:
    scene = Scene()
    [kept] = KeepRetro(scene.bank, None).foreseen([lesson()])

    assert kept.noted.appended == OURS
    assert set(scene.bank.files.values()) == {""}


def test_what_is_confirmed_is_counted_where_it_stands_and_dated() -> None:
    scene = Scene()
    scene.keep(lesson(), lesson("Another."))
    looked = scene.again.confirm(lesson().entry.entry_id)

    assert (looked.entry.observation_count, looked.entry.updated_at) == (2, NOW + dt.timedelta(days=9))
    assert scene.written(OURS) == [2, 1]
    assert sorted(scene.counts()) == [1, 2]


def test_what_stands_in_no_file_is_confirmed_in_the_store_alone() -> None:
    scene = Scene()
    scene.repository.put(lesson().entry)
    looked = scene.again.confirm(lesson().entry.entry_id)

    assert (looked.noted.counted, scene.counts()) == ((), [2])
    assert scene.bank.files == dict.fromkeys(PLACES, "")


def test_promoting_twice_is_promoting_once() -> None:
    scene = Scene()
    scene.keep(lesson())
    entry_id = lesson().entry.entry_id
    first = scene.again.promote(entry_id)
    files = dict(scene.bank.files)
    second = scene.again.promote(entry_id)

    assert (first.noted.appended, second.noted.appended, second.before) == (USERS, None, second.entry)
    assert (scene.bank.files, scene.counts()) == (files, [1])
    assert first.entry == attrs.evolve(first.before, source_project=None)
    scene.keep(lesson())
    assert (scene.written(OURS), scene.written(USERS), scene.counts()) == ([2], [2], [2])


def test_what_the_writer_stored_is_promoted_with_its_project_and_without_a_second_prefix() -> None:
    scene = Scene()
    scene.repository.put(attrs.evolve(lesson(name="x").entry, name="Pattern: Quoting", notes=""))
    scene.again.promote(lesson().entry.entry_id)

    [written] = parse_bank(scene.bank.files[USERS], "patterns")
    assert (written.heading, written.notes) == ("Pattern: Quoting", ("- Observed in: here",))


def test_a_bank_that_can_not_take_it_leaves_the_store_alone() -> None:
    scene = Scene()
    scene.keep(lesson())
    scene.bank.refused.update(PLACES)
    for look in (scene.again.confirm, scene.again.promote):
        with pytest.raises(UnreadableFileError):
            look(lesson().entry.entry_id)

    [entry] = scene.repository.find(LEARNINGS, limit=9)
    assert (entry.observation_count, entry.source_project) == (1, "here")


def test_only_learnings_are_looked_at_again() -> None:
    scene = Scene()
    document = of_file("zebra")
    scene.repository.put(document)
    with pytest.raises(InvalidEntryError, match="learnings alone"):
        scene.again.confirm(document.entry_id)
