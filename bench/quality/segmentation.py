"""Boundaries of conversations against labelled talks: precision, recall and F1."""

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import NamedTuple

from bench.quality.labelled import FOLDER, HALVES, exchanges_of, items
from hardwon.domain.model.conversation.chunker import MAX_EXCHANGES, Chunker

SIGNALS = "signals"
"""Part of the names of talks that announce each change of subject."""


class Cuts(NamedTuple):
    """
    Places before an exchange, from 1 on.

    Attributes:
        right: Where the subject changes.
        found: Where the talk was cut, other than for length.
        exchanges: The number of exchanges.
    """

    right: frozenset[int]
    found: frozenset[int]
    exchanges: int


class Figures(NamedTuple):
    """Precision, recall and F1 of the cuts, 0 to 1."""

    precision: float
    recall: float
    f1: float


def talks(half: str, *, announced: bool) -> list[str]:
    """
    Return the sorted files of the labelled talks of *half*.

    They are those with signals, or those without.
    """
    paths = sorted((FOLDER / "talks").glob(f"{half}-*.jsonl"))
    return [f"talks/{path.name}" for path in paths if (SIGNALS in path.name) == announced]


def cuts(talk: str) -> Cuts:
    """Cut the labelled *talk*."""
    spoken = items(talk)
    subjects = [item["subject"] for item in spoken]
    changes = (
        place for place, (before, after) in enumerate(pairwise(subjects), 1) if before != after
    )
    drafts = Chunker().chunk(exchanges_of(spoken))
    places = accumulate(len(draft.exchanges) for draft in drafts)
    found = (
        place
        for place, (before, after) in zip(places, pairwise(drafts), strict=False)
        if len(before.exchanges) + len(after.exchanges) <= MAX_EXCHANGES
        or before.topic != after.topic
    )
    return Cuts(frozenset(changes), frozenset(found), len(subjects))


def figures(cut: Iterable[Cuts]) -> Figures:
    """Return the figures over all cuts together."""
    known = [*cut]
    hits = sum(len(talk.right & talk.found) for talk in known)
    precision = hits / sum(len(talk.found) for talk in known)
    recall = hits / sum(len(talk.right) for talk in known)
    return Figures(precision, recall, 2 * precision * recall / (precision + recall))


def table() -> Iterator[str]:
    """Yield the figures of both halves, without and with signals."""
    yield "talks            half  talks  exchanges  changes  precision  recall    F1"
    for announced in (False, True):
        for half in HALVES:
            cut = [cuts(talk) for talk in talks(half, announced=announced)]
            found, changes = figures(cut), sum(len(talk.right) for talk in cut)
            yield (
                f"{'with' if announced else 'without'} signals".ljust(17)
                + f"{half:4}  {len(cut):5}"
                f"  {sum(talk.exchanges for talk in cut):9}  {changes:7}"
                f"  {found.precision:9.2f}  {found.recall:6.2f}  {found.f1:.2f}"
            )
