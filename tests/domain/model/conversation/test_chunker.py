"""The chunker: where conversations are cut."""

import itertools
from collections.abc import Sequence

import pytest

from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.session import DraftChunk, Exchange, chunk_identity
from tests.conversations import (
    DATABASE,
    DEEP_TALK,
    FRONTEND,
    MINUTE,
    SHORT_QUESTIONS,
    dialogue,
    prompts,
    sizes,
)
from tests.strategies import NOW

GO_ON = "Tell me more about the parser."


def test_no_exchanges_give_no_chunks() -> None:
    assert Chunker().chunk([]) == ()


def test_one_exchange_gives_one_open_chunk() -> None:
    [only] = prompts(GO_ON)

    assert Chunker().chunk([only]) == (DraftChunk(topic="parser", exchanges=(only,)),)


def test_two_subjects_are_two_chunks() -> None:
    assert sizes(dialogue(*DATABASE, *FRONTEND)) == [4, 4]
    assert sizes(dialogue(*FRONTEND, *DATABASE)) == [4, 4]


def test_short_questions_stay_together() -> None:
    assert sizes(dialogue(*SHORT_QUESTIONS)) == [5]


def test_a_deep_talk_stays_together() -> None:
    assert sizes(dialogue(*DEEP_TALK)) == [7]


def test_a_subject_that_goes_on_in_a_full_chunk_takes_three_exchanges_along() -> None:
    first, second = Chunker().chunk(dialogue(*DEEP_TALK, *DEEP_TALK))

    assert [len(first.exchanges), len(second.exchanges)] == [6, 8]
    assert first.topic == second.topic
    assert first.is_closed


@pytest.mark.parametrize("count", range(9, 50))
@pytest.mark.parametrize("talk", [DEEP_TALK, FRONTEND])
def test_a_subject_is_never_cut_into_less_than_three(
    talk: Sequence[tuple[str, str]], count: int
) -> None:
    drafts = Chunker().chunk(dialogue(*itertools.islice(itertools.cycle(talk), count)))

    assert all(3 <= len(draft.exchanges) <= 8 for draft in drafts)
    assert len({draft.topic for draft in drafts}) == 1


def test_a_full_chunk_hands_its_name_to_no_other_subject() -> None:
    first, second = Chunker().chunk(dialogue(*DEEP_TALK, DEEP_TALK[0], FRONTEND[0]))

    assert [len(first.exchanges), len(second.exchanges)] == [8, 1]
    assert second.topic == "button animation stutters safari"


def test_another_subject_after_a_full_chunk_has_a_name_of_its_own() -> None:
    first, second = Chunker().chunk(dialogue(*DEEP_TALK, DEEP_TALK[0], *FRONTEND))

    assert [len(first.exchanges), len(second.exchanges)] == [8, 4]
    assert second.topic.startswith("button animation")


def test_more_than_twenty_exchanges_are_several_chunks_of_three_to_eight() -> None:
    several = sizes(dialogue(*DATABASE, *FRONTEND, *DEEP_TALK, *FRONTEND, *DATABASE))

    assert sum(several) == 23
    assert len(several) > 2
    assert all(3 <= size <= 8 for size in several)


IMPORTANT = (
    "Decision: we keep SQLite.",
    "We decided to use Postgres instead of MySQL because of the locks.",
    "Let's go with the first design.",
    "We'll use uv instead of pip.",
    "I've decided: no ORM.",
    "From now on, every commit has a test.",
    "No, that's wrong: the worktree is stale.",
    "Actually, the feed is UTF-8.",
    "That's not right.",
    "Correction: the port is 5433.",
    "Don't mock the clock, use a fake.",
)


@pytest.mark.parametrize("prompt", IMPORTANT)
def test_a_decision_or_correction_stands_by_itself(prompt: str) -> None:
    drafts = Chunker().chunk(prompts(GO_ON, GO_ON, prompt, GO_ON))

    assert [len(draft.exchanges) for draft in drafts] == [2, 1, 1]
    assert [draft.is_closed for draft in drafts] == [True, True, False]


@pytest.mark.parametrize(
    "prompt",
    ["Should we use Postgres instead of MySQL?", "No, thanks.", "Have we decided it?", "No."],
)
def test_questions_and_courtesies_do_not_stand_by_themselves(prompt: str) -> None:
    assert sizes(prompts(GO_ON, prompt, GO_ON)) == [3]


def test_decisions_of_the_agent_do_not_cut_as_its_reply_may_still_grow() -> None:
    assert sizes(dialogue((GO_ON, "Yes."), (GO_ON, "We decided to use uv."), (GO_ON, "Yes."))) == [
        3
    ]


def test_a_discussion_is_kept_whole_with_all_its_decisions() -> None:
    exchanges = dialogue(
        ("/tlc:discuss the schema", "Which database?"),
        ("We decided to use Postgres.", "Good."),
        *FRONTEND,
    )

    assert sizes(exchanges) == [6]


def test_a_discussion_that_is_longer_than_a_chunk_stays_a_discussion() -> None:
    exchanges = prompts("/tlc:discuss the schema", *["We decided to add an index."] * 19)
    drafts = Chunker().chunk(exchanges)

    assert [len(draft.exchanges) for draft in drafts] == [6, 6, 8]
    assert {draft.topic for draft in drafts} == {"discuss schema"}


@pytest.mark.parametrize("end", ["ok, let's build this", "/tlc:build it"])
def test_a_discussion_ends_when_the_user_says_so(end: str) -> None:
    drafts = Chunker().chunk(
        prompts("/tlc:discuss the schema", "Go on.", end, "We decided to add an index.")
    )

    assert drafts[0].is_closed
    assert not drafts[1].topic.startswith("discuss")


def test_a_repeated_exchange_is_kept_once() -> None:
    exchanges = dialogue(*DATABASE)
    drafts = Chunker().chunk(exchanges)

    assert Chunker().add(drafts, exchanges[-1]) is drafts


@pytest.mark.parametrize("prompt", [GO_ON, IMPORTANT[0]])
def test_a_reply_that_grew_takes_the_place_of_what_it_was(prompt: str) -> None:
    before, after = (Exchange(prompt, reply, NOW + MINUTE) for reply in ("One.", "One. Two."))
    earlier = Chunker().chunk([*prompts(GO_ON), before])
    drafts = Chunker().add(earlier, after)

    assert [draft.topic for draft in drafts] == [draft.topic for draft in earlier]
    assert [draft.is_closed for draft in drafts] == [draft.is_closed for draft in earlier]
    assert drafts[-1].exchanges[-1] == after
    assert sum(len(draft.exchanges) for draft in drafts) == 2


def test_the_same_conversation_gives_the_same_distinct_ids() -> None:
    first, second = (
        [
            chunk_identity("app", draft.exchanges[0])
            for draft in Chunker().chunk(dialogue(*DATABASE, *FRONTEND))
        ]
        for _ in range(2)
    )

    assert first == second
    assert len(set(first)) == 2


def test_exchanges_stay_in_order() -> None:
    drafts = Chunker().chunk(dialogue(*DATABASE, *FRONTEND, *DEEP_TALK))
    times = [exchange.at for draft in drafts for exchange in draft.exchanges]

    assert all(earlier < later for earlier, later in itertools.pairwise(times))
