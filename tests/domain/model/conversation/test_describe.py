"""Descriptions of chunks: title, summary and metadata."""

import re

import attrs
import pytest
from hypothesis import example, given

from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.describe import described
from hardwon.domain.model.conversation.session import (
    Chunk,
    DraftChunk,
    Exchange,
    chunk_identity,
)
from hardwon.domain.model.conversation.title import PERMANENT_MARK
from tests.conversations import DATABASE, FRONTEND, asked, dialogue, exchanges
from tests.strategies import NOW


def chunk_of(*exchanges: tuple[str, str], permanent: bool = False) -> Chunk:
    return described(draft_of(*dialogue(*exchanges), permanent=permanent), "app", "s1")


def draft_of(*exchanges: Exchange, permanent: bool = False) -> DraftChunk:
    return DraftChunk(topic="some words", exchanges=exchanges, permanent=permanent)


def count(summary: str) -> int:
    return len([part for part in re.split(r"[.!?](?:\s|$)", summary) if part])


def test_a_chunk_has_its_exchanges_and_their_description() -> None:
    exchanges = dialogue(*DATABASE)
    chunk = described(draft_of(*exchanges), "app", "s1")

    assert chunk.exchanges == exchanges
    assert (chunk.topic, chunk.session_id, chunk.permanent) == ("some words", "s1", False)
    assert (chunk.starts_at, chunk.ends_at) == (exchanges[0].at, exchanges[-1].at)
    assert chunk.chunk_id == chunk_identity("app", exchanges[0])


def test_a_title_is_the_first_decision() -> None:
    chunk = chunk_of(
        *DATABASE, ("And so?", "We decided to use Postgres instead of MySQL. We decided more.")
    )

    assert chunk.title == "We decided to use Postgres instead of MySQL"


@pytest.mark.parametrize(
    ("prompt", "title"),
    {
        "How do we parse feeds? I am lost.": "How do we parse feeds?",
        "/tlc:plan the feed parser, in steps.": "The feed parser, in steps",
        "Hi! The *parser* drops `ENC` marks.": "The parser drops ENC marks",
        "ok": "Postgres keeps the locks",
        "```\nx = 1\n```": "Postgres keeps the locks",
        "better": "Postgres keeps the locks",
        "ok, so what does the lexer parse?": "What does the lexer parse?",
        "Careful, CREATE INDEX fails here": "CREATE INDEX fails here",
        "src/a.py drops the marks": "src/a.py drops the marks",
        "from now on always use server components": "Always use server components",
        "decision: docker compose, image tag = git sha": "Docker compose, image tag = git sha",
        "yes drop it. and use a multi stage build": "Use a multi stage build",
    }.items(),
)
def test_else_a_title_is_the_first_informative_sentence(prompt: str, title: str) -> None:
    assert chunk_of((prompt, "Postgres keeps the locks.")).title == title


def test_a_title_is_cut_at_a_word() -> None:
    chunk = chunk_of(("parser " * 40, "Yes."))

    assert 80 < len(chunk.title) <= 100
    assert set(chunk.title.lower().split()) == {"parser"}


def test_the_title_of_a_permanent_conversation_says_so() -> None:
    chunk = chunk_of(("parser " * 40, "Yes."), permanent=True)

    assert chunk.permanent
    assert chunk.title.startswith(f"{PERMANENT_MARK}Parser parser")
    assert len(chunk.title) <= 100


@pytest.mark.parametrize(
    "utterance", ["[PERMANENT] The parser is fine.", "[Permanent] [PERMANENT]  The parser is fine."]
)
def test_the_permanent_mark_in_a_prompt_is_no_part_of_a_title(utterance: str) -> None:
    assert chunk_of(("ok", utterance)).title == "The parser is fine"
    assert (
        chunk_of(("ok", utterance), permanent=True).title == f"{PERMANENT_MARK}The parser is fine"
    )


def test_a_summary_is_the_request_the_decisions_and_the_most_informative_sentence() -> None:
    chunk = chunk_of(
        (
            "The feed parser is slow. Sigh.",
            "Right.\n```\nx. Y.\n```\n| a. | b |\n- The feed parser copies each feed",
        ),
        ("And?", "We decided to use a view, e.g. memoryview. It runs in a.py on 3.11. Done."),
    )

    assert chunk.summary == (
        "The feed parser is slow. The feed parser copies each feed. We decided to use a view, e.g., memoryview."
    )


@pytest.mark.parametrize("exchanges", [DATABASE, FRONTEND, DATABASE[:1]])
def test_a_summary_has_two_or_three_sentences(exchanges: tuple[tuple[str, str], ...]) -> None:
    assert 2 <= count(chunk_of(*exchanges).summary) <= 3


def test_a_summary_is_about_one_subject() -> None:
    parser = "The feed parser drops marks of the feed"
    chunk = chunk_of(
        (f"{parser}.", "It copies each one."),
        ("Hm.", "Yes."),
        ("And Safari flickers.", "Safari paints Safari twice in Safari."),
    )

    assert chunk.summary == f"{parser}. It copies each one."


def test_an_echo_of_what_the_user_decided_is_not_another_decision() -> None:
    chunk = chunk_of(
        (
            "Let's go with the index and batching.",
            "Decided: index plus batching. I'll use uv over pip.",
        )
    )

    assert chunk.metadata.decisions == (
        "Let's go with the index and batching.",
        "I'll use uv over pip.",
    )


def test_how_the_user_always_wants_it_is_a_preference_only() -> None:
    about = chunk_of(("from now on always use server components", "Noted.")).metadata

    assert (about.decisions, about.preferences) == (
        (),
        ("from now on always use server components",),
    )


def test_a_proposal_for_the_user_to_accept_is_no_decision_of_the_agent() -> None:
    chunk = chunk_of(("ok use postgres", "And use the index."))

    assert chunk.metadata.decisions == ("ok use postgres",)


def test_an_address_the_agent_begins_with_is_no_command() -> None:
    assert chunk_of(("", "/admin is up. Run /tlc:plan.")).metadata.commands == ("/tlc:plan",)


def test_a_summary_stays_short() -> None:
    sentence = "The parser reads the feed " * 40
    summary = chunk_of((sentence, f"{sentence}. Then {sentence}. And {sentence}!")).summary

    assert len(summary) <= 400
    assert count(summary) == 3


def test_metadata_names_what_was_spoken_of() -> None:
    chunk = chunk_of(
        (
            "/tlc:plan Phase 71 of ~/projects/feeds/src, see `src/a.py:3`.",
            "I prefer src/b.py. Then /recall it.",
        ),
        (
            "I prefer tabs in src/a.py. We'll use uv instead of pip.",
            "Watch out: the deploy is flaky.",
        ),
    )

    assert chunk.metadata == attrs.evolve(
        chunk.metadata,
        projects=("app", "feeds"),
        files=("src/a.py", "src/b.py"),
        commands=("/tlc:plan",),
        decisions=("We'll use uv instead of pip.",),
        gotchas=("Watch out: the deploy is flaky.",),
        preferences=("I prefer tabs in src/a.py.",),
        areas=(),
        phases=("71",),
    )


def test_answers_are_decisions_with_their_question() -> None:
    chunk = described(
        draft_of(asked("Which database?", "Postgres on AWS", "Postgres on AWS", "MySQL")),
        "app",
        None,
    )

    assert chunk.metadata.decisions == ("Which database: Postgres on AWS.",)
    assert chunk.metadata.areas == ("infrastructure",)
    assert chunk.title == "Which database: Postgres on AWS"


@pytest.mark.parametrize("command", ["/tlc:discuss", "/tlc:plan", "/tlc:build"])
def test_a_command_keeps_the_whole_talk_with_every_decision_in_it(command: str) -> None:
    exchanges = dialogue(
        (f"{command} the store", "Which database?"),
        (
            "We decided to use Postgres because of its locks.",
            "Then we'll use uv. Tasks: migrate, test.",
        ),
        *FRONTEND,
        ("Let's go with Terraform.", "Noted."),
    )
    [draft] = Chunker().chunk(exchanges)
    chunk = described(draft, "app", None)

    assert chunk.exchanges == exchanges
    assert chunk.metadata.decisions == (
        "We decided to use Postgres because of its locks.",
        "Then we'll use uv.",
        "Let's go with Terraform.",
    )
    assert chunk.metadata.areas == ("infrastructure",)


def test_a_long_statement_is_cut() -> None:
    chunk = chunk_of((f"We decided to use {'a longer word ' * 100}.", "Yes."))

    assert [len(decision) <= 400 for decision in chunk.metadata.decisions] == [True]


@given(exchange=exchanges())
@example(exchange=Exchange("```\n!\n```", "", NOW))
@example(exchange=Exchange("...", "?!", NOW))
def test_any_exchange_has_a_title_and_a_summary(exchange: Exchange) -> None:
    chunk = described(Chunker().chunk([exchange])[0], "app", None)

    assert chunk.title.strip() == chunk.title == " ".join(chunk.title.split())
    assert 0 < len(chunk.title) <= 100
    assert chunk.summary == " ".join(chunk.summary.split())
    assert chunk.summary.endswith((".", "!", "?"))
    assert 1 <= count(chunk.summary) <= 3
    assert len(chunk.summary) <= 400


HOSTILE = (
    "a.",
    "we decided ",
    "don't a ",
    "/a:",
    "project ",
    "```\n",
    "~~~\n```\n",
    "| ",
    ".",
    "ok, ",
    "use a ",
    "no" + ",",
    ":1",
)


@pytest.mark.large
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:8].strip())
def test_a_huge_text_is_cut_and_described(text: str) -> None:
    long = text * (60_000 // len(text))
    [draft] = Chunker().chunk([Exchange(long, long, NOW)])

    assert 0 < len(described(draft, "app", None).title) <= 100


def test_a_cause_and_the_fix_after_it_are_one_gotcha_and_others_are_apart() -> None:
    reply = (
        "The cause is that the feed has no zone. The fix is to add one.\n\nThe tests are green.\n\n"
        "Watch out: the proxy drops the header."
    )
    [draft] = Chunker().chunk(dialogue(("The import is an hour late", reply)))

    assert described(draft, "app", None).metadata.gotchas == (
        "The cause is that the feed has no zone. The fix is to add one.",
        "Watch out: the proxy drops the header.",
    )


def test_no_gotcha_of_a_long_list_is_lost() -> None:
    warnings = [
        f"Watch out: the part number {place} of the importer {'silently drops a record ' * 4}."
        for place in range(9)
    ]
    [draft] = Chunker().chunk(
        dialogue(("The import is an hour late", "\n".join(f"- {line}" for line in warnings)))
    )

    kept = " ".join(described(draft, "app", None).metadata.gotchas)
    assert all(f"number {place} " in kept for place in range(9))


def test_quotations_and_general_knowledge_give_no_entries() -> None:
    quoted = "From the manual:\n\n> Watch out: the default is off since version 3.\n> We decided to use it."
    explained = "A lock. Note that it is released on exit, even when it fails."
    for prompt, reply in (("The import is late", quoted), ("What is a semaphore?", explained)):
        [draft] = Chunker().chunk(dialogue((prompt, reply)))
        metadata = described(draft, "app", None).metadata
        assert (metadata.gotchas, metadata.decisions) == ((), ())
