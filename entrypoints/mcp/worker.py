import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import anyio

from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.composition import Memory, open_memory
from hardwon.entrypoints.spaces import Warn
from hardwon.entrypoints.workplace import read_workplace

T = TypeVar("T")


class MemoryWorker:
    """
    The one thread that works on the store, as SQLite's connection belongs to it.

    Whoever waits for it leaves the event loop free for others.

    Attributes:
        settings: What the user set.
        project_root: The folder the user works in.

    """

    def __init__(self, settings: Settings, project_root: str, warn: Warn) -> None:
        self.settings = settings
        self.project_root = project_root
        self._warn = warn

    @property
    def workplace(self) -> Workplace:
        """Where the user works now; free of processes."""
        return read_workplace(self.project_root, self.settings)

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """
        Keep the store open; where memory is switched off, none is made.

        Raises:
            StorageError: the store can't be opened.
        """
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="memory")
        self._memory = await self._run(
            lambda: open_memory(self.settings, self._warn, create=self.settings.semantic_enabled)
        )
        try:
            yield
        finally:
            with anyio.CancelScope(shield=True):
                await self.call(lambda memory: memory.database.close())
            self._thread.shutdown(wait=False)

    async def call(self, work: Callable[[Memory], T]) -> T:
        """Return what *work* returns, or raise what it raises; one work at a time, in the order of the calls."""
        return await self._run(lambda: work(self._memory))

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.wrap_future(self._thread.submit(work))
