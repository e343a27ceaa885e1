"""What a chunk is called (requirement C-T3.6)."""

import re
from collections.abc import Iterable

from hardwon.domain.model.chunking.salience import tells
from hardwon.domain.model.chunking.topics import NO_TOPIC
from hardwon.domain.model.conversation.chunk import PERMANENT_MARK

MOST_CHARACTERS = 100

_CLAUSE_END = re.compile(
    r"(?=[,;:]? (?:because|since|so that|which|when|while|where|if|unless|but|and|or|as)\b|[,;:] | [(\u2013\u2014-])"
)
_MARKS = re.compile(rf"(?:{re.escape(PERMANENT_MARK.strip())}\s*)+", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:(?:final |the )?(?:decision|decided|correction|warning|careful|note)(?: recorded| made)? ?[:,\u2013\u2014] "
    r"|(?:ok|okay|yes|yep|yeah|sure|alright|great|good|perfect|fine|nice|cool|thanks|hm+|oh|hi|hello|well|actually|right|then"
    r"|no|wait|nope)(?:[,.!:\u2013\u2014]+ | - )|(?:ok|okay|yes|yep|yeah|so|and|but|no wait|actually),? (?!far |called )"
    r"|from now on,? )",
    re.IGNORECASE,
)
"""What people say before they say it."""

_MOST_LABELS = 4
_PLAIN_WORD = re.compile(r"[^\W\d_]+(?:'\w+)?(?=[\s,;:?!)]|$|\.(?:\s|$))")
_NAMES_NOTHING = re.compile(r"\S*|\S+ (?:it|that|this|them|so)", re.IGNORECASE)
_OPEN_END = " .,:;\u2013\u2014-"


def titled(decisions: Iterable[str], spoken: Iterable[str], topic: str, mark: str = "") -> str:
    """
    Return *mark* and the first of *decisions*, else the first of *spoken* that tells something, else *topic*.

    One line of at most 100 characters.
    """
    spoken = tuple(spoken)
    candidates = (*decisions, *filter(tells, spoken), *spoken, topic, NO_TOPIC)
    names = [name for each in candidates if (name := headline(each, MOST_CHARACTERS - len(mark)))]
    return mark + next(filter(_names_something, names), names[0])


def headline(text: str, room: int = MOST_CHARACTERS) -> str:
    """
    Return how *text* begins, at most *room* characters of its first words: to the end of a clause, else of a word.

    What people say before they say it, such as `ok,` and `decision:`, falls away, and the first letter is a capital.
    What it says of being permanent is left out too: nobody but us says that in a title.
    """
    line = _capitalised(_unlabelled(_MARKS.sub("", " ".join(text.split()))))
    if len(line) <= room:
        return line.rstrip(_OPEN_END)
    cut = line[: room + 1]
    clauses = [found.start() for found in _CLAUSE_END.finditer(cut) if found.start() > room // 2]
    end = clauses[-1] if clauses else cut.rfind(" ")
    return cut[: end if end > 0 else room].rstrip(_OPEN_END)


def _unlabelled(line: str) -> str:
    for _ in range(_MOST_LABELS):
        label = _LABEL.match(line)
        if not label or not line[label.end() :].strip(_OPEN_END):
            return line
        line = line[label.end() :]
    return line


def _capitalised(line: str) -> str:
    """Return *line* with a capital, unless it begins with a name that has its own spelling: `src/a.py`, `iOS`."""
    word = _PLAIN_WORD.match(line)
    return line[:1].upper() + line[1:] if word and word[0].islower() else line


def _names_something(name: str) -> bool:
    return not name.isascii() or not _NAMES_NOTHING.fullmatch(name)
