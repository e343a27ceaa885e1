"""The places of an erasure, as text."""

from collections.abc import Sequence

from hardwon.entrypoints.presenters.text import counted
from hardwon.ports.erasure import Found


def by_place(items: Sequence[Found]) -> dict[str, str]:
    """Return what each place keeps, as a text."""
    kept: dict[str, list[str]] = {}
    for found in items:
        kept.setdefault(found.place, []).append(counted(found.number, found.noun, _plural(found.noun)))
    return {place: ", ".join(items) for place, items in kept.items()}


def _plural(noun: str) -> str:
    first, of, rest = noun.partition(" of ")
    if of:
        return f"{_plural(first)}{of}{rest}"
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
