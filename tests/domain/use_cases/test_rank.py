"""
Ranking with early termination gives what ranking everything gives, by every policy and in every use
case.

The engine alone; the session start (hybrid, prominence); recall by every policy; the injection
beside a prompt.
"""

import datetime as dt
from collections.abc import Iterable, Iterator
from itertools import chain
from random import Random
from typing import Any, NamedTuple

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.adapters.threads import Threads
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, POLICIES, PolicyName
from hardwon.domain.model.ranking.candidates import (
    Candidate,
    RankingFacts,
    RecallCandidate,
    RecallFacts,
)
from hardwon.domain.model.ranking.collections import PolicyMaker, build_policy
from hardwon.domain.model.ranking.policy import JudgedCandidate, RecallQuestion, judge
from hardwon.domain.model.ranking.prominence import (
    Maxima,
    RankingPolicy,
    ScoredCandidate,
    Signals,
    SignalWeights,
    final_order,
)
from hardwon.domain.model.ranking.selection import (
    CategoryBalancer,
    Head,
    first_exact,
    in_order,
)
from hardwon.domain.model.vocabulary import CATEGORIES, CONFIDENCES, Category, Confidence
from hardwon.domain.use_cases import rank
from hardwon.domain.use_cases import rank as session_start
from hardwon.domain.use_cases.inject_beside_prompt import (
    InjectBesidePrompt,
    Prompt,
)
from hardwon.domain.use_cases.rank import SelectionOutcome, maxima_of, select
from hardwon.domain.use_cases.recall import PER_SOURCE, Recall
from hardwon.domain.use_cases.retrieve import NoMatches, Retrieval, Retrieve
from hardwon.domain.use_cases.weigh_entries import Injection, WeighEntries
from hardwon.ports.entries import RankingReads
from tests.contracts.test_use_case_recall import (
    HERE,
    Stored,
    answered,
    ask,
    fill,
    questions,
    recall_in,
    stores,
)
from tests.contracts.worlds import (
    ALL,
    IN_TIME,
    MakeWorld,
    World,
    on_every_implementation,
    world_in_memory,
)
from tests.fakes.activity import InMemoryContextWindows, InMemoryReceipts
from tests.fakes.clock import FixedClock
from tests.fakes.documents import InMemoryInstructions
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.projects import working_in
from tests.fakes.searches import InMemoryKeywordIndex, InMemoryMatches
from tests.fakes.state import State
from tests.strategies import (
    DAY,
    NOW,
    QUERY_VECTOR,
    ages,
    cosines,
    entries_about,
    few_examples,
    file_entries,
    lesson,
    of_file,
    planted,
    timestamps,
    unit_vectors,
    weights,
)

DEFAULT = SignalWeights()

first_depths = st.sampled_from([1, 2, 3, 16])
limits = st.integers(0, 25)

# The engine.


def scored(number: int, category: Category, score: float) -> ScoredCandidate:
    facts = RankingFacts(number, str(number), category, 1, "medium", NOW, 0)
    return ScoredCandidate(Candidate(facts), Signals(), score)


@given(
    pool=st.lists(
        st.tuples(st.sampled_from(CATEGORIES), st.sampled_from([0.0, 0.2, 0.5, 1.0])), max_size=40
    ),
    limit=limits,
    slack=st.sampled_from([0.0, 0.3]),
    random=st.randoms(use_true_random=False),
)
def test_the_first_head_that_proves_its_choice_chooses_as_of_everything(
    pool: list[tuple[Category, float]], limit: int, slack: float, random: Random
) -> None:
    everything = [scored(number, *fields) for number, fields in enumerate(pool)]
    in_any_order = random.sample(everything, len(everything))

    def heads() -> Iterator[Head[ScoredCandidate]]:
        for seen in range(len(pool) + 1):
            bounds = dict[Category | None, float]()
            for unseen in in_any_order[seen:]:
                bounds[unseen.facts.category] = max(
                    bounds.get(unseen.facts.category, 0.0), unseen.score + slack
                )
            yield Head(sorted(in_any_order[:seen], key=final_order), bounds)

    select = CategoryBalancer(limit).select
    selection, head = first_exact(heads(), select)

    assert selection == select(sorted(everything, key=final_order))
    assert len(head.ranked) >= min(limit, len(pool))


# The session start.


class Lesson(NamedTuple):
    """Ranking facts of one entry, and the scores of the searches."""

    category: Category = "patterns"
    observations: int = 1
    confidence: Confidence = "medium"
    updated_at: dt.datetime = NOW
    recalls: int = 0
    vector: float | None = None
    keyword: float | None = None


lessons = st.builds(
    Lesson,
    category=st.sampled_from(CATEGORIES),
    observations=st.integers(1, 3),
    confidence=st.sampled_from(CONFIDENCES),
    updated_at=timestamps,
    recalls=st.sampled_from([0, 5, 10, 12]),
    vector=st.none() | cosines,
    keyword=st.none() | st.sampled_from([1e-6, 0.5, 1.0, 3.0]),
)
shelves = st.lists(lessons, min_size=1, max_size=10).flatmap(
    lambda pool: st.lists(st.sampled_from(pool), max_size=60)
)
"""Up to 60 lessons of at most ten sorts: ties, lists that are too short, and crowded categories are the rule."""


SPECIALITIES = ["meaning", "words", "record", "all", "none"]


def random_world(seed: int) -> list[Lesson]:
    """
    Return up to 250 lessons where heads of lists mislead.

    Specialists lead one list each and are nothing in the others; all-rounders lead none, but may
    have the best sum; and some categories are weaker than others in everything.
    """
    random = Random(seed)
    strength = {category: random.choice([0.1, 0.5, 1.0]) for category in CATEGORIES}
    crowded = random.choice(CATEGORIES)
    categories = [random.choice([crowded, *CATEGORIES]) for _ in range(random.randrange(250))]
    return [_random_lesson(random, category, strength[category]) for category in categories]


def _random_lesson(random: Random, category: Category, height: float) -> Lesson:
    speciality = random.choice(SPECIALITIES)
    levels = [0.5, 0.6, 0.7] if speciality == "all" else [0.8, 0.9, 1.0]
    good = {
        name: random.choice(levels) if speciality in {name, "all"} else 0.0 for name in SPECIALITIES
    }
    return Lesson(
        category=category,
        observations=1 + round(4 * good["record"] * height),
        updated_at=NOW - random.randrange(1, 4) * 30 * (2 - good["record"] * height) * DAY,
        recalls=round(12 * good["record"] * height),
        vector=good["meaning"] * height if random.random() < 0.9 else None,
        keyword=good["words"] * height if good["words"] else None,
    )


def build(
    all_lessons: list[Lesson], *, semantic: bool = True, keyword: bool = True
) -> tuple[Retrieval, RankingReads]:
    state = State()
    for number, planned in enumerate(all_lessons, start=1):
        state.entries[number] = attrs.evolve(
            lesson(f"lesson {number}", category=planned.category, age=NOW - planned.updated_at),
            observation_count=planned.observations,
            confidence=planned.confidence,
        )
        if planned.recalls:
            state.recalls[number] = planned.recalls, NOW
    by_vector = {
        number: planned.vector
        for number, planned in enumerate(all_lessons, start=1)
        if planned.vector is not None
    }
    by_keyword = {
        number: planned.keyword
        for number, planned in enumerate(all_lessons, start=1)
        if planned.keyword is not None
    }
    matches = InMemoryMatches(state, by_vector)
    retrieval = Retrieval(
        query="anything",
        by_vector=matches if semantic else NoMatches(),
        by_keyword=InMemoryMatches(state, by_keyword) if keyword else NoMatches(),
        spaces=(matches,) if semantic else (),
    )
    return retrieval, InMemoryEntryRepository(state)


def choose(
    retrieval: Retrieval,
    repository: RankingReads,
    limit: int,
    first_depth: int,
    weighting: SignalWeights = DEFAULT,
) -> SelectionOutcome:
    maxima = maxima_of(retrieval, repository)
    policy = RankingPolicy(weights=weighting, maxima=maxima, now=NOW)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session_start, "START_DEPTH", first_depth)
        return select(retrieval, repository, policy, CategoryBalancer(limit))


def rank_everything(
    retrieval: Retrieval, repository: RankingReads, weighting: SignalWeights
) -> list[ScoredCandidate]:
    """Rank every learning of the store by its true scores."""
    facts = [*chain.from_iterable(repository.newest_by_track_record(1_000).values())]
    numbers = [fact.number for fact in facts]
    vector, keyword = retrieval.by_vector.scores(numbers), retrieval.by_keyword.scores(numbers)
    policy = RankingPolicy(
        weights=weighting,
        maxima=Maxima(
            vector=max(vector.values(), default=0.0),
            keyword=max(keyword.values(), default=0.0),
            observations=max((fact.observation_count for fact in facts), default=1),
        ),
        now=NOW,
    )
    return policy.rank(
        [Candidate(fact, vector.get(fact.number), keyword.get(fact.number)) for fact in facts]
    )


def assert_exact(
    retrieval: Retrieval,
    repository: RankingReads,
    limit: int,
    first_depth: int,
    weighting: SignalWeights = DEFAULT,
) -> None:
    everything = rank_everything(retrieval, repository, weighting)
    selected = choose(retrieval, repository, limit, first_depth, weighting)

    assert list(selected.ranked) == in_order(CategoryBalancer(limit).select(everything))
    assert [number for number in everything if number in selected.seen] == list(selected.seen)


@pytest.mark.parametrize(
    ("semantic", "keyword"), [(True, True), (True, False), (False, True), (False, False)]
)
@given(
    first_depth=first_depths,
    shelf=shelves,
    limit=limits,
    weighting=st.just(SignalWeights()) | weights,
)
@example(
    first_depth=1, shelf=[Lesson(vector=0.5)] * 40, limit=5, weighting=SignalWeights()
)  # ties with what is not seen
@example(
    first_depth=1,
    shelf=[Lesson(vector=-0.6)] * 9 + [Lesson(vector=-0.1)],
    limit=3,
    weighting=SignalWeights(),
)
def test_session_start_is_exhaustive(
    *,
    semantic: bool,
    keyword: bool,
    first_depth: int,
    shelf: list[Lesson],
    limit: int,
    weighting: SignalWeights,
) -> None:
    assert_exact(*build(shelf, semantic=semantic, keyword=keyword), limit, first_depth, weighting)


@given(seed=st.integers(0, 2**32 - 1), limit=st.sampled_from([1, 3, 8, 9, 10, 12]))
def test_session_start_is_exhaustive_where_heads_of_lists_mislead(seed: int, limit: int) -> None:
    assert_exact(*build(random_world(seed)), limit, first_depth=1)


@given(
    first_depth=first_depths,
    crowd=shelves,
    few=st.lists(lessons, max_size=4),
    limit=st.integers(9, 12),
)
def test_session_start_is_exhaustive_when_one_category_crowds_the_others(
    first_depth: int, crowd: list[Lesson], few: list[Lesson], limit: int
) -> None:
    assert_exact(
        *build([item._replace(category="patterns") for item in crowd] + few), limit, first_depth
    )


@given(
    vectors=st.lists(st.sampled_from([-1.0, -0.6, -0.1, 0.0]), min_size=1, max_size=40),
    limit=limits,
)
def test_session_start_is_exhaustive_when_no_cosine_is_positive(
    vectors: list[float], limit: int
) -> None:
    assert_exact(*build([Lesson(vector=vector) for vector in vectors]), limit, first_depth=1)


def test_a_tie_with_what_was_not_seen_makes_the_search_go_deeper() -> None:
    assert len(choose(*build([Lesson(vector=0.5)] * 40), limit=5, first_depth=1).seen) == 40


def test_a_clear_case_is_decided_at_the_first_depth() -> None:
    shelf = [Lesson(vector=1 / place, updated_at=NOW - place * DAY) for place in range(1, 200)]

    assert len(choose(*build(shelf), limit=5, first_depth=16).seen) == 16


def test_an_empty_store_gives_nothing() -> None:
    assert choose(*build([]), limit=20, first_depth=1).ranked == ()


descriptions = st.builds(
    "lesson {} {}".format, st.integers(1, 500), st.sampled_from(["parser", "cache lock", ""])
)
others = st.lists(file_entries, max_size=5, unique_by=lambda entry: entry.entry_id)
stored_lessons = st.lists(
    st.tuples(
        entries_about(descriptions), st.none() | unit_vectors, st.sampled_from([0, 0, 5, 12])
    ),
    max_size=30,
    unique_by=lambda item: item[0].entry_id,
)


@on_every_implementation
@given(
    stored=stored_lessons,
    other_kinds=others,
    limit=st.integers(0, 12),
    first_depth=st.integers(1, 3),
)
@few_examples
def test_session_start_is_exhaustive_over_every_store(
    make: MakeWorld,
    stored: list[tuple[Entry, Vector | None, int]],
    other_kinds: list[Entry],
    limit: int,
    first_depth: int,
) -> None:
    with make() as world, world.repository.transaction():
        numbers = world.add(*(entry for entry, _, _ in stored))
        unranked = world.add(*other_kinds)
        vectors = {
            number: vector
            for number, (_, vector, _) in zip(numbers, stored, strict=True)
            if vector is not None
        }
        world.embed_all(vectors | dict.fromkeys(unranked, QUERY_VECTOR))
        for number, (_, _, recalls) in zip(numbers, stored, strict=True):
            world.usage.record_recall([number] * recalls, NOW)
        by_vector = world.index.compare(QUERY_VECTOR, LEARNINGS)
        retrieval = Retrieval(
            query="parser",
            by_vector=by_vector,
            by_keyword=world.keywords.match(["parser", "lock"], "any", LEARNINGS, IN_TIME),
            spaces=(by_vector,),
        )

        assert_exact(retrieval, world.repository, limit, first_depth)


# Recall.


GONE = ('["gone", "", "", "", "", 0, "", "a.py:3"]',)
"""The citation of a file that is gone."""


def exhaustively(
    world: World, question: RecallQuestion, baseline: PolicyMaker | None = None
) -> list[tuple[str, float]]:
    """Return the ids and scores of the answers, every entry judged."""
    found = recall_in(world, question.text).search(question, IN_TIME)
    context, closeness = found.context, found.closeness
    lists = found.retrieval.by_vector, found.retrieval.by_keyword
    by_vector, by_keyword = (hits.top(ALL) for hits in lists)
    vector_places = {hit.number: at for at, hit in enumerate(by_vector, 1)}
    keyword_places = {hit.number: at for at, hit in enumerate(by_keyword, 1)}
    vectors, keywords = (
        {hit.number: hit.score for hit in hits} for hits in (by_vector, by_keyword)
    )
    references = world.repository.references(vectors | keywords)
    close = closeness.scores(vectors)
    holding = {number for held in found.holding for number in held.scores(vectors | keywords)}
    candidates = [
        RecallCandidate(
            facts,
            vectors.get(facts.ranking.number),
            keywords.get(facts.ranking.number),
            vector_places.get(facts.ranking.number),
            keyword_places.get(facts.ranking.number),
            len(set(references[facts.ranking.number]) & set(HERE.touched_files)),
            close.get(facts.ranking.number),
            is_named=facts.ranking.number == found.named,
            holds_all=facts.ranking.number in holding,
        )
        for facts in world.repository.recall_facts(vectors | keywords)
    ]
    best: list[JudgedCandidate] = []
    policy = (
        baseline(context) if baseline else build_policy(question.policy, context, SignalWeights())
    )
    for judgement in judge(policy, candidates):
        is_repeated = any(
            say_the_same(judgement.candidate.facts, other.candidate.facts) for other in best
        )
        if judgement.reaches(question.minimum) and not (question.distinct and is_repeated):
            best.append(judgement)
    width = question.limit * (PER_SOURCE if question.distinct else 1)
    best = sorted(best[:width], key=lambda judged: judged.candidate.facts.ranking.is_outdated)
    return [
        (judgement.candidate.facts.ranking.entry_id, judgement.score)
        for judgement in best[: question.limit]
    ]


def say_the_same(one: RecallFacts, other: RecallFacts) -> bool:
    """Return whether one of them repeats the other."""
    is_part = (
        one.file_path is not None
        and one.file_path == other.file_path
        and "" in {one.anchor_id, other.anchor_id}
    )
    return one.content_hash == other.content_hash or is_part


@on_every_implementation
@given(stored=stores, question=questions)
@example(
    stored=[(lesson("parser"), planted(-1.0))],
    question=RecallQuestion("parser", EVERYTHING, "adaptive", 1, 0.3, HERE),
)
@example(
    stored=[
        (lesson("parser"), None),
        (attrs.evolve(lesson("parser parser"), citations=GONE), None),
    ],
    question=RecallQuestion("parser", EVERYTHING, "adaptive", 1, None, HERE, distinct=True),
)
@few_examples
def test_recall_is_exhaustive_by_every_policy(
    make: MakeWorld, stored: Stored, question: RecallQuestion
) -> None:
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
            project=draw(st.sampled_from(["here", "there"])),
            permanent=draw(st.booleans()),
            references=draw(st.sampled_from([(), HERE.touched_files])),
        )
        entry = of_a_file if number % 3 else lesson(text, age=age)
        pairs.append((entry, draw(st.none() | unit_vectors)))
    return list({entry.entry_id: (entry, vector) for entry, vector in pairs}.values())


def one_long_file() -> Stored:
    """Return a store whose second best answer is so long that its vector says nothing: no short entry could score as high."""
    others = [(lesson(f"cache {at}"), planted(0.0)) for at in range(40)]
    return [
        (lesson("cache"), planted(1.0)),
        (lesson("parser lock and more"), planted(0.12)),
        (of_file("parser lock", notes="long " * 700), planted(-0.1)),
        *others,
    ]


def all_better_but(**fact: Any) -> Stored:
    """Return files with every fact in their favour but *fact*, and one that has it too and is found less well."""
    best = of_file(
        "parser lock", age=0 * DAY, project=HERE.project, permanent=True, branch=HERE.branch
    )
    best = attrs.evolve(best, references=HERE.touched_files)
    others = [
        attrs.evolve(best, description=f"parser lock {at}", file_path=f"/{at}.md", **fact)
        for at in range(8)
    ]
    return [*((entry, planted(0.6)) for entry in others), (best, planted(0.55))]


def alike(count: int) -> Stored:
    """Return lessons of equal score, of which two at a time say the same."""
    return [
        (lesson(f"parser lock {at // 2}", category=CATEGORIES[at % 2]), planted(0.5))
        for at in range(count)
    ]


@given(
    stored=crowds(),
    policy=st.sampled_from(POLICIES),
    limit=st.integers(1, 3) | st.integers(4, 40),
    batch=st.sampled_from([1, 4, 32]),
)
@example(stored=one_long_file(), policy="adaptive", limit=2, batch=1)
@example(stored=all_better_but(permanent=False), policy="affinity", limit=1, batch=1)
@example(stored=all_better_but(project="there"), policy="affinity", limit=1, batch=1)
@example(stored=all_better_but(branch=None), policy="context", limit=1, batch=1)
@example(stored=all_better_but(references=()), policy="context", limit=1, batch=1)
@example(stored=alike(40), policy="cosine", limit=1, batch=1)
@example(stored=alike(40), policy="affinity", limit=35, batch=32)  # more than a batch
@example(stored=alike(40), policy="fused", limit=3, batch=1)
def test_recall_is_exhaustive_where_lists_must_be_read_deep(
    stored: Stored, policy: PolicyName, limit: int, batch: int
) -> None:
    world = world_in_memory()
    fill(world, stored)
    question = RecallQuestion("parser lock", EVERYTHING, policy, limit, None, HERE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rank, "BATCH", batch)

        assert answered(ask(world, question)) == exhaustively(world, question)


def test_entries_below_an_unread_one_are_not_judged() -> None:
    close = [(lesson(f"cache {at}"), planted(0.9 - at / 100)) for at in range(20)]
    named = [(lesson(f"parser lock {at}"), planted(0.0)) for at in range(20)]
    world = world_in_memory()
    fill(world, [*close, *named])
    question = RecallQuestion("parser lock", EVERYTHING, "cosine", 5, None, HERE)
    judged, recall_facts = set[int](), world.repository.recall_facts

    def noted(numbers: Iterable[int]) -> list[RecallFacts]:
        judged.update(numbers := [*numbers])
        return recall_facts(numbers)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(world.repository, "recall_facts", noted)
        found = answered(ask(world, question))

    assert judged <= {world.numbers()[entry.entry_id] for entry, _ in close}
    assert found == exhaustively(world, question)


# Beside a prompt.

PROMPT_WORDS = ("rename", "column", "safely", "parser_lock", "release", "socket")
sayings = st.lists(st.sampled_from(PROMPT_WORDS), min_size=1, max_size=5).map(" ".join)


def beside(prompt: str, state: State, *, everything_read: bool) -> Injection:
    recall = Recall(
        InMemoryEntryRepository(state),
        Retrieve((), InMemoryKeywordIndex(state), Threads()),
        FixedClock(),
        SignalWeights(),
    )
    watch = (lambda _: None) if everything_read else None
    return InjectBesidePrompt(
        WeighEntries(
            recall, InMemoryContextWindows(InMemoryReceipts()), InMemoryInstructions, watch
        )
    ).text_for(Prompt(prompt, "one", working_in("here")), IN_TIME)


@given(
    shelf=st.lists(sayings, max_size=4),
    prompt=st.lists(sayings, min_size=1, max_size=3).map(". ".join),
)
@example(
    shelf=["rename column safely release"], prompt="rename column safely release"
)  # one that wins
def test_entries_beside_a_prompt_are_the_same_when_every_text_is_read(
    shelf: list[str], prompt: str
) -> None:
    state = State()
    repository = InMemoryEntryRepository(state)
    for text in (*shelf, *(f"filler number {number}" for number in range(40))):
        repository.put(lesson(text))

    assert beside(prompt, state, everything_read=False) == beside(
        prompt, state, everything_read=True
    )
