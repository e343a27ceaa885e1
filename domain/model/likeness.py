"""
The probability that a learning takes the place of an earlier one.

It says the same in other words, or replaces it. The model is in `likelihood.py`:

- `cosine` is that of their vectors, by the embedded model.
- `named` is the share of the words of one's name that the other one has, summed over both
  directions, `[0, 2]`; without endings, stop words and words common in prompts.
- `change` is 1 if a sentence of the newer one says that something ended, changed or went wrong, and
  shares a word with the older one.
- `past` is 1 if the newer one says what happened: a lesson that corrects another one most often
  does.

Two rows of one lesson, stored in two spellings before its id was taken of the composed text, become
one.
"""

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from hardwon.domain.model.entry import MAX_COUNT, MAX_KEYWORDS, Entry
from hardwon.domain.model.identity import content_hash, searchable_text, word_count
from hardwon.domain.model.keywords import search_terms
from hardwon.domain.model.likelihood import MODELS, Likelihood
from hardwon.domain.model.prompt_terms import informative_words, stem
from hardwon.domain.model.text import split_sentences

MIN_COSINE = 0.5
"""Minimum cosine of a pair that can reach that probability."""

_ENDED = (
    r"no longer|any longer|any ?more|no more|(?:is|are|was|were)"
    r" (?:gone|removed|deleted|dropped|retired|converted|upgraded"
    r"|replaced|closed|forbidden|read[ -]only|only a|off)|refuses?|replace[sd]?|in (?:the )?place"
    r" of|took|taken out|out of"
    r"|ended|stop|stopped|switched|moved|migrated|since|now|delete your|must not come back|an"
    r" archive"
)
_WENT_WRONG = (
    r"lost|broke|broken|hid|charged|cost|filled|leak\w*|skipped|held|turned|slower|twice|bottleneck|wrong|crash\w*|failed"
    r"|flaky|refused|out of date|too (?:long|slow)|outage|mutates|useless"
)
_CHANGE = re.compile(rf"\b(?:{_ENDED}|{_WENT_WRONG})\b", re.IGNORECASE)
_PAST = re.compile(
    r"\b(?:was|were|had|lost|broke|led|caused|hid|charged|took|cost|filled|leaked|skipped|held|turned|got|made|came)\b",
    re.IGNORECASE,
)


class LessonTexts(NamedTuple):
    """The texts of a learning."""

    name: str
    description: str

    @classmethod
    def of(cls, entry: Entry) -> Self:
        """Return those of *entry*."""
        return cls(entry.name, entry.description)

    @property
    def text(self) -> str:
        """Both, the name as a sentence of its own."""
        return f"{self.name}. {self.description}"


def likelihood(older: LessonTexts, newer: LessonTexts, cosine: float) -> Likelihood:
    """
    Return the likelihood that *newer* takes the place of *older*.

    Examples:
        >>> older = LessonTexts("Pin Node 18 in CI", "All pipelines use Node 18 because sharp fails on anything newer.")
        >>> newer = LessonTexts("CI runs on Node 22", "Sharp has builds for Node 22, so the pin of pipelines to 18 is gone.")
        >>> [round(likelihood(older, newer, cosine).probability, 2) for cosine in (0.75, 0.3)]
        [0.95, 0.2]
    """
    before, after = _words(older.text), _words(newer.text)
    return MODELS["successor"].of(
        {
            "cosine": cosine,
            "named": _share(_words(older.name), after) + _share(_words(newer.name), before),
            "change": float(_has_change(newer, before)),
            "past": float(bool(_PAST.search(newer.text))),
        }
    )


def overlap(one: LessonTexts, other: LessonTexts) -> float:
    """
    Return how many informative words two lessons share, `[0, 1]`.

    It is the cosine of their sets of words, which needs no statistics of a store.
    """
    left, right = _words(one.text), _words(other.text)
    return len(left & right) / math.sqrt(len(left) * len(right)) if left and right else 0.0


def _share(words: frozenset[str], of: frozenset[str]) -> float:
    return len(words & of) / len(words) if words else 0.0


def _has_change(newer: LessonTexts, before: frozenset[str]) -> bool:
    sentences = (newer.name, *split_sentences(newer.description))
    return any(_CHANGE.search(sentence) and _words(sentence) & before for sentence in sentences)


def _words(text: str) -> frozenset[str]:
    return frozenset(map(stem, informative_words(search_terms(text))))


LISTS = ("keywords", "tags", "trigger_phrases", "references")
TEXTS = ("reasoning", "notes")
FACTS = (
    *(
        "id",
        "content_hash",
        "words",
        "observation_count",
        "updated_at",
        "reach",
        "project",
        "source_project",
    ),
    *("tier", "importance_weight", "permanent", "expires_at", "retired", "superseded_by"),
)
"""
The columns of the table of facts that change.

All others are of the table of texts.
"""

_OF_PLACE = ("reach", "project", "source_project")
_OF_LIFE = ("tier", "importance_weight", "permanent", "expires_at", "retired")
_REACHES = ("home", "shared", "everywhere")


def united(older: Mapping[str, Any], newer: Mapping[str, Any]) -> dict[str, Any]:
    """
    Merge *newer*, the same lesson, into the columns of *older*.

    Counts add up, labels and references unite, an empty reasoning or note is filled. The wider
    reach stays, and so does the life of the one that is still found.
    """
    values: dict[str, Any] = {
        name: [*dict.fromkeys((*older[name], *newer[name]))] for name in LISTS
    }
    values["keywords"] = values["keywords"][:MAX_KEYWORDS]
    values |= {name: older[name] or newer[name] for name in TEXTS}
    values["observation_count"] = min(
        older["observation_count"] + newer["observation_count"], MAX_COUNT
    )
    values["updated_at"] = max(older["updated_at"], newer["updated_at"])
    if _REACHES.index(newer["reach"]) > _REACHES.index(older["reach"]):
        values |= {name: newer[name] for name in _OF_PLACE}
    if older["retired"] and not newer["retired"]:
        values |= {name: newer[name] for name in _OF_LIFE}
    if not newer["superseded_by"]:
        values["superseded_by"] = None
    return {**older, **values}


def identified(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return *row* with the columns that follow from its texts."""
    identity = content_hash(row["description"])
    text = searchable_text(
        row["name"], row["description"], notes=row["notes"], reasoning=row["reasoning"]
    )
    return {**row, "id": identity, "content_hash": identity, "words": word_count(text)}
