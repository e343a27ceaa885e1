import contextlib
import datetime as dt
import os
from collections.abc import Callable

FILE_NAME = "hook.log"
MAX_BYTES = 1_000_000
ENOUGH_BYTES = 64 * 1024
LONGEST_LINE = 1_000
UNPRINTABLE = "\ufffd"


def one_line(event: str) -> str:
    """Return *event* as one line of at most 1,000 characters that can't steer a terminal."""
    line = " ".join(event.split())[:LONGEST_LINE]
    return "".join(character if character.isprintable() else UNPRINTABLE for character in line)


class HookLog:
    """
    Trouble of the hook, one line an event, in the store's folder.

    The file is for its owner only and starts anew at 1 MB, with one older
    generation kept. A log that can't be written never stops anything.

    Args:
        folder: The store's folder; created when it is not there.
        now: Gives the moment of an event.

    """

    def __init__(self, folder: str, now: Callable[[], dt.datetime]) -> None:
        self._path = os.path.join(folder, FILE_NAME)
        self._now = now

    def write(self, event: str) -> None:
        """Append one line."""
        line = f"{self._now().isoformat(timespec='seconds')} {one_line(event)}\n"
        with contextlib.suppress(OSError, ValueError):
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            self._rotate()
            log = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0), 0o600)
            try:
                os.write(log, line.encode("utf-8", "replace"))
            finally:
                os.close(log)

    def _rotate(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            if os.stat(self._path).st_size >= MAX_BYTES:
                os.replace(self._path, f"{self._path}.1")


def last_events(folder: str, count: int) -> list[str]:
    """Return the last *count* lines of the log in *folder*; none when there is no log that can be read."""
    path = os.path.join(folder, FILE_NAME)
    with contextlib.suppress(OSError, ValueError), open(path, "rb", opener=_open_without_waiting) as log:
        log.seek(max(0, os.fstat(log.fileno()).st_size - ENOUGH_BYTES))
        return log.read(ENOUGH_BYTES).decode("utf-8", "replace").splitlines()[-count:]
    return []


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
