"""
The background process that prepares a project's next session start, and ends.

It may be killed at any moment: then the start is made when it begins. It imports little, as it runs
after each turn.
"""

import os
import signal
import sys
import time
from contextlib import closing

from hardwon.domain.model.errors import StorageError
from hardwon.entrypoints.bootstrap import open_log, open_prepared_starts, read_settings
from hardwon.entrypoints.bootstrap_capture import open_forget_lock, open_lock
from hardwon.entrypoints.hook.prepared_start import place_of
from hardwon.entrypoints.hook.request import HookRequest, start_of
from hardwon.entrypoints.hook.session_start import SessionStart

MORE_SECONDS = 5.0
"""More time for a search than at a session start."""

TRIES = 2
"""The first may change the store, as when it imports a knowledge bank."""

LONGEST_RUN_SECONDS = 60.0
PATIENCE_SECONDS = 0.25
"""Longest wait for the worker, which prepares starts too."""


def main() -> None:
    """Prepare a start, by those options of the worker that name it."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, LONGEST_RUN_SECONDS)  # the system ends it
    os.chdir(os.sep)
    options = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=False))
    store, root = options["--global-store"], options["--project-root"]
    prepare_alone(store, root, measure=options["--prepare"], on_server="--on-server" in sys.argv)


def prepare_alone(store: str, project_root: str, measure: str, *, on_server: bool = False) -> None:
    """
    Prepare the next start in a project, unless a worker is at work.

    Where the store leaves work, it is done first.

    Args:
        store: The store's folder.
        project_root: The folder in which the session will begin.
        measure: How its host measures a text.
        on_server: Whether the environment names a server that keeps the store.
    """
    flags = {} if on_server else {"--global-store": store}
    request = start_of(project_root, "bytes" if measure == "bytes" else "units", flags)
    try:
        if _prepare(store, request):
            from hardwon.entrypoints.worker import Worker  # brings a lot

            Worker(store, project_root, on_server=on_server).work_before_start()
            _prepare(store, request)
    except StorageError:  # the next start tells
        return
    except Exception as error:  # noqa: BLE001  # the process has no other output
        open_log(store)(f"no start is prepared: {type(error).__name__}: {error}")


def _prepare(store: str, request: HookRequest) -> bool:
    lock = open_lock(store)
    if open_forget_lock(store).is_taken() or not lock.acquire(PATIENCE_SECONDS):
        return False
    try:
        return prepare_start(request)
    finally:
        lock.release()


def prepare_start(request: HookRequest) -> bool:
    """
    Keep the block that *request* would print.

    It is kept only if a later start would print the same. A block with a warning is not kept: the
    next start may do better. Only one process at a time may do so.

    Returns:
        Whether the store leaves work that has to be done before.
    """
    resolved = read_settings(request.project_root, request.flags, asks_git=False)
    settings = resolved.settings
    is_wanted = settings.injection_enabled and settings.semantic_enabled
    if not (is_wanted and settings.injection_limit > 0 and os.path.isdir(request.project_root)):
        return False
    starts, place = open_prepared_starts(settings.global_store), place_of(settings, request)
    known = starts.find(place)
    for _ in range(TRIES):
        problems = list[str]()
        start = SessionStart(
            resolved,
            request.project_root,
            started=time.monotonic() + MORE_SECONDS,
            slowdown=1.0,
            warn=problems.append,
        )
        with closing(start):
            prepared = start.prepare(request, known)
        if prepared and prepared != known and not problems:
            starts.keep(place, prepared)
        if prepared or start.leaves_work:
            break
    return start.leaves_work


if __name__ == "__main__":
    main()
