"""The server's threads for tools, vectors, labels and the indexing of files."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import anyio

from hardwon.domain.model.document import FILE_KINDS
from hardwon.domain.model.errors import HardwonError, ServerAwayError, StorageError
from hardwon.domain.model.filters import EntryFilter, Workplace
from hardwon.domain.model.pause import Pause
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.embedding_spaces import Spaces
from hardwon.entrypoints.bootstrap import open_memory, open_outbox, present_pause, system_clock
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.context import read_workplace
from hardwon.ports.store import Warn

if TYPE_CHECKING:
    from hardwon.domain.model.embedding import Space
    from hardwon.domain.use_cases.embed_pending import Pairs
    from hardwon.domain.use_cases.index_files import IndexOutcome

OF_FILES = EntryFilter(kinds=FILE_KINDS)

QUIET_SECONDS = 30.0
"""Silence after which a server is given its connection back."""

LAST_FILE_SECONDS = 0.3
"""How long the server's end waits for the file being indexed."""


class ScanOutcome(NamedTuple):
    """
    The result of a scan.

    Attributes:
        pending: How many memories of files have no vector yet.
    """

    indexed: "IndexOutcome"
    pending: int
    problems: tuple[str, ...]


class ProjectScan(NamedTuple):
    """Indexes the files of a project."""

    settings: Settings
    project_root: str
    warn: Warn

    def run(self, *, spec_folder: str = "", force: bool = False) -> ScanOutcome:
        """Index the project's memory files, and make 50 vectors."""
        from hardwon.entrypoints.embed_after_write import embed_now

        with self.memory() as memory:
            indexed = self.look_through(memory, spec_folder=spec_folder, force=force)
            problems = embed_now(memory.spaces)
            return ScanOutcome(indexed, memory.spaces.count_pending(OF_FILES), tuple(problems))

    @contextlib.contextmanager
    def memory(self) -> Iterator[Memory]:
        """Open the store for the calling thread."""
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
    ) -> "IndexOutcome":
        """Index files as `IndexFiles` does."""
        from hardwon.entrypoints.bootstrap_files import (
            build_index_files,  # here and below: a start need not wait for it
        )

        index_files = build_index_files(
            memory, self.project_root, read_workplace(memory, self.project_root)
        )
        return index_files.index(spec_folder=spec_folder, force=force, wanted=wanted)


class StartupScan:
    """The background scan at the start of a server."""

    def __init__(self, scan: ProjectScan) -> None:
        self._scan = scan
        self._leaving = threading.Event()
        self._indexed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="startup-scan", daemon=True)

    def start(self) -> None:
        """Start the scan, unless memory is switched off or paused."""
        if self._scan.settings.semantic_enabled and not present_pause(
            self._scan.settings.global_store, system_clock().now()
        ):
            self._thread.start()
        else:
            self._indexed.set()

    @property
    def is_indexing(self) -> bool:
        """Whether files are still to be indexed, not counting their vectors."""
        return not self._indexed.is_set()

    def stop(self) -> None:
        """Stop after the current file."""
        self._leaving.set()
        if self._thread.is_alive():
            self._thread.join(LAST_FILE_SECONDS)

    def _run(self) -> None:
        from hardwon.entrypoints.bootstrap import build_know_projects  # slow
        from hardwon.entrypoints.context import look_up_if_possible

        try:
            with self._scan.memory() as memory:
                look_up_if_possible(build_know_projects(memory), self._scan.project_root)
                indexed = self._scan.look_through(memory, wanted=self._goes_on)
                self._indexed.set()
                for line in (*(f"skipped: {item}" for item in indexed.skipped), *indexed.warnings):
                    self._scan.warn(line)
                self._embed(memory.spaces)
        except HardwonError as error:
            self._scan.warn(f"the scan at the start stopped: {error}")
        finally:
            self._indexed.set()

    def _embed(self, spaces: Spaces) -> None:
        """Make the missing vectors of files: all with a local model, else one batch."""
        from hardwon.domain.use_cases.embed_pending import BATCH
        from hardwon.entrypoints.embed_after_write import fill_spaces

        while self._goes_on() and spaces.count_pending(OF_FILES):
            filled = fill_spaces(spaces, BATCH)
            for problem in filled.problems:
                self._scan.warn(f"what has no vector is found by its words: {problem}")
            if not filled.made or filled.problems or spaces.provider != "local":
                return

    def _goes_on(self) -> bool:
        return not self._leaving.is_set()


EMBED_SECONDS = 3.0
"""How long a tool waits for vectors. A provider may take ten times that."""

T = TypeVar("T")


class PerStore(Generic[T]):
    """A use case that caches its data, built once per open store."""

    def __init__(self, build: Callable[[Memory], T]) -> None:
        self._build = build
        self._memory: Memory | None = None

    def built_for(self, memory: Memory) -> T:
        """Return the use case for *memory*."""
        if self._memory is not memory:
            self._memory, self._built = memory, self._build(memory)
        return self._built


class MemoryWorker:
    """
    The threads that work on the store.

    Each has its own connection, as SQLite's belongs to one thread. One answers the tools. Another
    makes vectors, so that a slow provider delays only callers that wait for one. A third labels
    imported entries in the background. Waiting leaves the event loop free.
    """

    def __init__(
        self,
        settings: Settings,
        project_root: str,
        warn: Warn,
        startup_scan: StartupScan | None = None,
    ) -> None:
        self.settings = settings
        self.project_root = project_root
        self.warn = warn
        self._startup_scan = startup_scan
        self._memory: Memory | None = None
        self._next_embedding: Future[list[str]] | None = None
        self._labelling: Future[None] | None = None
        self._rest: asyncio.TimerHandle | None = None

    def pause(self) -> Pause | None:
        """Return the pause of the session that started this process."""
        return present_pause(self.settings.global_store, system_clock().now())

    def workplace(self, memory: Memory) -> Workplace:
        """Return where the user works now."""
        return read_workplace(memory, self.project_root)

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """
        Keep the store open.

        No store is created while memory is switched off. A database server may be away: each call
        retries.
        """
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="memory")
        self._embedding = ThreadPoolExecutor(max_workers=1, thread_name_prefix="vectors")
        self._labels = ThreadPoolExecutor(max_workers=1, thread_name_prefix="labels")
        try:
            try:
                self._memory = await _result(self._thread, self._opened)
            except StorageError as error:
                if not self.settings.server:
                    raise
                self.warn(str(error))
            self._rest_later()
            try:
                yield
            finally:
                if self._rest:
                    self._rest.cancel()
                if self._startup_scan:
                    self._startup_scan.stop()
                with anyio.CancelScope(shield=True):
                    await _result(self._thread, self._close)
        finally:
            for thread in (self._thread, self._embedding, self._labels):
                thread.shutdown(wait=False)

    @property
    def is_indexing(self) -> bool:
        """Whether the startup scan still indexes files."""
        return self._startup_scan is not None and self._startup_scan.is_indexing

    def begin_scan(self) -> None:
        """Begin the startup scan, if there is one."""
        if self._startup_scan:
            self._startup_scan.start()

    async def call(self, work: Callable[[Memory], T], *, or_outbox: bool = False) -> T:
        """
        Run *work* in the store's thread, in the order of the calls.

        Returns or raises what it does. A store that was moved or deleted since is reopened, so
        nothing is written to an unlinked file. With *or_outbox*, it is repeated on the outbox if
        the server is away.
        """

        def run() -> T:
            try:
                return work(self._present())
            except ServerAwayError as error:
                self._close()
                if not or_outbox:
                    raise error.refusal from error
                with contextlib.closing(open_outbox(self.settings, self.warn, error)) as outbox:
                    return work(outbox)

        try:
            return await _result(self._thread, run)
        finally:
            self._rest_later()

    def _rest_later(self) -> None:
        """Close a store on a server when no call comes: servers have few connections."""
        if self._rest:
            self._rest.cancel()
        if self.settings.server:
            submit = partial(self._thread.submit, self._close)
            self._rest = asyncio.get_running_loop().call_later(QUIET_SECONDS, submit)

    async def embed(self) -> list[str]:
        """
        Make pending vectors within `EMBED_SECONDS`, and return the problems, a line each.

        Concurrent calls share a result. Imported entries get labels meanwhile.
        """
        self.begin_to_label()
        if (
            self._next_embedding is None
            or self._next_embedding.running()
            or self._next_embedding.done()
        ):
            self._next_embedding = self._embedding.submit(self._embed)
        with anyio.move_on_after(EMBED_SECONDS), contextlib.suppress(ServerAwayError):
            return await asyncio.shield(asyncio.wrap_future(self._next_embedding))
        return [f"its vector follows: the provider has not answered in {EMBED_SECONDS:g} s"]

    def begin_to_label(self) -> None:
        """Start labelling imported entries in the background, unless it is running."""
        if self._labelling is None or self._labelling.done():
            self._labelling = self._labels.submit(self._label)
            self._rest_later()

    def _opened(self) -> Memory:
        memory = open_memory(self.settings, self.warn, create=self.settings.semantic_enabled)
        if self.settings.server:
            from hardwon.entrypoints.bootstrap_capture import wake_to_send

            wake_to_send(self.settings, self.project_root)
        if memory.store.upkeep.has_outdated_keywords():
            from hardwon.entrypoints.bootstrap_capture import update_keyword_index_later

            update_keyword_index_later(
                memory.settings, warn=memory.warn, project_root=self.project_root
            )
        return memory

    def _present(self) -> Memory:
        if self._memory is None or not self._memory.store.is_in_place():
            self._close()
            self._memory = self._opened()
        return self._memory

    def _close(self) -> None:
        if self._memory:
            self._memory.close()
        self._memory = None

    def _embed(self) -> list[str]:
        from hardwon.entrypoints.embed_after_write import embed_now  # numpy, for writes

        memory = open_memory(self.settings, self.warn)
        with contextlib.closing(memory):
            return embed_now(memory.spaces, self._propose_later)

    def _propose_later(self, space: "Space", pairs: "Pairs") -> None:
        """Compare new vectors in the store's thread, which keeps those that it has read."""
        with contextlib.suppress(RuntimeError):  # the server ends
            self._thread.submit(self._propose, space, pairs)

    def _propose(self, space: "Space", pairs: "Pairs") -> None:
        from hardwon.entrypoints.embed_after_write import propose

        try:
            propose(self._present().spaces, space, pairs)
        except StorageError as error:
            self.warn(f"lessons that new ones may replace were not looked for: {error}")

    def _label(self) -> None:
        from hardwon.entrypoints.embed_after_write import has_imports_to_label, label_imports

        present = self._thread.submit(lambda: has_imports_to_label(self._present().store))
        if present.result():
            memory = open_memory(self.settings, self.warn)
            with contextlib.closing(memory):
                label_imports(memory.store, memory.settings)


async def _result(thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    return await asyncio.wrap_future(thread.submit(work))
