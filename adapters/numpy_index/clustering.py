"""Topics of stored vectors, and groups of near duplicates."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hardwon.adapters.numpy_index.blocks import Members
from hardwon.domain.model.filters import EntryFilter
from hardwon.ports.override import override
from hardwon.ports.overview import Clustering, Clusters
from hardwon.ports.vectors import VectorSource

Rows = NDArray[np.float32]

NEAR = 0.9
"""The cosine from which two entries are near duplicates."""

MAX_COMPARED = 20_000
"""Comparing all pairs of so many takes four seconds."""

BLOCK = 1_000
COARSE = 32
"""Principal components compared first: their distances are never larger than the true ones."""

SAME = 1e-6
"""A smaller distance or length is rounding."""

MANY = 0.02
"""The share of remaining pairs above which all vectors are compared at once."""


MAX_TOPICS = 40
ENTRIES_OF_A_TOPIC = 8
"""The mean number of entries of a topic in a small store."""

MAX_ROUNDS = 20


class NumpyClustering(Clustering):
    """
    Topics by spherical k-means, and chained near duplicates.

    The last clusters are kept until the store changes. Near duplicates are not searched among more
    than *max_compared* entries.
    """

    def __init__(self, source: VectorSource, max_compared: int = MAX_COMPARED) -> None:
        self._source = source
        self._max_compared = max_compared
        self._kept: tuple[tuple[int, EntryFilter], Clusters] | None = None

    @override
    def clusters(self, only: EntryFilter) -> Clusters:
        asked = (self._source.version(), only)
        if self._kept is None or self._kept[0] != asked:
            self._kept = asked, self._clusters(only)
        return self._kept[1]

    def _clusters(self, only: EntryFilter) -> Clusters:
        members = Members.of(self._source.members(only))
        block = self._source.load(members.numbers.tolist())
        numbers = np.array(block.numbers, dtype=np.int64)
        if not len(numbers):
            return Clusters()
        rows = np.frombuffer(block.values, dtype=np.float32).reshape(len(numbers), -1)
        order = np.argsort(numbers)
        numbers, rows = numbers[order], rows[order]
        near = _groups(rows) if len(numbers) <= self._max_compared else None
        return Clusters(
            topics=[numbers[topic].tolist() for topic in _topics(rows)],
            duplicates=None if near is None else [numbers[group].tolist() for group in near],
        )


def _topics(rows: Rows) -> list[NDArray[np.int64]]:
    """
    Return the rows of each topic, the largest topic first.

    They are sorted by closeness to its centre.
    """
    count = min(MAX_TOPICS, max(1, len(rows) // ENTRIES_OF_A_TOPIC))
    centres = _first_centres(rows, count)
    nearest = (rows @ centres.T).argmax(axis=1)
    for _ in range(MAX_ROUNDS):
        centres = _centres(rows, nearest, centres)
        moved = (rows @ centres.T).argmax(axis=1)
        if np.array_equal(moved, nearest):
            break
        nearest = moved
    closeness = np.einsum("ij,ij->i", rows, centres[nearest])
    topics = (np.flatnonzero(nearest == topic) for topic in range(count))
    ordered = [
        topic[np.argsort(-closeness[topic], kind="stable")] for topic in topics if topic.size
    ]
    return sorted(ordered, key=lambda topic: (-topic.size, topic[0]))


def _first_centres(rows: Rows, count: int) -> Rows:
    """
    Return distant rows, drawn by k-means++ (Arthur and Vassilvitskii 2007) with a fixed seed.

    There are fewer than *count* if so few rows differ.
    """
    random = np.random.default_rng(0)
    chosen = [int((rows @ rows.mean(axis=0)).argmax())]
    distances = 1 - rows @ rows[chosen[0]]
    while len(chosen) < count:
        weights = distances.astype(np.float64).clip(0) * (distances > SAME)
        if not weights.any():
            break
        chosen.append(int(random.choice(len(rows), p=weights / weights.sum())))
        distances = np.minimum(distances, 1 - rows @ rows[chosen[-1]])
    return rows[chosen]


def _centres(rows: Rows, nearest: NDArray[np.int64], before: Rows) -> Rows:
    """Return the directions of the means, those of *before* for topics without rows."""
    belongs = nearest == np.arange(len(before))[:, None]
    sums = belongs.astype(np.float32) @ rows
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    centres: Rows = np.where(lengths > SAME, sums / np.maximum(lengths, SAME), before)
    return centres


def _principal_components(rows: Rows) -> Rows:
    """Return the first coordinates of *rows* along the axes of their largest variance."""
    centred = rows - rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    _, axes = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    components: Rows = centred @ axes[:, ::-1][:, :COARSE].astype(np.float32)
    return components


def _groups(rows: Rows) -> list[list[int]]:
    """Return the rows of near duplicates, chained, the largest group first."""
    parents = list(range(len(rows)))

    def root(row: int) -> int:
        while parents[row] != row:
            parents[row] = parents[parents[row]]
            row = parents[row]
        return row

    for first, second in _near_pairs(rows, _principal_components(rows)):
        parents[root(second)] = root(first)
    groups = dict[int, list[int]]()
    for row in range(len(rows)):
        groups.setdefault(root(row), []).append(row)
    return sorted(
        (group for group in groups.values() if len(group) > 1),
        key=lambda group: (-len(group), group),
    )


def _near_pairs(rows: Rows, components: Rows) -> Iterator[Sequence[int]]:
    farthest = 2 * (1 - NEAR)
    lengths = (components**2).sum(axis=1)
    for begin in range(0, len(rows), BLOCK):
        block = slice(begin, begin + BLOCK)
        distances = (
            lengths[block, None]
            + lengths[None, begin:]
            - 2 * components[block] @ components[begin:].T
        )
        possible = np.triu(distances <= farthest + 1e-4, 1)
        if possible.mean() > MANY:
            possible &= rows[block] @ rows[begin:].T >= NEAR
        ones, others = np.nonzero(possible)
        ones, others = ones + begin, others + begin
        cosines = np.concatenate(
            [
                np.einsum(
                    "ij,ij->i", rows[ones[part : part + BLOCK]], rows[others[part : part + BLOCK]]
                )
                for part in range(0, len(ones), BLOCK)
            ]
            or [np.empty(0, dtype=np.float32)]
        )
        near = cosines >= NEAR
        yield from zip(ones[near].tolist(), others[near].tolist(), strict=True)
