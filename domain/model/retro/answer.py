"""What the retro-facilitator answers: its shape, and the items in it (requirement A-TD6.6)."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.json_shapes import CLAIM, TEXT, TEXTS, fits, shown
from hardwon.domain.model.vocabulary import Category

GROUPS: Mapping[str, Category] = {
    "patterns": "patterns",
    "anti_patterns": "anti-patterns",
    "heuristics": "heuristics",
}
"""The lists of an answer, and the category of what stands in them."""

FIELDS = {
    "text": TEXT,
    "name": TEXT,
    "provenance": TEXT,
    "confidence": TEXT,
    "keywords": TEXTS,
    "reasoning": TEXT,
    "universal": CLAIM,
}
NEEDED = "text"
SHAPE = '{"act": {"patterns": [...], "anti_patterns": [...], "heuristics": [...]}}'


class RetroItem(NamedTuple):
    """
    One lesson as the agent wrote it.

    Attributes:
        place: Where it stands in the answer, for messages: `act.patterns[0]`.
        category: Which list it stands in.
        text: The lesson with its conclusion.
        name: Its heading; empty for one made of the text.
        provenance: Where it was observed; may be empty.
        confidence: `high`, `medium` or `low`, not yet checked.
        keywords: As written; none when the agent gave none.
        reasoning: Why it matters and how it was found; may be empty.
        universal: Whether it holds in every project.

    """

    place: str
    category: Category
    text: str
    name: str = ""
    provenance: str = ""
    confidence: str = "medium"
    keywords: tuple[str, ...] = ()
    reasoning: str = ""
    universal: bool = False

    @property
    def said(self) -> str:
        """All that it says of the lesson, for finding the files it mentions."""
        return f"{self.text}\n{self.name}\n{self.provenance}\n{self.reasoning}"


def read_answer(document: object) -> tuple[RetroItem, ...]:
    """
    Return the items of an answer, in its order.

    Args:
        document: What was read from JSON.

    Raises:
        InvalidEntryError: it is not of the shape; the message names the item and the value.

    """
    lists = _object(_object(document, "the answer").get("act"), "act")
    for name in lists.keys() - GROUPS.keys():
        raise InvalidEntryError(f"act has an unknown list {shown(name)}: use {', '.join(GROUPS)}")
    return tuple(item for name, category in GROUPS.items() for item in _items(lists.get(name), f"act.{name}", category))


def _object(value: object, place: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise InvalidEntryError(f"{place} is {shown(value)}: an answer is {SHAPE}")
    return value


def _items(value: object, place: str, category: Category) -> Iterator[RetroItem]:
    if value is None:
        return
    if not isinstance(value, list):
        raise InvalidEntryError(f"{place} is {shown(value)}: it must be a list of objects")
    for number, each in enumerate(value):
        yield _item(each, f"{place}[{number}]", category)


def _item(value: object, place: str, category: Category) -> RetroItem:
    fields = _fields(value, place)
    for name, given in fields.items():
        if not fits(FIELDS[name], given):
            raise InvalidEntryError(f"{place}.{name} is {shown(given)}: it must be {FIELDS[name]}")
    values: dict[str, Any] = {**fields, "keywords": tuple(fields.get("keywords", ()))}
    return RetroItem(place, category, **values)


def _fields(value: object, place: str) -> dict[str, Any]:
    """Return what an item says; null says nothing."""
    if not isinstance(value, dict):
        raise InvalidEntryError(f"{place} is {shown(value)}: it must be an object with {', '.join(FIELDS)}")
    for name in value.keys() - FIELDS.keys():
        raise InvalidEntryError(f"{place} has an unknown field {shown(name)}: use {', '.join(FIELDS)}")
    if value.get(NEEDED) is None:
        raise InvalidEntryError(f"{place}.{NEEDED} is missing: it is the lesson itself")
    return {name: given for name, given in value.items() if given is not None}
