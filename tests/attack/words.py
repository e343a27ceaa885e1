"""Made-up words that betray the origin of a text: one for each place where a text may be."""

import re
from collections.abc import Mapping, Sequence

TOPIC = "invoice reconciliation rounding"
"""Words of nearly every text, so that each question about them may be answered by any of the texts."""

PLACES = (
    "bank: pattern name",
    "bank: pattern text",
    "bank: anti-pattern name",
    "bank: anti-pattern text",
    "bank: heuristic name",
    "bank: heuristic text",
    "bank: place of observation",
    "bank: name after a forged heading",
    "decision: title",
    "decision: text",
    "decision: tag",
    "decision: keyword",
    "decision: phrase",
    "decision: file",
    "gotcha: title",
    "gotcha: text",
    "gotcha: phrase",
    "preference: title",
    "preference: text",
    "conversation: title",
    "conversation: section heading",
    "conversation: section text",
    "session: description",
    "session: tag",
    "document: title",
    "document: text",
    "document: section name",
    "document: section text",
    "document: phrase",
    "document: folder",
    "rule: title",
    "rule: text",
    "agent: name",
    "agent: text",
    "agent: keyword",
    "captured: prompt",
    "captured: reply",
    "saved session: description",
    "retrospective: lesson",
    "remembered: text",
)
"""Where a foreign project has a text of its own that must be found in it, and nowhere else: forty places."""

LURES = (
    "label: project",
    "label: workspace",
    "label: branch",
    "label: channel",
    "label: workspace in the settings",
    "git: author",
    "git: message",
    "git: branch",
    "twin in the bank: name",
    "twin in the bank: place of observation",
    "twin of the agent: name",
    "twin of the agent: keyword",
    "twin of the agent: reasoning",
    "checkpoint: name",
    "checkpoint: description",
    "index: title of other file",
    "index: text of other file",
    "index: phrase of other file",
    "feature: name",
)
"""Where a foreign project has words that need be found nowhere, and must not be found elsewhere."""

KINDS_OF_HONEST = (
    "lesson of the bank",
    "lesson of the agent",
    "lesson for here",
    "decision",
    "gotcha",
    "hard-linked gotcha",
    "preference",
    "conversation",
    "session",
    "document",
    "rule",
    "phrase",
    "captured prompt",
    "remembered text",
    "checkpoint",
)
"""Places of an honest project, which a foreign one must not see."""

LESSONS = tuple(
    place for place in PLACES if place.startswith(("bank: ", "agent: ", "retrospective: "))
)
"""Lessons of a foreign project, which may be shown elsewhere once it is trusted."""

HERE = "lesson for here"
SHARED = ("lesson of the bank", "lesson of the agent")
"""Lessons of an honest project, which may be shown in another honest one."""

FIRST = "vor kel mub dax pin tog ruz sef hyb waj".split()
SECOND = "zil qua nop gru bef tym".split()


def _words(places: Sequence[str], ending: str) -> dict[str, str]:
    """Return a word for each place; all words are of one length, so that none is a part of another."""
    return {place: f"{FIRST[at % 10]}{SECOND[at // 10]}{ending}" for at, place in enumerate(places)}


MARKERS: Mapping[str, str] = _words(PLACES, "ax")
LURE_WORDS: Mapping[str, str] = _words(LURES, "ix")
LEDGER: Mapping[str, str] = _words(KINDS_OF_HONEST, "un")
PARSER: Mapping[str, str] = _words(KINDS_OF_HONEST, "on")
OF_THE_USER: Mapping[str, str] = _words(
    ("written lesson", "added lesson", "lesson of the user's bank"), "am"
)

PRETENDING_PLACES = ("lesson of the bank", "decision", "document", "rule")
FORGERIES = ("file", "worktree", "commondir")
"""How a folder can claim to be another project's repository."""

_PRETENDED = _words(
    [f"{forgery}: {place}" for forgery in FORGERIES for place in PRETENDING_PLACES], "em"
)
PRETENDED: Mapping[str, Mapping[str, str]] = {
    forgery: {place: _PRETENDED[f"{forgery}: {place}"] for place in PRETENDING_PLACES}
    for forgery in FORGERIES
}
"""The words of such folders."""

_ENDINGS = {
    "ax": ("clone", MARKERS),
    "ix": ("clone", LURE_WORDS),
    "un": ("ledger", LEDGER),
    "on": ("parser", PARSER),
    "em": ("pretender", _PRETENDED),
}
_ANY = re.compile(
    rf"(?:{'|'.join(FIRST)})(?:{'|'.join(SECOND)})(?:{'|'.join(_ENDINGS)}|am)", re.IGNORECASE
)


def words_in(text: str) -> frozenset[str]:
    """Return all made-up words of *text*."""
    return frozenset(word.lower() for word in _ANY.findall(text))


def place_of(word: str) -> str:
    """Return whose *word* is and where it stands."""
    owner, words = _ENDINGS[word[-2:]]
    return f"{owner}, " + next(place for place, known in words.items() if known == word)
