"""A superseded lesson is ranked below all others, and of a proposed pair the newer one is answered."""

import attrs
import pytest

from hardwon.adapters.threads import Threads
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, NOWHERE, EntryFilter, seen_from
from hardwon.domain.model.ranking.policy import RecallQuestion
from hardwon.domain.model.ranking.prominence import SignalWeights
from hardwon.domain.use_cases.edit_entries import ChangeEntry
from hardwon.domain.use_cases.recall import Recall
from hardwon.domain.use_cases.retrieve import Retrieve, SemanticSearch
from hardwon.domain.use_cases.supersede import (
    FindNearest,
    FindNeighbours,
    ProposeSupersessions,
    Supersede,
)
from hardwon.ports.entries import Proposal
from tests.contracts.worlds import ALL, IN_TIME, MakeWorld, World, on_every_implementation
from tests.fakes.clock import FixedClock
from tests.fakes.models import PlantedEmbedder
from tests.strategies import DAY, NOW, QUERY_VECTOR, lesson, of_file, planted

OLDER = attrs.evolve(
    lesson("Retry the payment three times, retry is safe for payment calls."),
    created_at=NOW - 9 * DAY,
)
NEWER = lesson("Do not retry a payment call: retry charged customers twice.")
QUESTION = RecallQuestion(
    text="retry payment",
    only=EVERYTHING,
    policy="adaptive",
    limit=5,
    minimum=None,
    workplace=NOWHERE,
)


def answered(world: World, question: RecallQuestion = QUESTION) -> list[str]:
    recall = Recall(
        world.repository, Retrieve((), world.keywords, Threads()), FixedClock(), SignalWeights()
    )
    return [answer.entry.entry_id for answer in recall.answer(question, IN_TIME).answers]


def supersede(world: World) -> Supersede:
    return Supersede(
        ChangeEntry(repository=world.repository, history=world.history, clock=FixedClock())
    )


@on_every_implementation
def test_a_superseded_lesson_is_ranked_below_all_others_until_that_is_taken_back(
    make: MakeWorld,
) -> None:
    with make() as world:
        world.add(OLDER, NEWER, lesson("An invoice waits for its payment."))
        before = answered(world)
        changed = supersede(world).apply(OLDER.entry_id, NEWER.entry_id)

        assert before[0] == OLDER.entry_id
        assert [item.field for item in changed.changes] == ["superseded_by"]
        assert answered(world)[-1] == OLDER.entry_id
        assert {*answered(world)} == {*before}
        supersede(world).apply(OLDER.entry_id, "")
        assert answered(world) == before


@on_every_implementation
def test_only_a_learning_that_is_not_superseded_itself_supersedes_another(make: MakeWorld) -> None:
    document = of_file("Retry.")
    with make() as world:
        world.add(OLDER, NEWER, document)
        supersede(world).apply(OLDER.entry_id, NEWER.entry_id)
        pairs = [
            (NEWER.entry_id, OLDER.entry_id),
            (NEWER.entry_id, NEWER.entry_id),
            (NEWER.entry_id, document.entry_id),
            (document.entry_id, NEWER.entry_id),
            (NEWER.entry_id, "0" * 16),
        ]
        for pair in pairs:
            with pytest.raises(HardwonError):
                supersede(world).apply(*pair)
        assert answered(world)[-1] == OLDER.entry_id


@on_every_implementation
def test_of_a_proposed_pair_the_newer_one_is_answered_and_its_place_goes_to_the_next(
    make: MakeWorld,
) -> None:
    others = [lesson(f"Retry number {number} of a payment.") for number in range(5)]
    with make() as world:
        world.add(OLDER, NEWER, *others)
        world.proposals.propose(Proposal(OLDER.entry_id, NEWER.entry_id, 0.95))

        assert OLDER.entry_id not in answered(world)
        assert len(answered(world)) == QUESTION.limit
        assert OLDER.entry_id in answered(world, QUESTION._replace(distinct=False, limit=9))
        world.repository.delete(NEWER.entry_id)
        assert OLDER.entry_id in answered(world)


def proposed(world: World, *entries: Entry) -> list[Proposal]:
    """Return the pairs that are found when *entries* get one and the same vector."""
    world.add(*entries)
    pending = [(text, QUERY_VECTOR) for text in world.vectors.pending(ALL)]
    world.vectors.put(pending)
    ProposeSupersessions(world.repository, world.index, world.proposals).propose(pending)
    return world.proposals.open(ALL)


@on_every_implementation
def test_a_lesson_about_a_change_is_proposed_in_place_of_the_older_one(make: MakeWorld) -> None:
    with make() as world:
        [proposal] = proposed(world, NEWER, OLDER)

        assert proposal[:2] == (OLDER.entry_id, NEWER.entry_id)
        assert proposal.probability >= 0.9


@on_every_implementation
def test_nothing_is_proposed_between_lessons_of_two_trusts(make: MakeWorld) -> None:
    with make() as world:
        assert (
            proposed(
                world, attrs.evolve(OLDER, project="theirs"), attrs.evolve(NEWER, project="mine")
            )
            == []
        )
        assert proposed(world, attrs.evolve(OLDER, reach="everywhere")) == []


@on_every_implementation
def test_documents_are_compared_with_nothing(make: MakeWorld) -> None:
    with make() as world:
        assert proposed(world, OLDER, of_file(NEWER.description, kind="document")) == []


@on_every_implementation
def test_fifty_copies_in_other_words_are_all_kept_and_one_is_answered(make: MakeWorld) -> None:
    with make() as world:
        copies = [
            attrs.evolve(
                lesson(f"{NEWER.description} Seen in case {number}."), created_at=NOW + number * DAY
            )
            for number in range(50)
        ]
        assert proposed(world, *copies)
        assert len(answered(world, QUESTION._replace(distinct=False, limit=ALL))) == len(copies)
        assert answered(world)


def near(world: World, entry: Entry, only: EntryFilter = LEARNINGS) -> list[str]:
    """Return the descriptions of the lessons near *entry*."""
    search = SemanticSearch(PlantedEmbedder(), world.vectors, world.index)
    neighbours = FindNeighbours(world.repository, [search])
    found = FindNearest(neighbours, world.keywords).near(entry, only, IN_TIME)
    return [other.description for other in found]


@on_every_implementation
def test_the_three_nearest_lessons_by_vector_are_named_without_superseded_ones(
    make: MakeWorld,
) -> None:
    others = {text: lesson(text) for text in ("Twin.", "Next.", "Third.", "Fourth.", "Gone.")}
    with make() as world:
        numbers = world.add(NEWER, *others.values(), of_file("A document.", kind="document"))
        cosines = (1.0, 0.9, 0.8, 0.3, 0.28, 0.95, 0.99)
        world.embed_all({n: planted(c) for n, c in zip(numbers, cosines, strict=True)})
        supersede(world).apply(others["Gone."].entry_id, NEWER.entry_id)

        assert near(world, NEWER) == ["Twin.", "Next.", "Third."]


@on_every_implementation
@pytest.mark.parametrize(("cosine", "named"), [(0.28, ["Far."]), (0.25, [])])
def test_a_lesson_that_is_not_close_is_not_named(
    make: MakeWorld, cosine: float, named: list[str]
) -> None:
    with make() as world:
        numbers = world.add(NEWER, lesson("Far."))
        world.embed_all(dict(zip(numbers, (QUERY_VECTOR, planted(cosine)), strict=True)))

        assert near(world, NEWER) == named


@on_every_implementation
def test_a_lesson_without_a_vector_is_compared_by_its_words(make: MakeWorld) -> None:
    others = [
        lesson(f"An invoice of the {place} is printed.", name="Print") for place in "ABCDEFGH"
    ]
    with make() as world:
        world.add(OLDER, NEWER, *others)

        assert near(world, NEWER) == [OLDER.description]
        assert near(world, lesson("Grow basil near the window.", name="Basil")) == []


@on_every_implementation
def test_a_lesson_that_stays_at_home_elsewhere_is_not_named(make: MakeWorld) -> None:
    with make() as world:
        world.add(attrs.evolve(OLDER, project="theirs", reach="home"), NEWER)

        assert near(world, NEWER, seen_from(NOWHERE._replace(project="mine"))) == []
