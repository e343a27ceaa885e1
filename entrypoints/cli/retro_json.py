"""Find, decode and check the retro-facilitator's answer in an agent's output."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.json_shapes import (
    CLAIM,
    TEXT,
    TEXTS,
    RepeatedNameError,
    beginning,
    distinct_members,
    fits,
    shown,
)
from hardwon.domain.model.retro.lesson import RetroAnswer, RetroItem
from hardwon.domain.model.vocabulary import CONFIDENCES, Category

GROUPS: Mapping[str, Category] = {
    "patterns": "patterns",
    "anti_patterns": "anti-patterns",
    "heuristics": "heuristics",
}
"""The lists of an answer, with the category of their items."""

LEVEL = f"one of {', '.join(CONFIDENCES)}"
FIELDS = {
    "text": TEXT,
    "name": TEXT,
    "provenance": TEXT,
    "confidence": LEVEL,
    "keywords": TEXTS,
    "reasoning": TEXT,
    "universal": CLAIM,
}
NEEDED = "text"
CLAIMS = {"true": True, "false": False}
SHAPE = '{"act": {"patterns": [...], "anti_patterns": [...], "heuristics": [...]}}'

MAX_TRIES = 20
"""Failed attempts to decode an answer before the search ends."""

_ANSWER = re.compile(r'\{\s*"act"\s*:')
_FENCE = re.compile(
    r"^(`{8}|`{3,7}(?!`)|~{8}|~{3,7}(?!~))[^\n]*\n(.*?)^\1", re.MULTILINE | re.DOTALL
)


class _Decoded(NamedTuple):
    """A value decoded from a text, and its end in the text."""

    document: object
    end: int


def answer_from_text(text: str) -> RetroAnswer:
    """Return the one answer in *text*: JSON, fenced, or within prose."""
    return read_answer(find_answer(text))


def find_answer(text: str) -> object:
    """Return the decoded JSON of the one answer in *text*, not validated."""
    text = text.strip()
    found, problems = _answers(text)
    if len(found) > 1:
        raise InvalidEntryError(f"there are {len(found)} answers: give one of them")
    if not found and problems:
        raise problems[0]
    return found[0] if found else _as_a_whole(text)


def read_answer(document: object) -> RetroAnswer:
    """
    Return the items of an answer, and all its problems.

    Args:
        document: Decoded JSON.
    """
    reading = _Reading()
    items = tuple(reading.items(_object(_object(document, "the answer").get("act"), "act")))
    return RetroAnswer(items, tuple(reading.problems), tuple(reading.unknown))


def _answers(text: str) -> tuple[list[object], list[InvalidEntryError]]:
    """
    Return all JSON that begins like an answer, and the failures.

    Prose may mention answers too.
    """
    found, problems, at = list[object](), list[InvalidEntryError](), 0
    while (begin := _ANSWER.search(text, at)) and len(problems) < MAX_TRIES:
        try:
            document, at = _decoded(text, begin.start())
            found.append(document)
        except InvalidEntryError as error:
            problems.append(error)
            at = begin.end()
    return found, problems


def _as_a_whole(text: str) -> object:
    fenced = _FENCE.search(text)
    return _decoded(fenced[2].strip() if fenced else text, 0).document


def _decoded(text: str, start: int) -> _Decoded:
    if not text:
        raise InvalidEntryError("the answer is empty: it must be a JSON object")
    begun = f"the answer {beginning(text[start:])}"
    try:
        return _Decoded(
            *json.JSONDecoder(object_pairs_hook=distinct_members).raw_decode(text, start)
        )
    except RecursionError as error:
        raise InvalidEntryError(f"{begun} is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise InvalidEntryError(f"{begun} is not JSON: {error}") from error
    except RepeatedNameError as error:
        raise InvalidEntryError(str(error)) from error
    except ValueError as error:
        raise InvalidEntryError(f"{begun} holds a number that is too long") from error


def _object(value: object, place: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise InvalidEntryError(f"{place} is {shown(value)}: an answer is {SHAPE}")
    return value


class _Reading:
    """Checks a whole answer and collects its problems."""

    def __init__(self) -> None:
        self.problems = list[str]()
        self.unknown = dict[str, None]()

    def items(self, lists: Mapping[str, object]) -> Iterator[RetroItem]:
        for name in sorted(lists.keys() - GROUPS.keys()):
            self.problems.append(f"act has an unknown list {shown(name)}: use {', '.join(GROUPS)}")
        for name, category in GROUPS.items():
            yield from self._listed(lists.get(name), f"act.{name}", category)

    def _listed(self, value: object, place: str, category: Category) -> Iterator[RetroItem]:
        if not isinstance(value, list | None):
            self.problems.append(f"{place} is {shown(value)}: it must be a list of objects")
            return
        for number, each in enumerate(value or ()):
            fields = self._fields(each, f"{place}[{number}]")
            if NEEDED in fields:
                yield RetroItem(place=f"{place}[{number}]", category=category, **fields)

    def _fields(self, value: object, place: str) -> dict[str, Any]:
        """
        Return the valid fields of an item.

        Null counts as missing.
        """
        if not isinstance(value, dict):
            self.problems.append(
                f"{place} is {shown(value)}: it must be an object with {', '.join(FIELDS)}"
            )
            return {}
        self.unknown.update(dict.fromkeys(map(shown, value.keys() - FIELDS.keys())))
        if value.get(NEEDED) is None:
            self.problems.append(f"{place}.{NEEDED} is missing: it is the lesson itself")
        given_fields = {
            name: _plain(name, given)
            for name, given in value.items()
            if name in FIELDS and given is not None
        }
        for name, given in given_fields.items():
            if not _fits(FIELDS[name], given):
                self.problems.append(
                    f"{place}.{name} is {shown(value[name])}: it must be {FIELDS[name]}"
                )
        fitting: dict[str, Any] = {
            name: given for name, given in given_fields.items() if _fits(FIELDS[name], given)
        }
        return {**fitting, "keywords": tuple(fitting.get("keywords", ()))}


def _plain(name: str, given: object) -> object:
    if not isinstance(given, str) or FIELDS[name] not in {CLAIM, LEVEL}:
        return given
    word = given.strip().lower()
    return word if FIELDS[name] == LEVEL else CLAIMS.get(word, given)


def _fits(shape: str, value: object) -> bool:
    return value in CONFIDENCES if shape == LEVEL else fits(shape, value)
