"""
The forward pass of all-MiniLM-L6-v2 in numpy over its int8 weights.

Shapes: *tokens* is the number of tokens of a batch, whose texts are concatenated without padding;
*width* is 384. Functions ending in `_in_place` overwrite their argument.
"""

import math
from collections.abc import Sequence
from itertools import chain, cycle, groupby
from threading import Barrier, Thread
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from hardwon.adapters.minilm.weights import FLOAT32, INT8, LAYER_MATRICES, MAX_TOKENS, WeightFile

if TYPE_CHECKING:
    import numpy.typing as npt

Floats: TypeAlias = "npt.NDArray[np.float32]"
Int8s: TypeAlias = "npt.NDArray[np.int8]"

HEADS = 12
HEAD_WIDTH = 32
LAYER_NORM_EPSILON = 1e-12  # BERT's
FEED_FORWARD_ROWS = 128  # 0.8 MB a temporary: stays in the processor's cache
MAX_SCORES = 131_072  # attention scores of one head at a time; 6 MB over all heads

# erf to 1.5e-7: Abramowitz & Stegun 1964, formula 7.1.26, highest power first.
ERF_P = 0.3275911
ERF_COEFFICIENTS = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)


class Dense(NamedTuple):
    """
    A linear map with int8 weights, scaled per output.

    The weights become float32 for one product at a time: that takes a fiftieth of the work of a
    batch, while all at once would take 42 MB and, in a hook's one query, longer than the products.

    Attributes:
        weight: (inputs, outputs), -127 to 127.
        scale: (outputs,)
        bias: (outputs,)
    """

    weight: Int8s
    scale: Floats
    bias: Floats

    def apply(self, rows: Floats) -> Floats:
        """Return (tokens, outputs) for *rows* of (tokens, inputs)."""
        result: Floats = rows @ self.weight.astype(np.float32)
        result *= self.scale
        result += self.bias
        return result


class LayerNorm(NamedTuple):
    """Gain and bias, each (width,)."""

    gain: Floats
    bias: Floats

    def apply_in_place(self, rows: Floats) -> None:
        """Normalise each of *rows* (tokens, width), then apply gain and bias."""
        rows -= rows.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows) / rows.shape[1]
        rows /= np.sqrt(variance + LAYER_NORM_EPSILON)[:, np.newaxis]
        rows *= self.gain
        rows += self.bias


class Layer(NamedTuple):
    """One of the encoder's six layers."""

    query_key_value: Dense
    attention_output: Dense
    attention_norm: LayerNorm
    intermediate: Dense
    output: Dense
    output_norm: LayerNorm

    def apply_in_place(self, rows: Floats, lengths: Sequence[int]) -> None:
        """
        Overwrite *rows* (tokens, width) with the layer's output.

        *lengths* are the texts' numbers of tokens.
        """
        self.finish_in_place(rows, _attend(self.query_key_value.apply(rows), lengths))

    def finish_in_place(self, rows: Floats, attended: Floats) -> None:
        """Overwrite *rows* with the layer's output, after they *attended* to their texts."""
        rows += self.attention_output.apply(attended)
        self.attention_norm.apply_in_place(rows)
        for start in range(0, len(rows), FEED_FORWARD_ROWS):
            part = rows[start : start + FEED_FORWARD_ROWS]
            hidden = self.intermediate.apply(part)
            gelu_in_place(hidden)
            part += self.output.apply(hidden)
        self.output_norm.apply_in_place(rows)


def gelu_in_place(values: Floats) -> None:
    """
    Overwrite *values* with their GELU.

    Written as `max(x, 0) - |x| * erfc(|x| / sqrt(2)) / 2`, which needs no sign.
    """
    magnitude = np.abs(values)
    t = magnitude * (ERF_P / math.sqrt(2))
    t += 1
    np.reciprocal(t, out=t)
    tail = np.zeros_like(t)
    for coefficient in ERF_COEFFICIENTS:
        tail += coefficient / 2
        tail *= t
    tail *= magnitude
    np.square(magnitude, out=magnitude)
    magnitude *= -0.5
    np.exp(magnitude, out=magnitude)
    tail *= magnitude
    np.maximum(values, 0, out=values)
    values -= tail


def softmax_in_place(scores: Floats) -> None:
    """Make the last axis of *scores* positive with sum 1."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)


def _attend(query_key_value: Floats, lengths: Sequence[int]) -> Floats:
    """Return (tokens, width): each token's attention within its own text."""
    gathered = np.empty((len(query_key_value), HEADS * HEAD_WIDTH), np.float32)
    start = 0
    for length, texts in _equal_lengths(lengths):
        end = start + length * texts
        gathered[start:end] = _attend_equal(query_key_value[start:end], texts, length)
        start = end
    return gathered


def _equal_lengths(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Return runs of (length, texts), in order, none above `MAX_SCORES`."""
    runs = []
    for length, group in groupby(lengths):
        texts = len(list(group))
        at_once = max(1, MAX_SCORES // length**2)
        runs += [(length, min(at_once, texts - done)) for done in range(0, texts, at_once)]
    return runs


def _attend_equal(
    query_key_value: Floats, texts: int, length: int, part: slice = slice(None)
) -> Floats:
    """Return the attention of a *part* of the tokens within each text."""
    heads = query_key_value.reshape(texts, length, 3, HEADS, HEAD_WIDTH)
    query, key, value = heads.transpose(2, 0, 3, 1, 4)  # each (texts, heads, length, head width)
    scores: Floats = query[:, :, part] @ key.swapaxes(-1, -2)
    scores *= 1 / math.sqrt(HEAD_WIDTH)
    softmax_in_place(scores)
    gathered: Floats = scores @ value
    return gathered.swapaxes(1, 2).reshape(-1, HEADS * HEAD_WIDTH)


def _overflowing() -> np.errstate:
    """Let damaged weights overflow: their normalisation refuses them."""
    return np.errstate(over="ignore", invalid="ignore", divide="ignore")


MIN_SHARED = 96
"""
Tokens of a text that two threads compute.

A shorter one gains less than the keyword search beside it loses.
"""

WIDTH = 384
INTERMEDIATE_WIDTH = 1536
VOCABULARY_SIZE = 30_522
POSITIONS = 512
TOKEN_TYPES = 2


class Encoder:
    """
    Turns token ids into embeddings.

    The matrices stay in the mapped file until they are needed.
    """

    def __init__(self, weights: WeightFile) -> None:
        tensors = _TensorReader(weights)
        words = "inner.embeddings.word_embeddings.weight"
        self._words = tensors.int8s(f"{words}_q", VOCABULARY_SIZE, WIDTH)
        self._word_scales = tensors.floats(f"{words}_scale", VOCABULARY_SIZE, 1)
        self._positions = tensors.positions()
        self._norm = tensors.layer_norm("inner.embeddings.LayerNorm")
        self._layers = [tensors.layer(index) for index in range(len(LAYER_MATRICES))]

    def encode(self, token_ids: Sequence[Sequence[int]], *, in_two_threads: bool = False) -> Floats:
        """
        Return (texts, 384): each text's mean over tokens, not normalised.

        Adjacent texts of equal length are computed together; otherwise the order does not matter.

        Args:
            token_ids: 1 to 256 of them for each of at least one text.
            in_two_threads: Whether a long text is computed by two threads.
        """
        lengths = [len(ids) for ids in token_ids]
        with _overflowing():
            rows = self._embeddings(token_ids, lengths)
            if not (in_two_threads and len(lengths) == 1 and self._apply_in_two_threads(rows)):
                for layer in self._layers:
                    layer.apply_in_place(rows, lengths)
            return _means(rows, lengths)

    def _apply_in_two_threads(self, rows: Floats) -> bool:
        """
        Overwrite the *rows* of a text with the output of all layers.

        Each thread computes half of them. They meet in every layer, where a token attends to all
        tokens. Returns False, with *rows* unchanged, for a short text and without a thread.
        """
        if len(rows) < MIN_SHARED:
            return False
        meeting, half = Barrier(2), len(rows) // 2
        # In the next layer the other thread may still read this one's.
        both = [np.empty((len(rows), 3 * WIDTH), np.float32) for _ in range(2)]

        def compute(part: slice) -> None:
            own = rows[part]
            try:
                for layer, query_key_value in zip(self._layers, cycle(both), strict=False):
                    query_key_value[part] = layer.query_key_value.apply(own)
                    meeting.wait()
                    attended = _attend_equal(query_key_value, 1, len(rows), part=part)
                    layer.finish_in_place(own, attended)
                meeting.wait()
            except BaseException:
                meeting.abort()
                raise

        def help_out() -> None:
            with _overflowing():  # holds for a thread
                compute(slice(half, None))

        try:
            Thread(target=help_out, daemon=True).start()
        except RuntimeError:
            return False
        compute(slice(half))
        return True

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
    """Finds tensors by the names of one export, see `LAYER_MATRICES`."""

    def __init__(self, weights: WeightFile) -> None:
        self._weights = weights

    def int8s(self, name: str, *dims: int) -> Int8s:
        offset = self._weights.offset(name, dims, INT8)
        return np.frombuffer(self._weights.buffer, np.int8, int(np.prod(dims)), offset).reshape(
            dims
        )

    def floats(self, name: str, *dims: int) -> Floats:
        offset = self._weights.offset(name, dims, FLOAT32)
        values = np.frombuffer(self._weights.buffer, np.float32, int(np.prod(dims)), offset)
        return values.reshape(dims).copy()  # the file does not align them

    def positions(self) -> Floats:
        """Return (256, width): the embedding of each position, token type 0 included."""
        name = "inner.embeddings.position_embeddings.weight"
        whole = self.int8s(f"{name}_q", POSITIONS, WIDTH)[:MAX_TOKENS]
        scales = self.floats(f"{name}_scale", POSITIONS, 1)[:MAX_TOKENS]
        token_types = self.floats(
            "inner.embeddings.token_type_embeddings.weight", TOKEN_TYPES, WIDTH
        )
        result: Floats = whole * scales + token_types[0]
        return result

    def layer_norm(self, name: str) -> LayerNorm:
        return LayerNorm(self.floats(f"{name}.weight", WIDTH), self.floats(f"{name}.bias", WIDTH))

    def layer(self, index: int) -> Layer:
        name = f"inner.encoder.layer.{index}"
        query, key, value, attention_output, intermediate, output = LAYER_MATRICES[index]
        attention = {
            part: f"{name}.attention.self.{part}.bias" for part in ("query", "key", "value")
        }
        return Layer(
            query_key_value=_fuse(
                self.dense(query, attention["query"]),
                self.dense(key, attention["key"]),
                self.dense(value, attention["value"]),
            ),
            attention_output=self.dense(attention_output, f"{name}.attention.output.dense.bias"),
            attention_norm=self.layer_norm(f"{name}.attention.output.LayerNorm"),
            intermediate=self.dense(
                intermediate, f"{name}.intermediate.dense.bias", outputs=INTERMEDIATE_WIDTH
            ),
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
    """Concatenate the outputs of *parts*, because one product is faster than three."""
    return Dense(
        weight=np.concatenate([part.weight for part in parts], axis=1),
        scale=np.concatenate([part.scale for part in parts]),
        bias=np.concatenate([part.bias for part in parts]),
    )
