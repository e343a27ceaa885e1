"""The changes of entries in memory."""

import datetime as dt
from collections.abc import Sequence

from hardwon.domain.model.activity import FieldChange, PastChange
from hardwon.ports.activity import History
from hardwon.ports.override import override
from tests.fakes.state import State


class InMemoryHistory(History):
    def __init__(self, state: State) -> None:
        self._state = state

    @override
    def record(self, number: int, changes: Sequence[FieldChange], at: dt.datetime) -> None:
        self._state.history = [
            *self._state.history,
            *(PastChange(number, *change, at) for change in changes),
        ]

    @override
    def of(self, number: int, limit: int) -> list[PastChange]:
        return [change for change in reversed(self._state.history) if change.number == number][
            :limit
        ]
