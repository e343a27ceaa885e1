"""One writer of a folder at a time. Standard library only."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

try:
    import fcntl
except ImportError:  # Windows: its last writer wins
    fcntl = None  # type: ignore[assignment]

NAP_SECONDS = 0.01


@contextmanager
def only_writer(folder: str, at_most: float | None = None) -> Iterator[None]:
    """
    Wait until nobody else holds *folder*, and hold it; a process that ends lets go of it.

    Args:
        folder: It is there.
        at_most: Seconds to wait; None waits for as long as it takes.

    Raises:
        TimeoutError: somebody else holds it still.
        OSError: it can't be held.
    """
    if fcntl is None:
        yield
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        _wait_for(number, at_most)
        yield
    finally:
        os.close(number)


def _wait_for(number: int, at_most: float | None) -> None:
    if at_most is None:
        fcntl.flock(number, fcntl.LOCK_EX)
        return
    end = time.monotonic() + at_most
    while not _is_taken(number):
        if time.monotonic() >= end:
            raise TimeoutError(f"another process has been writing there for {at_most:g} s: try again when it is done")
        time.sleep(NAP_SECONDS)


def _is_taken(number: int) -> bool:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
