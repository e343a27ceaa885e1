"""all-MiniLM-L6-v2 as a numpy forward pass over the int8 weights."""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from hardwon.adapters.minilm.onnx_tensors import FLOAT32, INT8
from hardwon.adapters.minilm.transformer import Dense, Floats, Int8s, Layer, LayerNorm
from hardwon.adapters.minilm.weights import LAYER_MATRICES, Weights
from hardwon.adapters.minilm.wordpiece import MAX_TOKENS

WIDTH = 384
INTERMEDIATE_WIDTH = 1536
VOCABULARY_SIZE = 30_522
POSITIONS = 512
TOKEN_TYPES = 2


class Encoder:
    """Token ids in, embeddings out; the matrices stay in the mapped file until they are needed."""

    def __init__(self, weights: Weights) -> None:
        tensors = _TensorReader(weights)
        words = "inner.embeddings.word_embeddings.weight"
        self._words = tensors.int8s(f"{words}_q", VOCABULARY_SIZE, WIDTH)
        self._word_scales = tensors.floats(f"{words}_scale", VOCABULARY_SIZE, 1)
        self._positions = tensors.positions()
        self._norm = tensors.layer_norm("inner.embeddings.LayerNorm")
        self._layers = [tensors.layer(index) for index in range(len(LAYER_MATRICES))]

    def encode(self, token_ids: Sequence[Sequence[int]]) -> Floats:
        """
        Return (texts, 384): the mean over all tokens of each text, not normalised.

        Texts of equal length that stand together are attended to together; otherwise
        their order means nothing.

        Args:
            token_ids: 1 to 256 of them for each of at least one text.

        """
        lengths = [len(ids) for ids in token_ids]
        # Damaged weights may overflow: whoever normalises the vectors refuses them.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            rows = self._embeddings(token_ids, lengths)
            for layer in self._layers:
                layer.apply_in_place(rows, lengths)
            return _means(rows, lengths)

    def _embeddings(self, token_ids: Sequence[Sequence[int]], lengths: Sequence[int]) -> Floats:
        ids = np.fromiter(chain.from_iterable(token_ids), np.intp)
        rows = self._words[ids].astype(np.float32)
        rows *= self._word_scales[ids]
        rows += np.concatenate([self._positions[:length] for length in lengths])
        self._norm.apply_in_place(rows)
        return rows


def _means(rows: Floats, lengths: Sequence[int]) -> Floats:
    ends = np.cumsum(lengths)
    parts = np.split(rows, ends[:-1])
    return np.stack([part.mean(axis=0) for part in parts])


class _TensorReader:
    """Finds the tensors of one export by the names it gave them; see `LAYER_MATRICES`."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights

    def int8s(self, name: str, *dims: int) -> Int8s:
        offset = self._weights.offset(name, dims, INT8)
        return np.frombuffer(self._weights.buffer, np.int8, int(np.prod(dims)), offset).reshape(dims)

    def floats(self, name: str, *dims: int) -> Floats:
        offset = self._weights.offset(name, dims, FLOAT32)
        values = np.frombuffer(self._weights.buffer, np.float32, int(np.prod(dims)), offset)
        return values.reshape(dims).copy()  # the file does not align them

    def positions(self) -> Floats:
        """Return (256, width): what is added to the word at each place, token type 0 included."""
        name = "inner.embeddings.position_embeddings.weight"
        whole = self.int8s(f"{name}_q", POSITIONS, WIDTH)[:MAX_TOKENS]
        scales = self.floats(f"{name}_scale", POSITIONS, 1)[:MAX_TOKENS]
        token_types = self.floats("inner.embeddings.token_type_embeddings.weight", TOKEN_TYPES, WIDTH)
        result: Floats = whole * scales + token_types[0]
        return result

    def layer_norm(self, name: str) -> LayerNorm:
        return LayerNorm(self.floats(f"{name}.weight", WIDTH), self.floats(f"{name}.bias", WIDTH))

    def layer(self, index: int) -> Layer:
        name = f"inner.encoder.layer.{index}"
        query, key, value, attention_output, intermediate, output = LAYER_MATRICES[index]
        attention = {part: f"{name}.attention.self.{part}.bias" for part in ("query", "key", "value")}
        return Layer(
            query_key_value=_fuse(
                self.dense(query, attention["query"]),
                self.dense(key, attention["key"]),
                self.dense(value, attention["value"]),
            ),
            attention_output=self.dense(attention_output, f"{name}.attention.output.dense.bias"),
            attention_norm=self.layer_norm(f"{name}.attention.output.LayerNorm"),
            intermediate=self.dense(intermediate, f"{name}.intermediate.dense.bias", outputs=INTERMEDIATE_WIDTH),
            output=self.dense(output, f"{name}.output.dense.bias", inputs=INTERMEDIATE_WIDTH),
            output_norm=self.layer_norm(f"{name}.output.LayerNorm"),
        )

    def dense(self, matrix: str, bias: str, *, inputs: int = WIDTH, outputs: int = WIDTH) -> Dense:
        return Dense(
            weight=self.int8s(f"{matrix}_q", inputs, outputs),
            scale=self.floats(f"{matrix}_scale", 1, outputs)[0],
            bias=self.floats(bias, outputs),
        )


def _fuse(*parts: Dense) -> Dense:
    """Return one map that does the work of *parts*, outputs side by side: one product is faster than three."""
    return Dense(
        weight=np.concatenate([part.weight for part in parts], axis=1),
        scale=np.concatenate([part.scale for part in parts]),
        bias=np.concatenate([part.bias for part in parts]),
    )
