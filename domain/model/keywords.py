"""Terms of texts, queries, questions and indexes."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from hardwon.domain.model.errors import InvalidQueryError
from hardwon.domain.model.identity import POINTS, searchable, unaccented
from hardwon.domain.model.text import (
    identifier_words,
    is_grammar,
    pairs,
    runs,
    share_unspaced,
    signs,
    split_at_humps,
    split_at_runs,
    without_marks,
)

MAX_TERMS = 64
SMALLEST_FREQUENCY_WEIGHT = 1e-6
SMALLEST_STORE_TO_DROP_COMMON_TERMS = 50

STOP_WORDS = frozenset(
    """
          a about above after again all also am an and any are as at be because been before being below between
    both but by can could did do does doing down during each few for from further had has have having he her here
    hers him his how i if in into is it its itself just me more most my no nor not now of off on once only or
    other our ours out over own same she should so some such than that the their theirs them then there these they
    this those through to too under until up us very was we were what when where which while who whom why will
    with would you your yours
    """.split()
)

_WITHOUT_MARKS = dict.fromkeys((*range(0x0300, 0x0332), *map(ord, POINTS)))
"""Combining accents, such as the dot that lower-casing `İ` leaves, and points of vowels."""

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """
    Return the words of *text* in order, lower case, with repeats.

    They are runs of letters and digits, split where the script changes.

    >>> words_of("kpir后 and READ_me")
    ['kpir', '后', 'and', 'read', 'me']
    """
    return [
        word for at, part in _parts(text) for word in ([part] if at % 2 else _WORD.findall(part))
    ]


def terms_of(text: str) -> list[str]:
    """Return the words of *text*, or pairs of unspaced signs."""
    return [
        term
        for at, part in _parts(text)
        for term in (pairs(part) if at % 2 else _WORD.findall(part))
    ]


def _parts(text: str) -> Iterable[tuple[int, str]]:
    """Number the parts of *text* in lower case: the odd ones are unspaced runs."""
    return enumerate(split_at_runs(searchable(text).lower().translate(_WITHOUT_MARKS)))


_FUNCTION_WORDS = (
    "为什么 為什麼 是不是 怎么样 怎么 怎麼 怎样 怎樣 什么 什麼 如何 为何 哪些 哪个 哪個 哪里 哪裡"
    " 是否 能否 吗 嗎 呢 的 了".split()
)
"""
Chinese words that ask and join, longest first.

They are within runs, where no stop word is found.
"""


def without_function_words(text: str) -> str:
    """Replace Chinese function words by spaces, if more is left."""
    if text.isascii():
        return text
    rest = re.sub("|".join(_FUNCTION_WORDS), " ", text)
    return rest if words_of(rest) else text


def search_terms(text: str) -> tuple[str, ...]:
    """
    Return the distinct search terms of *text*, lower case, at most 64.

    Stop words are dropped, and everything that is not a letter or a digit, so that no text can be
    mistaken for query syntax. Hiragana is dropped unless nothing else is left: it is particles and
    endings.
    """
    asked = without_function_words(searchable(text))
    terms = dict.fromkeys(terms_of(asked))
    plain = (term for term in terms if term not in STOP_WORDS and not is_grammar(term))
    found = tuple(islice(plain, MAX_TERMS))
    return found or tuple(islice((term for term in terms if term not in STOP_WORDS), MAX_TERMS))


MIN_TERMS = 3
"""Words without stop words. `yes, go on` and `fix it` have none or one."""

LONGEST_PROMPT = 2_000
"""Characters searched with: far more than 64 terms, redacted in a few milliseconds."""


def has_enough_terms(text: str) -> bool:
    """Return whether *text* says enough to search with."""
    return len(search_terms(text[:LONGEST_PROMPT])) >= MIN_TERMS


MAX_COMPLETIONS = 3
SHORTEST_BEGINNING = 2

_LAST_WORD = r"[^\W_]+\Z"


def half_typed(question: str) -> str:
    """
    Return the last, maybe incomplete word of *question*.

    In scripts without spaces it needs no completion: its letters and pairs are found anywhere.
    """
    last = re.search(_LAST_WORD, split_at_runs(searchable(question))[-1])
    typed = last[0] if last else ""
    return typed.lower() if SHORTEST_BEGINNING <= len(typed) == len(typed.lower()) else ""


def completions(beginning: str, texts: Iterable[str]) -> tuple[str, ...]:
    """
    Return the three commonest words of *texts* that begin with *beginning*.

    Neither has accents.

    >>> completions("łó", ["Servers in Łódź"])
    ('lodz',)
    """
    plain = unaccented(beginning)
    words = Counter(
        word
        for text in texts
        for word in words_of(unaccented(searchable(text)))
        if word.startswith(plain)
    )
    frequent = sorted(words.keys() - STOP_WORDS, key=lambda word: (-words[word], word))
    return tuple(frequent[:MAX_COMPLETIONS])


def inverse_document_frequency(size: int, frequency: int) -> float:
    """
    Return the inverse document frequency of a word.

    As FTS5's `bm25()` has it: `ln((N - n + 0.5) / (n + 0.5))`, at least 1e-6. A frequency that was
    read after the size, while others write, may be larger.
    """
    others = max(0, size - frequency)
    return max(math.log((others + 0.5) / (frequency + 0.5)), SMALLEST_FREQUENCY_WEIGHT)


def distinctive_terms(
    terms: Sequence[str], frequencies: Mapping[str, int], size: int
) -> tuple[str, ...]:
    """
    Drop terms found in more than half of the entries.

    Their BM25 is noise that division by the maximum would inflate to a full score. Small stores,
    and queries of common words only, keep them.
    """
    if size < SMALLEST_STORE_TO_DROP_COMMON_TERMS:
        return tuple(terms)
    distinctive = tuple(term for term in terms if frequencies.get(term, 0) * 2 <= size)
    return distinctive if any(frequencies.get(term, 0) for term in distinctive) else tuple(terms)


MIN_CONCEPTS = 2
MAX_CONCEPTS = 5


def concepts_of(asked: Sequence[str]) -> tuple[str, ...]:
    """
    Return the distinct concepts *asked* for, as their words in lower case.

    Raises:
        InvalidQueryError: they are not 2 to 5 different ones, or one of them has no word.
    """
    concepts = tuple(dict.fromkeys(map(_plain, asked)))
    if "" in concepts:
        wordless = next(text for text in asked if not _plain(text))
        raise InvalidQueryError(
            f"concept {wordless!r} has no word to look for: give letters or digits"
        )
    if not MIN_CONCEPTS <= len(concepts) <= MAX_CONCEPTS:
        raise InvalidQueryError(
            f"concepts must be {MIN_CONCEPTS} to {MAX_CONCEPTS} different ones, got"
            f" {len(concepts)}: {list(asked)!r}"
        )
    return concepts


def concept_counts(concepts: Iterable[str], text: str) -> Mapping[str, int]:
    """
    Count the occurrences of each of *concepts* in *text*, in their order.

    Whole words count, letter case does not; the words of a longer concept must follow one another,
    whatever is between them.
    """
    words = _plain(text)
    return {
        concept: len(re.findall(rf"(?<!\S){re.escape(_plain(concept))}(?!\S)", words))
        for concept in concepts
    }


def _plain(text: str) -> str:
    return " ".join(terms_of(text))


_PERSON = r"(?:i|we|you)"
_ADVERB = r"(?:(?:ever|last|first|already|just|recently|previously|actually)\s+)?"
_DEED = (
    r"(?:(?:work(?:ed|ing)?|talk(?:ed)?|sp(?:eak|oke)|writ(?:e|ten)|wrote|learn(?:ed|t)?|hear(?:d)?|th(?:ink|ought)|deal(?:t)?|decide(?:d)?"
    r"|look(?:ed)?|run|ran|do|did|done|sa(?:y|id)|know|knew)\s+(?:on|about|of|with|at|into|for|regarding)"
    r"|discuss(?:ed)?|mention(?:ed)?|bring\s+up|brought\s+up|deal(?:t)?\s+with|remember|touch(?:ed)?|see|saw|seen)"
)
_AUXILIARIES = "did|do|have|had|has|were|was|are"
_REMEMBERED = r"(?=\s+(?:when|where|how|why|what|who|which|the)\b)"

_FRAMES = {
    "please|hey|hi|so|and|ok|okay": r",?",
    "can|could|would": r"\s+you\s+(?:please\s+)?(?:tell\s+me|remind\s+me|show\s+me|find|list|recall)(?:\s+(?:of|about))?",
    "do": rf"\s+you\s+(?:remember|recall){_REMEMBERED}",
    "remember|recall": _REMEMBERED,
    "tell|remind|show": r"\s+(?:me|us)(?:\s+(?:of|about|everything\s+about|all\s+about))?",
    "when|where|how|why|what|who|which": rf"\s+(?:{_AUXILIARIES})\s+{_PERSON}\s+{_ADVERB}{_DEED}",
    _AUXILIARIES: rf"\s+{_PERSON}\s+{_ADVERB}{_DEED}",
    "is|are|was|were": r"\s+there\s+(?:anything|something)\s+(?:about|on)",
    "anything|everything|something|note|notes|memory|memories": r"\s+(?:we\s+(?:know|have)\s+)?(?:about|on)",
}
"""
Patterns by the words before them.

Few questions begin with such a word, and compiling all patterns takes milliseconds.
"""


def without_frame(question: str) -> str:
    """
    Strip the words before the subject of *question*.

    `when did I work on authentication?` becomes `authentication?`. A question that is nothing but a
    frame stays as it is.
    """
    rest, found = question.strip(), True
    while found:
        found = False
        for words, more in _FRAMES.items():
            shorter = _without_beginning(rest, words, more)
            if shorter.strip(" ?!.") and shorter != rest:
                rest, found = shorter, True
    return rest if rest.strip(" ?!.") else question


def _without_beginning(text: str, words: str, more: str) -> str:
    first = "".join(text.split(None, 1)[:1]).rstrip(",").lower()
    if first.isascii() and first not in words.split("|"):
        return text
    begins = re.match(rf"(?:{words}){more}\s+", text, re.IGNORECASE)
    return text[begins.end() :] if begins else text


MAX_HITS = 6_000
FILTERED = 5
"""
Factor of the bound for a filtered query.

A term that is frequent elsewhere may be rare there.
"""


def max_hits(*, is_filtered: bool) -> int:
    """
    Return the upper bound of the passages that a search reads.

    Its rarest words are read first; SQLite takes about 1 microsecond for one.
    """
    return FILTERED * MAX_HITS if is_filtered else MAX_HITS


LONGEST_WHOLE = 64
"""Length of an identifier with separators that is indexed as a whole."""

LONGEST_RUN = 16
"""
Signs of a run without spaces that is indexed as a whole.

A longer one is a sentence.
"""

UNSPACED = "\U000ffffd"
"""The word that indexes entries mostly of scripts without spaces. No question contains it."""

MOSTLY = 0.5

_JOINED = r"(?<![^\W_])[^\W_]+(?=[_.:-])(?:(?:_*(?:::|->|[.:-])_*|_+)[^\W_]+)+"
_NUMBERS = r"[\d_.:>-]+"
_INDEXED_WORD = r"(?:[^\W_]|[\U000f0000-\U000ffffd])+"


class QuestionTerms(NamedTuple):
    """
    The terms of a question.

    Attributes:
        wholes: Those that count only where an entry contains them: their parts are terms too.
        runs: The pairs of each run without spaces, in order.
    """

    terms: tuple[str, ...]
    wholes: frozenset[str] = frozenset()
    runs: tuple[Sequence[str], ...] = ()

    @property
    def uncertain(self) -> tuple[str, ...]:
        """The terms that `known` needs to look up in the index."""
        return tuple(sorted(self.wholes.union(*self.runs).intersection(self.terms)))

    def known(self, found: Iterable[str]) -> tuple[str, ...]:
        """
        Return the terms that count, given those *found* in any entry.

        Wholes that are not found are dropped, and so are pairs that bridge two words.
        """
        there = frozenset(found)
        triples = (
            triple for run in self.runs for triple in zip(run, run[1:], run[2:], strict=False)
        )
        bridges = {pair for before, pair, after in triples if before in there and after in there}
        unknown = (self.wholes | bridges) - there
        return tuple(term for term in self.terms if term not in unknown)


def asked_terms(question: str, *, in_any_spelling: bool = True) -> QuestionTerms:
    """
    Return the terms of *question*: its words, pairs and runs.

    Of identifiers it has the parts and the whole *in any spelling*.
    """
    text = without_function_words(searchable(question))
    wholes = {
        **(_parts_by_whole(_without_runs(text)) if in_any_spelling else {}),
        **_pairs_by_run(text),
    }
    extra = (
        word
        for whole, parts in wholes.items()
        for word in (whole, *parts)
        if word not in STOP_WORDS
    )
    terms = tuple(dict.fromkeys((*search_terms(question), *extra)))[:MAX_TERMS]
    asked = frozenset(whole for whole, parts in wholes.items() if not STOP_WORDS.issuperset(parts))
    return QuestionTerms(terms, asked, tuple(map(pairs, runs(text))))


def _parts_by_whole(text: str) -> dict[str, Sequence[str]]:
    """Return the identifiers of *text*, as indexed as a whole, with their parts."""
    humped = {word: split_at_humps(word) for word in _WORD.findall(text)}
    return {
        **{_whole(joined): words_of(joined) for joined in _joined(text)},
        **{
            word.lower(): [part.lower() for part in parts]
            for word, parts in humped.items()
            if len(parts) > 1
        },
    }


def _pairs_by_run(text: str) -> dict[str, Sequence[str]]:
    """Return the runs of *text* that are indexed as a whole, with their pairs."""
    return {run: pairs(run) for run in runs(text) if _is_whole(signs(run))}


def indexed(text: str) -> str:
    """
    Return *text* as it is indexed.

    Letters lose their accents. Each run is replaced by itself, its signs and its pairs; parts and
    wholes of identifiers follow at the end, once. A text that needs none of this stays as it is.
    """
    between = _without_runs(text := unaccented(searchable(text)))
    written = (
        _indexed_run(part) if at % 2 else part for at, part in enumerate(split_at_runs(text))
    )
    return "\n".join(
        (
            "".join(written),
            *identifier_words(between),
            *dict.fromkeys(map(_whole, _joined(between))),
        )
    )


def index_term(term: str) -> str:
    """Return *term* as it is written where `indexed` texts hold it."""
    return without_marks(unaccented(term))


def indexed_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """
    Return the texts of an entry as they are indexed.

    The first is also indexed under `UNSPACED`, if they are mostly so.
    """
    first, *others = map(indexed, texts)
    return (f"{first} {UNSPACED}" if is_mostly_unspaced("\n".join(texts)) else first, *others)


def index_words(text: str) -> list[str]:
    """
    Return the words that index *text*, with repeats.

    For indexes that do not split texts themselves.
    """
    return re.findall(_INDEXED_WORD, " ".join(indexed_texts([text])).lower())


def is_mostly_unspaced(text: str) -> bool:
    """Return whether most word pieces of *text* are of scripts without spaces."""
    return share_unspaced(text) > MOSTLY


def _indexed_run(run: str) -> str:
    letters = signs(run)
    words = (
        *([run] if _is_whole(letters) else ()),
        *letters,
        *(pairs(run) if len(letters) > 1 else ()),
    )
    return f" {' '.join(map(without_marks, words))} "


def _is_whole(letters: Sequence[str]) -> bool:
    """Return whether a run is indexed as a whole, beside its pairs."""
    return len("ab") < len(letters) <= LONGEST_RUN


def _without_runs(text: str) -> str:
    return " ".join(split_at_runs(text)[::2])


def _joined(text: str) -> list[str]:
    # A word of letters and digits alone is no whole.
    marked = " ".join(part for part in dict.fromkeys(text.split()) if not part.isalnum())
    return [
        found
        for found in dict.fromkeys(re.findall(_JOINED, marked))
        if not re.fullmatch(_NUMBERS, found) and len(found) <= LONGEST_WHOLE
    ]


def _whole(joined: str) -> str:
    return "".join(words_of(joined))
