import gc
import os
import random
import signal
from collections.abc import Iterator
from zlib import crc32

import pytest
from hypothesis import settings

from tests.machine import use_folder_in_memory

os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # before anyone imports numpy: more threads are slower, all at once

use_folder_in_memory()
gc.disable()  # until all tests are collected: what is imported and collected stays

# The machine's address would make the repositories of tests foreign.
os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")

if os.environ.get("TEST_ORDER") == "random":
    os.environ["TEST_ORDER"] = str(random.randrange(2**32))
ORDER = os.environ.get("TEST_ORDER", "")
"""The seed by which tests are shuffled, empty for the order of files. The processes of xdist inherit it."""

# In the background shells ignore them, and programs that tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

settings.register_profile("default", max_examples=10, deadline=None, print_blob=True)
settings.register_profile("quick", parent=settings.get_profile("default"), max_examples=3)
settings.register_profile("soak", parent=settings.get_profile("default"), max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def embedder_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let texts be as near to each other as they have words in common: the model itself takes milliseconds a text."""
    from hardwon.adapters.minilm.embedder import MiniLmEmbedder
    from tests.fakes.models import embed_by_words

    monkeypatch.setattr(MiniLmEmbedder, "embed", embed_by_words)


@pytest.fixture(scope="module")
def one_process() -> Iterator[None]:
    """Let programs that run in this process share what each would load, read and make again."""
    from tests.fakes.doors import one_process

    with one_process():
        yield


def pytest_collection_finish() -> None:
    """Exclude imported and collected objects from later garbage collections."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)  # before pytest brings together the tests of a costly parameter
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with long scenes, to end evenly; with an order, shuffle files and the tests of a file."""
    places = {item: place(item.nodeid) if ORDER else (0, 0) for item in items}
    items.sort(key=lambda item: (item.get_closest_marker("scene") is None, *places[item]))


def place(nodeid: str) -> tuple[int, int]:
    """Return the places of a test's file and of the test itself in the order of this run."""
    file = nodeid.partition("::")[0]
    return crc32(f"{ORDER} {file}".encode()), crc32(f"{ORDER} {nodeid}".encode())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if ORDER:
        terminalreporter.write_line(f"to repeat this order of tests: TEST_ORDER={ORDER}")
