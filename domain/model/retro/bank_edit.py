"""Edits of the knowledge banks: where a lesson is added or counted."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import attrs

from hardwon.domain.model.identity import content_hash
from hardwon.domain.model.knowledge_bank import BankScope
from hardwon.domain.model.vocabulary import CATEGORIES, Category, Confidence


@attrs.frozen(kw_only=True)
class BankLesson:
    """
    A lesson for a knowledge bank, without secrets.

    Attributes:
        category: Determines the file.
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
        """Its content hash, equal for the same lesson elsewhere."""
        return content_hash(self.description)


class BankPlace(NamedTuple):
    """A file of a bank, which is the project's or the user's."""

    scope: BankScope
    category: Category


PLACES = tuple(
    BankPlace(scope, category) for scope in ("local", "global") for category in CATEGORIES
)


class Banks(Protocol):
    """
    The lessons of all files.

    An immutable value: edits return another.
    """

    @property
    def texts(self) -> Mapping[BankPlace, str]:
        """The text of every file, empty if missing."""
        ...

    def counts(self, place: BankPlace) -> Mapping[str, int]:
        """
        Return the observation count of each lesson in that file, by identity.

        Of duplicates, it is the highest.
        """
        ...

    def with_lesson(self, scope: BankScope, lesson: BankLesson) -> "Banks":
        """
        Append *lesson* to its file.

        The rest stays byte for byte.

        Raises:
            InvalidEntryError: it would not be read back as it is, or change how the rest is read.
        """
        ...

    def with_count(self, place: BankPlace, identity: str, day: str) -> "Banks":
        """
        Increment the count of a lesson of that file.

        The rest stays byte for byte.

        Raises:
            InvalidEntryError: the file can't be changed so that only that changes.
        """
        ...

    def with_wording(self, place: BankPlace, identity: str, name: str, description: str) -> "Banks":
        """
        Replace the description of a lesson of that file.

        Its name is replaced too, unless *name* is empty. The rest stays byte for byte.

        Raises:
            InvalidEntryError: the file can't be changed so that only that changes.
        """
        ...


class BankEditOutcome(NamedTuple):
    """
    The result of an edit.

    Attributes:
        appended: The file the lesson was added to, None when it was known.
    """

    banks: Banks
    appended: BankPlace | None
    counted: tuple[BankPlace, ...]


def places_of(banks: Banks, identity: str) -> tuple[BankPlace, ...]:
    """Return the files that contain the lesson of that identity, in order."""
    return tuple(place for place in PLACES if identity in banks.counts(place))


def noted(banks: Banks, lesson: BankLesson, scope: BankScope) -> BankEditOutcome:
    """
    Count *lesson* in every file that contains it.

    If new it is appended to the bank of *scope*; a lesson of the global bank is not appended to a
    project's bank. Its count is at least its count elsewhere.

    Raises:
        InvalidEntryError: a file can't be edited safely.
    """
    known = counted(banks, lesson.identity, lesson.day)
    if any(place.scope in {scope, "global"} for place in known.counted):
        return known
    elsewhere = [known.banks.counts(place)[lesson.identity] for place in known.counted]
    appended = attrs.evolve(lesson, observation_count=max(lesson.observation_count, *elsewhere, 1))
    own = BankPlace(scope, lesson.category)
    return known._replace(banks=known.banks.with_lesson(scope, appended), appended=own)


def counted(banks: Banks, identity: str, day: str) -> BankEditOutcome:
    """Increment the count of a lesson in every file that has it."""
    places = places_of(banks, identity)
    for place in places:
        banks = banks.with_count(place, identity, day)
    return BankEditOutcome(banks, None, places)


def promoted(banks: Banks, lesson: BankLesson) -> BankEditOutcome:
    """Append *lesson* to the global bank, unless it is there."""
    known = tuple(place for place in places_of(banks, lesson.identity) if place.scope == "global")
    if known:
        return BankEditOutcome(banks, None, known)
    return BankEditOutcome(
        banks.with_lesson("global", lesson), BankPlace("global", lesson.category), ()
    )


def reworded(banks: Banks, identity: str, name: str, description: str) -> BankEditOutcome:
    """
    Replace the description of a lesson in every file that contains it.

    Its name is replaced too, unless *name* is empty.

    Raises:
        InvalidEntryError: a file can't be edited safely.
    """
    places = places_of(banks, identity)
    for place in places:
        banks = banks.with_wording(place, identity, name=name, description=description)
    return BankEditOutcome(banks, None, places)
