"""Deleted sections in memory."""

import datetime as dt

from hardwon.ports.file_state import Tombstone, Tombstones
from hardwon.ports.override import override
from tests.fakes.state import State


class InMemoryTombstones(Tombstones):
    def __init__(self, state: State) -> None:
        self._state = state

    @override
    def add(self, tombstone: Tombstone, at: dt.datetime) -> None:
        assert at.tzinfo
        self._state.tombstones[tombstone.file_path, tombstone.anchor_id] = tombstone.file_hash

    @override
    def deleted(self, file_path: str, file_hash: str) -> frozenset[str]:
        tombstones = self._state.tombstones.items()
        return frozenset(
            anchor
            for (path, anchor), digest in tombstones
            if (path, digest) == (file_path, file_hash)
        )

    @override
    def forget(self, file_path: str) -> None:
        tombstones = self._state.tombstones
        self._state.tombstones = {
            section: digest for section, digest in tombstones.items() if section[0] != file_path
        }
