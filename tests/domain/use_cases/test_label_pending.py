from collections.abc import Callable

import attrs
import pytest

from hardwon.adapters.threads import Threads
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import LabelerUnavailableError, UnusableLabelsError
from hardwon.domain.model.filters import EVERYTHING, IMPORTED_LEARNINGS
from hardwon.domain.use_cases.label import PAGE, PATIENCE, LabelChain, LabelOutcome, LabelPending
from hardwon.ports.models import KeywordLabeler
from tests.fakes.clock import FixedClock
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.models import PlantedLabeler, UnavailableLabeler
from tests.strategies import DAY, NOW, lesson

ENDLESS = Deadline(FixedClock().monotonic)


class ObligingLabeler:
    """Answers as *answer* says, which may also change the world meanwhile."""

    def __init__(self, answer: Callable[[Entry], list[str]]) -> None:
        self._answer = answer
        self.asked: list[str] = []

    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        del deadline
        self.asked.append(entry.description)
        return self._answer(entry)


def _store(*descriptions: str) -> InMemoryEntryRepository:
    """Return a store of lessons, the first one the newest."""
    repository = InMemoryEntryRepository()
    for age, description in enumerate(descriptions):
        repository.put(lesson(description, age=age * DAY))
    return repository


def _pending(repository: InMemoryEntryRepository, *tiers: KeywordLabeler) -> LabelPending:
    return LabelPending(repository, LabelChain(tiers, Threads()))


def test_entries_get_labels_the_newest_first() -> None:
    repository, tier = (
        _store("new", "middle", "old"),
        ObligingLabeler(lambda entry: [entry.description, "bug"]),
    )
    pending = _pending(repository, tier)

    assert pending.count() == 3
    assert pending.label(None, ENDLESS) == LabelOutcome(labelled=3)
    assert tier.asked == ["new", "middle", "old"]
    assert repository.by_id(lesson("old").entry_id) == attrs.evolve(
        lesson("old", age=2 * DAY), keywords=("old",)
    )
    assert pending.count() == 0


def test_entries_that_have_labels_keep_them() -> None:
    repository, tier = _store("bare"), PlantedLabeler("sqlite")
    given = attrs.evolve(lesson("given"), keywords=("of the agent",))
    repository.put(given)

    _pending(repository, tier).label(None, ENDLESS)

    assert repository.by_id(given.entry_id) == given
    assert [entry.description for entry in tier.asked] == ["bare"]


def test_a_run_stops_at_its_limit_and_the_next_one_goes_on() -> None:
    repository = _store("a", "b", "c")
    pending = _pending(repository, PlantedLabeler("sqlite"))

    assert pending.label(2, ENDLESS) == LabelOutcome(labelled=2)
    assert pending.label(2, ENDLESS) == LabelOutcome(labelled=1)
    assert pending.label(2, ENDLESS) == LabelOutcome()
    assert pending.label(0, ENDLESS) == LabelOutcome()


def test_an_entry_that_failed_is_not_tried_again_in_the_same_run() -> None:
    repository = _store(*(f"lesson {number}" for number in range(PAGE + 3)))
    tier = ObligingLabeler(lambda entry: ["sqlite"] if entry.description.endswith("0") else ["bug"])

    run = _pending(repository, tier).label(None, ENDLESS)

    assert tier.asked == [f"lesson {number}" for number in range(PAGE + 3)]
    assert run == LabelOutcome(labelled=6, failed=PAGE - 3)


def test_a_run_gives_up_when_no_labeler_answers() -> None:
    repository, tier = _store(*map(str, range(PATIENCE + 5))), UnavailableLabeler("not running")
    run = _pending(repository, tier).label(None, ENDLESS)

    assert run == LabelOutcome(failed=PATIENCE, problem="not running", unanswered=PATIENCE)
    assert len(tier.asked) == PATIENCE


def test_an_answer_now_and_then_keeps_a_run_going() -> None:
    repository = _store(*map(str, range(PATIENCE * 3)))

    def answer(entry: Entry) -> list[str]:
        if int(entry.description) % 2:
            raise LabelerUnavailableError("busy")
        return ["sqlite"]

    run = _pending(repository, ObligingLabeler(answer)).label(None, ENDLESS)

    assert (run.labelled, run.failed, run.problem) == (8, 7, "busy")


def test_a_run_of_little_patience_ends_at_the_first_unanswered_entry() -> None:
    repository, tier = _store("a", "b", "c"), UnavailableLabeler("not running")
    run = LabelPending(repository, LabelChain([tier, tier], Threads()), patience=1).label(
        None, ENDLESS
    )

    assert run == LabelOutcome(failed=1, problem="not running; not running", unanswered=1)
    assert [entry.description for entry in tier.asked] == ["a", "a"]


def test_an_answer_without_labels_ends_no_run() -> None:
    repository = _store("a", "b")

    def answer(entry: Entry) -> list[str]:
        if entry.description == "a":
            raise UnusableLabelsError("sent no list")
        return ["sqlite"]

    chain = LabelChain([UnavailableLabeler("no key"), ObligingLabeler(answer)], Threads())
    run = LabelPending(repository, chain, patience=1).label(None, ENDLESS)

    assert run == LabelOutcome(labelled=1, failed=1, problem="no key; sent no list")


@pytest.mark.parametrize("begin", range(5))
def test_a_run_that_begins_behind_an_entry_tries_every_entry_once(begin: int) -> None:
    names = [f"lesson {number}" for number in range(5)]
    repository, tier = _store(*names), PlantedLabeler("bug")
    after = lesson(names[begin], age=begin * DAY)

    run = _pending(repository, tier).label(None, ENDLESS, after=after)

    assert [entry.description for entry in tier.asked] == names[begin + 1 :] + names[: begin + 1]
    assert run.last
    assert run.last.entry_id == after.entry_id


def test_where_a_run_begins_need_not_be_unlabelled() -> None:
    repository, tier = _store("a", "b", "c", "d"), ObligingLabeler(lambda _: ["sqlite"])
    pending = _pending(repository, tier)

    first = pending.label(2, ENDLESS)
    repository.put(lesson("newer", age=-DAY))
    pending.label(None, ENDLESS, after=first.last)

    assert tier.asked == ["a", "b", "c", "d", "newer"]


@pytest.mark.parametrize(("unusable", "labelled"), [(2, 4), (3, 0)])
def test_a_run_ends_at_the_most_that_may_fail_in_all(unusable: int, labelled: int) -> None:
    repository = _store(*map(str, range(6)))
    tier = ObligingLabeler(
        lambda entry: ["bug"] if int(entry.description) < unusable else ["sqlite"]
    )

    run = LabelPending(repository, LabelChain([tier], Threads()), most_failed=3).label(
        None, ENDLESS
    )

    assert run == LabelOutcome(labelled=labelled, failed=unusable)


def test_only_entries_that_are_asked_for_get_labels() -> None:
    repository = _store("manual")
    repository.put(attrs.evolve(lesson("imported"), source="import"))
    repository.put(attrs.evolve(lesson("deprecated"), source="import", tier="deprecated"))

    assert LabelPending(
        repository, LabelChain([PlantedLabeler("sqlite")], Threads()), IMPORTED_LEARNINGS
    ).label(None, ENDLESS) == LabelOutcome(labelled=1)
    assert [entry.name for entry in repository.matching(EVERYTHING, limit=3) if entry.keywords] == [
        lesson("imported").name
    ]


def test_progress_tells_how_many_were_tried() -> None:
    seen: list[int] = []
    _pending(_store("a", "b"), PlantedLabeler("bug")).label(None, ENDLESS, seen.append)

    assert seen == [1, 2]


def test_no_entry_is_begun_after_the_deadline() -> None:
    clock, repository = FixedClock(), _store("a", "b", "c")

    def answer(_: Entry) -> list[str]:
        clock.advance(3)
        return ["sqlite"]

    assert _pending(repository, ObligingLabeler(answer)).label(
        None, clock.deadline(5)
    ) == LabelOutcome(labelled=2)


def test_a_change_during_labelling_is_kept() -> None:
    repository = _store("a")
    observed = attrs.evolve(
        lesson("a"), observation_count=7, references=("src/a.py",), updated_at=NOW + DAY
    )

    def observe(_: Entry) -> list[str]:
        repository.put(observed)
        return ["sqlite"]

    assert _pending(repository, ObligingLabeler(observe)).label(None, ENDLESS) == LabelOutcome(
        labelled=1
    )
    stored = repository.by_id(observed.entry_id)
    assert stored
    assert (stored.keywords, stored.observation_count, stored.updated_at) == (
        ("sqlite",),
        7,
        NOW + DAY,
    )
    assert stored.references == ("src/a.py",)


def test_labels_that_came_while_the_labeler_thinks_win() -> None:
    repository = _store("a")
    given = attrs.evolve(lesson("a"), keywords=("given",))

    def give(_: Entry) -> list[str]:
        repository.put(given)
        return ["sqlite"]

    assert _pending(repository, ObligingLabeler(give)).label(None, ENDLESS) == LabelOutcome()
    stored = repository.by_id(given.entry_id)
    assert stored
    assert stored.keywords == ("given",)


def test_an_entry_deleted_while_the_labeler_thinks_stays_deleted() -> None:
    repository = _store("a")

    def delete(entry: Entry) -> list[str]:
        repository.delete(entry.entry_id)
        return ["sqlite"]

    assert _pending(repository, ObligingLabeler(delete)).label(None, ENDLESS) == LabelOutcome()
    assert repository.by_id(lesson("a").entry_id) is None


def test_an_entry_that_nothing_is_left_of_fails_alone() -> None:
    repository, tier = _store("<private>mine</private>", "b"), PlantedLabeler("sqlite")

    assert _pending(repository, tier).label(None, ENDLESS) == LabelOutcome(labelled=1, failed=1)


@pytest.mark.parametrize("page", [0, 1])
def test_a_new_entry_above_the_page_waits_for_the_next_run(page: int) -> None:
    repository = _store(*map(str, range(PAGE * page + 2)))

    def learn(_: Entry) -> list[str]:
        repository.put(lesson("brand new", age=-DAY))
        return ["sqlite"]

    pending = _pending(repository, ObligingLabeler(learn))
    assert pending.label(None, ENDLESS).labelled == PAGE * page + 2
    assert pending.count() == 1
