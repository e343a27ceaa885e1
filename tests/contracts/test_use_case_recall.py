"""Recall gives the same answers however the store was filled; `test_rank` shows that they are exact."""

from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.threads import Threads
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, POLICIES, PolicyName
from hardwon.domain.model.ranking.policy import RecallQuestion
from hardwon.domain.model.ranking.prominence import SignalWeights
from hardwon.domain.use_cases.recall import Recall, RecallAnswers
from hardwon.domain.use_cases.retrieve import Retrieve, SemanticSearch
from tests.contracts.worlds import ALL, IN_TIME, MakeWorld, World, on_every_implementation
from tests.fakes.clock import FixedClock
from tests.fakes.models import PlantedEmbedder
from tests.fakes.projects import working_in
from tests.strategies import (
    QUERY_VECTOR,
    WORDS,
    all_entries,
    few_examples,
    filters,
    lesson,
    of_file,
    planted,
    unit_vectors,
)

HERE = working_in("here", "work", "main", ("src/a.py",))

Stored: TypeAlias = list[tuple[Entry, Vector | None]]

stores = st.lists(
    st.tuples(all_entries, st.none() | unit_vectors),
    max_size=12,
    unique_by=lambda pair: pair[0].entry_id,
)
questions = st.builds(
    RecallQuestion,
    text=st.lists(st.sampled_from([*WORDS, "nowhere", "the"]), min_size=1, max_size=3).map(
        " ".join
    ),
    only=st.just(EVERYTHING) | filters,
    policy=st.sampled_from(POLICIES),
    limit=st.integers(1, 4),
    minimum=st.none() | st.sampled_from([0.0, 0.3, 0.6]),
    workplace=st.just(HERE),
    distinct=st.booleans(),
    keyword_text=st.none() | st.sampled_from(["", *WORDS]),
)


def fill(world: World, stored: Stored) -> None:
    world.add(*(entry for entry, _ in stored))
    vectors = {entry.entry_id: vector for entry, vector in stored}
    ids = {number: entry_id for entry_id, number in world.numbers().items()}
    pending = [(text, vectors[ids[text.number]]) for text in world.vectors.pending(ALL)]
    world.vectors.put((text, vector) for text, vector in pending if vector)


def retrieve_in(world: World, text: str) -> Retrieve:
    search = SemanticSearch(PlantedEmbedder({text: QUERY_VECTOR}), world.vectors, world.index)
    return Retrieve([search], world.keywords, Threads())


def recall_in(world: World, text: str) -> Recall:
    return Recall(
        world.repository, retrieve_in(world, text), FixedClock(), SignalWeights(), first_depth=1
    )


def ask(world: World, question: RecallQuestion) -> RecallAnswers:
    return recall_in(world, question.text).answer(question, IN_TIME)


def answered(recollection: RecallAnswers) -> list[tuple[str, float]]:
    return [(answer.entry.entry_id, answer.score) for answer in recollection.answers]


@on_every_implementation
@given(stored=stores, question=questions, data=st.data())
@few_examples
def test_the_order_of_storing_does_not_show(
    make: MakeWorld, stored: Stored, question: RecallQuestion, data: st.DataObject
) -> None:
    with make() as world, make() as other:
        fill(world, stored)
        fill(other, data.draw(st.permutations(stored)))

        assert ask(world, question).answers == ask(other, question).answers


@on_every_implementation
@given(
    stored=stores,
    policy=st.sampled_from(POLICIES),
    limit=st.integers(-1, 3),
    text=st.sampled_from(["", " \n"]),
)
@few_examples
def test_without_words_or_places_nothing_is_asked(
    make: MakeWorld, stored: Stored, policy: PolicyName, limit: int, text: str
) -> None:
    with make() as world:
        fill(world, stored)

        assert (
            ask(world, RecallQuestion(text, EVERYTHING, policy, limit, None, HERE))
            == RecallAnswers()
        )
        assert (
            ask(world, RecallQuestion("parser", EVERYTHING, policy, min(limit, 0), None, HERE))
            == RecallAnswers()
        )


NEAR = [(lesson(f"lesson {number}"), planted(0.99 - number / 1000)) for number in range(20)]


@on_every_implementation
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("limit", [1, 3])
def test_a_word_that_one_entry_holds_finds_it_first_by_every_policy(
    make: MakeWorld, policy: PolicyName, limit: int
) -> None:
    with make() as world:
        fill(world, [(lesson("the zebra"), planted(0.1)), *NEAR])
        answers = ask(world, RecallQuestion("zebra", EVERYTHING, policy, limit, None, HERE)).answers

        assert (answers[0].entry.description, len(answers)) == ("the zebra", limit)


@on_every_implementation
@pytest.mark.parametrize(
    "size",
    [
        10,
        100,
        pytest.param(1_000, marks=pytest.mark.large),
        pytest.param(10_000, marks=pytest.mark.soak),
    ],
)
def test_it_does_so_in_stores_of_every_size(make: MakeWorld, size: int) -> None:
    near = (
        (lesson(f"lesson {number}"), planted(0.99 - number / 20_000)) for number in range(size - 1)
    )
    with make() as world:
        for entry, _ in (stored := [(lesson("the zebra"), planted(0.1)), *near]):
            world.repository.put(entry)
        vectors = [vector for _, vector in stored]
        world.vectors.put((text, vectors[text.number - 1]) for text in world.vectors.pending(size))

        for policy in POLICIES:
            [first] = ask(world, RecallQuestion("zebra", EVERYTHING, policy, 1, None, HERE)).answers
            assert first.entry.description == "the zebra", policy


@on_every_implementation
@pytest.mark.parametrize("text", ["zebra", "zebra lesson"])
def test_a_word_of_two_entries_or_beside_another_word_is_ranked_by_score(
    make: MakeWorld, text: str
) -> None:
    with make() as world:
        others = [(lesson("a zebra crossing"), planted(0.2))] if text == "zebra" else []
        fill(world, [(lesson("the zebra"), planted(0.1)), *others, *NEAR])
        answers = ask(world, RecallQuestion(text, EVERYTHING, "affinity", 1, None, HERE)).answers

        assert answers[0].entry.description == "lesson 0"


@on_every_implementation
def test_a_conversation_and_a_decision_of_it_are_one_answer(make: MakeWorld) -> None:
    spoken = "We keep sessions in signed cookies."
    decision = of_file(
        f"{spoken}\n\nSessions were in Redis.", kind="decision", path="a.md", session_id="s"
    )
    talk = of_file(
        f"Where do sessions go?\n\n{spoken}", kind="conversation", path="b.md", session_id="s"
    )
    other = of_file(
        f"Sessions again.\n\n{spoken}", kind="conversation", path="c.md", session_id="t"
    )
    question = RecallQuestion(
        text="signed cookies sessions",
        only=EVERYTHING,
        policy="adaptive",
        limit=2,
        minimum=None,
        workplace=HERE,
    )
    with make() as world:
        world.add(decision, talk, other)
        recall = Recall(
            world.repository, Retrieve((), world.keywords, Threads()), FixedClock(), SignalWeights()
        )
        answers = [answer.entry.session_id for answer in recall.answer(question, IN_TIME).answers]
        everything = recall.answer(question._replace(distinct=False, limit=9), IN_TIME).answers

    assert sorted(filter(None, answers)) == ["s", "t"]
    assert len(everything) == 3
