"""
Where a conversation is cut: one chunk, one subject.

Whether an exchange is about something else than those before it.

The words that a chunk's file is named after.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import attrs

from hardwon.domain.model.conversation.boundaries import announces, boundary_command, label, moves_on, without_opening
from hardwon.domain.model.conversation.sentences import sentences
from hardwon.domain.model.conversation.session import Draft, Exchange
from hardwon.domain.model.conversation.statements import is_important
from hardwon.domain.model.conversation.words import READ, keywords, salient_words
from hardwon.domain.model.settings import BOUNDARY_COMMANDS

Similarity = Callable[[Sequence[str], str], float | None]
"""The cosine of what some texts are about and a text, None when it can't be told."""

ENOUGH = 5
"""Keywords; fewer say too little to tell a question from the next."""

FEW = 40
"""Keywords; of fewer, two texts on one subject may share hardly any by chance alone."""

EXCERPT = 300
"""Characters of each exchange that are compared by meaning: more of them tell subjects apart less well, and cost more."""


class Divergence(NamedTuple):
    """
    How far apart an exchange is from a running chunk when it is about something else.

    Attributes:
        jaccard: Of its keywords and those of the exchange it is most like, less than this.
        shared: The share of its keywords that came up in the chunk; less than this, where it has fewer than 40.
        cosine: Of its text and the chunk's, less than this.

    """

    jaccard: float
    shared: float
    cosine: float


CLEAR = Divergence(jaccard=0.1, shared=0.12, cosine=0.3)
"""In long chats the closest Jaccard is below 0.1 for 12% of what follows on, and for 79% of what doesn't."""

SLIGHT = Divergence(jaccard=0.15, shared=0.18, cosine=0.4)
"""Enough to end a chunk that is long already."""


def has_shifted(
    running: Sequence[Exchange], exchange: Exchange, divergence: Divergence, similarity: Similarity | None
) -> bool:
    """
    Return whether *exchange* is as far apart from the *running* chunk as *divergence* says, or more.

    It is compared with each exchange by itself: against all their words
    together, Jaccard falls with their number alone.
    """
    words, said = keywords(exchange), frozenset[str]().union(*map(keywords, running))
    if min(len(words), len(said)) < ENOUGH:
        return False
    closest = max(_jaccard(words, keywords(each)) for each in running)
    shared = len(words & said) / len(words)
    if closest < divergence.jaccard and (len(words) >= FEW or shared < divergence.shared):
        return True
    alike = similarity([_excerpt(each) for each in running], _excerpt(exchange)) if similarity else None
    return alike is not None and alike < divergence.cosine


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def _excerpt(exchange: Exchange) -> str:
    return exchange.text[:EXCERPT]


MAX_WORDS = 4
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
    return " ".join((*led, *dict.fromkeys(words))[:MAX_WORDS]) or NO_TOPIC


def is_led_by_command(topic: str, boundaries: Iterable[str]) -> bool:
    """Return whether *topic* is that of a chunk which one of *boundaries* began."""
    return any(topic == each or topic.startswith(f"{each} ") for each in map(label, boundaries))


def _are_few(words: Sequence[str]) -> bool:
    """Return whether *words* hardly say anything; a word in letters without spaces between them may be a sentence."""
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


__all__ = ["LONG", "MAX_EXCHANGES", "SHORTEST", "Chunker", "Similarity"]

SHORTEST = 3
"""Exchanges; a shorter chunk is not cut by what it is about."""

LONG = 6
"""Exchanges; from here on a slight shift is enough."""

MAX_EXCHANGES = 8


class Chunker(NamedTuple):
    """
    Cuts a conversation, exchange by exchange.

    A cut depends on nothing that comes later, so what is closed stays as it
    is. What the user decides is told by the prompt alone, and an exchange stays
    where it is when its reply grows.

    Attributes:
        boundaries: Commands that begin a new subject, and keep together what follows.
        similarity: Compares by meaning; None to go by keywords only.

    """

    boundaries: tuple[str, ...] = BOUNDARY_COMMANDS
    similarity: Similarity | None = None

    def chunk(self, exchanges: Iterable[Exchange]) -> tuple[Draft, ...]:
        """Return *exchanges* as chunks, in order; the last may be open."""
        drafts = list[Draft]()
        for exchange in exchanges:
            drafts[-1:] = self.add(tuple(drafts[-1:]), exchange)
        return tuple(drafts)

    def add(self, drafts: tuple[Draft, ...], exchange: Exchange) -> tuple[Draft, ...]:
        """
        Return *drafts* with *exchange* taken in: only the last of them can be another than before.

        Args:
            drafts: In order; all but the last are closed.
            exchange: What was said next, or the last one again, of which more was said since.

        """
        if not drafts:
            return (self._begun(exchange),)
        *earlier, last = drafts
        if exchange.continues(last.exchanges[-1]):
            same = exchange == last.exchanges[-1]
            return drafts if same else (*earlier, last.with_more_of_the_last(exchange))
        return (*earlier, *self._after(last, exchange))

    def _after(self, last: Draft, exchange: Exchange) -> tuple[Draft, ...]:
        if self._begins_anew(last, exchange):
            return (attrs.evolve(last, is_closed=True), self._begun(exchange))
        if last.is_closed:
            return (last, self._begun(exchange, last.topic) if _is_only_full(last) else self._begun(exchange))
        grown = last.growing(exchange)
        return (attrs.evolve(grown, is_closed=len(grown.exchanges) >= MAX_EXCHANGES or moves_on(exchange.user)),)

    def _begins_anew(self, last: Draft, exchange: Exchange) -> bool:
        """Return whether *exchange* is no part of the subject of *last*."""
        if boundary_command(exchange.user, self.boundaries) is not None:
            return True
        if is_led_by_command(last.topic, self.boundaries):
            return False
        said = exchange.user
        return is_important(said) or announces(said) or (not moves_on(said) and self._has_shifted(last, exchange))

    def _has_shifted(self, last: Draft, exchange: Exchange) -> bool:
        size = len(last.exchanges)
        divergence = SLIGHT if size >= LONG else CLEAR
        return size >= SHORTEST and has_shifted(last.exchanges, exchange, divergence, self.similarity)

    def _begun(self, exchange: Exchange, topic: str | None = None) -> Draft:
        """Return the chunk that *exchange* begins; it goes on with *topic* if that is given."""
        named = topic or topic_of(exchange, self.boundaries)
        stands_alone = is_important(exchange.user) and not is_led_by_command(named, self.boundaries)
        return Draft(topic=named, exchanges=(exchange,), is_closed=stands_alone)


def _is_only_full(draft: Draft) -> bool:
    """Return whether the subject of *draft* may go on."""
    return len(draft.exchanges) >= MAX_EXCHANGES and not moves_on(draft.exchanges[-1].user)
