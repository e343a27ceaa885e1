"""The real model, loaded once for all tests."""

import os
import time

import pytest

from hardwon.adapters.minilm.embedder import (
    THREAD_SETTINGS,
    MiniLmEmbedder,
    WordPiece,
    load_wordpiece,
)
from hardwon.adapters.minilm.weights import find_weights
from hardwon.domain.model.deadline import Deadline

for setting in THREAD_SETTINGS:
    os.environ.setdefault(
        setting, "1"
    )  # here, as a test module's numpy comes before the embedder's


@pytest.fixture(scope="session")
def embedder() -> MiniLmEmbedder:
    return MiniLmEmbedder()


@pytest.fixture(scope="session")
def wordpiece() -> WordPiece:
    return load_wordpiece()


@pytest.fixture(scope="session")
def weights_path() -> str:
    return find_weights()


@pytest.fixture(scope="session")
def no_deadline() -> Deadline:
    return Deadline(time.monotonic)
