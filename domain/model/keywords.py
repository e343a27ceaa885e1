"""
What a keyword label may look like, and when an entry has enough of them.

Which words of a text are worth searching for.

Questions that name several concepts, all of which an answer must hold (requirements D-T1.2, D-U2).

The words of a question that ask for a memory, and say nothing of what it is about.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from hardwon.domain.model.entry import MAX_KEYWORDS
from hardwon.domain.model.errors import InvalidQueryError

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
"""Accents that stand by themselves, such as the dot that lower-casing `İ` leaves: FTS5 drops them too."""

_QUERY_WORD = re.compile(r"[^\W_]+")


def words_of(text: str) -> list[str]:
    """Return the words of *text* in order, lower case, with repeats: runs of letters and digits."""
    return _QUERY_WORD.findall(unicodedata.normalize("NFC", text).lower().translate(_WITHOUT_MARKS))


def search_terms(text: str) -> tuple[str, ...]:
    """
    Return the words of *text* that carry meaning: lower case, without repeats, at most 64.

    Stop words and everything that is not a letter or a digit fall away, so
    no text can be mistaken for query syntax (M-A1).
    """
    return tuple(dict.fromkeys(word for word in words_of(text) if word not in STOP_WORDS))[:MAX_TERMS]


def inverse_document_frequency(size: int, frequency: int) -> float:
    """
    Return how much a word tells that occurs in *frequency* of *size* texts, above 0.

    As FTS5's `bm25()` has it: `ln((N - n + 0.5) / (n + 0.5))`, at least 1e-6.
    """
    return max(math.log((size - frequency + 0.5) / (frequency + 0.5)), SMALLEST_FREQUENCY_WEIGHT)


def distinctive_terms(terms: Sequence[str], frequencies: Mapping[str, int], size: int) -> tuple[str, ...]:
    """
    Return *terms* without those found in more than half of the entries.

    Their BM25 is noise that dividing by the maximum would blow up to a full
    score. Small stores, and queries of common words only, keep them (M-A50).

    Args:
        terms: What was asked for.
        frequencies: In how many entries each term occurs.
        size: How many entries there are.

    """
    if size < SMALLEST_STORE_TO_DROP_COMMON_TERMS:
        return tuple(terms)
    distinctive = tuple(term for term in terms if frequencies.get(term, 0) * 2 <= size)
    return distinctive if any(frequencies.get(term, 0) for term in distinctive) else tuple(terms)


MIN_LABELS = 3
MIN_SUPPORTED = 3
MAX_WORDS = 3
MAX_LENGTH = 60
"""Characters; three words of prose fit easily, a blob that a model repeats for ever does not."""

GENERIC_LABELS = tuple(
    """
    code development software system application implementation feature project function method file data error bug
    fix update change
    """.split()
)
"""True of almost any entry, so they tell none apart (requirement A-AC5)."""

SMALLEST_STEM = 3

SUFFIXES = (
    "",
    *"""
    s es ies e y d ed ied r er ers or ors ing ings ion ions ation ations able al ally ic ive ity ly ment ments ness
    ance ence
    """.split(),
)

_FOLDED = str.maketrans({".": "-", "_": "-", "+": "p", "#": "sharp"})
_GAPS = re.compile(r"[\s-]+")
_LABEL = re.compile(r"[a-z0-9][a-z0-9-]*")
_WORD = re.compile(r"[^\W_]+")


def valid_labels(raw: Iterable[str]) -> tuple[str, ...]:
    """
    Return the usable labels among *raw*, in order, without repeats, at most 10.

    Each is folded first: lower case, spaces, dots and underscores to hyphens,
    `+` to `p`, `#` to `sharp` (`C++` is `cpp`, `node.js` is `node-js`, M-A35).
    What then is not 1-3 hyphenated words of `a-z0-9`, or is a generic word, is
    dropped by itself; one or two that are left are kept.
    """
    usable = filter(_is_usable, map(_fold, raw))
    return tuple(dict.fromkeys(usable))[:MAX_KEYWORDS]


def supported_labels(labels: Iterable[str], text: str) -> tuple[str, ...]:
    """
    Return those of *labels* that *text* speaks of, in order.

    It does when a hyphen part of the label (stop words aside) occurs in it, or
    is a variant of one of its words: both leave the same stem of three letters
    or more when a common English ending, and the doubled letter before it, is
    taken off (`parsing` and `parser`, `retries` and `retry`, `logged` and
    `logs`). A part of one or two letters must be a word of the text.

    This counts look-alikes (`port`, `portion`) and misses irregular forms
    (`ran`, `indices`): good enough to tell an incomplete entry, too rough to
    drop a label by.
    """
    parts = {label: search_terms(label) for label in labels}
    supported = _supported({part for label in parts for part in parts[label]}, text.lower())
    return tuple(label for label in parts if not supported.isdisjoint(parts[label]))


def is_complete(labels: Iterable[str], text: str) -> bool:
    """
    Tell whether there are 3-10 labels and *text* speaks of at least 3 of them.

    Args:
        labels: As `valid_labels` returns them.
        text: Description and reasoning of the entry.

    """
    labels = tuple(labels)
    return MIN_LABELS <= len(labels) <= MAX_KEYWORDS and len(supported_labels(labels, text)) >= MIN_SUPPORTED


def _supported(parts: set[str], text: str) -> set[str]:
    folded = f"{text} {text.translate(_FOLDED)}"
    words = frozenset(_WORD.findall(folded))
    beginnings = {part[:SMALLEST_STEM] for part in parts}
    alike = (word for word in words if word[:SMALLEST_STEM] in beginnings)  # no other word has a stem in common
    stems = frozenset(stem for word in alike for stem in _stems(word))
    return {
        part
        for part in parts
        if part in words or (len(part) >= SMALLEST_STEM and part in folded) or not stems.isdisjoint(_stems(part))
    }


def _fold(label: str) -> str:
    return _GAPS.sub("-", label.lower().translate(_FOLDED)).strip("-")


def _is_usable(label: str) -> bool:
    return bool(
        len(label) <= MAX_LENGTH
        and _LABEL.fullmatch(label)
        and label.count("-") < MAX_WORDS
        and label not in GENERIC_LABELS
    )


def _stems(word: str) -> set[str]:
    """Return what is left of *word* without each ending it may have."""
    cut = {word.removesuffix(suffix) for suffix in SUFFIXES if word.endswith(suffix)}
    undoubled = {stem[:-1] for stem in cut - {word} if stem[-2:] == stem[-1:] * 2}
    return {stem for stem in cut | undoubled if len(stem) >= SMALLEST_STEM}


FEWEST_CONCEPTS = 2
MOST_CONCEPTS = 5


def concepts_of(asked: Sequence[str]) -> tuple[str, ...]:
    """
    Return the concepts that are *asked*, each once, as their words in lower case, in order.

    Raises:
        InvalidQueryError: they are not 2 to 5 different ones, or one of them has no word.
    """
    concepts = tuple(dict.fromkeys(map(_plain, asked)))
    if "" in concepts:
        wordless = next(each for each in asked if not _plain(each))
        raise InvalidQueryError(f"concept {wordless!r} has no word to look for: give letters or digits")
    if not FEWEST_CONCEPTS <= len(concepts) <= MOST_CONCEPTS:
        raise InvalidQueryError(
            f"concepts must be {FEWEST_CONCEPTS} to {MOST_CONCEPTS} different ones, got {len(concepts)}: {list(asked)!r}"
        )
    return concepts


def concept_counts(concepts: Iterable[str], text: str) -> Mapping[str, int]:
    """
    Return how often each of *concepts* stands in *text*, in their order.

    Whole words count, letter case does not; the words of a longer concept must
    follow one another, whatever stands between them.
    """
    words = _plain(text)
    return {concept: len(re.findall(rf"(?<!\S){re.escape(_plain(concept))}(?!\S)", words)) for concept in concepts}


def _plain(text: str) -> str:
    return " ".join(words_of(text))


_PERSON = r"(?:i|we|you)"
_ADVERB = r"(?:(?:ever|last|first|already|just|recently|previously|actually)\s+)?"
_DEED = (
    r"(?:(?:work(?:ed|ing)?|talk(?:ed)?|sp(?:eak|oke)|writ(?:e|ten)|wrote|learn(?:ed|t)?|hear(?:d)?|th(?:ink|ought)|deal(?:t)?|decide(?:d)?"
    r"|look(?:ed)?|run|ran|do|did|done|sa(?:y|id)|know|knew)\s+(?:on|about|of|with|at|into|for|regarding)"
    r"|discuss(?:ed)?|mention(?:ed)?|bring\s+up|brought\s+up|deal(?:t)?\s+with|remember|touch(?:ed)?|see|saw|seen)"
)
_AUXILIARY = r"(?:did|do|have|had|has|were|was|are)"

_FRAMES = tuple(
    re.compile(pattern + r"\s+", re.IGNORECASE)
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


def without_frame(question: str) -> str:
    """
    Return *question* without the words before its subject: `when did I work on authentication?` asks for `authentication?`.

    A question that is nothing but a frame stays as it is.
    """
    rest, found = question.strip(), True
    while found:
        found = False
        for frame in _FRAMES:
            shorter = frame.sub("", rest, count=1) if frame.match(rest) else rest
            if shorter.strip(" ?!.") and shorter != rest:
                rest, found = shorter, True
    return rest if rest.strip(" ?!.") else question
