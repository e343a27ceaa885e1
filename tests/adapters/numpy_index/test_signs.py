"""Signs of vectors tell which entries are near and damaged bytes are refused."""

import math
import operator
import struct
from array import array
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.numpy_index import signs
from hardwon.adapters.numpy_index.blocks import (
    HEADER,
    Admitted,
    Codes,
    Floats,
    Members,
    Numbers,
    bytes_of_signs,
    pack_codes,
)
from hardwon.adapters.numpy_index.signs import SPARE, TIMES, BySigns, QuerySigns, Signs, pack
from hardwon.adapters.numpy_index.vector_index import (
    BLOCK_CPU_SECONDS,
    SCORED_CPU_SECONDS,
    SIGNS_CPU_SECONDS,
    NumpyVectorIndex,
)
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, EntryFilter
from hardwon.ports.vectors import MAX_BLOCK_VECTORS, BlockState, VectorBlock

WIDTH, STAMP, BLOCKS = 100, -7, 8
DRAWN = np.random.default_rng(5)


def drawn(count: int, width: int = WIDTH) -> Floats:
    """Return unit vectors in clusters, as those of texts are."""
    centres = DRAWN.normal(size=(count // 40 + 1, width))
    values = centres[DRAWN.integers(0, len(centres), count)] + DRAWN.normal(size=(count, width))
    rows: Floats = (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(np.float32)
    return rows


VECTORS = drawn(BLOCKS * MAX_BLOCK_VECTORS)


class Source:
    """Packed blocks of vectors, with or without signs."""

    dimensions = WIDTH

    def __init__(self, *, with_signs: bool = True) -> None:
        packing = pack if with_signs else pack_codes
        self.parts = {number: packing(self.load_block(number), STAMP) for number in range(BLOCKS)}
        self.bytes_read, self.dropped = 0, list[int]()

    def version(self) -> int:
        return 1

    def load(self, numbers: Sequence[int]) -> VectorBlock:
        return VectorBlock(numbers, array("f", VECTORS[list(numbers)].tobytes()))

    def load_block(self, number: int) -> VectorBlock:
        first = number * MAX_BLOCK_VECTORS
        return self.load(range(first, first + MAX_BLOCK_VECTORS))

    def members(self, only: EntryFilter) -> Mapping[str | None, str]:
        numbers = range(0, len(VECTORS), 1 if only == EVERYTHING else 2)
        return {"patterns": ",".join(map(str, numbers))}

    def blocks(self) -> Mapping[int, BlockState]:
        return {
            number: BlockState(STAMP, is_packed=bool(part)) for number, part in self.parts.items()
        }

    def admits_all(self, only: EntryFilter) -> bool:
        return only == EVERYTHING

    def packed(self, number: int, most: int | None = None) -> bytes | None:
        part = (self.parts[number] or b"")[:most]
        self.bytes_read += len(part)
        return part

    def unpack(self, number: int) -> None:
        self.dropped.append(number)
        self.parts[number] = None

    def in_tie_order(self, numbers: Sequence[int]) -> list[int]:
        return sorted(numbers)


def query(place: int) -> Vector:
    """Return a vector near to the stored one at *place*."""
    near = VECTORS[place] + DRAWN.normal(size=WIDTH).astype(np.float32) * 0.05
    return array("f", (near / np.linalg.norm(near)).tobytes())


@given(data=st.data())
def test_an_estimate_is_that_of_the_signs_and_the_levels_of_the_query(data: st.DataObject) -> None:
    width = data.draw(st.sampled_from([1, 24, 64, 65, 384]))
    rows = drawn(data.draw(st.integers(1, 4)), width)
    question = drawn(1, width)[0]
    codes = codes_of(rows)
    vectors = codes.values * codes.scales[:, np.newaxis]
    centre = vectors.mean(axis=0)

    step = sorted(abs(question))[int(0.97 * width)] / 4
    asked = [
        math.copysign((0.5 + min(3, int(abs(value) / step))) * step, value) for value in question
    ]
    for vector, estimate in zip(
        vectors, Signs.of_codes(codes).estimates(QuerySigns.of(question)), strict=True
    ):
        beside = vector - centre
        signs = [1 if value > 0 else -1 for value in beside]
        factor = sum(beside**2) / sum(abs(beside)) if any(beside) else 0.0
        product = sum(map(operator.mul, signs, asked))
        assert estimate == pytest.approx(centre @ question + factor * product, abs=1e-4)


def test_estimates_are_near_to_scores() -> None:
    rows = drawn(2000, 384) + np.float32(0.1)  # far from the origin, as many models are
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    signs = Signs.of_codes(codes_of(rows[:1000]))
    for question in rows[::100]:
        errors = signs.estimates(QuerySigns.of(question)) - rows[:1000] @ question
        assert np.quantile(abs(errors), 0.95) < 0.07


def codes_of(rows: Floats) -> Codes:
    block = VectorBlock(range(len(rows)), array("f", rows.tobytes()))
    codes = Codes.unpack(pack_codes(block, STAMP) or b"", STAMP, rows.shape[1])
    assert codes is not None
    return codes


def test_numpy_1_counts_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    signs, asked = Signs.of_codes(codes_of(VECTORS[:500])), QuerySigns.of(VECTORS[3])
    estimated = signs.estimates(asked)
    assert estimated.argmax() == 3

    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert (signs.estimates(asked) == estimated).all()


def test_of_a_block_only_the_signs_are_read() -> None:
    source = Source()
    NumpyVectorIndex(source, exact_blocks=0).compare(query(7), EVERYTHING).count()

    assert source.bytes_read == BLOCKS * bytes_of_signs(MAX_BLOCK_VECTORS, WIDTH)
    assert source.bytes_read < sum(len(part or b"") for part in source.parts.values()) / 3


def test_the_expected_time_is_of_blocks_not_yet_read_and_after_signs_of_scored_vectors() -> None:
    exact, by_signs = NumpyVectorIndex(Source()), NumpyVectorIndex(Source(), exact_blocks=0)
    assert exact.cpu_seconds() == BLOCKS * BLOCK_CPU_SECONDS
    assert by_signs.cpu_seconds() == BLOCKS * SIGNS_CPU_SECONDS + SCORED_CPU_SECONDS
    for index in (exact, by_signs, exact, by_signs):  # what is read again is kept
        index.compare(query(7), EVERYTHING).count()

    assert (exact.cpu_seconds(), by_signs.cpu_seconds()) == (0, SCORED_CPU_SECONDS)


@pytest.mark.parametrize("only", [EVERYTHING, LEARNINGS])
def test_the_best_is_found_and_nearly_all_of_the_next(only: EntryFilter) -> None:
    source, found, best = Source(), 0, 32
    exact = NumpyVectorIndex(source)
    for place in range(0, len(VECTORS), 400):
        asked = query(place)
        plain = exact.compare(asked, only)
        matches = NumpyVectorIndex(source, exact_blocks=0).compare(asked, only)

        assert matches.count() == plain.count()
        assert matches.top(1) == plain.top(1)
        assert matches.statistics().best == plain.statistics().best
        found += len({*matches.top(best)} & {*plain.top(best)})
        assert matches.scores(range(300)) == plain.scores(range(300))
    assert found / (best * len(range(0, len(VECTORS), 400))) > 0.97


def test_the_statistics_of_a_sample_are_near_to_those_of_all() -> None:
    source = Source()
    for place in range(0, len(VECTORS), 1000):
        asked = query(place)
        exact = NumpyVectorIndex(source).compare(asked, EVERYTHING).statistics()
        sampled = NumpyVectorIndex(source, exact_blocks=0).compare(asked, EVERYTHING).statistics()

        assert sampled.found == exact.found
        assert sampled.total / exact.found == pytest.approx(exact.total / exact.found, abs=0.02)
        assert sampled.squares / exact.found == pytest.approx(exact.squares / exact.found, abs=0.02)
        assert sampled.low == pytest.approx(exact.low, abs=0.04)


def test_estimates_of_all_are_scaled_by_the_scores_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signs, "SAMPLE", 20)
    everyone = Admitted(lambda: Members.of({}), are_all=True)
    compared = BySigns([Signs.of_codes(codes_of(VECTORS[:500]))], everyone, VECTORS[3])
    expected = dict(zip(compared.numbers.tolist(), compared.bounds.upper / 2 + 0.1, strict=True))
    asked = list[int]()

    def score(numbers: Numbers) -> Mapping[int, float]:
        asked.extend(numbers.tolist())
        return {number: float(expected[number]) for number in asked}

    assert compared.sample(score) == pytest.approx([*expected.values()], abs=1e-6)
    assert len(asked) == 20


def test_no_more_vectors_are_scored_than_the_nearest_by_signs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = Source()
    matches = NumpyVectorIndex(source, exact_blocks=0).compare(query(7), EVERYTHING)
    loaded = list[int]()

    def load(numbers: Sequence[int]) -> VectorBlock:
        loaded.extend(numbers)
        return Source.load(source, numbers)

    monkeypatch.setattr(source, "load", load)
    matches.top(10)
    assert SPARE + TIMES * 10 <= len(loaded) < 2 * (SPARE + TIMES * 10)  # ties are scored too


def test_blocks_of_earlier_versions_give_the_same_answers() -> None:
    asked = query(7)
    matches = [
        NumpyVectorIndex(source, exact_blocks=0).compare(asked, EVERYTHING)
        for source in (Source(), Source(with_signs=False))
    ]
    assert matches[0].top(50) == matches[1].top(50)
    assert matches[0].statistics() == matches[1].statistics()


def test_codes_are_read_behind_the_signs() -> None:
    source, without = Source(), Source(with_signs=False)
    asked = query(7)
    for index in (NumpyVectorIndex(source), NumpyVectorIndex(source, exact_blocks=BLOCKS)):
        found, plain = (
            other.compare(asked, EVERYTHING) for other in (index, NumpyVectorIndex(without))
        )
        assert found.top(50) == plain.top(50)
        assert found.statistics() == plain.statistics()
    assert source.dropped == []


SMALL = VectorBlock(range(3), array("f", VECTORS[:3].tobytes()))
PACKED = pack(SMALL, STAMP) or b""


class OneBlock(Source):
    """One packed block, as given."""

    def __init__(self, packed: bytes) -> None:
        self.parts, self.bytes_read = {0: packed}, 0


def readings(packed: bytes, stamp: int = STAMP) -> list[bool]:
    """Return whether the signs are read, and whether the codes are."""
    source = OneBlock(packed)
    return [form.read(source, 0, stamp) is not None for form in (Signs, Codes)]


@given(data=st.data())
def test_a_changed_byte_is_noticed_by_those_who_read_it(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(PACKED) - 1))
    damaged = bytearray(PACKED)
    damaged[place] ^= data.draw(st.integers(1, 255))
    end = bytes_of_signs(3, WIDTH)

    assert readings(PACKED) == [True, True]
    if place >= end:
        assert readings(bytes(damaged)) == [True, False]
    elif place >= HEADER.size:
        assert readings(bytes(damaged)) == [False, True]
    else:
        assert not readings(bytes(damaged))[0]


@given(length=st.integers(0, len(PACKED) - 1))
def test_a_block_that_was_cut_off_is_noticed(length: int) -> None:
    assert readings(PACKED[:length]) == [length >= bytes_of_signs(3, WIDTH), False]


def test_a_block_of_another_stamp_or_version_is_refused() -> None:
    assert readings(PACKED, STAMP + 1) == [False, False]
    assert readings(struct.pack("<I", 9) + PACKED[4:]) == [False, False]


def test_damaged_signs_are_dropped_and_made_of_the_vectors() -> None:
    source, asked = Source(), query(7)
    expected = NumpyVectorIndex(source, exact_blocks=0).compare(asked, EVERYTHING).top(20)
    source.parts[2] = bytes(len(source.parts[2] or b""))

    assert NumpyVectorIndex(source, exact_blocks=0).compare(asked, EVERYTHING).top(20) == expected
    assert source.dropped == [2]


def test_a_block_with_a_vector_that_is_no_unit_vector_is_not_packed() -> None:
    assert pack(SMALL._replace(values=array("f", [2.0, *SMALL.values[1:]])), STAMP) is None
    assert pack(VectorBlock([], array("f")), STAMP) is None


@pytest.mark.filterwarnings("error")
def test_a_block_whose_vectors_are_all_damaged_has_no_entries() -> None:
    damaged = OneBlock(b"")
    damaged.load = lambda numbers: VectorBlock(  # type: ignore[method-assign]
        numbers, array("f", [2.0] * WIDTH * len(numbers))
    )
    matches = NumpyVectorIndex(damaged, exact_blocks=0).compare(query(7), EVERYTHING)

    assert matches.count() == 0
    assert matches.top(3) == []
