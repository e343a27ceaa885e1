"""What is listed as rejected, considered or an option: `Rejected: cron (nobody watches it), Airflow.`."""

import re
from collections.abc import Iterator

from hardwon.domain.model.chunking.sentence_ends import split_sentences

LONGEST_NAME = 80
"""Characters; what is longer is no name."""

MOST_NAMED = 12

_FAR = 2_000
"""Characters below a label; its list has begun and ended there."""

_LABELLED = re.compile(
    r"(?:^[ \t>*_#+-]*|[.;!?)] +[*_]*)"
    r"(?:(?:rejected|discarded|dismissed|ruled out|not chosen|(?:also |other )?considered)(?: (?:alternatives?|options?))?"
    r"|(?:other |rejected )?(?:alternatives?|options)(?: (?:considered|rejected|were|are|discussed|that were rejected))?)"
    r"[*_]* ?:[*_]*(?P<rest>[^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_REMARK = re.compile(r"[(\[](?![a-z\d]\))[^()\[\]\n]{1,200}[)\]]", re.IGNORECASE)
_ITEM = re.compile(r"[ \t>]*(?:[-+*\u2022]|(?P<letter>\d{1,2}|[A-Za-z])[.)])[ \t]+(?P<said>[^\n]*)")
_LETTERED = re.compile(r"(?:^|(?<=\s))\(?(?P<letter>[A-Za-z]|\d{1,2})\)[ \t]+")
_BETWEEN = re.compile(r"[,;/]\s+(?:(?:and|or)\s+)?|\s+(?:and|or|\|)\s+")
_NAME_ENDS = re.compile(r"\s[\u2013\u2014-]+\s|:\s|[;,]\s|\s(?:because|since|as|due to|which|is|are|was|would)\b")
_MARKS = " \t*_`\"'.,;:!?"


def listed_names(text: str, statement: str) -> Iterator[str]:
    """
    Yield what *text* lists under such a label, in order, without remarks; not the option that *statement* names.

    Args:
        text: Markdown.
        statement: What was decided: `let's go with option B` leaves B out.

    """
    for label in _LABELLED.finditer(text):
        rest = label["rest"].strip(" *_")
        items = _on_the_line(rest) if rest else _below(text[label.end() : label.end() + _FAR])
        for letter, said in items:
            name = _NAME_ENDS.split(_REMARK.sub("", said).strip(_MARKS), maxsplit=1)[0].strip(_MARKS)
            if name and len(name) <= LONGEST_NAME and not name.startswith("-") and not _is_named(letter, statement):
                yield name


def _on_the_line(rest: str) -> Iterator[tuple[str | None, str]]:
    lettered = list(_LETTERED.finditer(rest))
    if len(lettered) > 1:
        ends = [each.start() for each in lettered[1:]] + [len(rest)]
        pairs = zip(lettered[:MOST_NAMED], ends, strict=False)
        yield from ((each["letter"], rest[each.end() : end]) for each, end in pairs)
        return
    sentence = next(split_sentences(_REMARK.sub("", rest)), "")
    yield from ((None, said) for said in _BETWEEN.split(sentence)[:MOST_NAMED])


def _below(text: str) -> Iterator[tuple[str | None, str]]:
    """Yield the items of the list that *text* begins with."""
    lines = [line for line in text.split("\n") if line.strip()]
    for line in lines[:MOST_NAMED]:
        item = _ITEM.match(line)
        if not item:
            return
        yield item["letter"], item["said"]


def _is_named(letter: str | None, statement: str) -> bool:
    return letter is not None and bool(
        re.search(rf"\b(?:option|variant|choice|number|alternative) {letter}\b", statement, re.IGNORECASE)
    )
