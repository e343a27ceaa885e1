"""Where in what an agent printed its answer stands: alone, in a markdown fence, or with prose around it."""

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from hardwon.domain.model.errors import InvalidEntryError

_ANSWER = re.compile(r'\{\s*"act"\s*:')
_FENCE = re.compile(r"^(`{3,8}+|~{3,8}+)[^\n]*\n(.*?)^\1", re.MULTILINE | re.DOTALL)
MOST_TRIES = 20


class Decoded(NamedTuple):
    """A value read from a text, and where it ends there."""

    document: object
    end: int


Decode: TypeAlias = Callable[[str, int], Decoded]
"""Reads the JSON that begins at a place of a text; raises InvalidEntryError when there is none."""


def find_answer(text: str, decode: Decode) -> object:
    """
    Return the one answer in *text*, its shape not checked yet.

    Args:
        text: What the agent printed.
        decode: Reads JSON.

    Raises:
        InvalidEntryError: there is none, more than one, or it is not JSON.

    """
    text = text.strip()
    found, troubles = _answers(text, decode)
    if len(found) > 1:
        raise InvalidEntryError(f"there are {len(found)} answers: give one of them")
    if not found and troubles:
        raise troubles[0]
    return found[0] if found else _as_a_whole(text, decode)


def _answers(text: str, decode: Decode) -> tuple[list[object], list[InvalidEntryError]]:
    """Return what begins like an answer and is JSON, and why the rest is not: prose may speak of answers too."""
    found, troubles, at = list[object](), list[InvalidEntryError](), 0
    while (begin := _ANSWER.search(text, at)) and len(troubles) < MOST_TRIES:
        try:
            document, at = decode(text, begin.start())
            found.append(document)
        except InvalidEntryError as error:
            troubles.append(error)
            at = begin.end()
    return found, troubles


def _as_a_whole(text: str, decode: Decode) -> object:
    """Return what *text*, or its first fence, is as JSON."""
    fenced = _FENCE.search(text)
    return decode(fenced[2].strip() if fenced else text, 0).document
