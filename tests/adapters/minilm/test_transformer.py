"""The forward pass against onnxruntime on the same file, and against the upstream float32 weights."""

import json
import math
import random
from array import array
from collections.abc import Callable
from operator import mul
from pathlib import Path
from threading import BrokenBarrierError, Thread, current_thread, main_thread

import numpy as np
import onnxruntime
import pytest

from hardwon.adapters.minilm import embedder as embedder_module
from hardwon.adapters.minilm import transformer
from hardwon.adapters.minilm.embedder import MiniLmEmbedder, WordPiece
from hardwon.adapters.minilm.transformer import gelu_in_place, softmax_in_place
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector, unit

GOLDEN = json.loads(Path(__file__).with_name("golden_vectors.json").read_text(encoding="utf-8"))[
    "vectors"
]

SENTENCE = "Never hold a write transaction open while waiting for the network. "
TEXTS = {
    "empty": "",
    "one word": "sqlite",
    "a sentence": SENTENCE,
    "a paragraph": SENTENCE * 6,
    "just truncated": SENTENCE * 22,
    "10,000 characters": (SENTENCE * 160)[:10_000],
    "code": "for index, row in enumerate(rows):\n    total += row['price'] * 1.19  # VAT",
    "Chinese": "数据库被锁定时请重试",
    "signs": "?!…—{}[]<>|&^%$#@~`",
}

Embed = Callable[[str], Vector]


def cosine(left: Vector, right: Vector) -> float:
    return math.fsum(map(mul, unit(left, 384), unit(right, 384)))


def largest_difference(left: Vector, right: Vector) -> float:
    return max(abs(a - b) for a, b in zip(left, right, strict=True))


@pytest.fixture(scope="session")
def onnx_embed(weights_path: str, wordpiece: WordPiece) -> Embed:
    """The same file, run by onnxruntime."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        weights_path, options, providers=["CPUExecutionProvider"]
    )

    def embed(text: str) -> Vector:
        ids = np.array([wordpiece.token_ids(text)], np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        hidden = session.run(None, inputs)[0]
        return array("f", hidden[0].mean(axis=0).tobytes())

    return embed


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_gets_the_vector_that_onnxruntime_gives_it(
    text: str, embedder: MiniLmEmbedder, onnx_embed: Embed, no_deadline: Deadline
) -> None:
    [ours] = embedder.embed([text], "query", no_deadline)
    theirs = onnx_embed(text)
    assert cosine(ours, theirs) >= 0.9999
    assert largest_difference(ours, theirs) < 1e-5


def test_upstreams_float32_weights_give_nearly_the_same_vectors(
    embedder: MiniLmEmbedder, no_deadline: Deadline
) -> None:
    vectors = embedder.embed([golden["text"] for golden in GOLDEN], "query", no_deadline)
    cosines = [
        cosine(v, array("f", golden["vector"])) for v, golden in zip(vectors, GOLDEN, strict=True)
    ]
    assert len(cosines) == 20
    assert min(cosines) >= 0.998


def test_a_vector_depends_on_its_text_alone(
    embedder: MiniLmEmbedder, no_deadline: Deadline
) -> None:
    # 41 texts of 2 to 256 tokens: several batches, ended by the texts and by the tokens in them.
    texts = [
        *TEXTS.values(),
        *[SENTENCE * n for n in (1, 2, 2, 2, 3, 22, 22, 23)],
        *["same length"] * 20,
    ]
    texts += [SENTENCE * 22] * 4
    random.Random(7).shuffle(texts)
    together = embedder.embed(texts, "document", no_deadline)
    separate = {text: embedder.embed([text], "query", no_deadline)[0] for text in set(texts)}
    assert (
        max(largest_difference(v, separate[text]) for text, v in zip(texts, together, strict=True))
        < 1e-5
    )


class CountedThread(Thread):
    """A thread that is counted when it starts."""

    started = 0

    def start(self) -> None:
        type(self).started += 1
        super().start()


class RefusedThread(Thread):
    """A thread that the system has no room for."""

    def start(self) -> None:
        raise RuntimeError("can't start new thread")


@pytest.fixture
def warm(no_deadline: Deadline, monkeypatch: pytest.MonkeyPatch) -> MiniLmEmbedder:
    """Return an embedder on two cores that was asked before."""
    monkeypatch.setattr(embedder_module, "_usable_cores", lambda: 2)
    embedder = MiniLmEmbedder()
    embedder.embed(["sqlite"], "query", no_deadline)
    return embedder


@pytest.mark.parametrize(("sentences", "helpers"), [(7, 0), (8, 1), (22, 1)])
def test_a_second_thread_helps_with_a_long_text_and_changes_nothing(
    sentences: int,
    helpers: int,
    warm: MiniLmEmbedder,
    no_deadline: Deadline,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [SENTENCE * sentences]
    [by_one] = MiniLmEmbedder().embed(texts, "query", no_deadline)
    monkeypatch.setattr(transformer, "Thread", CountedThread)
    monkeypatch.setattr(CountedThread, "started", 0)
    [shared] = warm.embed(texts, "query", no_deadline)

    assert CountedThread.started == helpers
    assert largest_difference(by_one, shared) < 1e-6


def test_the_only_text_of_a_process_is_computed_by_one_thread(
    no_deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transformer, "Thread", RefusedThread)
    assert MiniLmEmbedder().embed([TEXTS["just truncated"]], "query", no_deadline)


def test_one_thread_computes_a_text_where_no_other_can_start(
    warm: MiniLmEmbedder, no_deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [TEXTS["just truncated"]]
    [by_one] = MiniLmEmbedder().embed(texts, "query", no_deadline)
    monkeypatch.setattr(transformer, "Thread", RefusedThread)

    assert warm.embed(texts, "query", no_deadline) == [by_one]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("failing", ["main", "helper"])
def test_an_error_in_either_thread_ends_both(
    failing: str, warm: MiniLmEmbedder, no_deadline: Deadline, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(values: transformer.Floats) -> None:
        if (current_thread() is main_thread()) == (failing == "main"):
            raise MemoryError
        gelu_in_place(values)

    monkeypatch.setattr(transformer, "gelu_in_place", fail)
    with pytest.raises((MemoryError, BrokenBarrierError)):
        warm.embed([TEXTS["just truncated"]], "query", no_deadline)


def test_words_of_like_meaning_are_closer_than_others(
    embedder: MiniLmEmbedder, no_deadline: Deadline
) -> None:
    question, answer, other = embedder.embed(
        [
            "the database is locked",
            "SQLite reports that the database is busy",
            "bake the bread for an hour",
        ],
        "document",
        no_deadline,
    )
    assert cosine(question, answer) > cosine(question, other) + 0.2


def test_gelu_is_exact_to_float32() -> None:
    values = np.linspace(-20, 20, 4_001, dtype=np.float32)
    exact = [0.5 * x * (1 + math.erf(x / math.sqrt(2))) for x in values.tolist()]
    gelu_in_place(values)
    assert np.abs(values - np.array(exact)).max() < 1e-6


def test_softmax_survives_large_scores() -> None:
    scores = np.array([[1e4, 1e4, -1e4], [0, math.log(3), -math.inf]], np.float32)
    softmax_in_place(scores)
    assert np.allclose(scores, [[0.5, 0.5, 0], [0.25, 0.75, 0]])
