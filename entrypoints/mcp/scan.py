"""Indexing the project's files: when a tool asks for it, and in the background when the server starts."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.document import FILE_KINDS
from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap import Memory, open_memory, system_clock
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.host_session import present_pause
from hardwon.ports.store import Warn

if TYPE_CHECKING:
    from hardwon.domain.use_cases.index_files import Indexed

OF_FILES = EntryFilter(kinds=FILE_KINDS)

LAST_FILE_SECONDS = 0.3
"""How long the end of the server waits for the file that is being indexed."""


class Scanned(NamedTuple):
    """
    The result of a scan.

    Attributes:
        indexed: The result of indexing files.
        pending: How many memories of files have no vector yet.
        problems: The reasons why vectors could not be made, one line each.

    """

    indexed: "Indexed"
    pending: int
    problems: tuple[str, ...]


class Scan(NamedTuple):
    """
    Indexes the files of a project.

    Attributes:
        settings: The resolved settings.
        project_root: The project's folder.
        warn: Called with one line about a problem.

    """

    settings: Settings
    project_root: str
    warn: Warn

    def run(self, *, spec_folder: str = "", force: bool = False) -> Scanned:
        """
        Index the files of the project's memory, or of a spec folder, and make vectors for 50.

        Raises:
            UnreadableFileError: *spec_folder* can't be the name of one.
            StorageError: the store can't be used; what was done before is stored.

        """
        from hardwon.entrypoints.embed_after_write import embed_now

        with self.memory() as memory:
            indexed = self.look_through(memory, spec_folder=spec_folder, force=force)
            problems = embed_now(memory)
            return Scanned(indexed, memory.count_pending(OF_FILES), tuple(problems))

    @contextlib.contextmanager
    def memory(self) -> Iterator[Memory]:
        """Open the store for the thread that calls."""
        memory = open_memory(self.settings, self.warn)
        with contextlib.closing(memory):
            yield memory

    def look_through(
        self,
        memory: Memory,
        *,
        spec_folder: str = "",
        force: bool = False,
        wanted: Callable[[], bool] = lambda: True,
    ) -> "Indexed":
        """Index as `IndexFiles` does."""
        from hardwon.entrypoints.bootstrap_files import (
            build_index_files,  # here and below: a start need not wait for it
        )

        index_files = build_index_files(memory, self.project_root, read_workplace(memory, self.project_root))
        return index_files.index(spec_folder=spec_folder, force=force, wanted=wanted)


class StartupScan:
    """
    The scan at the start of a server, in the background.

    Args:
        scan: The work; its problems are reported, and stop nothing.

    """

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._leaving = threading.Event()
        self._indexed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="startup-scan", daemon=True)

    def start(self) -> None:
        """Begin; where memory is switched off or paused there is nothing to do."""
        if self._scan.settings.semantic_enabled and not present_pause(
            self._scan.settings.global_store, system_clock().now()
        ):
            self._thread.start()
        else:
            self._indexed.set()

    @property
    def is_indexing(self) -> bool:
        """Whether files are still to be indexed; missing vectors may be made after that."""
        return not self._indexed.is_set()

    def stop(self) -> None:
        """End after the file that is being indexed, or leave it to the end of the process."""
        self._leaving.set()
        if self._thread.is_alive():
            self._thread.join(LAST_FILE_SECONDS)

    def _run(self) -> None:
        from hardwon.entrypoints.projects import look_up_if_possible

        try:
            with self._scan.memory() as memory:
                look_up_if_possible(memory, self._scan.project_root)
                indexed = self._scan.look_through(memory, wanted=self._goes_on)
                self._indexed.set()
                for line in (*(f"skipped: {item}" for item in indexed.skipped), *indexed.warnings):
                    self._scan.warn(line)
                self._embed(memory)
        except HardwonError as error:
            self._scan.warn(f"the scan at the start stopped: {error}")
        finally:
            self._indexed.set()

    def _embed(self, memory: Memory) -> None:
        """Make the missing vectors of files: all of them by a local model, else 50 as every write does."""
        from hardwon.domain.use_cases.embed_pending import BATCH
        from hardwon.entrypoints.embed_after_write import fill_spaces

        while self._goes_on() and memory.count_pending(OF_FILES):
            filled = fill_spaces(memory, BATCH)
            for problem in filled.problems:
                self._scan.warn(f"what has no vector is found by its words: {problem}")
            if not filled.made or filled.problems or memory.spaces[0].embedder.space.provider != "local":
                return

    def _goes_on(self) -> bool:
        return not self._leaving.is_set()
