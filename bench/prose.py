"""
Sentences about programs, from the docstrings of Python's library, and their vectors.

They are on every machine, and no texts have to be shipped. Both are kept in the bench's cache, as
they take minutes to make.
"""

import ast
import fcntl
import glob
import hashlib
import os
import re
import sys
import sysconfig
import time
from collections.abc import Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

from bench.processes import progress
from hardwon.adapters.minilm.embedder import MINILM_SPACE, MiniLmEmbedder
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.use_cases.retrieve import embed_documents
from hardwon.entrypoints.bootstrap_evaluation import cache_folder

SENTENCES = 6_000
SHORTEST, LONGEST = 6, 40
"""Words of a sentence."""

LETTERS = 0.9
"""
The share of a sentence that is letters, spaces and commas.

Others are code.
"""

BATCH = 64
VALUE_BYTES = 4

Vectors = npt.NDArray[np.float32]


def bench_folder() -> str:
    """
    Return the folder of what the bench keeps between runs.

    It is beside the caches of hardwon.
    """
    folder = os.path.join(cache_folder(), "bench")
    os.makedirs(folder, exist_ok=True)
    return folder


@cache
def sentences() -> list[str]:
    """Return 6,000 different sentences in an arbitrary order, fixed by Python's version."""
    path = _path("sentences.txt")
    if not os.path.exists(path):
        found = sorted(
            set(_all_sentences()), key=lambda text: hashlib.sha256(text.encode()).digest()
        )
        with open(f"{path}.part", "w", encoding="utf-8") as file:
            file.write("\n".join(found[:SENTENCES]))
        os.replace(f"{path}.part", path)
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")


@cache
def sentence_vectors() -> Vectors:
    """
    Return the model's vector of each sentence, a row each.

    An interrupted run is resumed.
    """
    path, texts, width = _path("sentence_vectors.f32"), sentences(), MINILM_SPACE.dimensions
    whole = len(texts) * width * VALUE_BYTES
    # Processes that make parts of a store only read it.
    if not os.path.exists(path) or os.path.getsize(path) != whole:
        _embed(path, texts, width)
    return np.fromfile(path, dtype=np.float32).reshape(-1, width)


def _embed(path: str, texts: list[str], width: int) -> None:
    embedder = MiniLmEmbedder()
    with open(path, "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # rows of two processes would be mixed
        done = min(os.path.getsize(path) // (width * VALUE_BYTES), len(texts)) // BATCH * BATCH
        file.truncate(done * width * VALUE_BYTES)
        for start in range(done, len(texts), BATCH):
            progress(f"vectors of sentences: {start:,} of {len(texts):,}")
            vectors = embed_documents(
                embedder, texts[start : start + BATCH], Deadline(time.monotonic)
            )
            file.write(b"".join(vector.tobytes() for vector in vectors))
            file.flush()


def _path(name: str) -> str:
    return os.path.join(bench_folder(), f"{sys.version_info.major}.{sys.version_info.minor}-{name}")


def library_modules() -> Iterator[ast.Module]:
    """Yield the modules of Python's own library by path, without its tests."""
    library = sysconfig.get_path("stdlib")
    for path in sorted(glob.glob(f"{library}/**/*.py", recursive=True)):
        if "site-packages" not in path and "/test" not in path:
            with open(path, "rb") as file:
                yield ast.parse(file.read())


def _all_sentences() -> Iterator[str]:
    for module in library_modules():
        yield from _sentences_of(module)


def _sentences_of(module: ast.Module) -> Iterator[str]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for text in (
        ast.get_docstring(node) or "" for node in ast.walk(module) if isinstance(node, documented)
    ):
        for paragraph in re.split(r"\n\s*\n", text):
            yield from filter(
                _is_prose, re.split(r"(?<=[.!?]) (?=[A-Z])", " ".join(paragraph.split()))
            )


def _is_prose(text: str) -> bool:
    letters = sum(character.isalpha() or character in " ,.'" for character in text)
    is_sentence = text[:1].isupper() and text.endswith((".", "!", "?"))
    return (
        is_sentence and SHORTEST <= len(text.split()) <= LONGEST and letters >= LETTERS * len(text)
    )
