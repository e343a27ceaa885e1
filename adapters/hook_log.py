"""The log of the hook's failures."""

import contextlib
import datetime as dt
import os

from hardwon.adapters.folder import Folder, open_without_waiting, opened_store
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.text import one_line

FILE_NAME = "hook.log"
MAX_BYTES = 1_000_000
ENOUGH_BYTES = 64 * 1024


def log_event(folder: str, event: str, at: dt.datetime) -> None:
    """
    Append a failure of the hook to the log in the store's folder.

    The file is readable only by its owner and rotated at 1 MB, with one older generation kept.
    Errors of writing are ignored.

    Args:
        folder: The store's folder, created if missing.
        event: Made one line, without secrets.
        at: The timestamp of the event.
    """
    line = f"{at.isoformat(timespec='seconds')} {one_line(redact(event))}\n"
    with contextlib.suppress(OSError, ValueError, StorageError), opened_store(folder) as opened:
        _rotate(opened)
        log = opened.open(
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
    """Return the last *count* lines of the log in *folder*."""
    path = os.path.join(folder, FILE_NAME)
    with (
        contextlib.suppress(OSError, ValueError),
        open(path, "rb", opener=open_without_waiting) as log,
    ):
        log.seek(max(0, os.fstat(log.fileno()).st_size - ENOUGH_BYTES))
        return log.read(ENOUGH_BYTES).decode("utf-8", "replace").splitlines()[-count:]
    return []
