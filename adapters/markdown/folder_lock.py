"""One writer of a folder at a time. Standard library only."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

try:
    import fcntl
except ImportError:  # Windows: its last writer wins
    fcntl = None  # type: ignore[assignment]


@contextmanager
def only_writer(folder: str) -> Iterator[None]:
    """
    Wait until nobody else holds *folder*, and hold it; a process that ends lets go of it.

    Raises:
        OSError: it can't be held.
    """
    if fcntl is None:
        yield
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)
