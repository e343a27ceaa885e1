"""Watch the folders of memory, with watchfiles."""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing

from watchfiles import Change, watch

from hardwon.adapters.markdown.document_format import SPECS
from hardwon.adapters.markdown.source_files import BESIDE
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.domain.model.own_files import MEMORY
from hardwon.ports.documents import ENDINGS

SETTLED_MS = 200
"""Debounce time before a change is reported. An editor writes in several steps."""

MAX_WAIT_MS = 2_000
"""Upper bound of the debounce."""

Changes = set[tuple[Change, str]]


class MarkdownWatcher:
    """
    Watcher of the folders of a project's memory and of other roots.

    It does not watch the whole project, whose dependencies alone can exceed the system's limit of
    watches.

    Args:
        project_root: Its folders `memory` and `specs` are watched, and `memory-*.md` beside them.
        roots: More folders with memory.
    """

    def __init__(self, project_root: str, roots: Sequence[str]) -> None:
        self._root = os.path.realpath(project_root)
        self._places = [os.path.join(self._root, name) for name in (MEMORY, SPECS)] + list(
            map(os.path.realpath, roots)
        )

    def changes(self, leaving: threading.Event) -> Iterator[None]:
        """Yield at the start and after possible changes, until *leaving* is set."""
        while not leaving.is_set():
            folders = self._folders()
            try:
                yield from self._within(folders, leaving)
            except FileNotFoundError:
                continue  # a folder was deleted meanwhile
            except (OSError, RuntimeError) as error:  # the library's own error is a RuntimeError
                raise UnreadableFileError(f"{self._root!r} can't be watched: {error}") from error

    def _within(self, folders: list[str], leaving: threading.Event) -> Iterator[None]:
        batches = watch(
            *folders,
            recursive=False,
            watch_filter=self._is_relevant,
            step=SETTLED_MS,
            debounce=MAX_WAIT_MS,
            rust_timeout=SETTLED_MS,
            yield_on_timeout=True,
            stop_event=leaving,
            raise_interrupt=False,
        )
        with closing(batches):
            for number, batch in enumerate(batches):
                if batch or not number:  # the first batch means that watching has begun
                    yield
                    if self._folders() != folders:
                        return

    def _is_relevant(self, _: Change, path: str) -> bool:
        folder, name = os.path.split(path)
        if folder == self._root and path not in self._places:
            return name.startswith(BESIDE) and name.lower().endswith(ENDINGS)
        return name.lower().endswith(ENDINGS) or not os.path.isfile(path)

    def _folders(self) -> list[str]:
        below = {folder for place in self._places for folder in _at_and_below(place)}
        return sorted({self._root, *below})


def _at_and_below(place: str) -> Iterator[str]:
    for folder, folders, _ in os.walk(place):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield folder
