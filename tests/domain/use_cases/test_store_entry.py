import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry, PublicEntry, redact_entry
from hardwon.domain.model.errors import InvalidEntryError, StorageError
from hardwon.domain.model.filters import LEARNINGS
from hardwon.domain.model.project import Visibility
from hardwon.domain.use_cases.store_entry import Origin
from tests.fakes.activity import InMemoryUsageLog
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.projects import ANYHOW, InMemoryProjects, store_entry, working_in
from tests.strategies import entries, lesson, odd_entries


@given(entry=odd_entries)
def test_a_new_lesson_is_stored_as_it_is(entry: Entry) -> None:
    repository = InMemoryEntryRepository()
    stored = store_entry(repository).keep(PublicEntry(entry))

    assert not stored.merged
    assert repository.by_id(entry.entry_id) == stored.entry == ANYHOW.mark(entry)


@given(entry=entries)
def test_the_same_lesson_twice_is_one_entry_seen_once_more(entry: Entry) -> None:
    repository = InMemoryEntryRepository()
    store = store_entry(repository)
    store.keep(redact_entry(entry))
    second = store.keep(redact_entry(entry))

    assert second.merged
    assert second.entry == attrs.evolve(
        ANYHOW.mark(entry), observation_count=entry.observation_count + 1
    )
    assert repository.matching(LEARNINGS, limit=9) == [second.entry]


@given(lessons=st.lists(entries, max_size=8))
def test_nothing_is_lost_and_nothing_doubled(lessons: list[Entry]) -> None:
    repository = InMemoryEntryRepository()
    store = store_entry(repository)
    for item in lessons:
        store.keep(redact_entry(item))

    first_of = {item.entry_id: item for item in reversed(lessons)}
    kept = {item.entry_id: item for item in repository.matching(LEARNINGS, limit=99)}
    assert kept.keys() == first_of.keys()
    for entry_id, entry in kept.items():
        times = [item for item in lessons if item.entry_id == entry_id]
        assert entry.observation_count == first_of[entry_id].observation_count + len(times) - 1
        assert (entry.name, entry.category) == (
            first_of[entry_id].name,
            first_of[entry_id].category,
        )
        assert set(entry.keywords) <= {keyword for item in times for keyword in item.keywords}


def test_recalls_go_on_counting_through_a_merge() -> None:
    repository = InMemoryEntryRepository()
    entry = lesson("retry")
    store_entry(repository).keep(redact_entry(entry))
    InMemoryUsageLog(repository.state).record_recall([1], entry.updated_at)

    assert store_entry(repository).keep(redact_entry(entry)).entry.recall_count == 1
    assert [item.recall_count for item in repository.matching(LEARNINGS, limit=9)] == [1]


def test_secrets_go_before_the_identity_is_made() -> None:
    repository = InMemoryEntryRepository()
    store = store_entry(repository)
    first = store.keep(
        redact_entry(lesson("Key ghp_" + "a1B2" * 9 + " leaked <private>at Acme</private>"))
    )
    second = store.keep(redact_entry(lesson("Key ghp_" + "c3D4" * 9 + " leaked")))

    assert first.entry.description == "Key [REDACTED] leaked"
    assert second.merged
    assert first.entry.entry_id == second.entry.entry_id


def test_a_lesson_of_which_nothing_public_is_left_changes_nothing() -> None:
    repository = InMemoryEntryRepository()

    with pytest.raises(InvalidEntryError):
        store_entry(repository).keep(redact_entry(lesson("<private>x</private>")))
    assert repository.matching(LEARNINGS, limit=9) == []


def test_a_store_that_cannot_be_written_raises_and_keeps_nothing() -> None:
    repository = InMemoryEntryRepository()
    repository.busy = True

    with pytest.raises(StorageError):
        store_entry(repository).keep(redact_entry(lesson("retry")))
    assert repository.matching(LEARNINGS, limit=9) == []


FOREIGN = working_in("clone")._replace(visibility=Visibility(own=("clone",), is_foreign=True))
TWIN = attrs.evolve(lesson("The same for all."), name="The clone's name")


def beside(known: Entry, origin: Origin) -> tuple[Entry, InMemoryProjects]:
    """Return what the store has of a *known* lesson after the clone's agent or user stored it too."""
    repository = InMemoryEntryRepository()
    projects = InMemoryProjects(repository.state)
    repository.put(known)
    return store_entry(repository, projects, origin).keep(redact_entry(TWIN)).entry, projects


def test_a_lesson_of_the_users_own_is_not_changed_by_a_foreign_project_that_has_it_too() -> None:
    known = attrs.evolve(lesson("The same for all."), project="mine")
    entry, projects = beside(known, Origin(FOREIGN, "mcp"))

    assert (entry.name, entry.observation_count, entry.project) == (known.name, 1, "mine")
    assert projects.places_of(entry.entry_id) == ("clone",)


def test_a_lesson_kept_at_home_is_not_shown_in_a_foreign_project_that_has_it_too() -> None:
    known = attrs.evolve(lesson("The same for all."), project="mine", reach="home")
    entry, projects = beside(known, Origin(FOREIGN, "mcp"))

    assert (entry.name, projects.places_of(entry.entry_id)) == (known.name, ())


def test_the_users_word_in_a_foreign_project_counts_a_shared_lesson_once_more_for_everywhere() -> (
    None
):
    known = attrs.evolve(lesson("The same for all."), project="mine", observation_count=3)
    entry, _ = beside(known, Origin(FOREIGN, "writer", "everywhere"))

    assert (entry.name, entry.observation_count, entry.reach) == (known.name, 4, "everywhere")
