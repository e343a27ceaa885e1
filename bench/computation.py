"""The computation between a query vector and the text, in this process."""

import os
import time
from collections.abc import Callable
from statistics import median

from bench.figures import Aim, Figure
from bench.planted import Loaded, Planted, numbers_of
from hardwon.domain.model.filters import LEARNINGS

AIM = Aim(30, "value")


def computation_figures(folder: str, entries: int, repetitions: int) -> list[Figure]:
    """
    Return requirement A-AC9a, what reading the vectors adds, and what pruning saves.

    Raises:
        ValueError: pruning chose other entries than ranking the whole store.

    """
    planted = Planted(os.path.join(folder, f"planted-{entries}"), entries)
    loaded = Loaded(planted.vectors)
    numbers = numbers_of(planted.vectors.members(LEARNINGS))
    found = planted.search(loaded)
    if planted.choose(found) != planted.choose_exhaustively(found, entries):
        raise ValueError("pruned ranking is not exhaustive ranking")

    def milliseconds(work: Callable[[], object]) -> float:
        return median(_milliseconds(work) for _ in range(repetitions))

    computing = milliseconds(lambda: planted.inject(loaded, with_words=False))
    pruned = milliseconds(lambda: planted.choose(found))
    exhaustive = milliseconds(lambda: planted.choose_exhaustively(found, entries))
    return [
        Figure(
            "compute",
            "A-AC9a: vector search, scoring, choice and text, 768 wide",
            entries,
            computing,
            "ms",
            aim=AIM,
        ),
        Figure(
            "compute_words",
            "the same with keyword search",
            entries,
            milliseconds(lambda: planted.inject(loaded)),
            "ms",
        ),
        Figure(
            "load",
            "reading the vectors from SQLite, 768 wide",
            entries,
            milliseconds(lambda: planted.vectors.load(numbers)),
            "ms",
        ),
        Figure(
            "compute_and_load",
            "all of it",
            entries,
            milliseconds(lambda: planted.inject(planted.vectors)),
            "ms",
        ),
        Figure("choose_pruned", "choice alone, pruned", entries, pruned, "ms"),
        Figure(
            "choose_all",
            "choice alone, ranking all",
            entries,
            exhaustive,
            "ms",
            exhaustive / pruned,
            "pruned",
        ),
    ]


def _milliseconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1000
