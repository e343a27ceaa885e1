"""What stood for files that are gone, in memory."""

import datetime as dt

from hardwon.domain.model.file_state import Departed
from hardwon.ports.file_state import LONGEST_ABSENCE
from tests.fakes.state import State


class InMemoryDepartures:
    def __init__(self, state: State) -> None:
        self._state = state

    def keep(self, departed: Departed, at: dt.datetime) -> None:
        left = {path: each for path, each in self._state.departed.items() if each[1] >= at - LONGEST_ABSENCE}
        self._state.departed = {**left, departed.file_path: (departed, at)}

    def of(self, file_path: str, file_hash: str) -> Departed | None:
        if file_path in self._state.departed:
            return self._state.departed[file_path][0]
        alike = [
            (at, departed)
            for _, (departed, at) in sorted(self._state.departed.items())
            if "" in departed.standings and departed.standings[""].file_hash == file_hash
        ]
        return max(alike, key=lambda each: each[0])[1] if alike else None

    def forget(self, file_path: str) -> None:
        self._state.departed = {path: each for path, each in self._state.departed.items() if path != file_path}
