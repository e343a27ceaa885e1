"""
How often memory answers a prompt, and how often it is right.

Labelled prompts are asked of stores of labelled lessons.
"""

import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from bench.prompted_stores import Asking, asking
from bench.quality.labelled import HALVES, items
from bench.quality.lessons_store import lesson_entries
from hardwon.adapters.evaluation.cache import VectorCache

DRAWS = {128: 1, 60: 2, 20: 4, 5: 8}
"""How many lessons a store holds, and how many such stores are drawn."""


class Answer(NamedTuple):
    """
    The answer to a prompt.

    Attributes:
        half: Of the labelled prompts.
        fits: Whether the store holds a lesson that helps.
        right: Whether it helps, of each lesson that is shown.
    """

    half: str
    fits: bool
    right: Sequence[bool]


class Figures(NamedTuple):
    """
    The figures of a group of prompts, as shares.

    Attributes:
        wrong: Of the prompts without a lesson that helps, those that were answered.
        answered: Of the prompts with one, those that were answered.
        precision: Of the lessons shown beside these, those that help; 1 if none was shown.
    """

    wrong: float
    answered: float
    precision: float


def table() -> Iterator[str]:
    """
    Yield the figures by store size and half.

    They are for the embedded model and for keyword search alone.
    """
    yield "search    lessons  half  prompts  wrong  answered  precision"
    with (
        tempfile.TemporaryDirectory(prefix="hardwon-quality-") as folder,
        closing(VectorCache(folder, print)) as cache,
    ):
        for search, vectors in (("semantic", cache), ("keywords", None)):
            for size in DRAWS:
                given = [*answers(size, vectors)]
                for half in HALVES:
                    yield (
                        f"{search:8}  {size:7}  {half:4} "
                        f" {_line([answer for answer in given if answer.half == half])}"
                    )


def answers(size: int, cache: VectorCache | None) -> Iterator[Answer]:
    """
    Yield the answer to each labelled prompt, of each store of *size* lessons.

    Vectors are used if there is a *cache*.
    """
    lessons, chance = lesson_entries(), random.Random(size)
    for _ in range(DRAWS[size]):
        drawn = {label: lessons[label] for label in chance.sample([*lessons], size)}
        with asking([*drawn.values()], cache) as store:
            yield from _answers(store, {label: entry.entry_id for label, entry in drawn.items()})


def figures(given: Sequence[Answer]) -> Figures:
    """Return the figures of these answers, among which are prompts of both sorts."""
    fitting, other = ([answer for answer in given if answer.fits is fits] for fits in (True, False))
    shown = [right for answer in fitting for right in answer.right]
    return Figures(_spoken(other), _spoken(fitting), sum(shown) / len(shown) if shown else 1.0)


def _answers(store: Asking, ids: dict[str, str]) -> Iterator[Answer]:
    for prompt in items("prompts.jsonl"):
        right = [ids[label] for label in prompt["lessons"] if label in ids]
        yield Answer(prompt["half"], bool(right), store.ask(prompt["prompt"], right).right)


def _spoken(given: Sequence[Answer]) -> float:
    return sum(bool(answer.right) for answer in given) / len(given)


def _line(given: Sequence[Answer]) -> str:
    wrong, answered, precision = figures(given)
    return f"{len(given):7}  {wrong:5.1%}  {answered:8.0%}  {precision:9.0%}"
