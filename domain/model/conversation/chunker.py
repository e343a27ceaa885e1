"""
Segmentation of a conversation into chunks, one topic each.

A chunk ends at a topic boundary that the user states, at a topic shift by keywords or embeddings, or when it is full.
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
"""Returns the cosine of some texts' common embedding and a text's, None when it is not available."""

MIN_KEYWORDS = 5
"""Keywords; fewer say too little to compare an exchange."""

MANY_KEYWORDS = 40
"""Keywords; with fewer, two texts on one subject may share hardly any by chance."""

EXCERPT = 300
"""Characters of an exchange that are embedded: more separate topics less well, and cost more."""


class Divergence(NamedTuple):
    """
    The thresholds below which an exchange begins another topic than the running chunk.

    Attributes:
        jaccard: Of its keywords and those of the most similar exchange.
        shared: The share of its keywords that occur in the chunk; used when it has fewer than 40.
        cosine: Of its embedding and the chunk's.
    """

    jaccard: float
    shared: float
    cosine: float


CLEAR = Divergence(jaccard=0.1, shared=0.12, cosine=0.3)
"""In long chats the closest Jaccard is below 0.1 for 12 % of exchanges on the same topic, and for 79 % of others."""

SLIGHT = Divergence(jaccard=0.15, shared=0.18, cosine=0.4)
"""The thresholds for a chunk that is long already."""


def has_shifted(
    running: Sequence[Exchange], exchange: Exchange, divergence: Divergence, similarity: Similarity | None
) -> bool:
    """
    Return whether *exchange* begins another topic than the *running* chunk, by the thresholds of *divergence*.

    It is compared with each exchange of the chunk: against all their words together, Jaccard falls with their number alone.
    """
    words, earlier = keywords(exchange), frozenset[str]().union(*map(keywords, running))
    if min(len(words), len(earlier)) < MIN_KEYWORDS:
        return False
    closest = max(_jaccard(words, keywords(turn)) for turn in running)
    shared = len(words & earlier) / len(words)
    if closest < divergence.jaccard and (len(words) >= MANY_KEYWORDS or shared < divergence.shared):
        return True
    alike = similarity([_excerpt(turn) for turn in running], _excerpt(exchange)) if similarity else None
    return alike is not None and alike < divergence.cosine


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right)


def _excerpt(exchange: Exchange) -> str:
    return exchange.text[:EXCERPT]


MAX_WORDS = 4
LONGEST_WORD = 24
"""Characters; a longer word is a hash or a blob, and not part of a topic."""

MIN_TOPIC_WORDS = 2
"""With fewer in the prompt (`/tlc:plan`, `ok`) the reply is read too."""

FIRST_SENTENCES = 3
"""Sentences of a reply that are read: after `Sure.` the next names the subject."""

NO_TOPIC = "conversation"

_OPENERS = frozenset("careful decision note sense wait".split())
"""First words of remarks, whose subject comes next."""

_MEASURE = re.compile(r"\d+(?:ms|s|sec|secs|m|min|mins|h|d|k|kb|mb|gb|tb|px|x|th|st|nd|rd)?")


def topic_of(first: Exchange, boundaries: Sequence[str]) -> str:
    """
    Return the topic of the chunk that begins with *first*: up to four words, the first informative ones of its prompt.

    A chunk that begins with a command of *boundaries* has its name first: `/tlc:plan the parser` gives `plan parser`. A
    prompt of hardly an informative word takes the first of the reply; without any the topic is `conversation`.
    """
    command = boundary_command(first.user, boundaries)
    taken = tuple(word for boundary in boundaries for word in label(boundary).split())
    words = [word for word in _informative(without_opening(first.user, command)) if word not in taken]
    if _are_few(words):
        words += [word for word in _first_words(first.assistant) if not word.startswith(taken)]
    led = (label(command),) if command is not None else ()
    return " ".join((*led, *dict.fromkeys(words))[:MAX_WORDS]) or NO_TOPIC


def is_led_by_command(topic: str, boundaries: Iterable[str]) -> bool:
    """Return whether *topic* is that of a chunk which a command of *boundaries* began."""
    return any(topic == name or topic.startswith(f"{name} ") for name in map(label, boundaries))


def _are_few(words: Sequence[str]) -> bool:
    """Return whether *words* are too few for a topic; a word not in ASCII may be a whole sentence without spaces."""
    return len(frozenset(words)) < MIN_TOPIC_WORDS and all(word.isascii() for word in words)


def _first_words(reply: str) -> list[str]:
    """Return the words of the first sentence of *reply* that has enough of them, else of the first few."""
    by_sentence = [_words(sentence) for sentence in sentences(reply[:READ])[:FIRST_SENTENCES]]
    return next(
        (words for words in by_sentence if not _are_few(words)), [word for words in by_sentence for word in words]
    )


def _informative(prose: str) -> list[str]:
    return _words(" ".join(sentences(prose[:READ])) or prose)


def _words(prose: str) -> list[str]:
    """Return the informative words of *prose*; a long one in ASCII is a hash, and left out."""
    words = (word for word in salient_words(_folded(prose)) if word not in _OPENERS and not _MEASURE.fullmatch(word))
    return [word[:LONGEST_WORD] for word in words if len(word) <= LONGEST_WORD or not word.isascii()]


def _folded(text: str) -> str:
    """Return *text* without accents."""
    plain = unicodedata.normalize("NFKD", text[:READ].replace("\u00df", "ss"))
    return unicodedata.normalize("NFC", "".join(letter for letter in plain if not unicodedata.combining(letter)))


__all__ = ["LONG", "MAX_EXCHANGES", "SHORTEST", "Chunker", "Similarity"]

SHORTEST = 3
"""Exchanges; a shorter chunk does not end by a topic shift."""

LONG = 6
"""Exchanges; from here on a slight shift ends a chunk."""

MAX_EXCHANGES = 8


class Chunker(NamedTuple):
    """
    Splits a conversation into chunks, exchange by exchange.

    A boundary depends on nothing that comes later, so closed chunks never change. Boundaries that the user states are read
    from the prompt alone, so an exchange stays in its chunk when its reply grows.

    Attributes:
        boundaries: Commands that begin a chunk and keep the following exchanges in it.
        similarity: Compares embeddings; None to compare keywords only.

    Examples:
        >>> import datetime as dt
        >>> noon = dt.datetime(2026, 1, 5, 12, tzinfo=dt.UTC)
        >>> first = Exchange("How does the CSV importer round prices?", "Half to even, to two digits.", noon)
        >>> second = Exchange("/tlc:plan the release notes", "Planned.", noon + dt.timedelta(minutes=5))
        >>> [draft.topic for draft in Chunker().chunk([first, second])]
        ['csv importer round prices', 'plan release notes']
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
        Return *drafts* with *exchange* added; only the last draft can change.

        Args:
            drafts: In order; all but the last are closed.
            exchange: The next exchange, or the last one again with a longer reply.
        """
        if not drafts:
            return (self._begun(exchange),)
        *earlier, last = drafts
        if exchange.continues(last.exchanges[-1]):
            same = exchange == last.exchanges[-1]
            return drafts if same else (*earlier, last.with_more_of_the_last(exchange))
        return (*earlier, *self._after(last, exchange))

    def _after(self, last: Draft, exchange: Exchange) -> tuple[Draft, ...]:
        if self._begins_topic(last, exchange):
            return (attrs.evolve(last, is_closed=True), self._begun(exchange))
        if last.is_closed:
            return (last, self._begun(exchange, last.topic) if _is_only_full(last) else self._begun(exchange))
        grown = last.growing(exchange)
        return (attrs.evolve(grown, is_closed=len(grown.exchanges) >= MAX_EXCHANGES or moves_on(exchange.user)),)

    def _begins_topic(self, last: Draft, exchange: Exchange) -> bool:
        """Return whether *exchange* is about another topic than *last*."""
        if boundary_command(exchange.user, self.boundaries) is not None:
            return True
        if is_led_by_command(last.topic, self.boundaries):
            return False
        prompt = exchange.user
        return is_important(prompt) or announces(prompt) or (not moves_on(prompt) and self._has_shifted(last, exchange))

    def _has_shifted(self, last: Draft, exchange: Exchange) -> bool:
        size = len(last.exchanges)
        divergence = SLIGHT if size >= LONG else CLEAR
        return size >= SHORTEST and has_shifted(last.exchanges, exchange, divergence, self.similarity)

    def _begun(self, exchange: Exchange, topic: str | None = None) -> Draft:
        """Return the chunk that *exchange* begins, which continues *topic* if that is given."""
        named = topic or topic_of(exchange, self.boundaries)
        is_closed = is_important(exchange.user) and not is_led_by_command(named, self.boundaries)
        return Draft(topic=named, exchanges=(exchange,), is_closed=is_closed)


def _is_only_full(draft: Draft) -> bool:
    """Return whether *draft* ended by its length alone, so that its topic may continue."""
    return len(draft.exchanges) >= MAX_EXCHANGES and not moves_on(draft.exchanges[-1].user)
