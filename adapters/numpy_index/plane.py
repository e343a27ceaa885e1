"""Principal components of stored vectors, and groups of near duplicates."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hardwon.adapters.numpy_index.blocks import Members
from hardwon.domain.model.filters import EntryFilter
from hardwon.ports.override import override
from hardwon.ports.overview import Plane, Projection
from hardwon.ports.vectors import VectorSource

Rows = NDArray[np.float32]

NEAR = 0.9
"""The cosine from which two entries are near duplicates."""

MAX_COMPARED = 20_000
"""Comparing all pairs of so many takes four seconds."""

BLOCK = 1_000
COARSE = 32
"""Principal components compared first: their distances are never larger than the true ones."""

MANY = 0.02
"""The share of remaining pairs above which all vectors are compared at once."""


class NumpyProjection(Projection):
    """
    The plane of the first two principal components.

    The last plane is kept until the store changes. Near duplicates are not searched among more than
    *max_compared* entries.
    """

    def __init__(self, source: VectorSource, max_compared: int = MAX_COMPARED) -> None:
        self._source = source
        self._max_compared = max_compared
        self._kept: tuple[tuple[int, EntryFilter], Plane] | None = None

    @override
    def plane(self, only: EntryFilter) -> Plane:
        asked = (self._source.version(), only)
        if self._kept is None or self._kept[0] != asked:
            self._kept = asked, self._plane(only)
        return self._kept[1]

    def _plane(self, only: EntryFilter) -> Plane:
        members = Members.of(self._source.members(only))
        block = self._source.load(members.numbers.tolist())
        numbers = np.array(block.numbers, dtype=np.int64)
        if not len(numbers):
            return Plane()
        rows = np.frombuffer(block.values, dtype=np.float32).reshape(len(numbers), -1)
        order = np.argsort(numbers)
        numbers, rows = numbers[order], rows[order]
        components, variance = _principal_components(rows)
        flat = _scaled(components[:, :2].astype(np.float64))
        groups = _groups(rows, components) if len(numbers) <= self._max_compared else None
        return Plane(
            points=dict(zip(numbers.tolist(), map(tuple, flat.round(5).tolist()), strict=True)),
            variance=(float(variance[0]), float(variance[1])),
            groups=None if groups is None else [numbers[group].tolist() for group in groups],
        )


def _principal_components(rows: Rows) -> tuple[Rows, NDArray[np.float64]]:
    """Return the coordinates of *rows*, and each component's share of the variance."""
    centred = rows - rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    values, axes = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    axes = axes[:, ::-1][:, :COARSE]
    axes = axes * np.where(
        np.take_along_axis(axes, np.abs(axes).argmax(axis=0)[None], axis=0) < 0, -1.0, 1.0
    )
    total = values.clip(0).sum()
    shares = np.zeros(max(2, len(values)))
    shares[: len(values)] = values[::-1].clip(0) / total if total > 0 else 0.0
    components = centred @ axes.astype(np.float32)
    return np.pad(components, ((0, 0), (0, max(0, 2 - components.shape[1])))), shares


def _scaled(flat: NDArray[np.float64]) -> NDArray[np.float64]:
    largest = np.abs(flat).max()
    return flat / largest if largest > 1e-6 else np.zeros_like(flat)  # noqa: PLR2004  # else it is rounding


def _groups(rows: Rows, components: Rows) -> list[list[int]]:
    """Return the rows of near duplicates, chained, the largest group first."""
    parents = list(range(len(rows)))

    def root(row: int) -> int:
        while parents[row] != row:
            parents[row] = parents[parents[row]]
            row = parents[row]
        return row

    for first, second in _near_pairs(rows, components):
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
