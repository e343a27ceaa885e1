"""Search terms of a text, the concepts of a query, and the subject of a question."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from hardwon.domain.model.errors import InvalidQueryError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.scripts import is_grammar, is_unspaced, pairs, split_at_runs
from hardwon.domain.model.spelling import searchable

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

_WITHOUT_MARKS = dict.fromkeys(range(0x0300, 0x0332))
"""Combining accents, such as the dot that lower-casing `İ` leaves: FTS5 drops them too."""

_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """
    Return the words of *text* in order, lower case, with repeats: runs of letters and digits, split where the script changes.

    >>> words_of("kpir后 and READ_me")
    ['kpir', '后', 'and', 'read', 'me']
    """
    plain = searchable(text).lower().translate(_WITHOUT_MARKS)
    parts = enumerate(split_at_runs(plain))
    return [word for at, part in parts for word in ([part] if at % 2 else _WORD.findall(part))]


def terms_of(text: str) -> list[str]:
    """Return the words of *text*, of scripts without spaces the pairs of signs, in order, with repeats."""
    return [term for word in words_of(text) for term in (pairs(word) if is_unspaced(word) else (word,))]


_FUNCTION_WORDS = "为什么 為什麼 是不是 怎么样 怎么 怎麼 怎样 怎樣 什么 什麼 如何 为何 哪些 哪个 哪個 哪里 哪裡 是否 能否 吗 嗎 呢 的 了".split()
"""Chinese words that ask and join, the longest first: they are within runs, where no stop word is found."""


def without_function_words(text: str) -> str:
    """Return *text* with a space for each Chinese function word, if anything else is left."""
    if text.isascii():
        return text
    rest = re.sub("|".join(_FUNCTION_WORDS), " ", text)
    return rest if words_of(rest) else text


def search_terms(text: str) -> tuple[str, ...]:
    """
    Return the search terms of *text*: lower case, without repeats and stop words, at most 64.

    Everything that is not a letter or a digit is dropped, so that no text can be mistaken for query syntax. Hiragana counts where
    nothing else stands: it is particles and endings.
    """
    asked = without_function_words(searchable(text))
    terms = [term for term in dict.fromkeys(terms_of(asked)) if term not in STOP_WORDS]
    return tuple([term for term in terms if not is_grammar(term)] or terms)[:MAX_TERMS]


MAX_COMPLETIONS = 3
SHORTEST_BEGINNING = 2

_LAST_WORD = re.compile(r"[^\W_]+\Z")


def half_typed(question: str) -> str:
    """
    Return the last word of *question*, lower case, if it may be the beginning of one; else nothing.

    In scripts without spaces it needs no completion: its letters and pairs are found anywhere.
    """
    last = _LAST_WORD.search(split_at_runs(searchable(question))[-1])
    typed = last[0] if last else ""
    return typed.lower() if SHORTEST_BEGINNING <= len(typed) == len(typed.lower()) else ""


def completions(beginning: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the three most frequent words of *texts* that begin with *beginning*; ties go by alphabet."""
    words = Counter(word for text in texts for word in words_of(text) if word.startswith(beginning))
    frequent = sorted(words.keys() - STOP_WORDS, key=lambda word: (-words[word], word))
    return tuple(frequent[:MAX_COMPLETIONS])


def inverse_document_frequency(size: int, frequency: int) -> float:
    """
    Return the inverse document frequency of a word in *frequency* of *size* texts, above 0.

    As FTS5's `bm25()` has it: `ln((N - n + 0.5) / (n + 0.5))`, at least 1e-6.
    """
    return max(math.log((size - frequency + 0.5) / (frequency + 0.5)), SMALLEST_FREQUENCY_WEIGHT)


def distinctive_terms(terms: Sequence[str], frequencies: Mapping[str, int], size: int) -> tuple[str, ...]:
    """
    Return *terms* without those found in more than half of the entries.

    Their BM25 is noise that division by the maximum would inflate to a full score. Small stores, and queries of common words
    only, keep them.

    Args:
        terms: The terms of the query.
        frequencies: In how many entries each term occurs.
        size: How many entries there are.
    """
    if size < SMALLEST_STORE_TO_DROP_COMMON_TERMS:
        return tuple(terms)
    distinctive = tuple(term for term in terms if frequencies.get(term, 0) * 2 <= size)
    return distinctive if any(frequencies.get(term, 0) for term in distinctive) else tuple(terms)


MIN_CONCEPTS = 2
MAX_CONCEPTS = 5


def concepts_of(asked: Sequence[str]) -> tuple[str, ...]:
    """
    Return the concepts *asked* for, without repeats, as their words in lower case, in order.

    Raises:
        InvalidQueryError: they are not 2 to 5 different ones, or one of them has no word.
    """
    concepts = tuple(dict.fromkeys(map(_plain, asked)))
    if "" in concepts:
        wordless = next(text for text in asked if not _plain(text))
        raise InvalidQueryError(f"concept {wordless!r} has no word to look for: give letters or digits")
    if not MIN_CONCEPTS <= len(concepts) <= MAX_CONCEPTS:
        raise InvalidQueryError(
            f"concepts must be {MIN_CONCEPTS} to {MAX_CONCEPTS} different ones, got {len(concepts)}: {list(asked)!r}"
        )
    return concepts


def concept_counts(concepts: Iterable[str], text: str) -> Mapping[str, int]:
    """
    Return how often each of *concepts* occurs in *text*, in their order.

    Whole words count, letter case does not; the words of a longer concept must follow one another, whatever is between them.
    """
    words = _plain(text)
    return {concept: len(re.findall(rf"(?<!\S){re.escape(_plain(concept))}(?!\S)", words)) for concept in concepts}


def _plain(text: str) -> str:
    return " ".join(terms_of(text))


_PERSON = r"(?:i|we|you)"
_ADVERB = r"(?:(?:ever|last|first|already|just|recently|previously|actually)\s+)?"
_DEED = (
    r"(?:(?:work(?:ed|ing)?|talk(?:ed)?|sp(?:eak|oke)|writ(?:e|ten)|wrote|learn(?:ed|t)?|hear(?:d)?|th(?:ink|ought)|deal(?:t)?|decide(?:d)?"
    r"|look(?:ed)?|run|ran|do|did|done|sa(?:y|id)|know|knew)\s+(?:on|about|of|with|at|into|for|regarding)"
    r"|discuss(?:ed)?|mention(?:ed)?|bring\s+up|brought\s+up|deal(?:t)?\s+with|remember|touch(?:ed)?|see|saw|seen)"
)
_AUXILIARY = r"(?:did|do|have|had|has|were|was|are)"

_FRAMES = tuple(
    pattern + r"\s+"
    for pattern in (
        r"(?:please|hey|hi|so|and|ok(?:ay)?),?",
        r"(?:can|could|would)\s+you\s+(?:please\s+)?(?:tell\s+me|remind\s+me|show\s+me|find|list|recall)(?:\s+(?:of|about))?",
        r"(?:do\s+you\s+)?(?:remember|recall)(?=\s+(?:when|where|how|why|what|who|which|the)\b)",
        r"(?:tell|remind|show)\s+(?:me|us)(?:\s+(?:of|about|everything\s+about|all\s+about))?",
        rf"(?:when|where|how|why|what|who|which)\s+{_AUXILIARY}\s+{_PERSON}\s+{_ADVERB}{_DEED}",
        rf"{_AUXILIARY}\s+{_PERSON}\s+{_ADVERB}{_DEED}",
        r"(?:is|are|was|were)\s+there\s+(?:anything|something)\s+(?:about|on)",
        r"(?:anything|everything|something|notes?|memor(?:y|ies))\s+(?:we\s+(?:know|have)\s+)?(?:about|on)",
    )
)
"""Compiled when a question is asked: every hook imports this module."""


def without_frame(question: str) -> str:
    """
    Return *question* without the words before its subject: `when did I work on authentication?` becomes `authentication?`.

    A question that is nothing but a frame stays as it is.
    """
    rest, found = question.strip(), True
    while found:
        found = False
        for frame in _FRAMES:
            begins = re.match(frame, rest, re.IGNORECASE)
            shorter = rest[begins.end() :] if begins else rest
            if shorter.strip(" ?!.") and shorter != rest:
                rest, found = shorter, True
    return rest if rest.strip(" ?!.") else question


MAX_HITS = 6_000
FILTERED = 5
"""Factor of the bound for a filtered query: a term that is frequent elsewhere may be rare there."""


def max_hits(only: EntryFilter) -> int:
    """Return the upper bound of the passages that a search reads, its rarest words first: SQLite takes about 1 microsecond for one."""
    return MAX_HITS if only == EVERYTHING else FILTERED * MAX_HITS
