"""The retro-facilitator's answer, found in what the agent printed."""

import json
import re
from collections import Counter
from typing import Any

from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.model.retro.answer import RetroItem, read_answer, shown

_ANSWER = re.compile(r'\{\s*"act"\s*:')
_FENCE = re.compile(r"^(`{3,8}+|~{3,8}+)[^\n]*\n(.*?)^\1", re.MULTILINE | re.DOTALL)
SHOWN_CHARACTERS = 60
MOST_TRIES = 20


class _RepeatedNameError(ValueError):
    """An object of the JSON has two values of one name."""


def answer_from_text(text: str) -> tuple[RetroItem, ...]:
    """
    Return the items of the one answer in *text*: JSON alone, in a markdown fence, or with prose around it.

    Raises:
        InvalidEntryError: there is none, more than one, or it is not valid.

    """
    text = text.strip()
    found, troubles = _answers(text)
    if len(found) > 1:
        raise InvalidEntryError(f"there are {len(found)} answers: give one of them")
    if not found and troubles:
        raise troubles[0]
    return read_answer(found[0] if found else _as_a_whole(text))


def _answers(text: str) -> tuple[list[object], list[InvalidEntryError]]:
    """Return what begins like an answer and is JSON, and why the rest is not: prose may speak of answers too."""
    found, troubles, at = list[object](), list[InvalidEntryError](), 0
    while (begin := _ANSWER.search(text, at)) and len(troubles) < MOST_TRIES:
        try:
            document, at = _decoded(text, begin.start())
            found.append(document)
        except InvalidEntryError as error:
            troubles.append(error)
            at = begin.end()
    return found, troubles


def _as_a_whole(text: str) -> object:
    """Return what *text*, or its first fence, is as JSON."""
    fenced = _FENCE.search(text)
    return _decoded(fenced[2].strip() if fenced else text, 0)[0]


def _decoded(text: str, start: int) -> tuple[object, int]:
    """Return the JSON that begins there, and where it ends."""
    if not text:
        raise InvalidEntryError("the answer is empty: it must be a JSON object")
    try:
        return json.JSONDecoder(object_pairs_hook=_distinct).raw_decode(text, start)
    except RecursionError as error:
        raise InvalidEntryError(f"{_beginning(text, start)} is nested too deeply") from error
    except json.JSONDecodeError as error:
        raise InvalidEntryError(f"{_beginning(text, start)} is not JSON: {error}") from error
    except _RepeatedNameError as error:
        raise InvalidEntryError(str(error)) from error
    except ValueError as error:
        raise InvalidEntryError(f"{_beginning(text, start)} holds a number that is too long") from error


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise _RepeatedNameError(f"{shown(twice)} is given twice in one object: give it once")
    return values


def _beginning(text: str, start: int) -> str:
    return f"the answer {text[start : start + SHOWN_CHARACTERS]!r}"
