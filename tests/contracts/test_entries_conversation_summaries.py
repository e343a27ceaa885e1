"""Summaries of conversations for the session start."""

from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import CONVERSATIONS
from hardwon.domain.model.injection.related_conversations import (
    SUMMARISED_CHARACTERS,
    ConversationSummary,
)
from hardwon.domain.model.vocabulary import CONVERSATION_KINDS
from tests.contracts.worlds import MakeWorld, World, on_every_implementation
from tests.strategies import DAY, NOW, all_entries, few_examples, of_file

stores = st.lists(all_entries, max_size=12, unique_by=lambda entry: entry.entry_id)


def in_session(name: str, *, days: int = 0, session: str | None = "s", **more: str) -> Entry:
    return of_file(name, kind="conversation", path=name, age=days * DAY, session_id=session, **more)


def summaries_of(world: World, session: str, limit: int) -> list[ConversationSummary]:
    return world.repository.newest_summaries(CONVERSATIONS._replace(session=session), limit)


@on_every_implementation
@given(stored=stores, data=st.data())
@few_examples
def test_summaries_come_in_the_requested_order(
    make: MakeWorld, stored: list[Entry], data: st.DataObject
) -> None:
    with make() as world:
        numbers = world.add(*stored)
        asked = data.draw(st.lists(st.sampled_from([*numbers, 999]), unique=True))
        entries = dict(zip(numbers, stored, strict=True))

        assert world.repository.summaries(asked) == [
            ConversationSummary(
                number,
                summary.entry_id,
                summary.kind,
                summary.name,
                summary.description,
                summary.updated_at,
            )
            for number in asked
            if (summary := entries.get(number))
        ]


@on_every_implementation
def test_of_a_long_text_only_its_beginning_is_read(make: MakeWorld) -> None:
    with make() as world:
        numbers = world.add(of_file("é" * 9_000))

        assert [summary.description for summary in world.repository.summaries(numbers)] == [
            "é" * SUMMARISED_CHARACTERS
        ]


@on_every_implementation
def test_a_session_has_its_conversations_the_newest_first(make: MakeWorld) -> None:
    with make() as world:
        old, new, _, _ = world.add(
            in_session("old", days=2),
            in_session("new"),
            in_session("another", session="t"),
            in_session("none", session=None),
        )

        assert [summary.number for summary in summaries_of(world, "s", 9)] == [new, old]
        assert [summary.number for summary in summaries_of(world, "s", 1)] == [new]
        assert summaries_of(world, "", 9) == summaries_of(world, "unknown", 9) == []


@on_every_implementation
def test_of_conversations_of_one_time_the_smallest_id_comes_first(make: MakeWorld) -> None:
    with make() as world:
        entries = [in_session(name) for name in "abcd"]
        world.add(*entries)
        those = summaries_of(world, "s", 9)

        assert [
            entry.entry_id
            for entry in world.repository.hydrate([summary.number for summary in those])
        ] == sorted(entry.entry_id for entry in entries)


@on_every_implementation
def test_only_conversations_that_may_be_ranked_are_of_a_session(make: MakeWorld) -> None:
    with make() as world:
        kinds = {*CONVERSATION_KINDS}
        others = [
            of_file("text", kind=kind, session_id="s") for kind in ("session", "document", *kinds)
        ]
        world.add(
            *others,
            in_session("gone", tier="deprecated"),
            in_session("expired", days=8, tier="temporary"),
        )
        world.repository.retire_expired(NOW)

        assert {summary.kind for summary in summaries_of(world, "s", 99)} == kinds
        assert len(summaries_of(world, "s", 99)) == len(kinds)
