"""
The words of an agent, without those that it only repeats.

What an agent wrote, prepared for being looked through.

In which sentences an agent says that something is not so.

What an injected entry says, to be looked for in what the agent does.

By which words an agent shows that it used what it was shown.

Conservative: a sign is the name of an entry, seven words of it in a row, or a piece of code of it, each
with enough words that tell something. What another shown entry says too, or what was given without
the agent, proves nothing. Nor does a single identifier, a block of code or an address: whoever works
on that code writes it anyway.

A sentence with a word that rejects ("n't" or one of `REJECTING`) holds no sign, whatever it is that it
rejects: better none than praise for an entry that was named to be set aside. A negation of the entry's
own does not count as one where it is quoted with it. What the next sentence says is not understood.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, Self, TypeAlias

from hardwon.domain.model.injection.entry_text import TAG
from hardwon.domain.model.keywords import STOP_WORDS, words_of

LONGEST_TEXT = 20_000
"""In characters, of what is looked through."""

REPEATED = "\n"
"""Stands for a word that somebody else said first: no phrase has it."""

SHORTEST_TERM = 2
_START, _END = f"<{TAG}", f"</{TAG}>"
_ECHO = 3
_ECHO_TERMS = 2


def term_count(words: Sequence[str]) -> int:
    """Return how many different words of *words* tell something: no stop words, letters or numbers."""
    return sum(len(word) >= SHORTEST_TERM and not word[0].isdigit() for word in {*words} - STOP_WORDS)


def spoken_text(text: str) -> str:
    """Return what *text* says in its first 20,000 characters, but not what memory itself printed there."""
    return "\n".join(_outside_frames(text[:LONGEST_TEXT]))


def agent_words(text: str, given: Sequence[str]) -> list[str]:
    """Return the words of *text*, with `REPEATED` for each that stands among the same neighbours in *given* too."""
    words = words_of(spoken_text(text))
    said = {*_runs(given)}
    echoes = {run for run in (said.intersection(_runs(words)) if said else ()) if term_count(run) >= _ECHO_TERMS}
    own = list(words)
    for place, run in enumerate(_runs(words)) if echoes else ():
        if run in echoes:
            own[place : place + _ECHO] = [REPEATED] * _ECHO
    return own


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[place:] for place in range(_ECHO)), strict=False)


def _outside_frames(text: str) -> Iterator[str]:
    """Yield what stands outside of anything that memory itself printed."""
    while text:
        outside, _, framed = text.partition(_START)
        yield outside
        text = framed.partition(_END)[2]


REJECTING = frozenset(
    """
    cannot contrary despite disagree disregard disregarded disregarding ignore ignored ignores ignoring inapplicable
    incorrect instead irrelevant misleading mistaken neither never no nor not obsolete outdated overrule overruled
    reject rejected rejecting rejects unlike unrelated wrong wrongly
    """.split()
)
_CUT = "t"
"""What is left of "n't"."""

_SENTENCE_END = re.compile(r"(?:[.!?][\"'*_)\]`\u2019\u201d]*\s|\n)\s*(?!\s|[\"'*_(\[`\u2018\u201c]*[a-z])|\n\s*\n")
"""Lower case goes on with a sentence: after "e.g.", and on the next line."""


class Spoken(NamedTuple):
    """
    A text by words.

    Attributes:
        sentences: The number of the sentence of each of its words.
        rejecting: The places of the words that reject.

    """

    sentences: Sequence[int]
    rejecting: Sequence[int]

    @classmethod
    def of(cls, text: str) -> "Spoken":
        """Read *text*, the words of which are those that `words_of` returns."""
        sentences = [words_of(each) for each in _SENTENCE_END.sub(r"\g<0>\0", text).split("\0")]
        words = [word for sentence in sentences for word in sentence]
        return cls([number for number, each in enumerate(sentences) for _ in each], [*_rejecting(words)])

    def rejected(self, quoted: AbstractSet[int]) -> frozenset[int]:
        """Return the numbers of the sentences that reject something by a word that is not at one of the places *quoted*."""
        return frozenset(self.sentences[place] for place in self.rejecting if place not in quoted)


def _rejecting(words: Sequence[str]) -> Iterator[int]:
    for place, word in enumerate(words):
        if word in REJECTING or (word == _CUT and place and words[place - 1].endswith("n")):
            yield place


RUN = 7

Run: TypeAlias = tuple[str, ...]
"""So many words in a row."""


class Heard(NamedTuple):
    """
    The words of an agent.

    Attributes:
        text: As it wrote them.
        words: In order, without those that it only repeats.
        known: Each once.
        line: All of them on one line.
        given: What was said without it, likewise.

    """

    text: str
    words: Sequence[str]
    known: set[str]
    line: str
    given: str

    @classmethod
    def of(cls, text: str, given: Sequence[str]) -> Self:
        """Read *text*, of which the words *given* were said without the agent."""
        words = agent_words(text, given)
        return cls(text[:LONGEST_TEXT], words, {*words}, line_of(words), line_of(given))

    def without_rejections(self, phrases: Sequence[Sequence[str]], runs: AbstractSet[Run]) -> Self:
        """Return this without the sentences that reject something by a word that stands in none of *phrases* and *runs*."""
        spoken = Spoken.of(spoken_text(self.text))
        rejected = spoken.rejected({*self._places_of(phrases), *self._places_in(runs)})
        told = zip(self.words, spoken.sentences, strict=True)
        words = [REPEATED if sentence in rejected else word for word, sentence in told]
        return self._replace(words=words, known={*words}, line=line_of(words))

    def _places_of(self, phrases: Sequence[Sequence[str]]) -> Iterator[int]:
        for phrase in phrases:
            line, begin = line_of(phrase), -1
            while (begin := self.line.find(line, begin + 1)) >= 0:
                place = self.line.count(" ", 0, begin)
                yield from range(place, place + len(phrase))

    def _places_in(self, runs: AbstractSet[Run]) -> Iterator[int]:
        for place, run in enumerate(runs_in(self.words)):
            if run in runs:
                yield from range(place, place + RUN)


def line_of(words: Sequence[str]) -> str:
    """Return *words* with a space around each, so that a phrase of whole words is found in it."""
    return f" {' '.join(words)} "


def runs_in(words: Sequence[str]) -> Iterator[Run]:
    """Yield the words, seven in a row."""
    return zip(*(words[place:] for place in range(RUN)), strict=False)


LONGEST_SHOWN = 2_000
"""In characters, of an entry's description and of its notes."""


class ShownText(NamedTuple):
    """
    The words of an entry that were injected into a session.

    Attributes:
        entry_id: Which.
        name: Its name.
        description: Empty where only a line of it was shown.
        notes: Likewise.
        is_counted: Whether it is known already that it was of use there.

    """

    entry_id: str
    name: str
    description: str
    notes: str
    is_counted: bool = False


RUN_TERMS = 4
NAME_WORDS = 3
NAME_TERMS = 3
MARKED_NAME_TERMS = 2
CODE_WORDS = 4
CODE_TERMS = 3
LONGEST_PHRASE = 30
"""In words, of what is told."""

_CODE = re.compile(r"`([^`\n]{8,200})`")
_NOT_PROSE = re.compile(r"```.*?(?:```|\Z)|\bhttps?://\S+", re.DOTALL)
"""Blocks of code and addresses begin alike wherever they stand."""

_WORD = re.compile(r"[^\W_]+")
_MARKS = r"\"'*_`\[#\u00ab\u00bb\u2018-\u201f\u2039\u203a"


def signs_of_use(shown: Sequence[ShownText], text: str, given: str) -> Mapping[str, str]:
    """
    Return the phrase by which *text* shows that it used an entry, for each of *shown* that it did, by id.

    Args:
        shown: Everything that was injected, what is counted already too.
        text: What the agent wrote; its first 20,000 characters count.
        given: What was said without the agent, likewise.

    """
    heard = Heard.of(text, words_of(given[:LONGEST_TEXT]))
    if len(heard.words) < NAME_WORDS:
        return {}
    read = [_read(each) for each in shown]
    found = Counter(run for each in read for run in {*each.runs_of(heard.known)})
    own = {run for run, entries in found.items() if entries == 1}
    own = own.intersection(runs_in(heard.words)) if own else own
    phrases = {
        each.shown.entry_id: _accepted(each, [other.line for other in read if other is not each], heard, own)
        for each in read
        if not each.shown.is_counted
    }
    return {entry_id: phrase for entry_id, phrase in phrases.items() if phrase}


class _Read(NamedTuple):
    """An entry, prepared for being looked for."""

    shown: ShownText
    name: Sequence[str]
    line: str
    parts: Sequence[tuple[str, Sequence[str]]]

    def runs_of(self, known: AbstractSet[str]) -> Iterator[Run]:
        """Yield its words, seven in a row, as far as all are *known*."""
        for _, words in self.parts:
            length = 0
            for end, word in enumerate(words, 1):
                length = length + 1 if word in known else 0
                if length >= RUN:
                    yield tuple(words[end - RUN : end])


def _read(shown: ShownText) -> _Read:
    texts = (_NOT_PROSE.sub(" ", text) for text in (shown.description, shown.notes) if text)
    parts = [(text, words_of(text)) for text in texts]
    name, said = words_of(shown.name), (word for _, words in parts for word in (REPEATED, *words))
    return _Read(shown, name, line_of([*name, *said]), parts)


def _accepted(entry: _Read, others: Sequence[str], heard: Heard, own: set[Run]) -> str:
    """Return the phrase of *entry* that stands in a sentence that rejects nothing."""
    if not _phrase(entry, others, heard, own):
        return ""
    names = [entry.name] if len(entry.name) >= NAME_WORDS else []
    runs = own.intersection(entry.runs_of(heard.known))
    heard = heard.without_rejections([*names, *(words for _, words in _codes(entry))], runs)
    return _phrase(entry, others, heard, runs.intersection(runs_in(heard.words)))


def _phrase(entry: _Read, others: Sequence[str], heard: Heard, own: set[Run]) -> str:
    return _name(entry, others, heard) or _quoted(entry, own) or _code(entry, others, heard)


def _name(entry: _Read, others: Sequence[str], heard: Heard) -> str:
    words = entry.name
    terms = term_count(words)
    if len(words) < NAME_WORDS or terms < MARKED_NAME_TERMS or not _is_own(words, others, heard):
        return ""
    return " ".join(entry.shown.name.split()) if terms >= NAME_TERMS or _is_marked(words, heard.text) else ""


def _is_marked(words: Sequence[str], text: str) -> bool:
    """Return whether *words* are set off: few of them stand in a row by chance, but not in quotes, bold or a heading."""
    together = r"[\W_]{1,3}".join(map(re.escape, words))
    return re.search(rf"[{_MARKS}][^\w\n]{{0,3}}{together}(?![^\W_])", text, re.IGNORECASE) is not None


def _quoted(entry: _Read, own: set[Run]) -> str:
    for text, words in entry.parts:
        places = [place for place, run in enumerate(runs_in(words)) if run in own] if own else []
        for begin, end in _rows(places):
            if any(term_count(words[place : place + RUN]) >= RUN_TERMS for place in range(begin, end)):
                return _as_written(text, words, begin, min(end - begin + RUN - 1, LONGEST_PHRASE))
    return ""


def _rows(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield where each row of numbers that follow each other begins, and where it is over."""
    begin = 0
    for place, number in enumerate(places, 1):
        if place == len(places) or places[place] != number + 1:
            yield places[begin], number + 1
            begin = place


def _as_written(text: str, words: Sequence[str], place: int, length: int) -> str:
    """Return those words as they stand in *text*; bare where its marks make others of them."""
    written = unicodedata.normalize("NFC", text)
    spans = [match.span() for match in _WORD.finditer(written)]
    if len(spans) != len(words):
        return " ".join(words[place : place + length])
    return " ".join(written[spans[place][0] : spans[place + length - 1][1]].split())


def _code(entry: _Read, others: Sequence[str], heard: Heard) -> str:
    return next((" ".join(code.split()) for code, words in _codes(entry) if _is_own(words, others, heard)), "")


def _codes(entry: _Read) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the pieces of code of *entry* that are long enough, with their words."""
    for code in (code for text, _ in entry.parts for code in _CODE.findall(text)):
        words = words_of(code)
        if len(words) >= CODE_WORDS and term_count(words) >= CODE_TERMS:
            yield code, words


def _is_own(words: Sequence[str], others: Sequence[str], heard: Heard) -> bool:
    """Return whether the agent wrote *words*, which nobody said before and no other entry says."""
    line = line_of(words)
    is_written = heard.known.issuperset(words) and line in heard.line and line not in heard.given
    return is_written and not any(line in other for other in others)
