"""Absent files in memory."""

import datetime as dt

from hardwon.domain.model.file_state import AbsentFile
from hardwon.ports.file_state import MAX_ABSENT, Absences
from hardwon.ports.override import override
from tests.fakes.state import State


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
    def of(self, file_path: str, file_hash: str) -> AbsentFile | None:
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
