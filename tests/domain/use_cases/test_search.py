"""`Search` on a store in memory."""

from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidQueryError
from hardwon.domain.model.filters import EVERYTHING, seen_from
from hardwon.domain.model.injection.entry_text import BUDGET_TOKENS
from hardwon.domain.model.ranking.policy import RecallQuestion
from hardwon.domain.model.text import tokens
from hardwon.domain.use_cases.search import Search, SearchResult
from tests.fakes.projects import working_in
from tests.fakes.session import InMemorySession
from tests.strategies import DAY, NOW, all_entries, lesson, of_file

QUESTION = RecallQuestion("parser", EVERYTHING, "fused", 10, None, working_in("here"))
IN_TIME = Deadline(lambda: 0.0)

stores = st.lists(all_entries, max_size=12, unique_by=lambda entry: entry.entry_id)


class Room(InMemorySession):
    """A store in memory, searched by word."""

    def search(self, question: RecallQuestion = QUESTION, **how: Any) -> SearchResult:
        search = Search(self.recall, self.usage, self.repository)
        return search.answers_to(question, IN_TIME, **how)


def room_with(*entries: Entry, keyword_search: bool = True) -> Room:
    room = Room(keyword_search=keyword_search)
    for entry in entries:
        room.add(entry)
    return room


def texts(result: SearchResult) -> list[str]:
    return [answer.entry.description for answer in result.answers]


def rule(text: str, **more: Any) -> Entry:
    return of_file(
        text, kind="document", path=f"{text[:9]}.md", tier="constitutional", project="here", **more
    )


@given(stored=stores, wanted=st.booleans())
def test_rules_stay_in_their_budget_and_out_of_the_answers(
    stored: list[Entry], *, wanted: bool
) -> None:
    room = room_with(*stored)
    result = room.search(rules=wanted)
    known = {
        facts.entry_id: facts
        for facts in room.repository.constitutional(seen_from(working_in("here")))
    }
    shown = [entry.entry_id for entry in result.rules]

    assert sum(tokens(known[entry_id].text) for entry_id in shown) <= BUDGET_TOKENS
    assert not {*shown} & {answer.entry.entry_id for answer in result.answers}
    if not wanted:
        assert not result.rules
        assert not {*known} & {answer.entry.entry_id for answer in result.answers}


def test_a_rule_beyond_the_budget_is_still_an_answer() -> None:
    long = "parser " + "x" * 4 * BUDGET_TOKENS
    result = room_with(rule("parser short"), rule(long)).search()

    assert [entry.description for entry in result.rules] == ["parser short"]
    assert texts(result) == [long]


def test_one_tier_is_answered_by_that_tier_alone() -> None:
    room = room_with(rule("parser rule"), attrs.evolve(lesson("parser"), tier="critical"))

    only_critical = room.search(QUESTION._replace(only=EVERYTHING._replace(tier="critical")))
    only_rules = room.search(QUESTION._replace(only=EVERYTHING._replace(tier="constitutional")))
    assert (only_critical.rules, texts(only_critical)) == ((), ["parser"])
    assert (only_rules.rules, texts(only_rules)) == ((), ["parser rule"])


def test_all_concepts_must_be_in_a_text() -> None:
    room = room_with(
        lesson("parser lock"),
        lesson("parser"),
        attrs.evolve(lesson("lock it"), keywords=("parser",)),
    )
    result = room.search(QUESTION._replace(text=""), concepts=["Lock", "parser"])

    assert texts(result) == ["parser lock"]
    assert result.counts == ({"lock": 1, "parser": 1},)


def test_concepts_narrow_what_a_query_finds() -> None:
    room = room_with(
        lesson("parser lock retry"), lesson("parser lock"), lesson("retry"), lesson("parser retry")
    )
    found = texts(room.search(QUESTION._replace(text="retry"), concepts=["parser", "lock"]))

    assert found == ["parser lock retry", "parser lock"]


@pytest.mark.parametrize(
    ("text", "concepts"), [("", []), (" \n", []), ("parser", ["one"]), ("", list("abcdef"))]
)
def test_an_impossible_query_is_refused(text: str, concepts: list[str]) -> None:
    with pytest.raises(InvalidQueryError, match="concepts"):
        room_with().search(QUESTION._replace(text=text), concepts=concepts)


def test_without_a_keyword_index_concepts_find_nothing_and_that_is_reported() -> None:
    result = room_with(lesson("parser lock"), keyword_search=False).search(
        concepts=["parser", "lock"]
    )

    assert (result.answers, result.degradations) == (
        (),
        ("concepts can't be looked for: no keyword index here",),
    )


def test_a_suggestion_is_printed_only_where_nothing_is_found() -> None:
    room = room_with(lesson("parser"), attrs.evolve(lesson("parser gone"), tier="deprecated"))
    deprecated = room.search(QUESTION._replace(only=EVERYTHING._replace(tier="deprecated")))

    assert room.search().suggestion == ""
    assert "memory_index_scan" in room.search(QUESTION._replace(text="nowhere")).suggestion
    assert "memory_list" in deprecated.suggestion
    assert deprecated.answers == ()


def test_shown_entries_are_counted() -> None:
    room = room_with(rule("a rule"), lesson("parser"), lesson("cache"))
    for _ in range(2):
        room.search()

    usages = {entry.description: entry.usage for entry in map(room.state.entry, room.state.entries)}
    assert {text: usage.access_count for text, usage in usages.items()} == {
        "a rule": 2,
        "parser": 2,
        "cache": 0,
    }
    assert usages["parser"].last_accessed == NOW


@pytest.mark.parametrize(("days", "expected"), [(6, ["parser for now"]), (8, [])])
def test_expired_entries_are_removed_before_ranking(days: int, expected: list[str]) -> None:
    room = room_with(attrs.evolve(lesson("parser for now", age=days * DAY), tier="temporary"))

    assert texts(room.search()) == expected


def test_a_store_that_cannot_be_written_still_answers_and_says_what_that_means() -> None:
    room = room_with(attrs.evolve(lesson("parser for now", age=8 * DAY), tier="temporary"))
    room.repository.busy = room.usage.busy = True
    result = room.search()

    assert texts(result) == ["parser for now"]
    assert result.degradations == (
        "what has expired is still found: the store is busy",
        "access not counted: the store is busy",
    )


@given(
    texts=st.lists(
        st.text("ab ", min_size=1, max_size=6).filter(str.strip),
        min_size=1,
        max_size=6,
        unique=True,
    )
)
def test_no_answer_is_shown_as_more_relevant_than_one_before_it(texts: list[str]) -> None:
    room = room_with(*map(lesson, texts))
    answers = room.search(QUESTION._replace(text="a b aa", policy="adaptive", minimum=None)).answers
    shown = [answer.shown for answer in answers]

    assert shown == sorted(shown, reverse=True)
    assert all(answer.parts["cap"] == min([1.0, *shown[:at]]) for at, answer in enumerate(answers))
