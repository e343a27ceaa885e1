"""What `Recall` answers, against judging every entry there is."""

from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, POLICIES, PolicyName
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.ranking.candidates import RecallCandidate, RecallFacts
from hardwon.domain.model.ranking.decay import Decay
from hardwon.domain.model.ranking.policy import Evidence, Judged, judge
from hardwon.domain.model.ranking.question import Question
from hardwon.domain.model.ranking.registry import build_policy
from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.use_cases.closeness import Closeness
from hardwon.domain.use_cases.recall import Recall, Recollection
from hardwon.domain.use_cases.retrieve import Retrieve, SemanticSearch
from tests.contracts.worlds import ALL, IN_TIME, MakeWorld, World, on_every_implementation, world_in_memory
from tests.fakes.clock import FixedClock
from tests.fakes.embedders import PlantedEmbedder
from tests.strategies import (
    NOW,
    QUERY_VECTOR,
    WORDS,
    ages,
    all_entries,
    few_examples,
    filters,
    lesson,
    of_file,
    unit_vectors,
)

HERE = Workplace("here", "work", "main", ("src/a.py",))

Stored: TypeAlias = list[tuple[Entry, Vector | None]]

stores = st.lists(
    st.tuples(all_entries, st.none() | unit_vectors), max_size=12, unique_by=lambda pair: pair[0].entry_id
)
questions = st.builds(
    Question,
    text=st.lists(st.sampled_from([*WORDS, "nowhere", "the"]), min_size=1, max_size=3).map(" ".join),
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
    ids = {seq: entry_id for entry_id, seq in world.seqs().items()}
    pending = [(text, vectors[ids[text.seq]]) for text in world.vectors.pending(ALL)]
    world.vectors.put((text, vector) for text, vector in pending if vector)


def retrieve_in(world: World, text: str) -> Retrieve:
    search = SemanticSearch(PlantedEmbedder({text: QUERY_VECTOR}), world.vectors, world.index)
    return Retrieve([search], world.keywords)


def ask(world: World, question: Question, first_depth: int = 1) -> Recollection:
    recall = Recall(
        world.repository, retrieve_in(world, question.text), FixedClock(), Weights(), first_depth=first_depth
    )
    return recall(question, IN_TIME)


def exhaustively(world: World, question: Question) -> list[tuple[str, float]]:
    """Return the ids and scores of the answers, every entry judged."""
    retrieve = retrieve_in(world, question.text)._replace(only=question.only, by_passage=question.policy == "adaptive")
    found = retrieve(question.text, IN_TIME, question.keyword_text)
    closeness = Closeness.of(found.spaces)
    evidence = Evidence(
        size=world.repository.count(question.only),
        vectors=found.by_vector.spread(),
        closest=closeness.closest(),
        background=closeness.background(),
        standardised=False,
        keywords=found.by_keyword.spread(),
        window=found.window,
        most_observed=world.repository.most_observed(),
        workplace=HERE,
        now=NOW,
        limit=question.limit,
        terms=search_terms(found.keyword_text or ""),
        decay=Decay(enabled=question.decays),
    )
    by_vector, by_keyword = found.by_vector.top(ALL), found.by_keyword.top(ALL)
    vector_places = {hit.seq: at for at, hit in enumerate(by_vector, 1)}
    keyword_places = {hit.seq: at for at, hit in enumerate(by_keyword, 1)}
    vectors, keywords = ({hit.seq: hit.score for hit in hits} for hits in (by_vector, by_keyword))
    references = world.repository.references(vectors | keywords)
    close = closeness.scores(vectors)
    candidates = [
        RecallCandidate(
            facts,
            vectors.get(facts.ranking.seq),
            keywords.get(facts.ranking.seq),
            vector_places.get(facts.ranking.seq),
            keyword_places.get(facts.ranking.seq),
            len(set(references[facts.ranking.seq]) & set(HERE.touched_files)),
            close.get(facts.ranking.seq),
        )
        for facts in world.repository.recall_facts(vectors | keywords)
    ]
    best: list[Judged] = []
    for each in judge(build_policy(question.policy, evidence, Weights()), candidates):
        is_repeated = any(say_the_same(each.candidate.facts, other.candidate.facts) for other in best)
        if each.reaches(question.minimum) and not (question.distinct and is_repeated):
            best.append(each)
    return [(each.candidate.facts.ranking.entry_id, each.score) for each in best[: question.limit]]


def say_the_same(one: RecallFacts, other: RecallFacts) -> bool:
    """Tell whether who has read one of them need not read the other."""
    is_part = one.file_path is not None and one.file_path == other.file_path and "" in {one.anchor_id, other.anchor_id}
    return one.content_hash == other.content_hash or is_part


def answered(recollection: Recollection) -> list[tuple[str, float]]:
    return [(answer.entry.entry_id, answer.score) for answer in recollection.answers]


@on_every_implementation
@given(stored=stores, question=questions)
@few_examples
def test_the_answers_are_those_of_judging_every_entry(make: MakeWorld, stored: Stored, question: Question) -> None:
    with make() as world:
        fill(world, stored)
        recollection = ask(world, question)

        assert answered(recollection) == exhaustively(world, question)
        assert recollection.searched == world.repository.count(question.only)


sizes = st.integers(8, 40)


@st.composite
def crowds(draw: st.DrawFn) -> Stored:
    """Return many entries of few kinds, words and cosines, so that lists must be read deep."""
    pairs: Stored = []
    for number in range(draw(sizes)):
        text = f"{draw(st.sampled_from(['parser', 'parser lock', 'lock', 'cache']))} {number // 2}"
        age = draw(ages)
        of_a_file = of_file(
            text,
            path=f"{number}.md",
            notes=" ".join(["long"] * draw(st.sampled_from([0, 200, 1000]))),
            age=age,
            source_project=draw(st.sampled_from(["here", "there"])),
            permanent=draw(st.booleans()),
        )
        entry = of_a_file if number % 3 else lesson(text, age=age)
        pairs.append((entry, draw(st.none() | unit_vectors)))
    return list({entry.entry_id: (entry, vector) for entry, vector in pairs}.values())


@given(stored=crowds(), policy=st.sampled_from(POLICIES), limit=st.integers(1, 3) | st.integers(4, 40))
def test_reading_the_heads_of_lists_is_enough(stored: Stored, policy: PolicyName, limit: int) -> None:
    world = world_in_memory()
    fill(world, stored)
    question = Question("parser lock", EVERYTHING, policy, limit, None, HERE)

    assert answered(ask(world, question)) == exhaustively(world, question)


@on_every_implementation
@given(stored=stores, question=questions, data=st.data())
@few_examples
def test_the_order_of_storing_does_not_show(
    make: MakeWorld, stored: Stored, question: Question, data: st.DataObject
) -> None:
    with make() as world, make() as other:
        fill(world, stored)
        fill(other, data.draw(st.permutations(stored)))

        assert ask(world, question).answers == ask(other, question).answers


@on_every_implementation
@given(stored=stores, policy=st.sampled_from(POLICIES), limit=st.integers(-1, 3), text=st.sampled_from(["", " \n"]))
@few_examples
def test_without_words_or_places_nothing_is_asked(
    make: MakeWorld, stored: Stored, policy: PolicyName, limit: int, text: str
) -> None:
    with make() as world:
        fill(world, stored)

        assert ask(world, Question(text, EVERYTHING, policy, limit, None, HERE)) == Recollection()
        assert ask(world, Question("parser", EVERYTHING, policy, min(limit, 0), None, HERE)) == Recollection()
