"""One process of the hook: its request, its event, its time limits."""

import os
import time

from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.text import one_line
from hardwon.entrypoints.bootstrap import open_log, store_of
from hardwon.entrypoints.hook.event import Arrival, Event, PausedEvent, pauses_of
from hardwon.entrypoints.hook.process import Output, complain, slowdown, start_watchdog
from hardwon.entrypoints.hook.request import (
    HELP,
    MOMENTS,
    NO_EVENT,
    NOTED,
    SESSION_START,
    USAGE,
    HookRequest,
    UsageError,
    answer_to,
    from_arguments,
    from_payload,
    named_host,
    read_payload,
    understood,
)

NO_INPUT = "no event came on standard input in time"
READING_SECONDS = 1.0
"""Time to read an event, even if the process itself started late."""

NOTING_SECONDS = 8.0
"""Time to journal an utterance, of the ten seconds that hosts wait."""

POLLING_SECONDS = 0.05


class Hook:
    """One process of the hook, under a watchdog from its start."""

    def __init__(self, output: Output, started: float) -> None:
        self._output = output
        self._started = started
        self._watched_from = time.monotonic()
        self._slowdown = slowdown(started)  # before the wait for the host's JSON
        self._request: HookRequest | None = None
        self._present: Event | PausedEvent | None = None

    def run(self, arguments: list[str]) -> int:
        """Answer one request and return the exit code."""
        if arguments in HELP:
            self._output.write(f"{USAGE}\n")
            return 0
        start_watchdog(self._started, self._print_late, self._leave)
        try:
            self._request = self._requested(arguments)
            self._present = self._event(self._request)
            self._present.take()
        except UsageError as error:
            complain(f"hardwon-hook: {one_line(str(error))}")
            return 1
        except Exception as error:  # noqa: BLE001  # the user's session must start, whatever is broken here
            self._recover(f"{type(error).__name__}: {error}")
        return 0

    def _requested(self, arguments: list[str]) -> HookRequest:
        host, options = named_host(arguments)
        if options:
            return from_arguments(options)
        host_payload = understood(host, read_payload())
        self._output.answer = host_payload.answer
        request = from_payload(host_payload.payload)
        if request.event in MOMENTS and not host:
            self._output.answer = answer_to(request.host_event)  # plain text is dropped there
        return request._replace(complaints=host_payload.complaints + request.complaints)

    def _event(self, request: HookRequest) -> Event | PausedEvent:
        pauses = pauses_of(request)
        if pauses.present:
            return PausedEvent(request, self._output, pauses.present)
        arrival = Arrival(self._started, self._slowdown)
        return Event(request, self._output, arrival=arrival, pauses=pauses)

    def _recover(self, problem: str) -> None:
        request = self._request or from_payload(b"")._replace(event=NO_EVENT)
        try:
            try:
                event = self._event(request)
            except StorageError:  # the user's store has no place
                flags = {**request.flags, "--global-store": os.path.join(os.devnull, "none")}
                event = self._event(request._replace(flags=flags))
            if not event.fall_back(problem):
                event.warn(
                    problem
                    if request.event in {SESSION_START, NO_EVENT}
                    else f"{request.event}: {problem}"
                )
        except Exception as error:  # noqa: BLE001  # there is nothing left to fall back to
            complain(
                one_line(f"Warning: {problem}; and no markdown: {type(error).__name__}: {error}")
            )

    def _print_late(self) -> bool:
        if self._request is None or self._output.taken:
            return False
        try:
            return self._event(self._request).fall_back("no block in time")
        except Exception:  # noqa: BLE001  # that nothing was printed is logged at the end
            return False

    def _leave(self) -> float:
        """
        Return the seconds to wait before asking again, 0 to end the process.

        Unfinished work is logged.
        """
        if self._is_done():
            return 0
        if time.monotonic() < self._deadline():
            return POLLING_SECONDS
        self._log_late()
        return 0

    def _is_done(self) -> bool:
        if self._request is not None and self._request.event in NOTED:
            return self._present is not None and not self._present.is_noting
        return self._output.written

    def _deadline(self) -> float:
        """
        Return when to end, by `time.monotonic`, later for utterances.

        A request that is not read yet may be one.
        """
        if self._request is None:
            return self._watched_from + READING_SECONDS
        return self._started + NOTING_SECONDS if self._request.event in NOTED else 0.0

    def _log_late(self) -> None:
        request = self._request
        if request is None:
            open_log(store_of({}))(NO_INPUT)
        elif not pauses_of(request).present:
            open_log(store_of(request.flags))(f"{request.event}: out of time")
