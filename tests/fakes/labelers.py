"""Labelers that need no model."""

import threading
from collections.abc import Callable

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import LabelerUnavailableError
from hardwon.ports.models import KeywordLabeler
from hardwon.ports.override import override


class PlantedLabeler(KeywordLabeler):
    """Answers as planted, again and again; remembers whom it was asked about and the seconds it was given."""

    def __init__(self, *labels: str) -> None:
        self._labels = labels
        self.asked: list[Entry] = []
        self.seconds: list[float] = []

    @override
    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        self.asked.append(entry)
        self.seconds.append(deadline.remaining())
        return list(self._labels)


class UnavailableLabeler(KeywordLabeler):
    """Never answers, after doing *work*."""

    def __init__(self, why: str = "no key", work: Callable[[], None] = lambda: None) -> None:
        self._why = why
        self._work = work
        self.asked: list[Entry] = []

    @override
    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        del deadline
        self.asked.append(entry)
        self._work()
        raise LabelerUnavailableError(self._why)


class HangingLabeler(KeywordLabeler):
    """Answers nothing until `released` is set."""

    def __init__(self) -> None:
        self.released = threading.Event()

    @override
    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        del entry, deadline
        self.released.wait()
        return ["late"]
