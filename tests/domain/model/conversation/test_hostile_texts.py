"""Readers of utterances take linear time on hostile texts."""

import time
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hardwon.adapters.markdown.conversation_format import outline
from hardwon.domain.model.conversation import statements
from hardwon.domain.model.conversation.boundaries import announces, moves_on
from hardwon.domain.model.conversation.describe import areas_of, as_sentence, summarised
from hardwon.domain.model.conversation.mentions import commands_in, paths_in, phases_in, projects_in
from hardwon.domain.model.conversation.options import alternatives, reasons
from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.conversation.title import titled
from hardwon.domain.model.conversation.topics import topic_of
from hardwon.domain.model.injection import related_conversations as related
from hardwon.domain.model.plain_text import sentences
from hardwon.domain.model.redaction import Cleaning, redact
from hardwon.domain.model.topic_words import informative_words, slug
from tests.strategies import NOW

READERS: dict[str, Callable[[str], object]] = {
    "sentences": sentences,
    "statements": lambda text: (
        statements.decides(text),
        statements.corrects(text),
        statements.warns(text),
    ),
    "prefers": statements.prefers,
    "chooses": statements.chooses,
    "is_important": statements.is_important,
    "boundaries": lambda text: (moves_on(text), announces(text)),
    "paths_in": lambda text: list(paths_in(text)),
    "mentions": lambda text: [*commands_in(text), *phases_in(text), *projects_in(text)],
    "areas_of": lambda text: areas_of([text], [text]),
    "topic_of": lambda text: topic_of(Exchange(f"Hi {text}", text, NOW), ("/ship",)),
    "summarised": lambda text: summarised(text, [text], [text]),
    "as_sentence": as_sentence,
    "titled": lambda text: titled([text], [text], "topic"),
    "reasoning": lambda text: (
        alternatives(text, [Exchange("Hi", text, NOW)]),
        reasons([Exchange("Hi", text, NOW)]),
    ),
    "file_topic": lambda text: (slug(text), informative_words(text)),
    "outline": outline,
    "told": lambda text: related.summarised(text, "title"),
    "redact": redact,
    "cleaning": Cleaning("/home/me/proj", "/home/me").__call__,
}
SIGNS = [*".,:;!?…-–—_*`'\"()[]{}<>/\\|#@+=~^&%$\n\t \raZ1é。日\u0300\x0b"]  # noqa: RUF001
WORDS = """instead of|over|use x over|because|project|phase |password=|eyJabcdefgh.|-----BEGIN PRIVATE KEY-----|a://x:
<private>|</private>|<!--|```|~~~|# |- |1. |[x](|e.g. |ok, |next|no, |decision x|keep a|/a:b|/home/me|file://|User:|user (
<system-reminder>|</system-reminder>|~/code/|:1-|#L1-|../|a.b/|===|chose |rejected |So, |options: a) |, not |[a]/|""".replace(
    "\n", "|"
).split("|")
HOSTILE = (
    ".",
    "!.",
    "a.",
    ":1",
    "#L1-",
    "a/",
    "```\n",
    "<private>",
    "instead of ",
    "password=",
    "( ",
    "[x](",
)


@pytest.mark.large
@pytest.mark.parametrize("atom", HOSTILE)
def test_repetitive_texts_are_read_in_linear_time(atom: str) -> None:
    text = f"Loading{atom * (20_000 // len(atom))}done"

    assert all(
        read(piece) is not NotImplemented
        for read in READERS.values()
        for piece in (text, text[7:-4])
    )


@pytest.mark.parametrize(
    "repeated", ["." * 250, ":1" * 120, ":1-2" * 60, "#L1-L2" * 40, ".:" * 120, "?!…" * 80]
)
def test_text_after_a_path_is_scanned_once(repeated: str) -> None:
    assert list(paths_in(f"Loading{repeated}done")) == []
    assert list(paths_in(f"src/a.py{repeated}")) == ["src/a.py"]


@pytest.mark.soak
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@given(atoms=st.lists(st.sampled_from([*SIGNS, *filter(None, WORDS)]), min_size=1, max_size=4))
@settings(deadline=None, max_examples=200)
@example(atoms=["."])
@example(atoms=[":", "1"])
def test_a_text_of_four_times_the_length_takes_no_more_than_some_four_times_the_time(
    read: Callable[[str], object], atoms: list[str]
) -> None:
    atom = "".join(atoms)
    short, long = (f"Loading{atom * (size // len(atom))}done" for size in (3_000, 12_000))

    assert (
        _seconds(read, long) < 0.01
        or min(_seconds(read, long) / _seconds(read, short) for _ in range(5)) < 7
    )


def _seconds(read: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    read(text)
    return time.process_time() - started
