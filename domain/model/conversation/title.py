"""Titles of what was said."""

import re
from collections.abc import Iterable
from itertools import chain

from hardwon.domain.model.topic_words import is_informative

MAX_TITLE_CHARACTERS = 100
PERMANENT_MARK = "[PERMANENT] "
NO_TOPIC = "conversation"
"""A topic without a word, and the last choice of a title."""

_CLAUSE_END = re.compile(
    r"(?=[,;:]? (?:because|since|so that|which|when|while|where|if|unless|but|and|or|as)\b|[,;:] |"
    r" [(\u2013\u2014-])"
)
_MARKS = re.compile(rf"(?:{re.escape(PERMANENT_MARK.strip())}\s*)+", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:(?:final |the )?(?:decision|decided|correction|warning|careful|note)(?: recorded| made)?"
    r" ?[:,\u2013\u2014] "
    r"|(?:ok|okay|yes|yep|yeah|sure|alright|great|good|perfect|fine|nice|cool|thanks|hm+|oh|hi|hello|well|actually|right|then"
    r"|no|wait|nope)(?:[,.!:\u2013\u2014]+ | - )|(?:ok|okay|yes|yep|yeah|so|and|but|no"
    r" wait|actually),? (?!far |called )"
    r"|from now on,? )",
    re.IGNORECASE,
)
"""Words before the statement itself."""

_MAX_LABELS = 4
_PLAIN_WORD = re.compile(r"[^\W\d_]+(?:'\w+)?(?=[\s,;:?!)]|$|\.(?:\s|$))")
_NAMES_NOTHING = re.compile(r"\S*|\S+ (?:it|that|this|them|so)", re.IGNORECASE)
_OPEN_TITLE_END = " .,:;\u2013\u2014-"


def titled(decisions: Iterable[str], spoken: Iterable[str], topic: str, mark: str = "") -> str:
    """
    Return *mark* and a title of at most 100 characters.

    The title is the first of *decisions*, else the first informative one of *spoken*, else *topic*.
    """
    spoken = tuple(spoken)
    candidates = chain(decisions, filter(is_informative, spoken), spoken, (topic, NO_TOPIC))
    headlines = (headline(candidate, MAX_TITLE_CHARACTERS - len(mark)) for candidate in candidates)
    names = filter(None, headlines)
    first = next(names)
    return mark + next(filter(_names_something, chain((first,), names)), first)


def headline(text: str, room: int = MAX_TITLE_CHARACTERS) -> str:
    """
    Return the beginning of *text*, at most *room* characters, capitalised.

    It is cut at the end of a clause, else of a word. Labels such as `ok,` and `decision:` are
    removed, and the mark of permanence, which only hardwon sets in a title.
    """
    line = _capitalised(_unlabelled(_MARKS.sub("", " ".join(text.split()))))
    if len(line) <= room:
        return line.rstrip(_OPEN_TITLE_END)
    cut = line[: room + 1]
    clauses = [found.start() for found in _CLAUSE_END.finditer(cut) if found.start() > room // 2]
    end = clauses[-1] if clauses else cut.rfind(" ")
    return cut[: end if end > 0 else room].rstrip(_OPEN_TITLE_END)


def _unlabelled(line: str) -> str:
    for _ in range(_MAX_LABELS):
        label = _LABEL.match(line)
        if not label or not line[label.end() :].strip(_OPEN_TITLE_END):
            return line
        line = line[label.end() :]
    return line


def _capitalised(line: str) -> str:
    word = _PLAIN_WORD.match(line)
    return line[:1].upper() + line[1:] if word and word[0].islower() else line


def _names_something(name: str) -> bool:
    return not name.isascii() or not _NAMES_NOTHING.fullmatch(name)
