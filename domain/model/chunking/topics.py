"""The words that a chunk's file is named after."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from hardwon.domain.model.chunking.boundaries import boundary_command, label, without_opening
from hardwon.domain.model.chunking.salience import READ, salient_words
from hardwon.domain.model.chunking.sentences import sentences
from hardwon.domain.model.conversation.exchange import Exchange

MOST_WORDS = 4
LONGEST_WORD = 24
"""Characters; what is longer is a hash or a blob, and no file is named after it."""

ENOUGH_WORDS = 2
"""With fewer in the prompt the reply is looked at too: `/tlc:plan`, `ok`."""

FIRST_SENTENCES = 3
"""Of a reply; what says `Sure.` first names its subject next."""

NO_TOPIC = "conversation"

_OPENERS = frozenset("careful decision note sense wait".split())
"""What a remark begins with; its subject comes next."""

_MEASURE = re.compile(r"\d+(?:ms|s|sec|secs|m|min|mins|h|d|k|kb|mb|gb|tb|px|x|th|st|nd|rd)?")


def topic_of(first: Exchange, boundaries: Sequence[str]) -> str:
    """
    Return what the chunk that begins with *first* is about: up to four words that its prompt says first.

    One that begins with one of *boundaries* is named after that command, and
    no other is: `/tlc:plan the parser` gives `plan parser`. A prompt of hardly
    a telling word takes those the reply says first; where that has none either,
    the topic is `conversation`.
    """
    command = boundary_command(first.user, boundaries)
    taken = tuple(word for each in boundaries for word in label(each).split())
    words = [word for word in _telling(without_opening(first.user, command)) if word not in taken]
    if _are_few(words):
        words += [word for word in _said_first(first.assistant) if not word.startswith(taken)]
    led = (label(command),) if command is not None else ()
    return " ".join((*led, *dict.fromkeys(words))[:MOST_WORDS]) or NO_TOPIC


def is_led_by_command(topic: str, boundaries: Iterable[str]) -> bool:
    """Tell whether *topic* is that of a chunk which one of *boundaries* began."""
    return any(topic == each or topic.startswith(f"{each} ") for each in map(label, boundaries))


def _are_few(words: Sequence[str]) -> bool:
    """Tell whether *words* hardly say anything; a word in letters without spaces between them may be a sentence."""
    return len(frozenset(words)) < ENOUGH_WORDS and all(word.isascii() for word in words)


def _said_first(reply: str) -> list[str]:
    """Return the telling words of the first sentence of *reply* that has enough of them, else of the first few."""
    told = [_words(each) for each in sentences(reply[:READ])[:FIRST_SENTENCES]]
    return next((words for words in told if not _are_few(words)), [word for words in told for word in words])


def _telling(said: str) -> list[str]:
    return _words(" ".join(sentences(said[:READ])) or said)


def _words(prose: str) -> list[str]:
    """Return the telling words of *prose*; what is long and in plain letters is a hash, and left out."""
    words = (word for word in salient_words(_folded(prose)) if word not in _OPENERS and not _MEASURE.fullmatch(word))
    return [word[:LONGEST_WORD] for word in words if len(word) <= LONGEST_WORD or not word.isascii()]


def _folded(text: str) -> str:
    """Return *text* with accented letters as plain ones."""
    plain = unicodedata.normalize("NFKD", text[:READ].replace("\u00df", "ss"))
    return unicodedata.normalize("NFC", "".join(letter for letter in plain if not unicodedata.combining(letter)))
