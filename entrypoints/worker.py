"""
The background process: it captures events, embeds entries, and ends.

It may be killed at any moment: unfinished work is repeated.
"""

import argparse
import contextlib
import datetime as dt
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial

from hardwon.domain.model.conversation.hook_event import MAX_WAITING, WaitingEvents
from hardwon.domain.model.conversation.session import project_of
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import CorruptStoreError, UnreadableFileError
from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.injection.entry_text import MEASURES, Measure
from hardwon.domain.model.project import Registry
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.text import one_line
from hardwon.domain.use_cases.capture import CaptureInterruptedError
from hardwon.domain.use_cases.embed_pending import BATCH
from hardwon.entrypoints.bootstrap import (
    build_know_projects,
    open_log,
    open_memory,
    read_settings,
    system_clock,
)
from hardwon.entrypoints.bootstrap_capture import (
    PREPARER,
    last_events,
    open_forget_lock,
    open_journal,
    open_lock,
    put_aside,
    wake,
)
from hardwon.entrypoints.bootstrap_files import build_settle_versions, build_store_citations
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.capture import FORGET_SECONDS, build_capture_events, folder_of_session
from hardwon.entrypoints.context import look_up_new_ones, projects_to_settle, read_workplace
from hardwon.entrypoints.embed_after_write import fill_spaces, label_imports
from hardwon.entrypoints.outbox import send_waiting
from hardwon.entrypoints.presenters.text import counted

GRACE_SECONDS = 5.0
"""
Delay after which the system ends a process with all threads blocked.

A regular expression can block them.
"""


def end_after(seconds: float, warn: Callable[[str], None], grace: float = GRACE_SECONDS) -> None:
    """
    End this process after *seconds*, whatever it does then.

    Args:
        seconds: Time limit.
        warn: Called with one line, unless C code blocks the process.
        grace: Additional seconds until the system ends it, where it has a timer.

    """

    def end() -> None:
        warn(f"capture: ended after {seconds:g} seconds; the rest is for the next time")
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        signal.setitimer(signal.ITIMER_REAL, seconds + grace)


LONGEST_RUN_SECONDS = 600.0
PATIENCE_SECONDS = 0.25
"""Longest wait for the lock, which a check holds for a moment."""

LOOK_UP_SECONDS = 10.0
"""Time limit for git, for each project."""

CITATION_SECONDS = 10.0
"""
Time limit for comparing cited files.

The rest is for the next run.
"""

MAX_BATCHES = 10
LATELY = 100
"""Last lines of the log, whose problems are not logged again."""

REFRESHED = (
    "entries indexed again, so that identifiers are found in any spelling, and words in any script"
    " and width"
)

FORGOTTEN_AFTER = dt.timedelta(days=30)
"""How long a session's exchanges stay buffered after all were kept."""


def main() -> None:
    """Run the worker on what waits, unless another one is running."""
    parser = argparse.ArgumentParser(prog="hardwon-worker", description="Take in what hooks noted.")
    parser.add_argument("--global-store", required=True)
    parser.add_argument("--project-root", default=os.sep)
    parser.add_argument(
        "--on-server", action="store_true", help="the store is the server that HARDWON_STORE names"
    )
    parser.add_argument(
        "--prepare", choices=[*MEASURES], help="prepare the project's next start of such a host"
    )
    options = parser.parse_args()
    os.chdir(os.sep)
    worker = Worker(
        options.global_store,
        options.project_root,
        on_server=options.on_server,
    )
    end_after(LONGEST_RUN_SECONDS, worker.warn)
    worker.run()
    if options.prepare:
        worker.wake_preparer(options.prepare)


class Worker:
    """
    One run on a store.

    Args:
        global_store: The store's folder.
        project_root: The project whose settings determine how missing vectors are made.
        on_server: Whether the environment names a server that keeps the store.
    """

    def __init__(
        self,
        global_store: str,
        project_root: str,
        *,
        on_server: bool = False,
    ) -> None:
        self._store = global_store
        self._flags = {} if on_server else {"--global-store": global_store}
        self._project_root = project_root
        self._journal = open_journal(global_store)
        self._lock = open_lock(global_store)
        self._forget_lock = open_forget_lock(global_store)
        self._dealt_with = dict[str, int]()
        self._has_tidied = False
        self._problems = set[str]()
        self.warn = open_log(global_store)

    def run(self) -> None:
        """Work until every waiting event was tried, new ones included."""
        with self._logged():
            while self._due() or not self._has_tidied:
                if not self._alone(self._work):
                    return

    def wake_preparer(self, measure: Measure) -> None:
        """Let the next session start be prepared, with what was done here."""
        settings = self._settings_of(self._project_root)
        wake(settings, self._project_root, measure=measure, module=PREPARER)

    def work_before_start(self) -> None:
        """Do the work that a session start leaves, unless another worker runs."""
        with self._logged():
            self._alone(self._before_start)

    @contextlib.contextmanager
    def _logged(self) -> Iterator[None]:
        try:
            yield
        except CorruptStoreError as error:
            self.warn(f"{error}; moved to {put_aside(self._store)}")
        except Exception as error:  # noqa: BLE001  # nobody else would tell of it
            self.warn(f"capture: {type(error).__name__}: {error}")

    def _alone(self, work: Callable[[], None]) -> bool:
        """Return whether *work* was done, which only one process at a time does."""
        if self._forget_lock.is_taken(FORGET_SECONDS) or not self._lock.acquire(PATIENCE_SECONDS):
            return False
        try:
            with contextlib.suppress(CaptureInterruptedError):  # repeated later
                work()
        finally:
            self._lock.release()
        return True

    def _due(self) -> list[WaitingEvents]:
        return [
            item
            for item in self._journal.waiting()
            if item.newest > self._dealt_with.get(item.session_id, 0)
        ]

    def _work(self) -> None:
        for waiting in self._due():
            self._attempt(partial(self._capture_waiting, waiting))
            self._dealt_with[waiting.session_id] = waiting.newest
        if not self._has_tidied:
            self._attempt_all(
                self._send,
                self._look_up,
                self._settle,
                self._refresh_index,
                self._fill,
                self._check_citations,
                self._pack,
                self._tidy,
            )
            self._has_tidied = True

    def _before_start(self) -> None:
        self._attempt_all(self._send, self._look_up, self._refresh_index, self._fill)

    def _attempt_all(self, *parts: Callable[[], None]) -> None:
        for part in parts:
            self._attempt(part)

    def _attempt(self, part: Callable[[], None]) -> None:
        self._give_way()
        try:
            part()
        except (CorruptStoreError, CaptureInterruptedError):
            raise
        except Exception as error:  # noqa: BLE001  # nobody else would tell of it
            problem = f"capture: {type(error).__name__}: {error}"
            if problem not in self._problems:  # as of a server that is away
                self._problems.add(problem)
                self.warn(problem)

    def _capture_waiting(self, waiting: WaitingEvents) -> None:
        session_id = waiting.session_id
        root = project_of(self._journal.buffer(session_id), [waiting.project_root])
        try:
            root = folder_of_session(
                session_id, root, journal=self._journal, registry=self._registry
            )
            memory = self._open(root)
            with contextlib.closing(memory):
                build_capture_events(memory, root).capture_waiting(session_id)
                self._give_way()
                label_imports(memory.store, memory.settings)
        except UnreadableFileError as error:
            self._warn_once(str(error))

    def _registry(self) -> Registry:
        with contextlib.closing(self._open(self._project_root)) as memory:
            return memory.registry()

    def _give_way(self) -> None:
        if self._forget_lock.is_taken():
            raise CaptureInterruptedError

    def _warn_once(self, problem: str) -> None:
        if not any(line.endswith(one_line(problem)) for line in last_events(self._store, LATELY)):
            self.warn(problem)

    def _tidy(self) -> None:
        for session_id, events in self._journal.keep_newest(MAX_WAITING).items():
            what = f"{counted(events, 'event', 'events')} of session {session_id!r}"
            self.warn(f"capture: lost {what}, the oldest, as more than {MAX_WAITING:,} waited")
        self._journal.forget_settled(system_clock().now() - FORGOTTEN_AFTER)

    def _send(self) -> None:
        """Send what was stored while the server was away."""
        if self._settings_of(self._project_root).server:
            with contextlib.closing(self._open(self._project_root)) as memory:
                send_waiting(memory, self._give_way)

    def _look_up(self) -> None:
        memory = self._open(self._project_root)
        with contextlib.closing(memory):
            look_up_new_ones(build_know_projects(memory), self._project_root, LOOK_UP_SECONDS)

    def _settle(self) -> None:
        memory = self._open(self._project_root)
        with contextlib.closing(memory):
            for project in projects_to_settle(build_know_projects(memory), memory.repository):
                root = project.identity.root
                build_settle_versions(memory, root, read_workplace(memory, root)).settle()

    def _refresh_index(self) -> None:
        memory = self._open(self._project_root)
        with contextlib.closing(memory):
            if memory.settings.keyword_search and memory.store.upkeep.has_outdated_keywords():
                self.warn(
                    f"keyword index: {memory.store.upkeep.refresh_keyword_index()} {REFRESHED}"
                )

    def _fill(self) -> None:
        memory = self._open(self._project_root)
        with contextlib.closing(memory):
            for _ in range(MAX_BATCHES):
                if not memory.spaces.count_pending(EVERYTHING):
                    return
                self._give_way()
                if problems := fill_spaces(memory.spaces, BATCH).problems:
                    for problem in problems:
                        self.warn(problem)
                    return

    def _check_citations(self) -> None:
        memory = self._open(self._project_root)
        with contextlib.closing(memory):
            deadline = Deadline.after(CITATION_SECONDS, time.monotonic)
            build_store_citations(memory, deadline).check_all(memory.store.metadata, deadline)

    def _pack(self) -> None:
        memory = self._open(self._project_root)
        with contextlib.closing(memory):
            if memory.settings.keyword_search and memory.store.upkeep.has_keyword_index():
                memory.store.upkeep.pack()

    def _settings_of(self, project_root: str) -> Settings:
        settings = read_settings(project_root, self._flags).settings
        return settings._replace(global_store=self._store)

    def _open(self, project_root: str) -> Memory:
        return open_memory(self._settings_of(project_root), self.warn)


if __name__ == "__main__":
    main()
