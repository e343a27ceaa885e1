"""Packed blocks: the bounds hold for every vector, and bytes that do not fit are refused."""

import math
import struct
import tracemalloc
import zlib
from array import array
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.numpy_index.blocks import (
    CHUNK,
    FEW_A_BLOCK,
    HEADER,
    VERSION,
    Admitted,
    ByCodes,
    Codes,
    Members,
    QueryCodes,
    VectorRows,
    pack_codes,
)
from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex
from hardwon.domain.model.embedding import Vector, cosine, unit
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.ranking.candidates import IndexHit
from hardwon.domain.model.vocabulary import Category
from hardwon.ports.vectors import BlockState, VectorBlock

WIDTH, STAMP = 24, -7

vectors = (
    st.lists(st.floats(-1, 1, width=32), min_size=WIDTH, max_size=WIDTH)
    .filter(lambda values: sum(value * value for value in values) > 1e-6)
    .map(lambda values: unit(array("f", values), WIDTH))
)


def block_of(rows: list[Vector], first: int = 1) -> VectorBlock:
    values = array("f")
    for row in rows:
        values.extend(row)
    return VectorBlock(range(first, first + len(rows)), values)


ONE = block_of(
    [unit(array("f", range(1, WIDTH + 1)), WIDTH), unit(array("f", range(WIDTH, 0, -1)), WIDTH)]
)
PACKED = pack_codes(ONE, STAMP) or b""


@given(rows=st.lists(vectors, min_size=1, max_size=5), query=vectors)
def test_no_score_is_farther_from_its_bound_than_its_error(
    rows: list[Vector], query: Vector
) -> None:
    block = block_of(rows)
    codes = Codes.unpack(pack_codes(block, STAMP) or b"", STAMP, WIDTH)
    assert codes is not None
    assert codes.numbers.tolist() == list(block.numbers)

    exact = np.array([cosine(row, query) for row in rows])
    compared = codes.compare(QueryCodes.of(np.frombuffer(query, "f4")))
    assert (np.abs(compared.scores - exact) <= compared.errors).all()
    assert np.abs(compared.scores - exact).max() < 0.02


@pytest.mark.parametrize("width", [384, 1040, 1041, 3072])
def test_a_row_has_the_same_coarse_score_in_whatever_company_and_order(width: int) -> None:
    generator = np.random.default_rng(1)
    drawn = generator.normal(size=(300, width)).astype(np.float32)
    drawn[:100] = np.sign(drawn[:100])  # every code is the largest
    rows = VectorRows(np.arange(300), drawn / np.linalg.norm(drawn, axis=1, keepdims=True))
    query = QueryCodes.of(rows.values[0])
    together = Codes.of(rows).compare(query).scores

    order = generator.permutation(300)
    assert (
        Codes.of(VectorRows(rows.numbers, rows.values[order])).compare(query).scores
        == together[order]
    ).all()
    for row in (0, 99, 100, 299):
        single = Codes.of(VectorRows(rows.numbers[:1], rows.values[row : row + 1])).compare(query)
        assert single.scores[0] == together[row]


def test_a_block_takes_a_quarter_of_its_vectors() -> None:
    assert len(PACKED) == HEADER.size + 2 * (WIDTH + 16)


ODD = WIDTH + 1
PACKED_ODD = pack_codes(block_of([unit(array("f", range(1, ODD + 1)), ODD)] * 2), STAMP) or b""
"""A block that ends within a word."""


@pytest.mark.parametrize(("packed", "width"), [(PACKED, WIDTH), (PACKED_ODD, ODD)])
@given(data=st.data())
def test_a_changed_byte_is_noticed_wherever_it_is(
    packed: bytes, width: int, data: st.DataObject
) -> None:
    damaged = bytearray(packed)
    damaged[data.draw(st.integers(0, len(packed) - 1))] ^= data.draw(st.integers(1, 255))

    assert Codes.unpack(packed, STAMP, width) is not None
    assert Codes.unpack(bytes(damaged), STAMP, width) is None


def test_lost_and_swapped_pages_are_noticed() -> None:
    block = block_of([unit(array("f", np.random.default_rng(1).normal(size=384)), 384)] * 40)
    packed = pack_codes(block._replace(values=block.values[::-1]), STAMP) or b""
    assert Codes.unpack(packed, STAMP, 384) is not None
    page = 4092
    for at in range(HEADER.size, len(packed) - 2 * page, page):
        first, second = packed[at : at + page], packed[at + page : at + 2 * page]
        for damaged in (second + first, first * 2, first + bytes(page)):
            assert (
                Codes.unpack(packed[:at] + damaged + packed[at + 2 * page :], STAMP, 384) is None
            ) == (damaged != first + second)


def test_a_block_of_the_first_version_is_read() -> None:
    header = struct.pack("<IIqII", 1, 0, STAMP, 2, WIDTH)
    checksum = zlib.crc32(header[8:] + PACKED[HEADER.size :])
    first = struct.pack("<II", 1, checksum) + header[8:] + PACKED[HEADER.size :]
    codes = Codes.unpack(first, STAMP, WIDTH)

    assert codes is not None
    assert codes.numbers.tolist() == list(ONE.numbers)
    assert Codes.unpack(first[:-1] + bytes([first[-1] ^ 1]), STAMP, WIDTH) is None


@given(length=st.integers(0, len(PACKED) - 1))
def test_a_block_that_was_cut_off_is_noticed(length: int) -> None:
    assert Codes.unpack(PACKED[:length], STAMP, WIDTH) is None
    assert Codes.unpack(PACKED + PACKED[:length] + b"\0", STAMP, WIDTH) is None


def test_a_block_of_another_stamp_width_or_version_is_refused() -> None:
    assert Codes.unpack(PACKED, STAMP + 1, WIDTH) is None
    assert Codes.unpack(PACKED, STAMP, WIDTH + 1) is None
    assert Codes.unpack(struct.pack("<I", VERSION + 1) + PACKED[4:], STAMP, WIDTH) is None


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2.0])
def test_a_block_with_a_vector_that_is_no_unit_vector_is_not_packed(value: float) -> None:
    assert pack_codes(ONE._replace(values=array("f", [value, *ONE.values[1:]])), STAMP) is None


def test_nothing_is_no_block() -> None:
    assert pack_codes(VectorBlock([], array("f")), STAMP) is None


@given(
    rows=st.lists(vectors, min_size=12, max_size=30),
    query=vectors,
    asked=st.lists(
        st.tuples(st.sampled_from([1, 2, 9, 30]), st.sampled_from([None, "patterns"])),
        min_size=2,
        max_size=6,
    ),
)
def test_the_nearest_are_the_same_whatever_was_asked_before(
    rows: list[Vector], query: Vector, asked: list[tuple[int, Category | None]]
) -> None:
    block = block_of(rows)
    codes = Codes.unpack(pack_codes(block, STAMP) or b"", STAMP, WIDTH)
    assert codes
    parts = {"patterns": block.numbers[::2], "heuristics": block.numbers[1::2]}
    admitted = Admitted(
        lambda: Members.of({name: ",".join(map(str, part)) for name, part in parts.items()})
    )
    compared = ByCodes([codes], admitted, np.frombuffer(query, np.float32))
    bounds = codes.compare(QueryCodes.of(np.frombuffer(query, np.float32)))
    for k, category in asked:
        own = [*(parts[category] if category else block.numbers)]
        places = [number - 1 for number in own]
        least = sorted(bounds.scores[places] - bounds.errors[places])[-k:][:1]
        expected = [
            number
            for number, place in zip(own, places, strict=True)
            if bounds.scores[place] + bounds.errors[place] >= least[0]
        ]
        assert compared.nearest(k, category).tolist() == (own if len(own) <= k else expected)


class DamagedSource:
    """Three vectors, the second of which is damaged."""

    dimensions = 2

    def version(self) -> int:
        return 1

    def load(self, numbers: Sequence[int]) -> VectorBlock:
        rows: Mapping[int, Sequence[float]] = {1: [1, 0], 2: [math.nan, 0], 3: [0.6, 0.8]}
        return VectorBlock(
            numbers, array("f", [value for number in numbers for value in rows[number]])
        )

    def members(self, only: EntryFilter) -> Mapping[str | None, str]:
        del only
        return {"patterns": "1,2,3"}

    def blocks(self) -> Mapping[int, BlockState]:
        return {0: BlockState(1, is_packed=False)}

    def load_block(self, number: int) -> VectorBlock:
        del number
        return self.load([1, 2, 3])

    def admits_all(self, only: EntryFilter) -> bool:
        del only
        return False

    def packed(self, number: int, most: int | None = None) -> bytes | None:
        del number, most
        return None

    def unpack(self, number: int) -> None:
        del number

    def in_tie_order(self, numbers: Sequence[int]) -> list[int]:
        return sorted(numbers)


class ManyVectors(DamagedSource):
    """More vectors than are loaded at once, all close to the query."""

    def __init__(self) -> None:
        self.loaded = list[int]()

    def load(self, numbers: Sequence[int]) -> VectorBlock:
        self.loaded.append(len(numbers))
        rows = [unit(array("f", [1.0, number / 10_000]), 2) for number in numbers]
        return VectorBlock(numbers, array("f", [value for row in rows for value in row]))

    def members(self, only: EntryFilter) -> Mapping[str | None, str]:
        del only
        return {"patterns": ",".join(map(str, range(3 * CHUNK)))}

    def load_block(self, number: int) -> VectorBlock:
        del number
        return self.load(range(3 * CHUNK))


def test_the_vectors_of_many_candidates_are_never_in_memory_together() -> None:
    source = ManyVectors()
    matches = NumpyVectorIndex(source).compare(array("f", [1, 0]), LEARNINGS)
    found = matches.top(2 * CHUNK + 1)

    assert [hit.number for hit in found] == [*range(2 * CHUNK + 1)]
    assert max(source.loaded[1:]) <= CHUNK < sum(source.loaded[1:])


class PackedBlocks(DamagedSource):
    """Packed blocks, read into new bytes at each look."""

    dimensions = 512

    def __init__(self) -> None:
        row = unit(array("f", range(1, self.dimensions + 1)), self.dimensions)
        firsts = range(0, 64 * FEW_A_BLOCK * 2, FEW_A_BLOCK * 2)
        made = [block_of([row] * (FEW_A_BLOCK + 1), first) for first in firsts]
        self.numbers = [number for block in made for number in block.numbers]
        self.parts = [pack_codes(block, STAMP) or b"" for block in made]

    def members(self, only: EntryFilter) -> Mapping[str | None, str]:
        del only
        return {"patterns": ",".join(map(str, self.numbers))}

    def blocks(self) -> Mapping[int, BlockState]:
        return dict.fromkeys(range(len(self.parts)), BlockState(STAMP, is_packed=True))

    def packed(self, number: int, most: int | None = None) -> bytes | None:
        return bytes(bytearray(self.parts[number][:most]))


def test_packed_blocks_are_never_in_memory_together() -> None:
    source = PackedBlocks()
    query = unit(array("f", [1] * source.dimensions), source.dimensions)
    tracemalloc.start()
    try:
        assert NumpyVectorIndex(source).compare(query, LEARNINGS).count() == len(source.numbers)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < sum(map(len, source.parts)) / 2


def test_a_damaged_vector_is_ignored() -> None:
    matches = NumpyVectorIndex(DamagedSource()).compare(array("f", [1, 0]), LEARNINGS)

    assert matches.count() == 2
    assert matches.top(1) == [IndexHit(1, 1.0)]
    assert matches.top(3) == [IndexHit(1, 1.0), IndexHit(3, 0.6)]
    assert matches.scores([1, 2, 3]) == {1: 1.0, 3: 0.6}
