"""What a conversation says of why something was decided, and what else there was."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from hardwon.domain.model.chunking.salience import stem
from hardwon.domain.model.chunking.sentences import sentences
from hardwon.domain.model.conversation.capture_rules import BUFFERED
from hardwon.domain.model.conversation.exchange import Exchange
from hardwon.domain.model.keyword_query import search_terms
from hardwon.domain.model.sections.listed_alternatives import listed_names

MOST_REASONS = 12
LONGEST_ALTERNATIVE = 80  # characters

_WHY = re.compile(
    r"\b(?:because|since|so that|therefore|thus|hence|due to|as it|which means|that way|in order to|otherwise"
    r"|the reason|trade-?off|advantage|drawback|overkill"
    r"|too (?:many|much|slow|big|heavy|large|costly|expensive|complex|complicated|risky|fragile|hard)"
    r"|would (?:break|fail|lose|leak|block|hide|need|have to))\b|, as\b",
    re.IGNORECASE,
)
_END = r"(?=[,.;:!?()\n]|\s(?:because|since|so that|as|for|due|when|and|but|to|which|that)\b|$)"
_INSTEAD = re.compile(
    rf"\b(?:instead of|rather than|as opposed to)\s+(?P<other>[^\n]{{1,{LONGEST_ALTERNATIVE}}}?){_END}", re.IGNORECASE
)
_OVER = re.compile(
    rf"\b(?:chose|choose|picked|pick|prefer(?:red)?|went with|go with|going with|use|using)\s+"
    rf"[^\n,.;]{{1,{LONGEST_ALTERNATIVE}}}?\s+over\s+(?:using\s+)?(?P<other>[^\n]{{1,{LONGEST_ALTERNATIVE}}}?){_END}",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    rf"\b(?:decided against|ruled out|rejected|considered|alternatives? (?:is|was|would be))\s+(?!(?:alternatives?|options?)\b)"
    rf"(?P<other>[^\n]{{1,{LONGEST_ALTERNATIVE}}}?){_END}",
    re.IGNORECASE,
)
_NOT = re.compile(
    rf"(?:,|\band) not (?:with |to use |use |using )?(?P<other>[^\n]{{1,{LONGEST_ALTERNATIVE}}}?){_END}"
    rf"|\bnot (?:to use |use |using )?(?!only\b|just\b|merely\b)(?P<first>[^\n,]{{1,{LONGEST_ALTERNATIVE}}}?),? but\b",
    re.IGNORECASE,
)
"""Only in the statement itself: elsewhere people say of much that it is not so."""

_TURN = re.compile(r"\b(?:instead of|rather than|as opposed to|over|against|not|don't|never)\b|n't\b", re.IGNORECASE)
"""Where a statement turns from what was chosen to what was not."""

_MARKS = "*_`\"' "


def alternatives(statement: str, exchanges: Iterable[Exchange]) -> tuple[str, ...]:
    """
    Return what there was besides what *statement* decided, in order, each once, and never that itself.

    That is what stands after such words as `instead of`, `over` and `ruled out`,
    what is listed as rejected or considered, and the options of the agent's
    questions that were not chosen.
    """
    heard = list(exchanges)
    texts = [statement, *(text for each in heard for text in (each.user, each.assistant))]
    refused = (found["other"] or found["first"] for found in _NOT.finditer(statement))
    named = (name.strip(_MARKS) for name in (*refused, *(name for text in texts for name in _named(text))))
    listed = (name for text in texts for name in listed_names(text, statement))
    options = (
        option
        for each in heard
        for answered in each.answers
        for option in answered.options
        if option and option.casefold() not in answered.answer.casefold()
    )
    chosen = _words(_TURN.split(statement, maxsplit=1)[0])
    return _each_once((*(name for name in (*named, *listed) if not _is_in(name, chosen)), *options))


def _is_in(name: str, chosen: frozenset[str]) -> bool:
    return bool(words := _words(name)) and words <= chosen


def _words(text: str) -> frozenset[str]:
    return frozenset(map(stem, search_terms(text)))


def reasons(exchanges: Iterable[Exchange]) -> tuple[str, ...]:
    """Return the sentences that tell why, in order, each once, at most 12."""
    return _each_once(reason for each in exchanges for reason in _reasons_in(each))[:MOST_REASONS]


@lru_cache(maxsize=BUFFERED)  # an exchange leads to many a statement
def _reasons_in(exchange: Exchange) -> tuple[str, ...]:
    return tuple(each for text in (exchange.user, exchange.assistant) for each in sentences(text) if _WHY.search(each))


def _named(text: str) -> Iterator[str]:
    found = (each for pattern in (_INSTEAD, _OVER, _AGAINST) for each in pattern.finditer(text))
    yield from (each["other"] for each in sorted(found, key=lambda each: each.start()))


def _each_once(texts: Iterable[str]) -> tuple[str, ...]:
    lines = (" ".join(text.split()) for text in texts)
    first = dict[str, str]()
    for line in lines:
        first.setdefault(line.casefold(), line)
    return tuple(first.values())
