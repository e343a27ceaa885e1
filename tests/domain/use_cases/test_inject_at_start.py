import threading
from collections.abc import Mapping, Sequence

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.threads import Threads
from hardwon.domain.model.context import ContextQuery, Feature
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import (
    EmbedderUnavailableError,
    NumpyMissingError,
    VectorIndexUnavailableError,
)
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.injection.entry_text import BUDGET_TOKENS
from hardwon.domain.model.text import tokens
from hardwon.domain.model.vocabulary import CATEGORIES
from hardwon.domain.use_cases.inject_at_start import StartInjection
from hardwon.domain.use_cases.retrieve import Retrieve, SemanticSearch
from hardwon.ports.keyword_index import Mode
from hardwon.ports.models import Task
from hardwon.ports.vectors import Matches
from tests.fakes.clock import FixedClock
from tests.fakes.models import LONGEST_WAIT, HangingEmbedder, PlantedEmbedder, UnreliableEmbedder
from tests.fakes.projects import working_in
from tests.fakes.searches import InMemoryKeywordIndex, InMemoryVectorIndex
from tests.fakes.session import InMemorySession
from tests.strategies import (
    DAY,
    QUERY_VECTOR,
    SPACE,
    all_entries,
    entries,
    lesson,
    of_file,
    planted,
)

QUERY = ContextQuery(feature=Feature(slug="parser", phase="design"))
QUERY_TEXT = "parser. Phase: design"
NO_SIGNAL = ContextQuery()


class Session(InMemorySession):
    """A session start on a store in memory; each search can be taken away."""

    def inject(
        self,
        query: ContextQuery = QUERY,
        *,
        limit: int = 20,
        seconds: float = 2.0,
        framed: bool = False,
    ) -> StartInjection:
        return self.inject_at_start.block_for(
            query,
            limit=limit,
            deadline=self.clock.deadline(seconds),
            workplace=working_in("here"),
            framed=framed,
        )


def embedded() -> Session:
    return Session(embedder=PlantedEmbedder({QUERY_TEXT: QUERY_VECTOR}))


def descriptions(injection: StartInjection, session: Session) -> list[str]:
    return [
        entry.description
        for entry in session.repository.hydrate(
            [ranked.facts.number for ranked in injection.printed]
        )
    ]


def assert_noted(injection: StartInjection, reason: str) -> None:
    [noted] = injection.degradations
    assert reason in noted
    assert "\n" not in noted


def small_session() -> Session:
    """Return three lessons: one near in meaning, one that holds the word, and the most observed, which is neither."""
    session = embedded()
    session.add(lesson("meaning", category="heuristics"), planted(0.9))
    session.add(lesson("parser"), planted(0.0))
    session.add(
        attrs.evolve(lesson("record", category="anti-patterns"), observation_count=9), planted(-0.8)
    )
    return session


def test_of_twenty_near_and_thirty_far_lessons_the_near_ones_are_printed() -> None:
    session = embedded()
    for number in range(20):
        session.add(lesson(f"near {number}"), planted(0.81 + number / 110))
    for number in range(30):
        far = lesson(f"far {number}", category=CATEGORIES[number % 2])
        session.add(
            attrs.evolve(far, observation_count=3, confidence="high"), planted(0.29 - number / 30)
        )

    printed = descriptions(session.inject(limit=25), session)

    assert len(printed) == 25
    assert sum(text.startswith("near") for text in printed) >= 18


def test_every_category_gets_its_three_places_beside_better_ones() -> None:
    session = embedded()
    for number in range(30):
        session.add(lesson(f"strong {number}"), planted(0.9))
    for number in range(3):
        session.add(lesson(f"weak {number}", category="heuristics", age=900 * DAY), planted(-0.9))

    printed = descriptions(session.inject(limit=9), session)

    assert sum(text.startswith("weak") for text in printed) == 3
    assert len(printed) == 9


def test_both_searches_and_the_track_record_decide_together() -> None:
    session = small_session()
    injection = session.inject()

    assert descriptions(injection, session) == ["meaning", "parser", "record"]
    assert injection.degradations == ()
    assert (
        'semantic: active (vector=3, fts5=1) | context: "parser. Phase: design..." | model: planted-4*'
        in injection.text
    )


def test_without_any_signal_nothing_is_searched_and_prominence_decides() -> None:
    session = small_session()
    embedder = PlantedEmbedder()
    session.embedder = embedder
    injection = session.inject(NO_SIGNAL)

    assert embedder.asked == []
    assert descriptions(injection, session)[0] == "record"
    assert injection.selected is not None
    assert injection.selected.policy == "prominence"
    assert {parts["prominence_weight"] for parts in injection.selected.parts.values()} == {1.0}
    assert "| context: none | model: none*" in injection.text


def test_the_query_is_embedded_once_as_a_query() -> None:
    session = small_session()
    embedder = PlantedEmbedder()
    session.embedder = embedder
    session.inject()

    assert embedder.asked == [(QUERY_TEXT, "query")]


def test_nothing_is_embedded_while_no_vector_is_stored() -> None:
    session = Session(embedder=(embedder := PlantedEmbedder()))
    session.add(lesson("parser"))
    injection = session.inject()

    assert embedder.asked == []
    assert injection.degradations == ()
    assert "active (vector=0, fts5=1, pending_embedding=1)" in injection.text
    assert injection.text.splitlines()[2].endswith("model: none*")


def test_without_an_embedder_words_decide() -> None:
    session = small_session()
    session.embedder = None
    injection = session.inject()

    assert descriptions(injection, session)[0] == "parser"
    assert injection.degradations == ()
    assert "active (vector=0, fts5=1)" in injection.text


def test_an_embedder_that_fails_leaves_the_words_and_is_noted() -> None:
    session = small_session()
    session.embedder = UnreliableEmbedder(PlantedEmbedder(), failing=[1])
    injection = session.inject()

    assert descriptions(injection, session)[0] == "parser"
    assert_noted(injection, "no answer")
    assert injection.selected is not None
    assert {parts["vector_weight"] for parts in injection.selected.parts.values()} == {0.0}


def test_an_embedder_that_hangs_leaves_the_words_when_the_deadline_passes() -> None:
    session = small_session()
    session.embedder = hanging = HangingEmbedder(PlantedEmbedder())
    injection = session.inject(seconds=0.01)
    hanging.released.set()

    assert descriptions(injection, session)[0] == "parser"
    assert_noted(injection, "no answer in time")


@pytest.mark.parametrize("answer", [[], [0.0, 0.0, 0.0, 0.0], [1.0, 0.0]])
def test_an_embedder_that_answers_nonsense_leaves_the_words_and_is_noted(
    answer: list[float],
) -> None:
    session = small_session()
    session.embedder = PlantedEmbedder({QUERY_TEXT: type(QUERY_VECTOR)("f", answer)})
    injection = session.inject()

    assert descriptions(injection, session)[0] == "parser"
    assert_noted(injection, "vector")


class SilentEmbedder(PlantedEmbedder):
    """Answers any texts with no vectors at all."""

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        return super().embed(texts, task, deadline)[:0]


def test_an_embedder_that_answers_nothing_leaves_the_words_and_is_noted() -> None:
    session = small_session()
    session.embedder = SilentEmbedder()
    injection = session.inject()

    assert descriptions(injection, session)[0] == "parser"
    assert_noted(injection, "vector")


def test_without_keyword_search_meaning_decides_and_it_is_noted() -> None:
    session = small_session()
    session.keywords.available = False
    injection = session.inject()

    assert descriptions(injection, session)[0] == "meaning"
    assert_noted(injection, "no keyword index here")
    assert "active (vector=3, fts5=0)" in injection.text


def test_without_either_search_prominence_decides_and_both_are_noted() -> None:
    session = small_session()
    session.keywords.available = False
    session.embedder = UnreliableEmbedder(PlantedEmbedder(), failing=[1])
    injection = session.inject()

    assert descriptions(injection, session) == descriptions(session.inject(NO_SIGNAL), session)
    assert len(injection.degradations) == 2


def test_without_numpy_the_line_says_so_and_nothing_is_embedded() -> None:
    session = small_session()
    embedder = PlantedEmbedder()
    session.embedder = embedder
    session.index = InMemoryVectorIndex(
        session.vectors, broken=NumpyMissingError("numpy is not installed")
    )
    injection = session.inject()

    assert embedder.asked == []
    assert descriptions(injection, session)[0] == "parser"
    assert "semantic: degraded (numpy unavailable, run: make install)" in injection.text
    assert_noted(injection, "numpy is not installed")


def test_an_index_that_breaks_while_comparing_leaves_the_words_and_is_noted() -> None:
    session = small_session()
    session.index = InMemoryVectorIndex(
        session.vectors, broken=VectorIndexUnavailableError("no BLAS")
    )
    injection = session.inject()

    assert descriptions(injection, session)[0] == "parser"
    assert_noted(injection, "no BLAS")


@pytest.mark.parametrize(
    ("slowdown", "noted"),
    [(0.0, ()), (1.0, ()), (1.1, ("no vector search: comparing needs 2.2 s of the 2.0 s left",))],
)
def test_a_comparison_that_would_end_too_late_is_left_out_and_noted(
    slowdown: float, noted: tuple[str, ...]
) -> None:
    session = small_session()
    session.index = index = InMemoryVectorIndex(session.vectors)
    index.seconds = 2.0
    retrieve = session.retrieve._replace(slowdown=slowdown)
    retrieval = retrieve.search(QUERY_TEXT, session.clock.deadline(2.0))

    assert retrieval.degradations == noted
    assert bool(retrieval.spaces) != bool(noted)
    assert retrieval.by_keyword.count() == 1


@attrs.frozen
class WaitingEmbedder:
    """Answers when the words have been searched."""

    searched: threading.Event
    max_tokens = 256

    @property
    def space(self) -> Space:
        return SPACE

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        del texts, task, deadline
        if not self.searched.wait(LONGEST_WAIT):
            raise EmbedderUnavailableError("the words were not searched meanwhile")
        return [QUERY_VECTOR]


@attrs.frozen
class RecordingIndex:
    """Tells when the words have been searched."""

    inner: InMemoryKeywordIndex
    searched: threading.Event

    def size(self) -> int:
        return self.inner.size()

    def frequencies(self, terms: Sequence[str], deadline: Deadline) -> Mapping[str, int]:
        return self.inner.frequencies(terms, deadline)

    def match(
        self, terms: Sequence[str], mode: Mode, only: EntryFilter, deadline: Deadline
    ) -> Matches:
        self.searched.set()
        return self.inner.match(terms, mode, only, deadline)

    def weigh(self, terms: Sequence[str], only: EntryFilter, deadline: Deadline) -> Matches:
        self.searched.set()
        return self.inner.weigh(terms, only, deadline)

    def completions(self, beginning: str, only: EntryFilter, deadline: Deadline) -> Sequence[str]:
        return self.inner.completions(beginning, only, deadline)


def test_words_are_searched_while_the_embedder_is_still_at_work() -> None:
    session, searched = small_session(), threading.Event()
    retrieve = Retrieve(
        semantic=[
            SemanticSearch(
                embedder=WaitingEmbedder(searched),
                store=session.vectors,
                vector_index=InMemoryVectorIndex(session.vectors),
            )
        ],
        keywords=RecordingIndex(session.keywords, searched),
        background=Threads(),
    )
    retrieval = retrieve.search(QUERY_TEXT, FixedClock().deadline(60))

    assert retrieval.degradations == ()
    assert retrieval.by_vector.count() == 3


def test_common_words_are_not_searched_in_a_large_store() -> None:
    session = Session(embedder=None)
    for number in range(60):
        session.add(lesson(f"common number {number}" + (" rare" if number == 7 else "")))
    retrieval = session.retrieve.search("the common rare word", session.clock.deadline())

    assert session.keywords.searches == [("rare", "word")]
    assert retrieval.by_keyword.count() == 1


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_of_zero_or_less_prints_nothing(limit: int) -> None:
    assert small_session().inject(limit=limit) == StartInjection()


def test_an_empty_store_prints_nothing() -> None:
    injection = embedded().inject()

    assert (injection.text, injection.printed) == ("", ())


def rule(text: str, *, project: str = "here", age: int = 1, weight: float = 0.5) -> Entry:
    document = of_file(
        text, kind="document", path=f"{text[:9]}.md", tier="constitutional", age=age * DAY
    )
    return attrs.evolve(document, name=text[:9], project=project, importance_weight=weight)


def printed_rules(injection: StartInjection) -> list[str]:
    return [rule.description for rule in injection.rules]


def test_rules_stand_first_outside_the_limit_without_a_query_and_without_lessons() -> None:
    session = embedded()
    session.add(rule("Name units"))
    injection = session.inject(NO_SIGNAL, limit=1)

    assert injection.text.splitlines()[2:] == [
        "*Memory: 1 entries from 1 | semantic: active (vector=0, fts5=0) | context: none | model: none*",
        "",
        "### Constitutional Memories",
        "### Name unit",
        "Name units",
        "",
        "---",
    ]
    session.add(lesson("lesson"))
    both = session.inject(NO_SIGNAL, limit=1).text
    assert both.index("### Constitutional Memories") < both.index("### Patterns to Follow")
    assert both.count("\n### Pattern: ") == 1


def test_of_five_rules_of_two_hundred_tokens_the_weightiest_two_are_printed() -> None:
    session = embedded()
    for number in range(5):
        session.add(rule(f"{number}" + "x" * 780, weight=number / 10))

    assert [text[0] for text in printed_rules(session.inject())] == ["4", "3"]


def test_rules_apply_to_their_project_and_lessons_to_all_projects() -> None:
    session = embedded()
    session.add(rule("ours"))
    session.add(rule("theirs", project="there"))
    session.add(attrs.evolve(lesson("of all"), tier="constitutional", project="there"))

    assert set(printed_rules(session.inject())) == {"ours", "of all"}


def test_a_lesson_that_is_a_rule_is_printed_once_and_takes_no_place_of_another_lesson() -> None:
    session = embedded()
    session.add(attrs.evolve(lesson("the parser rule"), tier="constitutional"))
    for number in range(3):
        session.add(lesson(f"parser {number}"))
    injection = session.inject(limit=2)

    assert injection.text.count("the parser rule") == 1
    assert len(injection.printed) == 2
    assert set(injection.numbers) == {1, *(ranked.facts.number for ranked in injection.printed)}


@given(
    stored=st.lists(all_entries, max_size=12, unique_by=lambda entry: entry.entry_id),
    limit=st.integers(1, 12),
)
def test_without_rules_the_block_is_what_it_always_was_and_with_them_only_a_section_is_added(
    stored: list[Entry], limit: int
) -> None:
    with_rules, without = embedded(), embedded()
    for entry in stored:
        with_rules.add(entry)
        if entry.tier != "constitutional":
            without.add(entry)
    injection, plain = with_rules.inject(limit=limit), without.inject(limit=limit)

    assert sum(tokens(rule.text) for rule in injection.rules) <= BUDGET_TOKENS
    assert ("### Constitutional Memories\n" in injection.text) == bool(injection.rules)
    assert not {ranked.number for ranked in injection.rules} & {
        ranked.facts.number for ranked in injection.printed
    }
    assert "### Constitutional" not in plain.text
    if not any(entry.tier == "constitutional" for entry in stored):
        assert injection.text == plain.text


@pytest.mark.parametrize(("days", "count"), [(6, 1), (8, 0)])
def test_expired_entries_are_not_printed(days: int, count: int) -> None:
    session = embedded()
    session.add(attrs.evolve(lesson("for now", age=days * DAY), tier="temporary"))

    assert len(session.inject().printed) == count


def test_entries_that_did_not_fit_are_not_reported_as_printed() -> None:
    session = embedded()
    for number in range(12):
        session.add(lesson(f"{number}" + "x" * 1_500))
    injection = session.inject()

    assert 0 < len(injection.printed) < 12
    assert f"*Memory: {len(injection.printed)} entries from 12 |" in injection.text
    assert injection.text.count("### Pattern: ") == len(injection.printed)


@given(stored=st.lists(entries, max_size=12), limit=st.integers(1, 12))
def test_the_same_store_and_query_give_the_same_bytes(stored: list[Entry], limit: int) -> None:
    forwards, backwards = embedded(), embedded()
    unique = {entry.entry_id: entry for entry in stored}.values()
    for entry in unique:
        forwards.add(entry)
    for entry in reversed(list(unique)):
        backwards.add(entry)

    assert (
        forwards.inject(limit=limit).text
        == forwards.inject(limit=limit).text
        == backwards.inject(limit=limit).text
    )


def test_among_equals_the_own_projects_lesson_comes_first() -> None:
    session = embedded()
    for name, project in (("a", "there"), ("b", "here"), ("c", "there")):
        session.add(attrs.evolve(lesson(f"Lesson {name}.", name=name), project=project))

    assert next(printed.name for printed in session.inject(ContextQuery()).lessons) == "b"
