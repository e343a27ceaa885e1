"""Boundary signals of the chunker: phrases of users between two subjects."""

import pytest

from hardwon.domain.model.conversation.chunker import Chunker
from tests.conversations import prompts, sizes

GO_ON = "Tell me more about the parser."


@pytest.mark.parametrize("command", ["/tlc:plan", "/tlc:build", "/tlc:discuss"])
@pytest.mark.parametrize("rest", ["", " the parser", "\nthe parser"])
def test_a_command_begins_a_new_chunk_whatever_the_size(command: str, rest: str) -> None:
    drafts = Chunker().chunk(prompts(GO_ON, f"{command}{rest}", f"{command}{rest}"))

    assert [len(draft.exchanges) for draft in drafts] == [1, 1, 1]
    assert [draft.is_closed for draft in drafts] == [True, True, False]


@pytest.mark.parametrize(
    "prompt", ["/tlc:planner", "/TLC:plan x", "Run /tlc:plan now", "/tlc:planning/file.md", "plan"]
)
def test_text_that_only_looks_like_a_command_does_not_cut(prompt: str) -> None:
    assert sizes(prompts(GO_ON, prompt)) == [2]


def test_other_commands_can_be_boundaries() -> None:
    drafts = Chunker(boundaries=("/ship",)).chunk(
        prompts(GO_ON, "/ship the parser", "/tlc:plan it")
    )

    assert [len(draft.exchanges) for draft in drafts] == [1, 2]
    assert drafts[1].topic == "ship parser"


MOVING_ON = (
    *(
        "ok",
        "Okay!",
        "OK.",
        "next",
        "Next.",
        "ok, let's move on",
        "let\u2019s move on",
        "Let's build this!",
        "lets move on",
    ),
    *(
        "next: the parser",
        "ok great, thanks",
        "great, next",
        "ok, now the parser",
        "next topic",
        "let's move on to the parser",
    ),
    *("ok next", "moving on", "alright, let's build it"),
)
NOT_MOVING_ON = (
    *(
        "token",
        "Next.js",
        "Next.js is slow",
        "ok the parser still fails",
        "okra",
        "nextcloud",
        "ok?",
        "next?",
    ),
    *(
        "ok, but the parser still fails",
        "ok, why does it fail?",
        "the next step is the parser",
        "is that ok",
        "",
        "ok-ish",
    ),
    "ok, the parser still fails because the feed it reads begins with a byte order mark",
    "next" * 1000,
)


@pytest.mark.parametrize("signal", MOVING_ON)
def test_a_chunk_ends_after_a_message_that_moves_on(signal: str) -> None:
    drafts = Chunker().chunk(prompts(GO_ON, signal, GO_ON))

    assert [len(draft.exchanges) for draft in drafts] == [2, 1]
    assert drafts[0].is_closed


@pytest.mark.parametrize("prompt", NOT_MOVING_ON)
def test_longer_messages_and_parts_of_words_do_not_move_on(prompt: str) -> None:
    assert sizes(prompts(GO_ON, prompt, GO_ON)) == [3]


def test_a_message_that_moves_on_is_no_chunk_of_its_own() -> None:
    assert sizes(prompts("ok", "ok", "ok")) == [2, 1]


ANNOUNCED = (
    *(
        "Good. Next: the release. The image is signed with a key that expires in May, is it not?",
        "Next, the docs?",
    ),
    *(
        "Now: which port does the proxy listen on in staging?",
        "Great, now the release: who signs the image?",
    ),
    *(
        "Another thing: which port does the proxy use?",
        "OK, a new topic. Which port does the proxy use?",
    ),
    *(
        "Different question: which port?",
        "Thanks! A completely different question, which port does the proxy use?",
    ),
    *(
        "Switching to the release notes: who writes them?",
        "Let\u2019s switch gears, which port does the proxy use?",
    ),
    *(
        "On to the release, for which the image has to be signed by a key that we have.",
        "On a different note, ports?",
    ),
    *(
        "Back to the proxy: which port does it use?",
        "OK, let's go back to the release notes: who writes them?",
    ),
    *(
        "Separately: which port does the proxy use?",
        "Let's change the subject, which port does the proxy use?",
    ),
    *(
        "Moving on to the release: the image has to be signed by somebody, who?",
        "Unrelated, which port is it?",
    ),
)
NOT_ANNOUNCED = (
    *(
        "Next.js: how do I build it for this site?",
        "Nextcloud: which port?",
        "The next question: is it linear?",
    ),
    *(
        "Now it fails: the feed begins with a byte order mark, which the parser reads",
        "Now the error: a stack overflow?",
    ),
    *(
        "Now for some reason the parser reads no feed at all, does it?",
        "Another thing the parser does is odd, is it?",
    ),
    *(
        "Switching to tabs broke the parser, didn't it?",
        "On Tuesday the parser failed, why?",
        "A new parser: why?",
    ),
    *(
        "Back to the error: it is thrown by the parser",
        "Back to the drawing board with this parser, it seems to me",
    ),
    *(
        "Separately built parsers fail, why?",
        "next" * 1000,
        "What is next: the parser?",
        "Different parsers, why?",
    ),
)


@pytest.mark.parametrize("prompt", ANNOUNCED)
@pytest.mark.parametrize("before", [1, 2])
def test_a_message_that_announces_another_subject_begins_a_chunk_however_short_the_one_before_is(
    prompt: str, before: int
) -> None:
    drafts = Chunker().chunk(prompts(*[GO_ON] * before, prompt, GO_ON))

    assert [len(draft.exchanges) for draft in drafts] == [before, 2]
    assert [draft.is_closed for draft in drafts] == [True, False]


@pytest.mark.parametrize("prompt", NOT_ANNOUNCED)
def test_text_that_only_looks_like_an_announcement_does_not_cut(prompt: str) -> None:
    assert sizes(prompts(GO_ON, prompt, GO_ON)) == [3]


@pytest.mark.parametrize("prompt", ANNOUNCED)
def test_a_discussion_goes_on_whatever_is_announced_in_it(prompt: str) -> None:
    assert sizes(prompts("/tlc:discuss the schema", prompt, GO_ON)) == [3]
