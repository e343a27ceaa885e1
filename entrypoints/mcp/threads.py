"""The server's threads for tools, vectors and labels."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

import anyio

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.pause import Pause
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap import Memory, open_memory, system_clock
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.host_session import present_pause
from hardwon.entrypoints.mcp.scan import StartupScan
from hardwon.ports.store import Warn

EMBED_SECONDS = 3.0
"""How long a tool waits for vectors; a provider may take ten times that."""

T = TypeVar("T")


class Kept(Generic[T]):
    """
    A use case that keeps the data it has loaded: built once for each open store.

    Args:
        build: Builds it from an open store.

    """

    def __init__(self, build: Callable[[Memory], T]) -> None:
        self._build = build
        self._memory: Memory | None = None

    def of(self, memory: Memory) -> T:
        """Return the use case of *memory*."""
        if self._memory is not memory:
            self._memory, self._built = memory, self._build(memory)
        return self._built


class MemoryWorker:
    """
    The threads that work on the store, each with a connection of its own, as SQLite's belongs to one thread.

    One answers the tools. Another makes vectors, so that a slow provider holds up
    only the callers that wait for one. A third labels imported entries; nothing waits
    for it. Waiting leaves the event loop free.

    Attributes:
        settings: The resolved settings.
        project_root: The folder the user works in.
        warn: Called with one line about a problem.

    """

    def __init__(
        self, settings: Settings, project_root: str, warn: Warn, startup_scan: StartupScan | None = None
    ) -> None:
        self.settings = settings
        self.project_root = project_root
        self.warn = warn
        self._startup_scan = startup_scan
        self._memory: Memory | None = None
        self._next_embedding: Future[list[str]] | None = None
        self._labelling: Future[None] | None = None

    def pause(self) -> Pause | None:
        """Return the pause that holds now in the session that started this process, None without one."""
        return present_pause(self.settings.global_store, system_clock().now())

    def workplace(self, memory: Memory) -> Workplace:
        """Return where the user works now."""
        return read_workplace(memory, self.project_root)

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """
        Keep the store open; where memory is switched off, none is made. A server may be away: each call tries again.

        Raises:
            StorageError: the store in a file can't be opened.
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
            try:
                yield
            finally:
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

    async def call(self, work: Callable[[Memory], T]) -> T:
        """
        Return what *work* returns, or raise what it raises; one work at a time, in the order of the calls.

        A store that was moved or deleted since is opened again: nothing is written to an unlinked file.
        """
        return await _result(self._thread, lambda: work(self._present()))

    async def embed(self) -> list[str]:
        """
        Give what waits its vector, if that is possible in `EMBED_SECONDS`; return why it is not, one line each.

        A call during another's wait for the thread shares its result.
        Imported entries get labels meanwhile.
        """
        self.begin_to_label()
        if self._next_embedding is None or self._next_embedding.running() or self._next_embedding.done():
            self._next_embedding = self._embedding.submit(self._embed)
        with anyio.move_on_after(EMBED_SECONDS):
            return await asyncio.shield(asyncio.wrap_future(self._next_embedding))
        return [f"its vector follows: the provider has not answered in {EMBED_SECONDS:g} s"]

    def begin_to_label(self) -> None:
        """Start labelling imported entries in the background, unless that is being done."""
        if self._labelling is None or self._labelling.done():
            self._labelling = self._labels.submit(self._label)

    def _opened(self) -> Memory:
        memory = open_memory(self.settings, self.warn, create=self.settings.semantic_enabled)
        if memory.store.upkeep.has_outdated_keywords():
            from hardwon.entrypoints.bootstrap_upkeep import update_keyword_index_later  # once after an upgrade

            update_keyword_index_later(memory, self.project_root)
        return memory

    def _present(self) -> Memory:
        if self._memory is None or not self._memory.is_in_place():
            self._close()
            self._memory = self._opened()
        return self._memory

    def _close(self) -> None:
        if self._memory:
            self._memory.close()
        self._memory = None

    def _embed(self) -> list[str]:
        from hardwon.entrypoints.embed_after_write import embed_now  # numpy and more: only writes need it

        memory = open_memory(self.settings, self.warn)
        with contextlib.closing(memory):
            return embed_now(memory)

    def _label(self) -> None:
        from hardwon.entrypoints.embed_after_write import label_imports

        memory = open_memory(self.settings, self.warn)
        with contextlib.closing(memory):
            label_imports(memory)


async def _result(thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    return await asyncio.wrap_future(thread.submit(work))
