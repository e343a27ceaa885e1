"""The lock that one capture at a time holds."""

import contextlib
import os
from collections.abc import Iterator

from hardwon.domain.model.errors import StorageError
from hardwon.entrypoints.bootstrap import Memory
from hardwon.entrypoints.bootstrap_capture import has_events, open_lock
from hardwon.entrypoints.wake_worker import wake

PATIENCE_SECONDS = 10.0
"""How long to wait for another capture; its lock is released when its process ends."""


@contextlib.contextmanager
def capture_lock(memory: Memory, project_root: str) -> Iterator[None]:
    """
    Hold the capture lock; a worker that gave up because of it is started again.

    Raises:
        StorageError: another capture holds it for too long.
    """
    lock = open_lock(memory.settings.global_store)
    if not lock.acquire(PATIENCE_SECONDS):
        raise StorageError(f"another capture has been going on for {PATIENCE_SECONDS:.0f} s: try again later")
    try:
        yield
    finally:
        lock.release()
        _wake_for_what_came(memory, project_root)


def _wake_for_what_came(memory: Memory, project_root: str) -> None:
    settings = memory.settings
    if not (settings.capture_enabled and settings.semantic_enabled):
        return
    try:
        if has_events(settings.global_store):
            wake(settings.global_store, os.path.abspath(project_root))
    except (StorageError, OSError) as error:
        memory.warn(f"the worker was not started: {error}")
