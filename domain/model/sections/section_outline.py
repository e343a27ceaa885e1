"""The parts of a section: its title, what is said of it, and what stands under its headings."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from hardwon.domain.model.sections.verbatim import unescaped

_FACT = re.compile(r"- \*\*(?P<name>[A-Z][a-z ]*):\*\*(?: (?P<value>.*))?")


class Outline(NamedTuple):
    """
    A section in its parts; nothing is unescaped but the title.

    Attributes:
        title: Of the whole.
        facts: By name.
        parts: The lines under each heading, without blank ones.
        others: Lines that belong to none of these.

    """

    title: str
    facts: Mapping[str, str]
    parts: Mapping[str, tuple[str, ...]]
    others: tuple[str, ...] = ()


def outline(text: str) -> Outline | None:
    """Return the parts of a section, None when it does not begin with a title or names a part twice."""
    head, *parts = re.split(r"^### ", text, flags=re.MULTILINE)
    title, *lines = _lines(head) or [""]
    if not title.startswith("## "):
        return None
    named = {name.rstrip(): tuple(_lines(rest)) for name, _, rest in (part.partition("\n") for part in parts)}
    if len(named) < len(parts):
        return None
    facts = {found["name"]: found["value"] or "" for line in lines if (found := _FACT.fullmatch(line))}
    others = tuple(line for line in lines if not _FACT.fullmatch(line))
    return Outline(unescaped(title.removeprefix("## ")), facts, named, others)


def named_value(line: str) -> tuple[str, str] | None:
    """Return the name and the value on *line*, None when it holds no such two."""
    found = _FACT.fullmatch(line)
    return (found["name"], unescaped(found["value"] or "")) if found else None


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]
