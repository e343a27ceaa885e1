"""The topic of a chunk: the words its file is named after."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from hardwon.domain.model.conversation.boundaries import boundary_command, label, without_opening
from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.conversation.title import NO_TOPIC
from hardwon.domain.model.plain_text import sentences
from hardwon.domain.model.topic_words import READ, salient_words

MAX_WORDS = 4
LONGEST_WORD = 24
"""Characters. A longer word is a hash or a blob."""

MIN_TOPIC_WORDS = 2
"""With fewer in the prompt (`/tlc:plan`, `ok`) the reply is read too."""

FIRST_SENTENCES = 3
"""Sentences of a reply that are read: after `Sure.` the next names the subject."""

_OPENERS = frozenset("careful decision note sense wait".split())
"""First words of remarks, whose subject comes next."""

_MEASURE = re.compile(r"\d+(?:ms|s|sec|secs|m|min|mins|h|d|k|kb|mb|gb|tb|px|x|th|st|nd|rd)?")


def topic_of(first: Exchange, boundaries: Sequence[str]) -> str:
    """
    Return the topic of the chunk that begins with *first*.

    They are the first informative words of its prompt. A command of *boundaries* goes first:
    `/tlc:plan the parser` gives `plan parser`. A prompt with too few of them takes those of the
    reply; without any the topic is `conversation`.
    """
    command = boundary_command(first.user, boundaries)
    taken = tuple(word for boundary in boundaries for word in label(boundary).split())
    words = [
        word for word in _informative(without_opening(first.user, command)) if word not in taken
    ]
    if _are_few(words):
        words += [word for word in _first_words(first.assistant) if not word.startswith(taken)]
    led = (label(command),) if command is not None else ()
    return " ".join((*led, *dict.fromkeys(words))[:MAX_WORDS]) or NO_TOPIC


def is_led_by_command(topic: str, boundaries: Iterable[str]) -> bool:
    """Return whether a command of *boundaries* began the chunk on *topic*."""
    return any(topic == name or topic.startswith(f"{name} ") for name in map(label, boundaries))


def _are_few(words: Sequence[str]) -> bool:
    """
    Return whether *words* are too few for a topic.

    A word not in ASCII may be a whole sentence without spaces.
    """
    return len(frozenset(words)) < MIN_TOPIC_WORDS and all(word.isascii() for word in words)


def _first_words(reply: str) -> list[str]:
    by_sentence = [_words(sentence) for sentence in sentences(reply[:READ])[:FIRST_SENTENCES]]
    return next(
        (words for words in by_sentence if not _are_few(words)),
        [word for words in by_sentence for word in words],
    )


def _informative(prose: str) -> list[str]:
    return _words(" ".join(sentences(prose[:READ])) or prose)


def _words(prose: str) -> list[str]:
    words = (
        word
        for word in salient_words(_folded(prose))
        if word not in _OPENERS and not _MEASURE.fullmatch(word)
    )
    return [
        word[:LONGEST_WORD] for word in words if len(word) <= LONGEST_WORD or not word.isascii()
    ]


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text[:READ].replace("\u00df", "ss"))
    return unicodedata.normalize(
        "NFC", "".join(letter for letter in plain if not unicodedata.combining(letter))
    )
