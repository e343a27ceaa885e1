"""What the hook does when memory is on: signals, import, search, counters."""

import time
from collections.abc import Callable

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import CorruptStoreError, StorageError
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.inject import Injection
from hardwon.entrypoints.composition import Memory, open_memory
from hardwon.entrypoints.signals import GIT_SECONDS, read_signals
from hardwon.entrypoints.workplace import name_of

SEARCH_SECONDS = 1.6
IMPORT_SECONDS = 0.5
BUSY_SECONDS = 0.5
LEFT = "{} knowledge-bank files are left for next time, or run: hardwon import"
LARGEST_IMPORT = 250_000  # bytes: about 2,000 entries, which take half a second


class SessionStart:
    """
    One session start on an open store.

    Args:
        settings: What the user set.
        project_root: The folder the user works in.
        started: When the hook began, by `time.monotonic`.
        warn: Told of trouble in one line.

    Raises:
        StorageError: the store can't be opened.

    """

    def __init__(self, settings: Settings, project_root: str, started: float, warn: Callable[[str], None]) -> None:
        self._settings = settings
        self._project_root = project_root
        self._warn = warn
        self._deadline = Deadline(time.monotonic, started + SEARCH_SECONDS)
        self._memory: Memory = open_memory(settings, warn, busy_seconds=BUSY_SECONDS, repair_index=False)

    def inject(self, *, framed: bool) -> Injection:
        """
        Return the block for what the user is working on.

        Raises:
            StorageError: the store can't be read, or nothing of the knowledge bank is in it yet.
        """
        query = read_signals(self._project_root, self._deadline.within(GIT_SECONDS), self._warn)
        missing = self._import()
        injection = self._memory.inject(
            query,
            limit=self._settings.injection_limit,
            deadline=self._deadline,
            project=name_of(self._project_root),
            framed=framed,
        )
        for line in injection.degradations:
            self._warn(line)
        if missing and not injection.text:
            raise StorageError(missing)
        if missing:
            self._warn(missing)
        return injection

    def count_recall(self, injection: Injection) -> None:
        """Count what was printed; a busy store loses the count, never the session's time."""
        try:
            self._memory.repository.record_recall(injection.seqs, self._memory.clock.now())
        except StorageError as error:
            self._warn(f"recall not counted: {error}")

    def _import(self) -> str:
        """Import what changed, as far as there is time; return what is missing and why, nothing when all came in."""
        if not self._memory.has_changed_banks(self._project_root):
            return ""
        try:
            imported = self._memory.import_knowledge(self._project_root).changed(
                self._deadline.within(IMPORT_SECONDS), LARGEST_IMPORT
            )
        except CorruptStoreError:
            raise
        except StorageError as error:
            return f"import put off: {error}"
        for line in imported.skipped:
            self._warn(f"not imported: {line}")
        return LEFT.format(imported.left) if imported.left else ""
