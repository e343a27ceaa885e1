"""Entries whose trigger phrases a prompt matches, on a store in memory."""

from typing import Any

import attrs
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import seen_from
from hardwon.domain.model.triggers import TriggerMatch
from hardwon.domain.use_cases.match_triggers import MatchTriggers, TriggerMatches
from tests.fakes.clock import FixedClock
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.projects import working_in
from tests.fakes.searches import InMemoryTriggerSource
from tests.fakes.state import State
from tests.strategies import DAY, WORDS, lesson, of_file

COMMANDS = ("save context", "document this")


class Desk:
    """A matcher on a store in memory, and its time."""

    def __init__(self, *entries: Entry, commands: tuple[str, ...] = COMMANDS) -> None:
        state = State()
        self.seconds = 0.0
        self.repository = InMemoryEntryRepository(state)
        self.source = InMemoryTriggerSource(state)
        self.put(*entries)
        self.match = MatchTriggers(
            self.source,
            self.repository,
            FixedClock(),
            monotonic=lambda: self.seconds,
            commands=commands,
            only=seen_from(working_in("here")),
        )

    def put(self, *entries: Entry) -> None:
        for entry in entries:
            self.repository.put(entry)

    def titles(self, prompt: str, limit: int = 3) -> list[str]:
        return [
            triggered_entry.owner.title
            for triggered_entry in self.match.match(prompt, limit).entries
        ]


def owner(title: str, *phrases: str, **more: Any) -> Entry:
    return attrs.evolve(
        of_file(title, path=f"{title}.md", project="here", **more),
        name=title,
        trigger_phrases=phrases,
    )


def test_the_example_of_the_requirement() -> None:
    assert Desk().match.match("Please save context before we go on", 3) == TriggerMatches(
        TriggerMatch("save context", 0.95, ()), ()
    )


def test_without_a_phrase_nothing_matches() -> None:
    assert Desk(owner("a", "oauth flow")).match.match("something else", 3) == TriggerMatches(
        None, ()
    )


def test_commands_and_memories_are_matched_together() -> None:
    triggered = Desk(owner("a", "oauth flow")).match.match("save context of the oauth flow", 1)

    assert triggered.best == TriggerMatch("save context", 0.95, ())
    assert [
        (triggered_entry.owner.title, triggered_entry.match.phrase)
        for triggered_entry in triggered.entries
    ] == [("a", "oauth flow")]


def test_an_entry_comes_up_once_by_its_surest_phrase() -> None:
    desk = Desk(
        owner("a", "parser", "parser lock", "lock parser"), owner("b", "lock"), owner("c", "cache")
    )

    assert desk.titles("the parser lock and the cache") == ["a", "c", "b"]
    assert desk.titles("the parser lock and the cache", 2) == ["a", "c"]


def test_entries_of_other_projects_stay_down_lessons_do_not() -> None:
    other = attrs.evolve(owner("b", "oauth"), project="there")
    lessons = attrs.evolve(lesson("all"), project="there", trigger_phrases=("oauth",))

    assert Desk(owner("a", "oauth"), other, lessons).titles("oauth") == ["a", "Lesson"]


def test_expired_entries_are_not_triggered() -> None:
    desk = Desk(
        owner("old", "oauth", tier="temporary", age=8 * DAY),
        owner("new", "oauth", tier="temporary"),
    )

    assert desk.titles("oauth") == ["new"]


def test_own_changes_are_seen_at_once_those_of_others_after_a_second() -> None:
    desk = Desk(owner("a", "oauth"))
    assert desk.titles("parser") == []

    desk.put(owner("b", "parser"))
    assert desk.titles("parser") == ["b"]

    looks = desk.source.looks
    for _ in range(10):
        desk.titles("parser")
    assert desk.source.looks == looks

    desk.source.elsewhere += 1
    desk.seconds += 0.9
    desk.titles("parser")
    assert desk.source.looks == looks
    desk.seconds += 0.1
    desk.titles("parser")
    assert desk.source.looks == looks + 1


phrase_lists = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
owned = st.lists(st.lists(phrase_lists, min_size=1, max_size=4, unique=True), max_size=6)


@given(
    phrases=owned,
    prompt=st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join),
    limit=st.integers(1, 4),
)
def test_a_limit_cuts_the_list_of_all_that_comes_up(
    phrases: list[list[str]], prompt: str, limit: int
) -> None:
    desk = Desk(
        *(owner(str(number), *texts) for number, texts in enumerate(phrases)), commands=WORDS[:2]
    )

    assert desk.titles(prompt, limit) == desk.titles(prompt, 99)[:limit]
