"""Tombstones and absent files in memory."""

import datetime as dt

from hardwon.domain.model.file_state import AbsentFile
from hardwon.ports.file_state import MAX_ABSENT, Absences, Tombstone, Tombstones
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


class InMemoryAbsences(Absences):
    def __init__(self, state: State, most: int = MAX_ABSENT) -> None:
        self._state = state
        self._most = most

    @override
    def keep(self, absent: AbsentFile, at: dt.datetime) -> None:
        others = sorted(
            (path, departure)
            for path, departure in self._state.absent.items()
            if path != absent.file_path
        )
        others.sort(key=lambda other: other[1][1], reverse=True)
        self._state.absent = {**dict(others[: self._most - 1]), absent.file_path: (absent, at)}

    @override
    def absent_file(self, file_path: str, file_hash: str) -> AbsentFile | None:
        if file_path in self._state.absent:
            return self._state.absent[file_path][0]
        alike = [
            (at, absent)
            for _, (absent, at) in sorted(self._state.absent.items())
            if "" in absent.standings and absent.standings[""].file_hash == file_hash
        ]
        return max(alike, key=lambda departure: departure[0])[1] if alike else None

    @override
    def forget(self, file_path: str) -> None:
        self._state.absent = {
            path: departure for path, departure in self._state.absent.items() if path != file_path
        }
