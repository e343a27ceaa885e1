"""The counters of searches and judgements in memory."""

import datetime as dt
from collections.abc import Sequence

from hardwon.domain.model.activity import UNUSED, Usage, Validations
from hardwon.domain.model.errors import StorageError
from hardwon.ports.activity import UsageLog
from hardwon.ports.override import override
from tests.fakes.state import State


class InMemoryUsageLog(UsageLog):
    def __init__(self, state: State) -> None:
        self._state = state
        self.busy = False

    @override
    def record_access(self, numbers: Sequence[int], at: dt.datetime) -> None:
        self._ensure_free()
        for number in numbers:
            if number in self._state.entries:
                before = self._of(number)
                self._state.usage[number] = before._replace(
                    access_count=before.access_count + 1, last_accessed=at
                )

    @override
    def record_recall(self, numbers: Sequence[int], at: dt.datetime) -> None:
        self._ensure_free()
        for number in numbers:
            if number in self._state.entries:
                self._state.recalls[number] = self._state.recalls.get(number, (0, at))[0] + 1, at

    @override
    def record_validation(self, number: int, *, useful: bool) -> None:
        if number in self._state.entries:
            total, good = self._of(number).validations
            validations = Validations(total + 1, good + useful)
            self._state.usage[number] = self._of(number)._replace(validations=validations)

    @override
    def add(self, number: int, usage: Usage) -> None:
        if number in self._state.entries:
            before = self._of(number)
            times = [
                timestamp for timestamp in (before.last_accessed, usage.last_accessed) if timestamp
            ]
            total, useful = (
                own + other
                for own, other in zip(before.validations, usage.validations, strict=True)
            )
            self._state.usage[number] = Usage(
                before.access_count + usage.access_count,
                max(times, default=None),
                Validations(total, useful),
            )

    def _ensure_free(self) -> None:
        if self.busy:
            raise StorageError("the store is busy")

    def _of(self, number: int) -> Usage:
        return self._state.usage.get(number, UNUSED)
