"""All files of the knowledge banks, and where in them a lesson goes."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from hardwon.domain.model.bank_grammar import BankScope
from hardwon.domain.model.retro.bank_count import with_count
from hardwon.domain.model.retro.bank_lesson import BankLesson, count_of, holds
from hardwon.domain.model.retro.bank_text import with_lesson
from hardwon.domain.model.vocabulary import CATEGORIES, Category


class BankPlace(NamedTuple):
    """One file: whose bank, and which category."""

    scope: BankScope
    category: Category


BankTexts: TypeAlias = Mapping[BankPlace, str]
"""The text of every file, empty where there is none."""

PLACES = tuple(BankPlace(scope, category) for scope in ("local", "global") for category in CATEGORIES)


class Noted(NamedTuple):
    """
    What became of the banks.

    Attributes:
        texts: The files as they are to be.
        appended: The file the lesson is new in, None when it was known.
        counted: The files it was known in.

    """

    texts: BankTexts
    appended: BankPlace | None
    counted: tuple[BankPlace, ...]


def places_of(texts: BankTexts, identity: str) -> tuple[BankPlace, ...]:
    """Return the files that hold the lesson of that identity, in order."""
    return tuple(place for place in PLACES if holds(texts[place], place.category, identity))


def noted(texts: BankTexts, lesson: BankLesson, scope: BankScope) -> Noted:
    """
    Return *texts* with *lesson* counted wherever it stands, and appended to the bank of *scope* when it is new there.

    What stands in the global bank is not appended to a project's bank too. Its count is at least the one it has elsewhere.

    Raises:
        InvalidEntryError: a file can't take it.
    """
    known = counted(texts, lesson.identity, lesson.day)
    if any(place.scope in {scope, "global"} for place in known.counted):
        return known
    own = BankPlace(scope, lesson.category)
    return known._replace(texts={**known.texts, own: _appended(known, lesson, own)}, appended=own)


def counted(texts: BankTexts, identity: str, day: str) -> Noted:
    """Return *texts* with the lesson of that identity observed once more, on *day*, wherever it stands."""
    places = places_of(texts, identity)
    changed = {place: with_count(texts[place], place.category, identity, day) for place in places}
    return Noted({**texts, **changed}, None, places)


def promoted(texts: BankTexts, lesson: BankLesson) -> Noted:
    """Return *texts* with *lesson* in the global bank; as they are when it is there."""
    known = tuple(place for place in places_of(texts, lesson.identity) if place.scope == "global")
    if known:
        return Noted(texts, None, known)
    own = BankPlace("global", lesson.category)
    return Noted({**texts, own: with_lesson(texts[own], lesson)}, own, ())


def _appended(known: Noted, lesson: BankLesson, own: BankPlace) -> str:
    elsewhere = [count_of(known.texts[each], each.category, lesson.identity) for each in known.counted]
    return with_lesson(
        known.texts[own], lesson._replace(observation_count=max(lesson.observation_count, *elsewhere, 1))
    )
