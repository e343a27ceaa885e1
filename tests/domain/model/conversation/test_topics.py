import pytest

from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.session import Exchange
from tests.strategies import NOW

TOPICS = {
    "How do we parse the partner feeds, please?": "parse partner feeds",
    "/tlc:plan the \u00dcberraschung of \u00e9migr\u00e9s": "plan uberraschung emigres",
    "/recall the parser": "recall parser",
    "Fix " + "a1b2c3d4" * 20 + " of the parser": "fix parser",
    "careful, the index locks": "index locks",
    "Next.js upgrade: what breaks?": "nextjs upgrade breaks",
    "\u65e5\u672c\u8a9e": "\u65e5\u672c\u8a9e",
    "Stra\u00dfe pr\u00fcfen": "strasse prufen",
    "\u4fee" * 40: "\u4fee" * 24,
}
TOPICS_WITH_REPLY = {
    "/tlc:discuss": "discuss postgres keeps locks",
    "plan a build to discuss the lexer": "lexer postgres keeps locks",
    "```python\nimport parser\n```\nWhat fails in it?": "fails postgres keeps locks",
    "ok": "postgres keeps locks",
    "better. 25s": "postgres keeps locks",
}


@pytest.mark.parametrize(("prompt", "topic"), TOPICS.items())
def test_a_topic_is_what_the_prompt_says_first(prompt: str, topic: str) -> None:
    replies = ("", "Postgres keeps the locks.")
    topics = {Chunker().chunk([Exchange(prompt, reply, NOW)])[0].topic for reply in replies}

    assert topics == {topic}


@pytest.mark.parametrize(("prompt", "topic"), TOPICS_WITH_REPLY.items())
@pytest.mark.parametrize("more", ["", " The parser reads feeds.", "\n\nAnd so on."])
def test_the_reply_gives_the_topic_of_a_short_prompt(prompt: str, topic: str, more: str) -> None:
    [draft] = Chunker().chunk([Exchange(prompt, f"Sure. Postgres keeps the locks.{more}", NOW)])

    assert draft.topic == topic


@pytest.mark.parametrize(
    ("reply", "topic"),
    {
        "Planning the search index migration to OpenSearch in two steps.": "plan search index migration",
        "# Phase 71 \u2014 Compose deployment\n\n- Task 1": "plan phase compose deployment",
        "": "plan",
    }.items(),
)
def test_a_bare_command_is_named_after_what_was_planned(reply: str, topic: str) -> None:
    assert Chunker().chunk([Exchange("/tlc:plan", reply, NOW)])[0].topic == topic


def test_the_topic_without_informative_words_is_conversation() -> None:
    assert (
        Chunker().chunk([Exchange("hi", "Hello! What can I do for you?", NOW)])[0].topic
        == "conversation"
    )


def test_where_the_user_said_nothing_the_reply_names_the_topic() -> None:
    [draft] = Chunker().chunk([Exchange("", "The parser reads feeds.", NOW)])

    assert draft.topic == "parser reads feeds"
