"""Filter words in the search box: `project:acme kind:decision before:2026-11-01 used:no`."""

import datetime as dt
import shlex
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.project import Registry
from hardwon.domain.model.vocabulary import CATEGORIES, KINDS, SOURCES, TIERS

Meaning: TypeAlias = dict[str, Any]
"""Fields of `EntryFilter` with their values."""


class SearchBox(NamedTuple):
    """
    The parsed text of the search box.

    Attributes:
        text: The text to search for; empty for a list.
        complaints: One line for each invalid filter, which is ignored.
    """

    text: str = ""
    words: Mapping[str, str] = {}
    only: EntryFilter = EVERYTHING
    complaints: tuple[str, ...] = ()

    def with_word(self, name: str, value: str) -> str:
        """Return the box's text with that filter, or without it."""
        words = {**self.words, name: value}
        return " ".join(
            filter(None, (*(_written(*word) for word in words.items() if word[1]), self.text))
        )


def read_search(typed: str, registry: Registry, now: dt.datetime) -> SearchBox:
    """Parse *typed*, with dates as days in UTC."""
    words, rest, complaints = dict[str, str](), list[str](), list[str]()
    meaning: Meaning = {}
    readers = _readers(registry, now)
    for token in _tokens(typed):
        name, colon, value = token.partition(":")
        read = readers.get(name.lower())
        if not (read and colon and value):
            rest.append(token)
            continue
        try:
            meaning |= read(value)
            words[name.lower()] = value
        except ValueError as error:
            complaints.append(f"{token}: {error}")
    return SearchBox(
        text=" ".join(rest),
        words=words,
        only=EVERYTHING._replace(**meaning),
        complaints=tuple(complaints),
    )


def _tokens(typed: str) -> list[str]:
    lexer = shlex.shlex(typed, posix=True)
    lexer.whitespace_split, lexer.commenters, lexer.quotes, lexer.escape = True, "", '"', ""
    try:
        return [*lexer]
    except ValueError:  # a quote that is not closed yet: it is being typed
        return typed.replace('"', " ").split()


def _written(name: str, value: str) -> str:
    return f'{name}:"{value}"' if any(sign.isspace() for sign in value) else f"{name}:{value}"


def _readers(registry: Registry, now: dt.datetime) -> Mapping[str, Callable[[str], Meaning]]:
    """
    Return a parser for each word.

    A `ValueError` says what is wrong.
    """

    def project(value: str) -> Meaning:
        found = [found.id for found in registry.named(value)]
        if not found:
            raise ValueError("no such project")
        return {"origins": tuple(found)}

    def idle(value: str) -> Meaning:
        days = value.removesuffix("d")
        if not (days.isascii() and days.isdecimal() and len(days) <= len("99999")):
            raise ValueError("write a number of days, as idle:90d")
        return {"idle_since": now - dt.timedelta(days=int(days))}

    def stale(value: str) -> Meaning:
        if value != "yes":
            raise ValueError("write yes: stale:yes")
        return {"stale": True}

    return {
        "project": project,
        "kind": lambda value: {"kinds": (_one_of(value, KINDS),)},
        "category": lambda value: {"category": _one_of(value, CATEGORIES)},
        "tier": lambda value: {"tier": _one_of(value, TIERS)},
        "origin": lambda value: {"source": _one_of(value, SOURCES)},
        "tag": lambda value: {"tag": value},
        "session": lambda value: {"session": value},
        "after": lambda value: {"since": _day(value)},
        "before": lambda value: {"until": _day(value)},
        "shown": lambda value: {"shown": _is_yes(value)},
        "used": lambda value: {"used": _is_yes(value)},
        "idle": idle,
        "stale": stale,
    }


def _one_of(value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise ValueError(f"use one of {', '.join(allowed)}")
    return value


def _day(value: str) -> dt.datetime:
    try:
        return dt.datetime.fromisoformat(f"{dt.date.fromisoformat(value)}T00:00:00+00:00")
    except ValueError as error:
        raise ValueError("write a day as 2026-11-01") from error


def _is_yes(value: str) -> bool:
    if value not in {"yes", "no"}:
        raise ValueError("write yes or no")
    return value == "yes"
