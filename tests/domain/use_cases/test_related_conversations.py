"""Conversations beside the lessons of a session start."""

from collections.abc import Sequence
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.threads import Threads
from hardwon.domain.model.context import ContextQuery, Feature
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.filters import RecallOccasion
from hardwon.domain.model.injection.entry_text import LARGEST_ENTRY, MAX_UNITS, units
from hardwon.domain.model.injection.related_conversations import ConversationSummary
from hardwon.domain.model.text import tokens
from hardwon.domain.use_cases.inject_at_start import StartInjection
from hardwon.domain.use_cases.related_conversations import (
    RelatedConversations,
)
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.models import HangingEmbedder, PlantedEmbedder, UnreliableEmbedder
from tests.fakes.projects import working_in
from tests.fakes.session import InMemorySession
from tests.strategies import DAY, QUERY_VECTOR, lesson, of_file, planted

QUERY = ContextQuery(feature=Feature(slug="parser", phase="design"), files=("src/lock.py",))
QUERY_TEXT = "parser. Phase: design. Files: src/lock.py"
HERE = working_in("here", "work", "main")
OCCASION = RecallOccasion(HERE)
HEADING = "### Related Conversations"


def conversation(name: str, text: str = "About the parser.", **more: Any) -> Entry:
    """Return a conversation of the project about which only what is named matters."""
    fields = {
        "kind": "conversation",
        "path": f"{name}.md",
        "project": "here",
        "workspace": "work",
        **more,
    }
    return attrs.evolve(of_file(f"{text} {name}.", **fields), name=name)


class BrokenRepository(InMemoryEntryRepository):
    """A store that can't be read where conversations are."""

    def summaries(self, numbers: Sequence[int]) -> list[ConversationSummary]:
        raise StorageError(f"no page holds {list(numbers)}")


class Session(InMemorySession):
    """A session start on a store in memory."""

    def related(
        self, occasion: RecallOccasion = OCCASION, query: ContextQuery = QUERY, limit: int = 5
    ) -> RelatedConversations:
        deadline = self.clock.deadline()
        return self.relate.section_for(
            query, occasion, deadline, limit=limit, most_units=LARGEST_ENTRY
        )

    def inject(
        self, occasion: RecallOccasion | None = OCCASION, *, limit: int = 20, seconds: float = 2.0
    ) -> StartInjection:
        deadline = self.clock.deadline(seconds)
        return self.inject_at_start.block_for(
            QUERY, limit=limit, deadline=deadline, workplace=working_in("here"), occasion=occasion
        )


def titles(text: str) -> list[str]:
    """Return the titles that are told, in order."""
    return [
        line[2:].partition(" (")[0]
        for line in text.splitlines()
        if line.startswith("- ") and " (" in line
    ]


def embedded() -> Session:
    return Session(embedder=Threads().memoised(PlantedEmbedder({QUERY_TEXT: QUERY_VECTOR})))


def test_conversations_of_every_kind_are_in_the_order_of_the_policy() -> None:
    session = embedded()
    session.add(conversation("far", kind="gotcha"), planted(-0.6))
    session.add(conversation("near", kind="conversation"), planted(0.9))
    session.add(
        conversation("touched", kind="decision", references=("src/lock.py",), branch="main"),
        planted(0.8),
    )
    session.add(conversation("no conversation", kind="document"), planted(1.0))
    injection = session.inject()

    assert titles(injection.text) == ["touched", "near", "far"]
    assert injection.text.endswith("\n\n---\n")
    assert f"\n\n{HEADING}\n- touched (decision, 2026-02-28): " in injection.text


def test_the_query_is_embedded_once_for_lessons_and_conversations() -> None:
    inner = PlantedEmbedder({QUERY_TEXT: QUERY_VECTOR})
    session = Session(embedder=Threads().memoised(inner))
    session.add(lesson("parser"), planted(0.9))
    session.add(conversation("near"), planted(0.9))
    injection = session.inject()

    assert "### Pattern: Lesson" in injection.text
    assert titles(injection.text) == ["near"]
    assert inner.asked == [(QUERY_TEXT, "query")]


def test_the_scores_have_all_their_parts() -> None:
    session = embedded()
    session.add(
        conversation("near", references=("src/lock.py",), branch="main", age=30 * DAY), planted(0.6)
    )
    [rated] = session.related().nearby.best

    assert rated.parts == {
        "vector": pytest.approx(0.6, abs=1e-6),
        "file": 1.0,
        "branch": 1.0,
        "recency": pytest.approx(0.5),
        "keyword": 1.0,
    }
    assert rated.score == pytest.approx(0.35 * 0.6 + 0.2 + 0.2 + 0.15 * 0.5 + 0.1, abs=1e-6)


def test_without_vectors_the_four_other_signals_decide() -> None:
    session = Session()
    session.add(conversation("old", age=90 * DAY))
    session.add(conversation("branch", branch="main", age=90 * DAY))
    session.add(conversation("new", "parser parser."))

    assert titles(session.related().section.text) == ["branch", "new", "old"]


def test_an_embedder_without_answers_gives_the_bytes_of_the_keyword_way_and_one_note() -> None:
    without, failing = (
        Session(),
        Session(embedder=Threads().memoised(UnreliableEmbedder(PlantedEmbedder(), failing=[1, 2]))),
    )
    for session in (without, failing):
        session.add(lesson("parser"), planted(0.9))
        session.add(conversation("near"), planted(0.9))
        session.add(conversation("other"), planted(0.2))
    sections = [session.inject().text.partition(HEADING)[2] for session in (without, failing)]

    assert sections[0] == sections[1] != ""
    assert failing.inject().degradations == ("no vector search: no answer",)


def test_the_workspace_is_asked_where_the_project_has_fewer_than_three() -> None:
    session = Session()
    for name in ("one", "two"):
        session.add(conversation(name))
    session.add(conversation("next door", project="there"))
    session.add(conversation("far away", project="there", workspace="home"))

    assert set(titles(session.related().section.text)) == {"one", "two", "next door"}
    session.add(conversation("three"))
    assert set(titles(session.related().section.text)) == {"one", "two", "three"}


def test_the_top_k_come_and_no_more() -> None:
    session = embedded()
    for at in range(9):
        session.add(conversation(f"c{at}"), planted(0.9 - at / 10))

    assert titles(session.related(limit=4).section.text) == ["c0", "c1", "c2", "c3"]
    assert titles(session.inject().text) == ["c0", "c1", "c2", "c3", "c4"]
    assert session.related(limit=0) == RelatedConversations()


def test_without_a_signal_the_newest_follow_the_session_itself_and_permanent_conversations() -> (
    None
):
    session = Session()
    session.add(conversation("own", session_id="s", age=3 * DAY))
    session.add(conversation("older", age=2 * DAY))
    session.add(conversation("newer"))
    session.add(conversation("kept", age=9 * DAY, permanent=True))
    session.add(conversation("elsewhere", project="there"))

    assert titles(session.related(query=ContextQuery()).section.text) == [
        "kept",
        "newer",
        "older",
        "own",
    ]
    assert titles(session.related(query=ContextQuery(), limit=2).section.text) == ["kept", "newer"]
    after = session.related(RecallOccasion(HERE, compacted="s"), ContextQuery()).section.text
    assert titles(after) == ["own", "kept", "newer", "older"]


def test_files_that_are_being_changed_are_a_signal_too() -> None:
    session = Session()
    session.add(conversation("about", "The lock.", references=("src/lock.py",), age=9 * DAY))
    session.add(conversation("other", "The lock."))
    changing = RecallOccasion(HERE._replace(touched_files=("src/lock.py",)))

    assert titles(session.related(changing, ContextQuery()).section.text)[0] == "about"


def test_after_a_compaction_the_session_stands_first_newest_first_and_nothing_twice() -> None:
    session = embedded()
    session.add(conversation("early", session_id="s", age=2 * DAY), planted(0.9))
    session.add(conversation("late", session_id="s"), planted(-0.9))
    session.add(conversation("another's", session_id="t"), planted(0.9))
    text = session.inject(RecallOccasion(HERE, compacted="s")).text

    assert titles(text) == ["late", "early", "another's"]
    assert f"{HEADING}\nThis session, before the compaction:\n- late " in text
    assert "This session" not in session.inject().text


def test_the_session_goes_first_into_the_same_budget() -> None:
    session = Session()
    for at in range(12):
        session.add(conversation(f"own {at}", "About the parser, again and again.", session_id="s"))
    session.add(conversation("other"))
    section = session.related(RecallOccasion(HERE, 100, "s")).section

    assert tokens(section.text) <= 100
    assert "other" not in titles(section.text)


@given(budget=st.integers(-5, 300), count=st.integers(0, 8))
def test_the_budget_holds_and_nothing_is_searched_for_none(budget: int, count: int) -> None:
    session = Session()
    for at in range(count):
        session.add(conversation(f"c{at}", "About the parser, " + "more and " * at))
    related = session.related(RecallOccasion(HERE, budget), limit=9)

    assert tokens(related.section.text) <= max(0, budget)
    assert budget > 0 or related == RelatedConversations()


def test_a_rule_is_not_repeated_as_a_conversation() -> None:
    session = Session()
    rule = conversation("rule", kind="decision", tier="constitutional", session_id="s")
    number = session.add(rule)
    injection = session.inject(RecallOccasion(HERE, compacted="s"))

    assert injection.numbers == [number]
    assert HEADING not in injection.text


def test_rendered_conversations_count_as_recalled() -> None:
    session = Session()
    own, other, learnt = (
        session.add(lesson("parser")),
        session.add(conversation("one")),
        session.add(lesson("cache")),
    )

    assert session.inject().numbers == [own, learnt, other]


def test_expired_conversations_are_not_rendered() -> None:
    session = Session()
    session.add(conversation("old", tier="temporary", age=8 * DAY, session_id="s"))

    assert session.related(RecallOccasion(HERE, compacted="s")).section.text == ""
    assert session.inject(RecallOccasion(HERE, compacted="s")).text == ""


def test_a_failure_with_conversations_never_costs_the_lessons() -> None:
    session = Session()
    session.repository = BrokenRepository(session.state)
    session.add(lesson("parser"))
    session.add(conversation("near"))
    injection, plain = session.inject(), session.inject(None)

    assert injection.text == plain.text != ""
    assert injection.degradations == ("no related conversations: no page holds [2]",)


def test_when_no_time_is_left_only_the_session_itself_is_reported() -> None:
    session = Session()
    session.add(lesson("parser"))
    session.add(conversation("own", session_id="s"))
    session.add(conversation("near"))
    injection = session.inject(RecallOccasion(HERE, compacted="s"), seconds=0)

    assert titles(injection.text) == ["own"]
    assert injection.degradations == ("no related conversations: no time was left",)


def test_an_embedder_that_hangs_is_waited_for_once_and_words_still_find_both() -> None:
    hanging = HangingEmbedder(PlantedEmbedder())
    session = Session(embedder=Threads().memoised(hanging))
    session.add(lesson("parser"), planted(0.9))
    session.add(conversation("near"), planted(0.9))
    injection = session.inject(seconds=0.01)
    hanging.released.set()

    assert titles(injection.text) == ["near"]
    assert "### Pattern: Lesson" in injection.text
    assert all("in time" in line for line in injection.degradations)


def test_lessons_and_conversations_together_stay_within_what_the_host_reads() -> None:
    session = Session()
    for at in range(30):
        session.add(lesson(f"parser {at} {'𝄞' * 300}"))
        session.add(conversation(f"c{at}", "parser " + "𝄞" * 150))
    injection = session.inject(RecallOccasion(HERE, 100_000))

    assert units(injection.text) <= MAX_UNITS
    assert len(titles(injection.text)) == 5
    assert injection.printed


def test_without_conversations_the_block_is_what_it_always_was() -> None:
    session = Session()
    session.add(lesson("parser"))
    session.add(conversation("far away", project="there", workspace="home"))

    assert session.inject().text == session.inject(None).text


def test_a_decision_and_the_talk_it_was_made_in_take_one_line() -> None:
    session = embedded()
    session.add(conversation("Postgres it is", path="talk.md"), QUERY_VECTOR)
    session.add(conversation("Postgres it is", path="decision.md", kind="decision"), planted(0.5))

    assert titles(session.related().section.text) == ["Postgres it is"]
