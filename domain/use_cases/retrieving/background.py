import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from hardwon.domain.model.deadline import Deadline

T = TypeVar("T")


class Background(Generic[T]):
    """
    Work that runs beside the caller, who may stop waiting for it.

    The thread is a daemon: work that hangs never holds up the end of the process.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._answer: list[T] = []
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[], T]) -> None:
        try:
            self._answer.append(work())
        except Exception as error:  # noqa: BLE001  # handed to whoever waits for the answer
            self._error = error

    def result(self, deadline: Deadline) -> T:
        """
        Return what the work returned, or raise what it raised.

        Raises:
            TimeoutError: *deadline* passed first.
        """
        self._thread.join(None if deadline.at == float("inf") else deadline.remaining())
        if self._error:
            raise self._error
        if not self._answer:
            raise TimeoutError("no answer in time")
        return self._answer[0]
