"""
The output of the hook: one block, and warnings on standard error.

Standard library only.
"""

import contextlib
import sys
import threading
from collections.abc import Callable


class Output:
    """
    Standard output for one text: the first writer wins, later ones are refused.

    Attributes:
        answer: Converts a text to the host's format.

    """

    def __init__(self) -> None:
        self.answer: Callable[[str], str] = lambda text: text
        self._claim = threading.Lock()
        self._written = threading.Event()

    @property
    def taken(self) -> bool:
        """Whether a writer has claimed the output."""
        return self._claim.locked()

    @property
    def written(self) -> bool:
        """Whether the text was written and flushed."""
        return self._written.is_set()

    def write(self, text: str) -> bool:
        """
        Write *text* as UTF-8 and flush it.

        Returns:
            False if another text came first (and is written by now), or standard output is closed.

        """
        if not self._claim.acquire(blocking=False):
            self._written.wait()  # or who came first would be cut off when the process ends
            return False
        try:
            return _print(self.answer(text))
        finally:
            self._written.set()


def _print(text: str) -> bool:
    if sys.stdout is None:
        return False
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except (OSError, ValueError):
        return False
    return True


def complain(line: str) -> None:
    """Print *line* on standard error, if that is open, never on standard output."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(line, file=sys.stderr, flush=True)
