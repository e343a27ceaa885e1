"""The counters of searches and judgements in memory."""

import datetime as dt
from collections.abc import Sequence

from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.usage import UNUSED, Usage, Validations
from tests.fakes.state import State


class InMemoryUsageLog:
    def __init__(self, state: State) -> None:
        self._state = state
        self.busy = False

    def record_access(self, numbers: Sequence[int], at: dt.datetime) -> None:
        if self.busy:
            raise StorageError("the store is busy")
        for number in numbers:
            if number in self._state.entries:
                before = self._of(number)
                self._state.usage[number] = before._replace(access_count=before.access_count + 1, last_accessed=at)

    def record_validation(self, number: int, *, useful: bool) -> None:
        if number in self._state.entries:
            total, good = self._of(number).validations
            validations = Validations(total + 1, good + useful)
            self._state.usage[number] = self._of(number)._replace(validations=validations)

    def add(self, number: int, usage: Usage) -> None:
        if number in self._state.entries:
            before = self._of(number)
            moments = [each for each in (before.last_accessed, usage.last_accessed) if each]
            total, useful = (own + other for own, other in zip(before.validations, usage.validations, strict=True))
            self._state.usage[number] = Usage(
                before.access_count + usage.access_count, max(moments, default=None), Validations(total, useful)
            )

    def _of(self, number: int) -> Usage:
        return self._state.usage.get(number, UNUSED)
