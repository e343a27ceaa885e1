"""
Score packed passages in numpy.

The scores are those of `scoring`, to the last bit.
"""

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hardwon.adapters.sqlite.derived import SHIFT
from hardwon.adapters.sqlite.scoring import K1, B, PackedPostings
from hardwon.domain.model.ranking.adaptive import DELTA

PLACES = np.arange(1 << SHIFT, dtype=np.uint32)
"""The places of a block's entries, which their first passages have too."""


def best_passages(packed: PackedPostings, asked: float) -> dict[int, float]:
    """Score passages together, as `BestPassages`."""
    if not packed.holding:
        return {}
    blocks = [packed.blocks[block] for block in packed.holding]
    sizes = [len(block.passages) for block in blocks]
    lengths = _joined(np.uint32, (block.passages for block in blocks))
    owners = _joined(np.uint32, chain.from_iterable((PLACES, block.owners) for block in blocks))
    numbers = owners + np.repeat(np.array([*packed.holding]) << SHIFT, sizes)

    postings = [
        (first, weight, term)
        for first, holding in zip(np.cumsum([0, *sizes]), packed.holding.values())  # noqa: B905
        for weight, term in holding
    ]
    firsts, weights, terms = zip(*postings, strict=True)
    hits = [len(term.places) for term in terms]
    places = _joined(np.uint16, (term.places for term in terms)) + np.repeat(firsts, hits)
    times = _joined(np.uint16, (term.counts for term in terms)).astype(np.float64)
    idf = np.repeat(weights, hits)

    saturation = K1 * (1 - B + B * lengths[places] / packed.average)
    bm25s = np.bincount(places, idf * ((times * (K1 + 1)) / (times + saturation)))
    matched = np.bincount(places, idf)
    found = np.flatnonzero(matched)
    bm25s, matched = bm25s[found], matched[found]
    scores = np.sqrt(matched / asked) * (bm25s + DELTA * matched)
    ascending = np.argsort(scores)  # the best passage of an entry is the last one
    return dict(zip(numbers[found[ascending]].tolist(), scores[ascending].tolist(), strict=True))


def _joined(dtype: DTypeLike, parts: Iterable[Any]) -> NDArray[Any]:
    return np.frombuffer(b"".join(parts), dtype)
