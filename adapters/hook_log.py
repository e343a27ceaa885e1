"""The log of the hook's failures."""

import contextlib
import datetime as dt
import os
from collections.abc import Callable

from hardwon.adapters.folder import Folder, open_without_waiting
from hardwon.adapters.store_folder import opened_store
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.redaction import redact

FILE_NAME = "hook.log"
MAX_BYTES = 1_000_000
ENOUGH_BYTES = 64 * 1024
MAX_LINE = 1_000
UNPRINTABLE = "\ufffd"


def one_line(event: str) -> str:
    """
    Return *event* as a line of at most 1,000 printable characters.

    It can't steer a terminal.
    """
    line = " ".join(event.split())[:MAX_LINE]
    return "".join(character if character.isprintable() else UNPRINTABLE for character in line)


class HookLog:
    """
    Failures of the hook in the store's folder, a line an event.

    The file is readable only by its owner and rotated at 1 MB, with one older generation kept.
    Errors of writing are ignored.

    Args:
        folder: The store's folder, created if missing.
        now: Returns the timestamp of an event.
    """

    def __init__(self, folder: str, now: Callable[[], dt.datetime]) -> None:
        self._folder = folder
        self._now = now

    def write(self, event: str) -> None:
        """Append *event* as a line."""
        line = f"{self._now().isoformat(timespec='seconds')} {one_line(redact(event))}\n"
        with (
            contextlib.suppress(OSError, ValueError, StorageError),
            opened_store(self._folder) as folder,
        ):
            _rotate(folder)
            log = folder.open(
                FILE_NAME, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)
            )
            try:
                os.write(log, line.encode("utf-8", "replace"))
            finally:
                os.close(log)


def _rotate(folder: Folder) -> None:
    with contextlib.suppress(FileNotFoundError):
        if folder.facts(FILE_NAME).st_size >= MAX_BYTES:
            folder.replace(FILE_NAME, f"{FILE_NAME}.1")


def last_events(folder: str, count: int) -> list[str]:
    """Return the last *count* lines of the log in *folder*, if it is readable."""
    path = os.path.join(folder, FILE_NAME)
    with (
        contextlib.suppress(OSError, ValueError),
        open(path, "rb", opener=open_without_waiting) as log,
    ):
        log.seek(max(0, os.fstat(log.fileno()).st_size - ENOUGH_BYTES))
        return log.read(ENOUGH_BYTES).decode("utf-8", "replace").splitlines()[-count:]
    return []
