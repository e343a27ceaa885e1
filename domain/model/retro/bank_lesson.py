"""A lesson as a knowledge-bank file holds it."""

from functools import lru_cache
from typing import NamedTuple

from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.knowledge_bank import BankEntry, parse_bank
from hardwon.domain.model.line_ends import with_newlines
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.vocabulary import Category, Confidence

MOST_REMEMBERED = 4096
MOST_FILES = 16


class BankLesson(NamedTuple):
    """
    A lesson as a knowledge bank holds it, without secrets.

    Attributes:
        category: Which file it belongs in.
        name: One line.
        description: May have many lines.
        observed_in: One line; may be empty.
        observation_count: How often it was observed.
        confidence: How sure it is.
        day: When it was last observed, `YYYY-MM-DD`.

    """

    category: Category
    name: str
    description: str
    observed_in: str
    observation_count: int
    confidence: Confidence
    day: str

    @property
    def identity(self) -> str:
        """What it has in common with the same lesson elsewhere."""
        return content_hash(self.description)


@lru_cache(maxsize=MOST_FILES)
def entries_of(text: str, category: Category) -> tuple[BankEntry, ...]:
    """Return the entries of a file of that *text*, its line ends as they are."""
    return tuple(parse_bank(with_newlines(text), category))


def holds(text: str, category: Category, identity: str) -> bool:
    """Tell whether a file of that *text* has the lesson."""
    return any(is_same(entry, identity) for entry in entries_of(text, category))


def counts_of(text: str, category: Category) -> dict[str, int]:
    """Return the highest count of every lesson in a file of that *text*, by its identity."""
    counts = dict[str, int]()
    for each in filter(lambda entry: entry.text, entries_of(text, category)):
        identity = identity_of(each.text)
        counts[identity] = max(each.observation_count, counts.get(identity, 0))
    return counts


def count_of(text: str, category: Category, identity: str) -> int:
    """Return the highest count of the lesson in a file of that *text*, 0 when it is not there."""
    return counts_of(text, category).get(identity, 0)


def is_same(entry: BankEntry, identity: str) -> bool:
    """Tell whether *entry* is the lesson of that identity."""
    return bool(entry.text) and identity_of(entry.text) == identity


@lru_cache(maxsize=MOST_REMEMBERED)
def identity_of(description: str) -> str:
    """Return the id that the import gives to what a file describes so."""
    return content_hash(redact(description))


def line_end(text: str) -> str:
    """Return how lines of *text* end."""
    return "\r\n" if "\r\n" in text else "\n"
