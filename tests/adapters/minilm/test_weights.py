import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from hardwon.adapters.minilm import weights as module
from hardwon.adapters.minilm.weights import (
    FLOAT32,
    INT8,
    LAYER_MATRICES,
    SIZE_BYTES,
    find_weights,
    open_weights,
    verify_sha256,
)
from hardwon.domain.model.errors import EmbedderUnavailableError
from tests.machine import without_root

Damage = Callable[[Path], object]


def sparse(path: Path, start: bytes = b"") -> None:
    """Write a file of the right size that holds nothing but *start*; takes no room on the disk."""
    path.write_bytes(start)
    os.truncate(path, SIZE_BYTES)


DAMAGES: dict[str, Damage] = {
    "missing": lambda path: path.unlink(missing_ok=True),
    "a folder": lambda path: path.mkdir(),
    "empty": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(Path(find_weights()).read_bytes()[:-1]),
    "all zeros": sparse,
    "a number without an end": lambda path: sparse(path, b"\xff" * 100),
    "an unknown wire type": lambda path: sparse(path, b"\x0b"),
    "a field longer than the file": lambda path: sparse(path, b"\x3a\xff\xff\xff\xff\x0f"),
    "a graph with a nameless tensor": lambda path: sparse(path, b"\x3a\x02\x2a\x00"),
}


def test_the_installed_file_is_the_release() -> None:
    verify_sha256(find_weights())


def test_every_layer_matrix_is_in_the_file(weights_path: str) -> None:
    tensors = open_weights(weights_path).tensors
    shapes = [[tensors[f"{name}_q"].dims for name in layer] for layer in LAYER_MATRICES]
    assert shapes == [[(384, 384)] * 4 + [(384, 1536), (1536, 384)]] * 6
    assert {tensors[f"{name}_q"].data_type for layer in LAYER_MATRICES for name in layer} == {INT8}
    assert {tensors[f"{name}_scale"].data_type for layer in LAYER_MATRICES for name in layer} == {
        FLOAT32
    }


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_an_unavailable_embedder_with_a_way_out(
    damage: Damage, tmp_path: Path
) -> None:
    path = tmp_path / "model.onnx"
    damage(path)
    with pytest.raises(
        EmbedderUnavailableError, match=r"model\.onnx.*uv tool upgrade --reinstall hardwon"
    ) as caught:
        open_weights(str(path))
    assert "\n" not in str(caught.value)


def test_an_unreadable_file_is_an_unavailable_embedder(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    sparse(path)
    path.chmod(stat.S_IWUSR)
    with without_root(), pytest.raises(EmbedderUnavailableError, match="can't be read"):
        open_weights(str(path))


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_the_sha256_of_a_damaged_file_is_refused(damage: Damage, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    damage(path)
    with pytest.raises(EmbedderUnavailableError, match="uv tool upgrade --reinstall hardwon"):
        verify_sha256(str(path))


def test_one_changed_byte_is_found_by_the_sha256(tmp_path: Path, weights_path: str) -> None:
    path = tmp_path / "model.onnx"
    content = bytearray(Path(weights_path).read_bytes())
    content[20_000_000] ^= 1
    path.write_bytes(content)
    open_weights(str(path))
    with pytest.raises(EmbedderUnavailableError, match="is damaged: its sha256 is"):
        verify_sha256(str(path))


@pytest.mark.parametrize(
    ("name", "dims", "data_type"),
    [
        ("val_49_q", (384, 385), INT8),
        ("val_49_q", (384, 384), FLOAT32),
        ("val_50_q", (384, 384), INT8),
    ],
)
def test_a_tensor_that_is_not_as_expected_is_refused(
    name: str, dims: tuple[int, ...], data_type: int, weights_path: str
) -> None:
    with pytest.raises(EmbedderUnavailableError, match=f"no tensor '{name}'"):
        open_weights(weights_path).offset(name, dims, data_type)


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACKAGE", "no_such_package_of_weights")
    with pytest.raises(
        EmbedderUnavailableError, match="'no_such_package_of_weights' is not installed"
    ):
        find_weights()
