"""What was deleted though its file is there, in memory."""

import datetime as dt

from hardwon.ports.file_state import Tombstone
from tests.fakes.state import State


class InMemoryTombstones:
    def __init__(self, state: State) -> None:
        self._state = state

    def bury(self, tombstone: Tombstone, at: dt.datetime) -> None:
        assert at.tzinfo
        self._state.tombstones[tombstone.file_path, tombstone.anchor_id] = tombstone.file_hash

    def buried(self, file_path: str, file_hash: str) -> frozenset[str]:
        graves = self._state.tombstones.items()
        return frozenset(anchor for (path, anchor), digest in graves if (path, digest) == (file_path, file_hash))

    def lift(self, file_path: str) -> None:
        graves = self._state.tombstones
        self._state.tombstones = {grave: digest for grave, digest in graves.items() if grave[0] != file_path}
