"""The options of a decision: alternatives and reasons."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.plain_text import sentences
from hardwon.domain.model.settings import BUFFERED
from hardwon.domain.model.text import split_sentences
from hardwon.domain.model.topic_words import stem


def listed_items(text: str) -> Iterator[tuple[str, str]]:
    """Yield label and text of each item listed in *text*."""
    return ((item["letter"], item["text"]) for item in _ITEM.finditer(text) if item["letter"])


LONGEST_NAME = 80
"""Characters. A longer text is no name."""

MAX_NAMED = 12

_FAR = 2_000
"""Characters below a label in which its list is read."""

_LABELLED = re.compile(
    r"(?:^[ \t>*_#+-]*|[.;!?)] +[*_]*)"
    r"(?:(?:rejected|discarded|dismissed|ruled out|not chosen|(?:also |other )?considered)(?:"
    r" (?:alternatives?|options?))?"
    r"|(?:other |rejected )?(?:alternatives?|options)(?:"
    r" (?:considered|rejected|were|are|discussed|that were rejected))?)"
    r"[*_]* ?:[*_]*(?P<rest>[^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_REMARK = re.compile(r"[(\[](?![a-z\d]\))[^()\[\]\n]{1,200}[)\]]", re.IGNORECASE)
_ITEM = re.compile(
    r"^[ \t>]*(?:[-+*\u2022]|[*_]*\(?(?P<letter>\d{1,2}|[A-Za-z])[.)][*_]*)[ \t]+(?P<text>[^\n]*)",
    re.MULTILINE,
)
_LETTERED = re.compile(r"(?:^|(?<=\s))\(?(?P<letter>[A-Za-z]|\d{1,2})\)[ \t]+")
_BETWEEN = re.compile(r"[,;/]\s+(?:(?:and|or)\s+)?|\s+(?:and|or|\|)\s+")
_NAME_ENDS = re.compile(
    r"\s[\u2013\u2014-]+\s|:\s|[;,]\s|\s(?:because|since|as|due to|which|is|are|was|would)\b"
)
_LIST_MARKS = " \t*_`\"'.,;:!?"


def listed_names(text: str, statement: str) -> Iterator[str]:
    """
    Yield the alternatives that *text* lists under a label such as `Rejected:`.

    They come in order, without remarks.

    Args:
        text: Markdown.
        statement: The decision: `let's go with option B` leaves B out.
    """
    for label in _LABELLED.finditer(text):
        rest = label["rest"].strip(" *_")
        items = _on_the_line(rest) if rest else _below(text[label.end() : label.end() + _FAR])
        for letter, item in items:
            name = _NAME_ENDS.split(_REMARK.sub("", item).strip(_LIST_MARKS), maxsplit=1)[0].strip(
                _LIST_MARKS
            )
            if (
                name
                and len(name) <= LONGEST_NAME
                and not name.startswith("-")
                and not _is_named(letter, statement)
            ):
                yield name


def _on_the_line(rest: str) -> Iterator[tuple[str | None, str]]:
    lettered = list(_LETTERED.finditer(rest))
    if len(lettered) > 1:
        ends = [mark.start() for mark in lettered[1:]] + [len(rest)]
        pairs = zip(lettered[:MAX_NAMED], ends, strict=False)
        yield from ((mark["letter"], rest[mark.end() : end]) for mark, end in pairs)
        return
    sentence = next(split_sentences(_REMARK.sub("", rest)), "")
    yield from ((None, item) for item in _BETWEEN.split(sentence)[:MAX_NAMED])


def _below(text: str) -> Iterator[tuple[str | None, str]]:
    lines = [line for line in text.split("\n") if line.strip()]
    for line in lines[:MAX_NAMED]:
        item = _ITEM.match(line)
        if not item:
            return
        yield item["letter"], item["text"]


def _is_named(letter: str | None, statement: str) -> bool:
    return letter is not None and bool(
        re.search(
            rf"\b(?:option|variant|choice|number|alternative) {letter}\b", statement, re.IGNORECASE
        )
    )


MAX_REASONS = 12
LONGEST_ALTERNATIVE = 80  # characters

_WHY = re.compile(
    r"\b(?:because|since|so that|therefore|thus|hence|due to|as it|which means|that way|in order"
    r" to|otherwise"
    r"|the reason|trade-?off|advantage|drawback|overkill"
    r"|too"
    r" (?:many|much|slow|big|heavy|large|costly|expensive|complex|complicated|risky|fragile|hard)"
    r"|would (?:break|fail|lose|leak|block|hide|need|have to))\b|, as\b",
    re.IGNORECASE,
)
_REASON_END = (
    r"(?=[,.;:!?()\n]|\s(?:because|since|so that|as|for|due|when|and|but|to|which|that)\b|$)"
)
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|as opposed"
    rf" to)\s+(?P<other>[^\n]{{1,{LONGEST_ALTERNATIVE}}}?){_REASON_END}",
    re.IGNORECASE,
)
_OVER = re.compile(
    rf"\b(?:chose|choose|picked|pick|prefer(?:red)?|went with|go with|going with|use|using)\s+"
    rf"[^\n,.;]{{1,{LONGEST_ALTERNATIVE}}}?\s+over\s+(?:using\s+)?(?P<other>[^\n]{{1,{LONGEST_ALTERNATIVE}}}?){_REASON_END}",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    rf"\b(?:decided against|ruled out|rejected|considered|alternatives? (?:is|was|would"
    rf" be))\s+(?!(?:alternatives?|options?)\b)"
    rf"(?P<other>[^\n]{{1,{LONGEST_ALTERNATIVE}}}?){_REASON_END}",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"(?:,|\band) not (?:with |to use |use |using"
    rf" )?(?P<other>[^\n]{{1,{LONGEST_ALTERNATIVE}}}?){_REASON_END}"
    r"|\bnot (?:to use |use |using"
    rf" )?(?!only\b|just\b|merely\b)(?P<first>[^\n,]{{1,{LONGEST_ALTERNATIVE}}}?),? but\b",
    re.IGNORECASE,
)
"""Searched in the statement itself only: elsewhere much is negated."""

_TURN = re.compile(
    r"\b(?:instead of|rather than|as opposed to|over|against|not|don't|never)\b|n't\b",
    re.IGNORECASE,
)
"""Words where a statement turns from the chosen option to the others."""

_EMPHASIS_MARKS = "*_`\"' "


def alternatives(statement: str, exchanges: Iterable[Exchange]) -> tuple[str, ...]:
    """
    Return the distinct alternatives to the decision of *statement*, in order.

    They are the names after words such as `instead of`, `over` and `ruled out`, those listed as
    rejected or considered, and the options of the agent's questions that were not chosen.
    """
    exchanges = list(exchanges)
    texts = [
        statement,
        *(text for exchange in exchanges for text in (exchange.user, exchange.assistant)),
    ]
    refused = (found["other"] or found["first"] for found in _NOT.finditer(statement))
    named = (
        name.strip(_EMPHASIS_MARKS)
        for name in (*refused, *(name for text in texts for name in _named(text)))
    )
    listed = (name for text in texts for name in listed_names(text, statement))
    options = (
        option
        for exchange in exchanges
        for answered in exchange.answers
        for option in answered.options
        if option and option.casefold() not in answered.answer.casefold()
    )
    chosen = _words(_TURN.split(statement, maxsplit=1)[0])
    return _unique((*(name for name in (*named, *listed) if not _is_in(name, chosen)), *options))


def _is_in(name: str, chosen: frozenset[str]) -> bool:
    return bool(words := _words(name)) and words <= chosen


def _words(text: str) -> frozenset[str]:
    return frozenset(map(stem, search_terms(text)))


def reasons(exchanges: Iterable[Exchange]) -> tuple[str, ...]:
    """Return at most 12 distinct sentences that give a reason."""
    return _unique(reason for exchange in exchanges for reason in _reasons_in(exchange))[
        :MAX_REASONS
    ]


@lru_cache(maxsize=BUFFERED)  # the same exchanges lead to several statements
def _reasons_in(exchange: Exchange) -> tuple[str, ...]:
    return tuple(
        sentence
        for text in (exchange.user, exchange.assistant)
        for sentence in sentences(text)
        if _WHY.search(sentence)
    )


def _named(text: str) -> Iterator[str]:
    found = (match for pattern in (_INSTEAD, _OVER, _AGAINST) for match in pattern.finditer(text))
    yield from (match["other"] for match in sorted(found, key=lambda match: match.start()))


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    lines = (" ".join(text.split()) for text in texts)
    first = dict[str, str]()
    for line in lines:
        first.setdefault(line.casefold(), line)
    return tuple(first.values())
