"""A retrospective is kept in both places, or in none."""

import datetime as dt
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import attrs
import pytest

from hardwon.adapters.markdown.knowledge_bank import parse_bank
from hardwon.domain.model.errors import InvalidAnswerError, InvalidEntryError, UneditableFileError
from hardwon.domain.model.filters import LEARNINGS, Workplace
from hardwon.domain.model.knowledge_bank import BankFile
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.retro.bank_edit import PLACES, BankPlace, Banks
from hardwon.domain.model.retro.lesson import (
    RetroAnswer,
    RetroFeature,
    RetroItem,
    RetroLesson,
    read_lessons,
)
from hardwon.domain.use_cases.import_knowledge import ImportKnowledge, SyncBanks
from hardwon.domain.use_cases.retro import ReviseLearning, SavedRetro, SaveRetro
from tests.fakes.clock import FixedClock
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.knowledge_bank import (
    InMemoryBankFiles,
    InMemoryImportLedger,
    InMemoryKnowledgeBank,
)
from tests.fakes.projects import InMemoryProjects, InMemoryVersions, working_in
from tests.strategies import NOW, of_file

OURS, USERS = BankPlace("local", "patterns"), BankPlace("global", "patterns")
HERE = RetroFeature(name="csv-reader", project="here")


class SameFiles(InMemoryKnowledgeBank):
    """The same files, as an import reads them."""

    def __init__(self, written: InMemoryBankFiles) -> None:
        super().__init__()
        self._written = written

    def files(self) -> Sequence[BankFile]:
        folders = {"local": "here/", "global": ""}
        files = self._written.files.items()
        self.texts = {
            f"{folders[place.scope]}{place.category}.md": text for place, text in files if text
        }
        return super().files()


@attrs.define
class Scene:
    """Banks and a store in memory."""

    bank: InMemoryBankFiles = attrs.field(factory=InMemoryBankFiles)
    repository: InMemoryEntryRepository = attrs.field(factory=InMemoryEntryRepository)
    ledger: InMemoryImportLedger = attrs.field(factory=InMemoryImportLedger)
    workplace: Workplace = attrs.field(factory=lambda: working_in("here"))
    versions: InMemoryVersions = attrs.field(factory=InMemoryVersions)

    def keep(self, *lessons: RetroLesson) -> SavedRetro:
        return SaveRetro(self.bank, lambda: self.sync).save(lessons)

    @property
    def revise(self) -> ReviseLearning:
        return ReviseLearning(
            bank=self.bank, sync_banks=self.sync, clock=FixedClock(NOW + dt.timedelta(days=9))
        )

    @property
    def sync(self) -> SyncBanks:
        return SyncBanks(self.importing, self.repository)

    @property
    def importing(self) -> ImportKnowledge:
        bank = SameFiles(self.bank)
        return ImportKnowledge(
            projects=InMemoryProjects(),
            workplace=self.workplace,
            bank=bank,
            repository=self.repository,
            ledger=self.ledger,
            versions=self.versions,
            clock=FixedClock(),
        )

    def bring_in(self) -> None:
        self.importing.everything()

    def counts(self) -> list[int]:
        return [entry.observation_count for entry in self.repository.matching(LEARNINGS, limit=9)]

    def written(self, place: BankPlace) -> list[int]:
        return [
            entry.observation_count for entry in parse_bank(self.bank.files[place], place.category)
        ]


def lesson(
    text: str = "Quote every field.", *, universal: bool = False, name: str = ""
) -> RetroLesson:
    """Return one pattern."""
    [read] = read_lessons(
        RetroAnswer(
            (
                RetroItem(
                    place="act.patterns[0]",
                    category="patterns",
                    text=text,
                    name=name,
                    universal=universal,
                ),
            )
        ),
        HERE,
        NOW,
    )
    return read


def test_when_a_file_can_not_be_written_the_store_is_as_it_was() -> None:
    scene = Scene()
    scene.bank.refused.add(USERS)
    with pytest.raises(UneditableFileError):
        scene.keep(lesson(), lesson("Measure first.", universal=True))

    assert scene.counts() == []
    assert set(scene.bank.files.values()) == {""}


class Killed(InMemoryBankFiles):
    """As if the process ended when the files are written, before the store is committed."""

    is_killed = True

    def write(self, banks: Banks) -> None:
        super().write(banks)
        if self.is_killed:
            raise KeyboardInterrupt


def test_lessons_written_before_an_interruption_are_imported_by_the_next_import() -> None:
    scene = Scene(Killed())
    with pytest.raises(KeyboardInterrupt):
        scene.keep(lesson())
    assert (scene.counts(), scene.written(OURS)) == ([], [1])

    scene.bring_in()
    scene.bring_in()
    assert scene.counts() == [1]


@pytest.fixture
def apart() -> Scene:
    """Return what is left of a known lesson's retrospective that was killed: counted in the files alone."""
    files = Killed()
    files.is_killed = False
    scene = Scene(files)
    scene.keep(lesson())
    files.is_killed = True
    with pytest.raises(KeyboardInterrupt):
        scene.keep(lesson())
    assert (scene.counts(), scene.written(OURS)) == ([1], [2])
    files.is_killed = False
    return scene


def test_counts_in_the_files_only_are_made_up_for_by_the_next_retrospective(apart: Scene) -> None:
    apart.bring_in()
    assert apart.counts() == [1]  # an import does not read a heading again that it has seen

    apart.keep(lesson("Another."))
    assert (sorted(apart.counts()), apart.written(OURS)) == ([1, 2], [2, 1])


def test_counts_in_the_files_only_are_incremented_in_both(apart: Scene) -> None:
    apart.keep(lesson())
    assert (apart.counts(), apart.written(OURS)) == ([3], [3])


def test_lessons_counted_in_the_files_only_are_confirmed_in_both(apart: Scene) -> None:
    looked = apart.revise.confirm(lesson().entry.entry_id)
    assert (looked.before.observation_count, apart.counts(), apart.written(OURS)) == (2, [3], [3])


def test_a_lower_count_in_the_files_lowers_nothing() -> None:
    scene = Scene()
    for _ in range(3):
        scene.keep(lesson())
    scene.bank.files[OURS] = scene.bank.files[OURS].replace("count: 3", "count: 1")
    scene.keep(lesson("Another."))

    assert sorted(scene.counts()) == [1, 3]


class Busy(InMemoryBankFiles):
    """Files that another process holds."""

    @contextmanager
    def held(self) -> Iterator[Banks]:
        raise UneditableFileError("another process has been writing there")
        yield self.banks()


def test_files_that_another_process_holds_are_waited_for_before_the_store_is_held() -> None:
    scene = Scene(Busy())
    scene.repository.busy = True  # its lock can't be taken: an attempt would raise another error
    for step in (
        lambda: scene.keep(lesson()),
        lambda: scene.revise.confirm("x"),
        lambda: scene.revise.promote("x"),
    ):
        with pytest.raises(UneditableFileError):
            step()


def test_no_store_is_made_for_a_lesson_that_does_not_fit_a_file() -> None:
    keep = SaveRetro(InMemoryBankFiles(), lambda: pytest.fail("a store was made"))
    with pytest.raises(InvalidEntryError):
        keep.save([lesson(), lesson("With a <!-- comment -->.")])


def test_lessons_already_in_the_files_are_counted_from_there() -> None:
    scene = Scene(
        InMemoryBankFiles({OURS: "### Pattern: Old\nquote every FIELD.\n- Observation count: 4\n"})
    )
    scene.keep(lesson())

    assert (scene.counts(), scene.written(OURS)) == ([5], [5])


def test_an_import_never_counts_what_was_kept() -> None:
    scene = Scene()
    for count in (1, 2):
        scene.keep(lesson(), lesson("Another."))
        scene.bring_in()
        assert scene.counts() == [count, count]


def test_when_a_lesson_does_not_fit_a_file_nothing_is_kept() -> None:
    scene = Scene()
    with pytest.raises(InvalidAnswerError) as refused:
        scene.keep(lesson("With a <!-- comment -->."), lesson(), lesson("Another <!-- one -->."))

    assert [line[:18] for line in refused.value.problems] == ["act.patterns[0]: '"] * 2

    assert scene.counts() == []
    assert set(scene.bank.files.values()) == {""}


def test_lessons_known_to_the_store_are_written_with_their_count() -> None:
    scene = Scene()
    scene.repository.put(attrs.evolve(lesson().entry, observation_count=4))
    scene.keep(lesson())

    assert (scene.counts(), scene.written(OURS)) == ([5], [5])


def test_a_lesson_of_another_category_is_counted_there() -> None:
    other = BankPlace("local", "heuristics")
    scene = Scene(InMemoryBankFiles({other: "### Old\nquote every FIELD.\n"}))
    scene.keep(lesson())

    assert (scene.written(other), scene.written(OURS)) == ([2], [])


def test_universal_lessons_are_not_written_into_the_bank_of_a_project() -> None:
    scene = Scene()
    scene.keep(lesson(universal=True))
    scene.keep(lesson())

    assert (scene.written(USERS), scene.written(OURS), scene.counts()) == ([2], [], [2])


def test_a_lesson_marked_universal_becomes_so_with_all_its_counts() -> None:
    scene = Scene()
    scene.keep(lesson())
    scene.keep(lesson(universal=True))

    assert (scene.written(USERS), scene.written(OURS), scene.counts()) == ([2], [2], [2])
    [entry] = scene.repository.matching(LEARNINGS, limit=9)
    assert entry.source_project is None


def test_a_dry_run_writes_nothing() -> None:
    scene = Scene()
    [kept] = SaveRetro(scene.bank, None).foreseen([lesson()]).lessons

    assert kept.noted.appended == OURS
    assert set(scene.bank.files.values()) == {""}


def test_a_confirmed_lesson_is_counted_in_its_file_and_dated() -> None:
    scene = Scene()
    scene.keep(lesson(), lesson("Another."))
    looked = scene.revise.confirm(lesson().entry.entry_id)

    assert (looked.entry.observation_count, looked.entry.updated_at) == (
        2,
        NOW + dt.timedelta(days=9),
    )
    assert scene.written(OURS) == [2, 1]
    assert sorted(scene.counts()) == [1, 2]


def test_a_lesson_without_a_file_is_confirmed_in_the_store_only() -> None:
    scene = Scene()
    scene.repository.put(lesson().entry)
    looked = scene.revise.confirm(lesson().entry.entry_id)

    assert (looked.noted.counted, scene.counts()) == ((), [2])
    assert scene.bank.files == dict.fromkeys(PLACES, "")


def test_promoting_twice_is_promoting_once() -> None:
    scene = Scene()
    scene.keep(lesson())
    entry_id = lesson().entry.entry_id
    first = scene.revise.promote(entry_id)
    files = dict(scene.bank.files)
    second = scene.revise.promote(entry_id)

    assert (first.noted.appended, second.noted.appended, second.before) == (
        USERS,
        None,
        second.entry,
    )
    assert (scene.bank.files, scene.counts()) == (files, [1])
    assert first.entry == attrs.evolve(first.before, source_project=None, reach="everywhere")
    scene.keep(lesson())
    assert (scene.written(OURS), scene.written(USERS), scene.counts()) == ([2], [2], [2])


def test_a_foreign_project_lets_no_lesson_out() -> None:
    scene = Scene(
        workplace=working_in("here")._replace(visibility=Visibility(own=("here",), is_foreign=True))
    )
    universal = lesson(universal=True)
    scene.keep(universal)
    [entry] = scene.repository.matching(LEARNINGS, limit=9)

    assert (entry.reach, entry.source_project) == ("shared", "here")
    assert scene.bank.files[USERS] == ""
    with pytest.raises(InvalidEntryError, match="foreign project: run hardwon trust"):
        scene.revise.promote(entry.entry_id)


def test_a_lesson_from_the_writer_is_promoted_with_its_project_and_without_a_second_prefix() -> (
    None
):
    scene = Scene()
    scene.repository.put(attrs.evolve(lesson(name="x").entry, name="Pattern: Quoting", notes=""))
    scene.revise.promote(lesson().entry.entry_id)

    [written] = parse_bank(scene.bank.files[USERS], "patterns")
    assert (written.heading, written.notes) == ("Pattern: Quoting", ("- Observed in: here",))


def test_a_bank_that_can_not_take_it_leaves_the_store_unchanged() -> None:
    scene = Scene()
    scene.keep(lesson())
    scene.bank.refused.update(PLACES)
    for look in (scene.revise.confirm, scene.revise.promote):
        with pytest.raises(UneditableFileError):
            look(lesson().entry.entry_id)

    [entry] = scene.repository.matching(LEARNINGS, limit=9)
    assert (entry.observation_count, entry.source_project) == (1, "here")


def test_only_learnings_are_looked_at_again() -> None:
    scene = Scene()
    document = of_file("zebra")
    scene.repository.put(document)
    with pytest.raises(InvalidEntryError, match="learnings alone"):
        scene.revise.confirm(document.entry_id)
