"""Embedder that runs all-MiniLM-L6-v2 on this machine."""

import os
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import FileIO
from itertools import count
from typing import TYPE_CHECKING

from hardwon.adapters.minilm.weights import (
    MAX_TOKENS,
    SHA256,
    find_weights,
    open_weights,
    verify_sha256,
)
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


UNKNOWN = 100
START = 101
END = 102
MAX_WORD_CHARACTERS = 100
LONGEST_PIECE = 18
# 254 pieces use up at most 254 words of 100 characters and the blanks between them: 25,654
# characters. Two and a half times that leaves room for indentation and combining marks; only
# a text that starts with kilobytes of blanks or of overlong words is cut short of its 256 tokens.
MAX_CHARACTERS = 65_536
# Chinese ideographs as BERT counts them; the gap at U+2B820 is in `tokenizers` too.
IDEOGRAPHS = (
    range(0x3400, 0x4DC0),
    range(0x4E00, 0xA000),
    range(0xF900, 0xFB00),
    range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740),
    range(0x2B740, 0x2B820),
    range(0x2B920, 0x2CEB0),
    range(0x2F800, 0x2FA20),
)


class _NormalisedCharacters(dict[int, str]):
    """
    BERT's normalisation of each character, for `str.translate`, filled on demand.

    Characters are decomposed one by one, which leaves runs of marks unordered. Nearly all marks are
    dropped anyway, and a long run costs no quadratic sort.
    """

    def __missing__(self, code: int) -> str:
        self[code] = normalised = _normalise(chr(code))
        return normalised


def _normalise(character: str) -> str:
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs"}:
        return ""
    if character.isspace():
        return " "
    text = "".join(_without_accents(character))
    return f" {text} " if any(ord(character) in block for block in IDEOGRAPHS) else text


def _without_accents(character: str) -> list[str]:
    parts = unicodedata.normalize("NFD", character)
    letters = [part.lower() for part in parts if unicodedata.category(part) != "Mn"]
    return [f" {letter} " if _is_punctuation(letter) else letter for letter in letters]


def _is_punctuation(letter: str) -> bool:
    # BERT counts every printable ASCII sign as punctuation, `$` and `^` too.
    if letter.isascii():
        return not letter.isalnum()
    return unicodedata.category(letter[0]).startswith("P")


Vocabulary = dict[str, int]


class WordPiece:
    """
    Cuts texts into the pieces of one vocabulary.

    Args:
        vocabulary: Piece to id; a piece that continues a word starts with `##`.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._characters = _NormalisedCharacters()

    def token_ids(self, text: str) -> list[int]:
        """Return the 2 to 256 ids of *text*, from `[CLS]` to `[SEP]`."""
        ids = [START]
        for word in text[:MAX_CHARACTERS].translate(self._characters).split():
            ids += self._pieces(word)
            if len(ids) >= MAX_TOKENS:
                break
        return [*ids[: MAX_TOKENS - 1], END]

    def _pieces(self, word: str) -> list[int]:
        if len(word) > MAX_WORD_CHARACTERS:
            return [UNKNOWN]
        pieces = []
        start = 0
        while start < len(word):
            end, piece = self._longest_piece(word, start)
            if end == start:
                return [UNKNOWN]
            pieces.append(piece)
            start = end
        return pieces

    def _longest_piece(self, word: str, start: int) -> tuple[int, int]:
        """Return the end (*start* if there is none) and id of the longest piece."""
        prefix = "##" if start else ""
        for end in range(min(len(word), start + LONGEST_PIECE), start, -1):
            piece = self._vocabulary.get(prefix + word[start:end])
            if piece is not None:
                return end, piece
        return start, UNKNOWN


def load_wordpiece() -> WordPiece:
    """Load the embedded model's tokenizer, in about 10 ms."""
    path = f"{__file__.rpartition(os.sep)[0]}{os.sep}vocab.txt"
    try:
        with FileIO(path) as file:
            pieces = file.readall().decode("utf-8").rstrip("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise EmbedderUnavailableError(
            f"the embedded model's vocabulary {path!r} can't be read ({error}); "
            "run `uv tool upgrade --reinstall hardwon`"
        ) from error
    return WordPiece(dict(zip(pieces, count(), strict=False)))


class MiniLmEmbedder(Embedder):
    """
    Embeds English texts of up to 256 tokens, mean-pooled.

    Nothing is loaded before the first text. From the second request on, two threads compute a long
    text. The same text gives the same vector to 1e-5, whatever it is embedded with. The model knows
    no task, but before a process embeds its first documents, the sha256 of the weights is checked.

    Args:
        weights_path: The `model.onnx` to read instead of the installed one.
        threads: Batches computed at once; half of the cores unless given.
    """

    max_tokens = MAX_TOKENS

    def __init__(self, weights_path: str | None = None, threads: int | None = None) -> None:
        self._weights_path = weights_path
        self._threads = threads or max(1, _usable_cores() // 2)
        self._in_two_threads = False
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
            rows = encoder.encode(
                [token_ids[index] for index in batch], in_two_threads=self._in_two_threads
            )
            return {
                index: array("f", row.tobytes()) for index, row in zip(batch, rows, strict=True)
            }

        batches = list(_batches([len(ids) for ids in token_ids]))
        vectors: dict[int, Vector] = {}
        for some in self._each(encoded, batches):
            vectors |= some
        # It costs a fifth more CPU, which a hook with its one text does not spend.
        self._in_two_threads = _usable_cores() > 1
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


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
    batch: list[int] = []
    tokens = 0
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if len(batch) == MAX_BATCH_TEXTS or (batch and tokens + lengths[index] > MAX_BATCH_TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(index)
        tokens += lengths[index]
    yield batch
