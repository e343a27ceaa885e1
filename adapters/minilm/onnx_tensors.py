"""A walk through an ONNX file (protobuf) to the tensors in it, without the onnx package."""

from collections.abc import Iterator
from math import prod
from mmap import mmap
from typing import NamedTuple

# onnx.proto: ModelProto.graph, GraphProto.initializer, and fields of TensorProto.
GRAPH = 7
INITIALIZER = 5
DIMS = 1
DATA_TYPE = 2
NAME = 8
RAW_DATA = 9

FLOAT32 = 1
INT8 = 3
ITEM_BYTES = {FLOAT32: 4, INT8: 1}

VARINT = 0
LENGTH_DELIMITED = 2
FIXED_BYTES = {1: 8, 5: 4}
MAX_VARINT_BYTES = 10


class Tensor(NamedTuple):
    """Where a tensor's values lie: *offset* counts bytes from the start of the file."""

    dims: tuple[int, ...]
    data_type: int
    offset: int


class _Field(NamedTuple):
    """One protobuf field: its bytes go from *start* to *end*; a varint also has a *value*."""

    number: int
    start: int
    end: int
    value: int = 0


def list_tensors(data: mmap) -> Iterator[tuple[str, Tensor]]:
    """
    Yield the name and place of every float32 and int8 tensor.

    Raises:
        ValueError: *data* is not an ONNX model.
        IndexError: *data* ends within a field.
    """
    for graph in _fields(data, 0, len(data)):
        if graph.number == GRAPH:
            for field in _fields(data, graph.start, graph.end):
                if field.number == INITIALIZER:
                    yield from _tensor(data, field)


def _tensor(data: mmap, initializer: _Field) -> Iterator[tuple[str, Tensor]]:
    fields = list(_fields(data, initializer.start, initializer.end))
    dims = tuple(field.value for field in fields if field.number == DIMS)
    last = {field.number: field for field in fields}
    if not {DATA_TYPE, NAME, RAW_DATA} <= last.keys():
        raise ValueError("a tensor lacks its name, type or values")
    name, raw, data_type = last[NAME], last[RAW_DATA], last[DATA_TYPE].value
    if data_type not in ITEM_BYTES:
        return
    if raw.end - raw.start != prod(dims) * ITEM_BYTES[data_type]:
        raise ValueError("a tensor's size is not its shape's")
    yield data[name.start : name.end].decode("utf-8"), Tensor(dims, data_type, raw.start)


def _fields(data: mmap, start: int, end: int) -> Iterator[_Field]:
    while start < end:
        key, start = _varint(data, start)
        field = _field(data, key >> 3, key & 7, start)
        if field.number == 0 or field.end > end:
            raise ValueError("a field has no number or leaves its message")
        yield field
        start = field.end


def _field(data: mmap, number: int, wire_type: int, start: int) -> _Field:
    if wire_type == VARINT:
        value, end = _varint(data, start)
        return _Field(number, start, end, value)
    if wire_type == LENGTH_DELIMITED:
        size, start = _varint(data, start)
        return _Field(number, start, start + size)
    if wire_type in FIXED_BYTES:
        return _Field(number, start, start + FIXED_BYTES[wire_type])
    raise ValueError(f"wire type {wire_type} is not in ONNX")


def _varint(data: mmap, start: int) -> tuple[int, int]:
    """Return the number at *start* and where it ends; seven bits a byte, lowest first."""
    value = 0
    for index in range(MAX_VARINT_BYTES):
        byte = data[start + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte & 0x80 == 0:
            return value, start + index + 1
    raise ValueError("a number has no end")
