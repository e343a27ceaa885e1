"""
The store behind the pages, independent of HTTP.

One thread works on the store, and reopens it when another file took its place.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeAlias, TypeVar

from hardwon.domain.model.errors import InvalidQueryError, ServerAwayError, StorageError
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.recall import Recall
from hardwon.domain.use_cases.review_memory import ReviewItem
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_clustering, build_recall
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.review import items_to_review
from hardwon.ports.clock import Clock
from hardwon.ports.overview import Clustering

T = TypeVar("T")

COUNTED_SECONDS = 30.0
"""How long the things to review are cached."""


class Desk:
    """An open store, with caches that outlive a request."""

    def __init__(self, memory: Memory, project_root: str) -> None:
        self.memory = memory
        self.project_root = project_root
        self._recall: Recall | None = None
        self._clustering: Clustering | None = None
        self._recent_items: Sequence[ReviewItem] = ()
        self._counted_at = float("-inf")

    @property
    def clock(self) -> Clock:
        """The store's clock."""
        return self.memory.clock

    def recall(self) -> Recall:
        """Return the search, which caches its vectors."""
        self._recall = self._recall or build_recall(self.memory)
        return self._recall

    def clustering(self) -> Clustering | None:
        """
        Return the clustering of the vectors, None without a space.

        It caches its clusters.
        """
        self._clustering = self._clustering or build_clustering(self.memory.spaces, "learning")
        return self._clustering

    def items_to_review(self) -> Sequence[ReviewItem]:
        """Return all pending decisions."""
        return items_to_review(self.memory, self.project_root)

    def recent_items(self) -> Sequence[ReviewItem]:
        """Return all pending decisions, cached for half a minute."""
        if time.monotonic() - self._counted_at > COUNTED_SECONDS:
            self._recent_items = self.items_to_review()
            self._counted_at = time.monotonic()
        return self._recent_items

    def count_again(self) -> None:
        """Drop the cached decisions, after a change."""
        self._counted_at = float("-inf")


class DeskThread:
    """The thread that owns the store and its SQLite connection."""

    def __init__(self, settings: Settings, project_root: str, warn: Callable[[str], None]) -> None:
        self._settings = settings
        self._project_root = project_root
        self._warn = warn
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._desk: Desk | None = None

    def open(self) -> None:
        """
        Open the store and register the project before the first request.

        A problem is ignored here, as the first page shows it.
        """
        with contextlib.suppress(StorageError):
            self._thread.submit(self._open_for_project).result()

    async def call(self, work: Callable[[Desk], T]) -> T:
        """
        Run *work* in the thread, in the order of the calls.

        Returns or raises what it does.
        """
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, lambda: work(self._opened())
        )

    def close(self, seconds: float | None = None) -> bool:
        """Close the store after pending work, and return whether it did."""
        closed = self._thread.submit(self._close)
        self._thread.shutdown(wait=False)
        try:
            closed.result(seconds)
        except TimeoutError:
            return False
        return True

    def _open_for_project(self) -> None:
        desk = self._opened()
        if desk.memory.store.is_there:
            read_workplace(desk.memory, self._project_root)

    def _opened(self) -> Desk:
        if self._desk and not self._desk.memory.store.is_current():
            self._close()
        if self._desk is None:
            try:
                memory = open_memory(self._settings, self._warn, create=False)
            except ServerAwayError as error:
                raise error.refusal from error
            self._desk = Desk(memory, self._project_root)
        return self._desk

    def _close(self) -> None:
        if self._desk:
            desk, self._desk = self._desk, None
            desk.memory.close()


class PageRequest(NamedTuple):
    """
    A request.

    Attributes:
        values: The variable parts of the path.
        query: First value of each query parameter.
        form: All values of each form field.
    """

    values: Mapping[str, str] = {}
    query: Mapping[str, str] = {}
    form: Mapping[str, Sequence[str]] = {}

    def given(self, name: str) -> str:
        """Return the first value of a form field, empty without one."""
        return next(iter(self.form.get(name, ())), "")

    def first_values(self) -> Mapping[str, str]:
        """Return the first value of each form field."""
        return {name: values[0] for name, values in self.form.items() if values}

    def number(self, name: str, default: int, most: int = 2**31 - 1) -> int:
        """Return a query parameter as a number from 1 to *most*."""
        given = self.query.get(name, "")
        if not given:
            return default
        if not (
            given.isascii()
            and given.isdecimal()
            and len(given) <= len(str(most))
            and 1 <= int(given) <= most
        ):
            raise InvalidQueryError(
                f"{name}={given[:80]!r} in the address is no number from 1 to {most}"
            )
        return int(given)

    def choice(self, name: str, allowed: Sequence[str]) -> str:
        """Return a query parameter that is one of *allowed*."""
        given = self.query.get(name, "") or allowed[0]
        if given not in allowed:
            raise InvalidQueryError(
                f"{name}={given[:80]!r} in the address is not known: use {', '.join(allowed)}"
            )
        return given


class Page(NamedTuple):
    """
    A page.

    Attributes:
        template: Name of its template, without `.html`.
        rows: The same list for programs; None for a page without a list.
    """

    template: str
    values: Mapping[str, object]
    rows: Sequence[Mapping[str, object]] | None = None


class Redirect(NamedTuple):
    """
    The page to show after a change.

    Attributes:
        path: Below the prefix, with a leading `/`.
        notice: The outcome of the change, a line each.
    """

    path: str
    notice: Sequence[str] = ()


Reply: TypeAlias = Page | Redirect
Answer: TypeAlias = Callable[[Desk, PageRequest], Reply]
