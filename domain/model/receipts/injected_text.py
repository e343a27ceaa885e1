"""An injected text as its pieces and what frames them, so that it can be put together again."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any

SHA256_MODULES = ("_sha2", "_sha256", "hashlib")
"""Python's own, by version; hashlib has it too, but brings OpenSSL: 5 ms of a session start."""


def text_digest(text: str) -> str:
    """Return the sha256 of *text* as UTF-8, in hex; lone surrogates count as they are."""
    return str(_sha256_module().sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


def framed_by(text: str, pieces: Sequence[str]) -> tuple[str, ...]:
    """
    Return what stands in *text* before, between and after *pieces*, one more than there are.

    Args:
        text: The whole.
        pieces: Parts of it, in the order in which they stand there; each is taken where it comes first.

    Raises:
        ValueError: a piece does not stand in *text* after those before it.

    """
    return tuple(_frame(text, pieces))


def assembled(frame: Sequence[str], pieces: Sequence[str]) -> str:
    """
    Return the text of which *frame* is what `framed_by` returned for *pieces*.

    Raises:
        ValueError: *frame* does not have one part more than there are *pieces*.
    """
    if len(frame) != len(pieces) + 1:
        raise ValueError(f"a frame of {len(frame)} parts does not go around {len(pieces)} pieces")
    return frame[0] + "".join(piece + after for piece, after in zip(pieces, frame[1:], strict=True))


def _frame(text: str, pieces: Sequence[str]) -> Iterator[str]:
    end = 0
    for place, piece in enumerate(pieces):
        begin = text.find(piece, end)
        if begin < 0:
            raise ValueError(f"piece {place} does not stand in the text after those before it: {piece!r:.60}")
        yield text[end:begin]
        end = begin + len(piece)
    yield text[end:]


@cache
def _sha256_module() -> Any:
    for name in SHA256_MODULES[:-1]:
        try:
            return import_module(name)
        except ImportError:
            continue
    return import_module(SHA256_MODULES[-1])
