"""The option that a short answer chooses by its letter or number: `let's go with b`."""

import re
from collections.abc import Iterable

from hardwon.domain.model.conversation.sentences import split_sentences
from hardwon.domain.model.excerpt import shortened

LONGEST_OPTION = 160
"""Characters of an option that are recorded with the choice."""

_LETTER = re.compile(
    r"(?:(?:go|going|stick) (?:with|for)|use|pick|choose|take|do|drop) (?:the )?(?:option |variant |choice |number |#)?"
    r"\(?(?P<letter>[a-z]|\d{1,2})\)?(?:,? (?:then|please|thanks))?[.! ]*$",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^[ \t>]*[*_]*\(?(?P<letter>\d{1,2}|[A-Za-z])[.):][*_]*[ \t]+(?P<text>[^\n]+)$", re.MULTILINE)


def with_option(choice: str, replies: Iterable[str]) -> str:
    r"""
    Return *choice* with the option that it names by letter or number; unchanged if it names none, or none is listed.

    Args:
        choice: A sentence of the user.
        replies: The agent's, the latest first; markdown.

    Examples:
        >>> with_option("let's go with b", ["a) Postgres: nothing new to run.\nb) Meilisearch: one small binary."])
        "let's go with b: Meilisearch: one small binary."
    """
    named = _LETTER.search(choice)
    listed = ((item["letter"], item["text"]) for reply in replies for item in _ITEM.finditer(reply))
    text = next((text for letter, text in listed if named and letter.lower() == named["letter"].lower()), None)
    if text is None:
        return choice
    option = shortened(next(split_sentences(text), text), LONGEST_OPTION)
    return f"{choice.rstrip(' .!')}: {option}"
