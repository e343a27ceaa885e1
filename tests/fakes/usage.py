"""The counters of searches and judgements in memory."""

import datetime as dt
from collections.abc import Sequence

from hardwon.domain.model.importance.usage import UNUSED, Usage
from hardwon.domain.model.importance.validation import Validations
from tests.fakes.state import State


class InMemoryUsageLog:
    def __init__(self, state: State) -> None:
        self._state = state

    def record_access(self, numbers: Sequence[int], at: dt.datetime) -> None:
        for number in numbers:
            if number in self._state.entries:
                before = self._of(number)
                self._state.usage[number] = before._replace(access_count=before.access_count + 1, last_accessed=at)

    def record_validation(self, number: int, *, useful: bool) -> None:
        if number in self._state.entries:
            total, good = self._of(number).validations
            validations = Validations(total + 1, good + useful)
            self._state.usage[number] = self._of(number)._replace(validations=validations)

    def _of(self, number: int) -> Usage:
        return self._state.usage.get(number, UNUSED)
