"""
Detection of usage signals of injected entries.

Precision over recall: a signal is the name of an entry, seven of its words in a row, or a piece of
its code, each with enough words that are no stop words. A phrase does not count if another shown
entry has it too, or if it was given to the agent in the session; nor does a single identifier, a
block of code or an address, which any work on that code would repeat.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, Self, TypeAlias

from hardwon.domain.model.identity import composed
from hardwon.domain.model.injection.neutral_text import TAG
from hardwon.domain.model.injection.receipt import ShownText
from hardwon.domain.model.keywords import STOP_WORDS, words_of

LONGEST_TEXT = 20_000

REPEATED = "\n"
"""Replaces a word that the agent repeats from others: no phrase contains it."""

_SHORTEST_TERM = 2
_START, _END = f"<{TAG}", f"</{TAG}>"
_ECHO = 3
_ECHO_TERMS = 2


def term_count(words: Sequence[str]) -> int:
    """Count distinct *words* but stop words, single letters and numbers."""
    return sum(
        len(word) >= _SHORTEST_TERM and not word[0].isdigit() for word in {*words} - STOP_WORDS
    )


def _unframed_text(text: str) -> str:
    return "\n".join(_outside_frames(text[:LONGEST_TEXT]))


def _agent_words(text: str, given: Sequence[str]) -> list[str]:
    """
    Return the words of *text*, with echoes of *given* replaced by `REPEATED`.

    An echo has the same neighbours in both.
    """
    words = words_of(_unframed_text(text))
    given_runs = {*_triples(given)}
    echoes = {
        run
        for run in (given_runs.intersection(_triples(words)) if given_runs else ())
        if term_count(run) >= _ECHO_TERMS
    }
    own = list(words)
    for place, run in enumerate(_triples(words)) if echoes else ():
        if run in echoes:
            own[place : place + _ECHO] = [REPEATED] * _ECHO
    return own


def _triples(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[place:] for place in range(_ECHO)), strict=False)


def _outside_frames(text: str) -> Iterator[str]:
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
"""The second word of "n't"."""

_SENTENCE_END = re.compile(
    r"(?:[.!?][\"'*_)\]`\u2019\u201d]*\s|\n)\s*(?!\s|[\"'*_(\[`\u2018\u201c]*[a-z])|\n\s*\n"
)
"""Lower case continues a sentence: after "e.g.", and on the next line."""


class Sentences(NamedTuple):
    """
    The sentences of a text, by its words.

    Attributes:
        sentences: The number of the sentence of each word.
        rejecting: The positions of the words that reject.
    """

    sentences: Sequence[int]
    rejecting: Sequence[int]

    @classmethod
    def of(cls, text: str) -> "Sentences":
        """Split *text*, with words as `words_of` returns them."""
        sentences = [
            words_of(sentence) for sentence in _SENTENCE_END.sub(r"\g<0>\0", text).split("\0")
        ]
        words = [word for sentence in sentences for word in sentence]
        return cls(
            [number for number, sentence in enumerate(sentences) for _ in sentence],
            [*_rejecting(words)],
        )

    def rejected(self, quoted: AbstractSet[int]) -> frozenset[int]:
        """Return the sentences with a rejecting word outside of the positions *quoted*."""
        return frozenset(self.sentences[place] for place in self.rejecting if place not in quoted)


def _rejecting(words: Sequence[str]) -> Iterator[int]:
    for place, word in enumerate(words):
        if word in REJECTING or (word == _CUT and place and words[place - 1].endswith("n")):
            yield place


RUN = 7

Run: TypeAlias = tuple[str, ...]
"""Seven words in a row."""


class _AgentText(NamedTuple):
    """
    The text of an agent, indexed for finding phrases in it.

    Attributes:
        words: In order, echoes replaced by `REPEATED`.
    """

    text: str
    words: Sequence[str]
    known: set[str]
    line: str
    given: str

    @classmethod
    def of(cls, text: str, given: Sequence[str]) -> Self:
        """Index *text*, in which the words *given* are not the agent's."""
        words = _agent_words(text, given)
        return cls(
            text=text[:LONGEST_TEXT],
            words=words,
            known={*words},
            line=_line_of(words),
            given=_line_of(given),
        )

    def without_rejections(self, phrases: Sequence[Sequence[str]], runs: AbstractSet[Run]) -> Self:
        """Drop the sentences with a rejecting word outside of *phrases* and *runs*."""
        sentences = Sentences.of(_unframed_text(self.text))
        rejected = sentences.rejected({*self._places_of(phrases), *self._places_in(runs)})
        numbered = zip(self.words, sentences.sentences, strict=True)
        words = [REPEATED if sentence in rejected else word for word, sentence in numbered]
        return self._replace(words=words, known={*words}, line=_line_of(words))

    def _places_of(self, phrases: Sequence[Sequence[str]]) -> Iterator[int]:
        for phrase in phrases:
            line, begin = _line_of(phrase), -1
            while (begin := self.line.find(line, begin + 1)) >= 0:
                place = self.line.count(" ", 0, begin)
                yield from range(place, place + len(phrase))

    def _places_in(self, runs: AbstractSet[Run]) -> Iterator[int]:
        for place, run in enumerate(_runs_in(self.words)):
            if run in runs:
                yield from range(place, place + RUN)


def _line_of(words: Sequence[str]) -> str:
    """Join *words* with a space around each, so that phrases match at word borders."""
    return f" {' '.join(words)} "


def _runs_in(words: Sequence[str]) -> Iterator[Run]:
    return zip(*(words[place:] for place in range(RUN)), strict=False)


RUN_TERMS = 4
NAME_WORDS = 3
NAME_TERMS = 3
MARKED_NAME_TERMS = 2
CODE_WORDS = 4
CODE_TERMS = 3
LONGEST_PHRASE = 30

_CODE = re.compile(r"`([^`\n]{8,200})`")
_NOT_PROSE = re.compile(r"```.*?(?:```|\Z)|\bhttps?://\S+", re.DOTALL)
"""Blocks of code and addresses begin alike in many texts."""

_WORD = re.compile(r"[^\W_]+")
_MARKS = r"\"'*_`\[#\u00ab\u00bb\u2018-\u201f\u2039\u203a"


def usage_signals(shown: Sequence[ShownText], text: str, given: str) -> Mapping[str, str]:
    """
    Return the phrase that shows the use of each entry.

    Args:
        shown: All entries injected into the session, including those already counted.
        text: Written by the agent; its first 20,000 characters are searched.
        given: The text of the session that the agent did not write, likewise.
    """
    agent = _AgentText.of(text, words_of(given[:LONGEST_TEXT]))
    if len(agent.words) < NAME_WORDS:
        return {}
    entries = [_indexed(entry) for entry in shown]
    found = Counter(run for entry in entries for run in {*entry.runs_of(agent.known)})
    own = {run for run, count in found.items() if count == 1}
    own = own.intersection(_runs_in(agent.words)) if own else own
    phrases = {
        entry.shown.entry_id: _accepted(
            entry, [other.line for other in entries if other is not entry], agent=agent, own=own
        )
        for entry in entries
        if not entry.shown.is_counted
    }
    return {entry_id: phrase for entry_id, phrase in phrases.items() if phrase}


class _Indexed(NamedTuple):
    shown: ShownText
    name: Sequence[str]
    line: str
    parts: Sequence[tuple[str, Sequence[str]]]

    def runs_of(self, known: AbstractSet[str]) -> Iterator[Run]:
        """Yield its runs of seven words that are all *known*."""
        for _, words in self.parts:
            length = 0
            for end, word in enumerate(words, 1):
                length = length + 1 if word in known else 0
                if length >= RUN:
                    yield tuple(words[end - RUN : end])


def _indexed(shown: ShownText) -> _Indexed:
    texts = (_NOT_PROSE.sub(" ", text) for text in (shown.description, shown.notes) if text)
    parts = [(text, words_of(text)) for text in texts]
    name, others = words_of(shown.name), (word for _, words in parts for word in (REPEATED, *words))
    return _Indexed(shown=shown, name=name, line=_line_of([*name, *others]), parts=parts)


def _accepted(entry: _Indexed, others: Sequence[str], agent: _AgentText, own: set[Run]) -> str:
    if not _phrase(entry, others, agent=agent, own=own):
        return ""
    names = [entry.name] if len(entry.name) >= NAME_WORDS else []
    runs = own.intersection(entry.runs_of(agent.known))
    agent = agent.without_rejections([*names, *(words for _, words in _codes(entry))], runs)
    return _phrase(entry, others, agent=agent, own=runs.intersection(_runs_in(agent.words)))


def _phrase(entry: _Indexed, others: Sequence[str], agent: _AgentText, own: set[Run]) -> str:
    return _name(entry, others, agent) or _quoted(entry, own) or _code(entry, others, agent)


def _name(entry: _Indexed, others: Sequence[str], agent: _AgentText) -> str:
    words = entry.name
    terms = term_count(words)
    if len(words) < NAME_WORDS or terms < MARKED_NAME_TERMS or not _is_own(words, others, agent):
        return ""
    return (
        " ".join(entry.shown.name.split())
        if terms >= NAME_TERMS or _is_marked(words, agent.text)
        else ""
    )


def _is_marked(words: Sequence[str], text: str) -> bool:
    together = r"[\W_]{1,3}".join(map(re.escape, words))
    return (
        re.search(rf"[{_MARKS}][^\w\n]{{0,3}}{together}(?![^\W_])", text, re.IGNORECASE) is not None
    )


def _quoted(entry: _Indexed, own: set[Run]) -> str:
    for text, words in entry.parts:
        places = [place for place, run in enumerate(_runs_in(words)) if run in own] if own else []
        for begin, end in _ranges(places):
            if any(
                term_count(words[place : place + RUN]) >= RUN_TERMS for place in range(begin, end)
            ):
                return _as_written(
                    text, words, place=begin, length=min(end - begin + RUN - 1, LONGEST_PHRASE)
                )
    return ""


def _ranges(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    begin = 0
    for place, number in enumerate(places, 1):
        if place == len(places) or places[place] != number + 1:
            yield places[begin], number + 1
            begin = place


def _as_written(text: str, words: Sequence[str], place: int, length: int) -> str:
    """Return those words as *text* spells them, else joined by spaces."""
    written = composed(text)
    spans = [match.span() for match in _WORD.finditer(written)]
    if len(spans) != len(words):
        return " ".join(words[place : place + length])
    return " ".join(written[spans[place][0] : spans[place + length - 1][1]].split())


def _code(entry: _Indexed, others: Sequence[str], agent: _AgentText) -> str:
    return next(
        (" ".join(code.split()) for code, words in _codes(entry) if _is_own(words, others, agent)),
        "",
    )


def _codes(entry: _Indexed) -> Iterator[tuple[str, Sequence[str]]]:
    for code in (code for text, _ in entry.parts for code in _CODE.findall(text)):
        words = words_of(code)
        if len(words) >= CODE_WORDS and term_count(words) >= CODE_TERMS:
            yield code, words


def _is_own(words: Sequence[str], others: Sequence[str], agent: _AgentText) -> bool:
    """Return whether only the agent wrote *words*, not others or another entry."""
    line = _line_of(words)
    is_written = agent.known.issuperset(words) and line in agent.line and line not in agent.given
    return is_written and not any(line in other for other in others)
