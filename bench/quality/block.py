"""How much of the block of a session start is relevant: 12 labelled starts on 128 lessons."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bench.quality.labelled import HALVES, items
from bench.quality.lessons_store import IN_TIME, LessonsStore, lessons_store, query_of
from hardwon.entrypoints.bootstrap_retrieval import build_inject

LIMIT = 20
FORMS = {"arguments": False, "hosts": True}
"""The customers' form, which fills all places, and that of the hosts, which stops."""


class Block(NamedTuple):
    """
    The grades of a printed block, and of all lessons that are relevant.

    Attributes:
        shown: The grades of its lessons, best ranked first; 0 for one that does not help.
        relevant: The grades of all that help, highest first.
    """

    shown: list[int]
    relevant: list[int]

    @property
    def hits(self) -> int:
        """How many of its lessons help."""
        return sum(grade > 0 for grade in self.shown)

    @property
    def gain(self) -> float:
        """Its nDCG over the first ten places."""
        return _discounted(self.shown) / _discounted(self.relevant)


def table() -> Iterator[str]:
    """
    Yield precision over all blocks, and mean recall and nDCG@10.

    The means are over the starts that have relevant lessons.
    """
    yield "form       half  starts  shown  precision  recall  nDCG@10"
    with lessons_store() as store:
        for form, framed in FORMS.items():
            for half in HALVES:
                yield f"{form:9}  {half:4}  {line_of([*blocks(store, half, framed=framed)])}"


def blocks(store: LessonsStore, half: str, *, framed: bool) -> Iterator[Block]:
    """Yield the graded blocks of the session starts of *half*."""
    inject = build_inject(store.memory)
    for start in items("scenarios.jsonl"):
        if start["half"] == half:
            printed = inject.block_for(
                query_of(start), limit=LIMIT, deadline=IN_TIME, framed=framed
            ).printed
            yield _graded(
                start["grades"], [store.labels[scored.facts.entry_id] for scored in printed]
            )


def line_of(graded: list[Block]) -> str:
    """Return the figures of one half in one form."""
    shown = sum(len(block.shown) for block in graded)
    asked = [block for block in graded if block.relevant]
    precision = sum(block.hits for block in graded) / shown
    recall = sum(block.hits / len(block.relevant) for block in asked) / len(asked)
    gain = sum(block.gain for block in asked) / len(asked)
    return (
        f"{len(graded):6}  {shown / len(graded):5.1f}  {precision:9.2f}  {recall:6.2f}  {gain:7.2f}"
    )


def _graded(grades: Mapping[str, Any], shown: list[str]) -> Block:
    return Block([grades.get(label, 0) for label in shown], sorted(grades.values(), reverse=True))


def _discounted(grades: list[int]) -> float:
    return sum(grade / math.log2(place + 1) for place, grade in enumerate(grades[:10], 1))
