"""Embedder that runs all-MiniLM-L6-v2 on this machine."""

import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hardwon.adapters.minilm.weights import SHA256, find_weights, open_weights, verify_sha256
from hardwon.adapters.minilm.wordpiece import MAX_TOKENS, WordPiece, load_wordpiece
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.ports.models import Embedder, Task
from hardwon.ports.override import override

if TYPE_CHECKING:
    from hardwon.adapters.minilm.transformer import Encoder

MINILM_SPACE = Space(
    provider="local", model="all-MiniLM-L6-v2", dimensions=384, weights_hash=SHA256
)

# Larger batches are no faster, and memory grows with the tokens of one.
MAX_BATCH_TEXTS = 16
MAX_BATCH_TOKENS = 2_000

# OpenBLAS's own choice of threads makes a query up to twenty times slower on a busy machine.
THREAD_SETTINGS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class MiniLmEmbedder(Embedder):
    """
    Embeds English texts of up to 256 tokens, mean-pooled.

    Nothing is loaded before the first text. The same text gives the same vector to 1e-5, whatever
    it is embedded with. The model knows no task, but before a process embeds its first documents,
    the sha256 of the weights is checked.

    Args:
        weights_path: The `model.onnx` to read instead of the installed one.
        threads: Batches computed at once; half of the cores unless given.
    """

    max_tokens = MAX_TOKENS

    def __init__(self, weights_path: str | None = None, threads: int | None = None) -> None:
        self._weights_path = weights_path
        self._threads = threads or _half_of_the_cores()
        self._wordpiece: WordPiece | None = None
        self._encoder: Encoder | None = None
        self._verified = False

    @property
    @override
    def space(self) -> Space:
        return MINILM_SPACE

    @override
    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        if not texts:
            return []
        _require_time(deadline)
        wordpiece, encoder = self._load(task)
        token_ids = [wordpiece.token_ids(text) for text in texts]

        def encoded(batch: Sequence[int]) -> dict[int, Vector]:
            _require_time(deadline)
            rows = encoder.encode([token_ids[index] for index in batch])
            return {
                index: array("f", row.tobytes()) for index, row in zip(batch, rows, strict=True)
            }

        batches = list(_batches([len(ids) for ids in token_ids]))
        vectors: dict[int, Vector] = {}
        for some in self._each(encoded, batches):
            vectors |= some
        return [vectors[index] for index in range(len(texts))]

    def _each(
        self,
        encoded: Callable[[Sequence[int]], dict[int, Vector]],
        batches: Sequence[Sequence[int]],
    ) -> Iterable[dict[int, Vector]]:
        """
        Encode *batches*, in threads if there are several.

        numpy computes without Python's lock.
        """
        if self._threads == 1 or len(batches) == 1:
            return map(encoded, batches)
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # a hook embeds one text

        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(encoded, batches))

    def _load(self, task: Task) -> "tuple[WordPiece, Encoder]":
        if task == "document" and not self._verified:
            verify_sha256(self._path())
            self._verified = True
        self._encoder = self._encoder or _load_encoder(self._path())
        self._wordpiece = self._wordpiece or load_wordpiece()
        return self._wordpiece, self._encoder

    def _path(self) -> str:
        return self._weights_path or find_weights()


def _half_of_the_cores() -> int:
    usable = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return max(1, usable // 2)


def _load_encoder(path: str) -> "Encoder":
    for setting in THREAD_SETTINGS:
        os.environ.setdefault(setting, "1")
    try:
        # numpy takes 80 ms to import, and a hook with nothing to embed never needs it.
        from hardwon.adapters.minilm.transformer import Encoder  # noqa: PLC0415
    except (ImportError, SyntaxError) as error:  # not there, or cut off
        raise EmbedderUnavailableError(
            f"numpy is not installed or damaged ({error}); run `uv tool upgrade --reinstall"
            " hardwon`"
        ) from error
    return Encoder(open_weights(path))


def _require_time(deadline: Deadline) -> None:
    if deadline.passed():
        raise EmbedderUnavailableError("the embedded model had no time left before its deadline")


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the indices of *lengths* in batches, shortest texts first."""
    batch: list[int] = []
    tokens = 0
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if len(batch) == MAX_BATCH_TEXTS or (batch and tokens + lengths[index] > MAX_BATCH_TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(index)
        tokens += lengths[index]
    yield batch
