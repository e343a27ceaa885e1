"""Checkpoints and copies of a store in memory."""

import copy
import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager

import attrs

from hardwon.domain.model.checkpoint import Checkpoint, Contents
from hardwon.domain.model.errors import InvalidCheckpointError, StorageError
from hardwon.ports.override import override
from hardwon.ports.snapshots import Replacement, Snapshot, Snapshots
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.state import State


class InMemorySnapshots(Snapshots):
    """
    Its files are copies of the state, by path; a test may remove one.

    Attributes:
        history: Entries that restores changed: number, `restored` or `removed`, name of the
            checkpoint.

    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._repository = InMemoryEntryRepository(state)
        self._kept: dict[str, Checkpoint] = {}
        self._last = 0
        self.files: dict[str, State] = {}
        self.history: list[tuple[int, str, str]] = []

    @override
    @contextmanager
    def transaction(self) -> Iterator[None]:
        before, files, history = dict(self._kept), dict(self.files), list(self.history)
        try:
            with self._repository.transaction():
                yield
        except BaseException:
            self._kept, self.files, self.history = before, files, history
            raise

    @override
    def checkpoints(self) -> list[Checkpoint]:
        return [self._now(checkpoint) for checkpoint in reversed(self._kept.values())]

    @override
    def named(self, name: str) -> Checkpoint | None:
        return self._now(self._kept[name]) if name in self._kept else None

    @override
    def take(self, checkpoint: Checkpoint) -> Checkpoint:
        self._last += 1
        path = f"/store/checkpoints/{self._last}.db"
        count = len(self._state.within(checkpoint.contents.entries))
        taken = attrs.evolve(checkpoint, number=self._last, memory_count=count, snapshot_path=path)
        self._kept[taken.name] = taken
        self.files[path] = copy.deepcopy(self._state)
        return taken

    @override
    def discard(self, checkpoint: Checkpoint) -> None:
        self._kept.pop(checkpoint.name, None)
        self.files.pop(checkpoint.snapshot_path, None)

    @override
    @contextmanager
    def opened(self, path: str) -> Iterator["InMemorySnapshot"]:
        if path not in self.files:
            raise StorageError(f"{path}: there is no such file")
        yield InMemorySnapshot(self.files[path], self._state, self.history)

    @override
    def back_up(self, path: str, *, replace: bool = False) -> None:
        if path in self.files and not replace:
            raise InvalidCheckpointError(f"{path!r} is there already")
        self.files[path] = copy.deepcopy(self._state)

    def _now(self, checkpoint: Checkpoint) -> Checkpoint:
        return attrs.evolve(checkpoint, is_there=checkpoint.snapshot_path in self.files)


class InMemorySnapshot(Snapshot):
    def __init__(self, past: State, present: State, history: list[tuple[int, str, str]]) -> None:
        self._past = past
        self._present = present
        self._history = history

    @override
    def bring_back(self, contents: Contents, *, name: str, at: dt.datetime) -> Replacement:
        del at
        then, now = (set(state.within(contents.entries)) for state in (self._past, self._present))
        missing = {
            number
            for number in then
            if number not in now
            or self._seen(self._past, number) != self._seen(self._present, number)
        }
        surplus = (now - then) | (now & missing) | self._in_the_way_of(missing)
        for number in surplus:
            InMemoryEntryRepository(self._present).delete(self._present.entries[number].entry_id)
        for number in missing:
            self._copy(number)
        self._history.extend((number, "restored", name) for number in sorted(missing))
        self._history.extend((number, "removed", name) for number in sorted(surplus - missing))
        return Replacement(len(then), len(missing), len(surplus - missing))

    def _in_the_way_of(self, numbers: set[int]) -> set[int]:
        wanted = [self._past.entries[number] for number in numbers]
        ids = {entry.entry_id for entry in wanted}
        sections = {(entry.file_path, entry.anchor_id) for entry in wanted if entry.file_path}
        return {
            number
            for number, entry in self._present.entries.items()
            if entry.entry_id in ids or (entry.file_path, entry.anchor_id) in sections
        }

    def _copy(self, number: int) -> None:
        past, present = self._past, self._present
        present.entries[number] = past.entries[number]
        if number in past.recalls:
            present.recalls[number] = past.recalls[number]
        if number in past.usage:
            present.usage[number] = past.usage[number]
        present.expired |= past.expired & {number}
        present.influences |= {
            key: influence for key, influence in past.influences.items() if key[0] == number
        }
        present.vectors |= {key: vector for key, vector in past.vectors.items() if key[1] == number}

    @staticmethod
    def _seen(state: State, number: int) -> object:
        vectors = {key: vector for key, vector in state.vectors.items() if key[1] == number}
        influences = {
            key: influence for key, influence in state.influences.items() if key[0] == number
        }
        return state.entry(number), number in state.expired, vectors, influences
