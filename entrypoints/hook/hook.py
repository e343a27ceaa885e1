"""One process of the hook: which event it was called for, and what is done when time is up."""

from hardwon.entrypoints.bootstrap_capture import one_line, open_log
from hardwon.entrypoints.bootstrap_project import store_of
from hardwon.entrypoints.hook.event import Event
from hardwon.entrypoints.hook.output import Output, complain
from hardwon.entrypoints.hook.pause import PausedEvent, pauses_of
from hardwon.entrypoints.hook.request import (
    HELP,
    SESSION_START,
    USAGE,
    HookRequest,
    UsageError,
    from_arguments,
    from_payload,
    named_host,
    read_payload,
    understood,
)
from hardwon.entrypoints.hook.watchdog import slowdown, start_watchdog

NO_INPUT = "no event came on standard input in time"
NOT_IN_TIME = "nothing printed: out of time"


class Hook:
    """
    One process of the hook, watched from its start.

    Args:
        output: Where the answer goes.
        started: When the process began, by `time.monotonic`.

    """

    def __init__(self, output: Output, started: float) -> None:
        self._output = output
        self._started = started
        self._slowdown = slowdown(started)  # now: to wait for the host's JSON says nothing about the machine
        self._request: HookRequest | None = None
        self._reported = False

    def run(self, arguments: list[str]) -> int:
        """Answer one request and return the exit code."""
        if arguments in HELP:
            self._output.write(f"{USAGE}\n")
            return 0
        start_watchdog(self._started, self._print_late, self._report_late)
        try:
            self._request = self._requested(arguments)
            self._event(self._request).take()
        except UsageError as error:
            complain(f"hardwon-hook: {one_line(str(error))}")
            return 1
        except Exception as error:  # noqa: BLE001  # the user's session must start, whatever is broken here
            self._fall_back(f"{type(error).__name__}: {error}")
        return 0

    def _requested(self, arguments: list[str]) -> HookRequest:
        host, options = named_host(arguments)
        if options:
            return from_arguments(options)
        host_payload = understood(host, read_payload())
        self._output.answer = host_payload.answer
        request = from_payload(host_payload.payload)
        return request._replace(complaints=host_payload.complaints + request.complaints)

    def _event(self, request: HookRequest) -> Event | PausedEvent:
        pauses = pauses_of(request)
        if pauses.present:
            return PausedEvent(request, self._output, pauses.present)
        return Event(request, self._output, self._started, self._slowdown, pauses)

    def _print_late(self) -> bool:
        if self._request is None or self._output.taken:
            return False
        late = "no block in time" if self._request.event == SESSION_START else "not done in time"
        return self._fall_back(late)

    def _fall_back(self, reason: str) -> bool:
        """Print what needs no store, if anything is to be printed, and say why; return whether something was printed."""
        if self._request is None:
            return False
        try:
            printed = self._event(self._request).fall_back(reason)
        except Exception as error:  # noqa: BLE001  # there is nothing left to fall back to
            complain(one_line(f"Warning: {reason}; and no markdown: {type(error).__name__}: {error}"))
            return False
        self._reported = True
        return printed

    def _report_late(self) -> None:
        """Log that nothing was printed or done, if no line says so yet; during a pause nothing is written."""
        if self._output.written or self._reported:
            return
        request = self._request
        if request is None:
            open_log(store_of({}))(NO_INPUT)
        elif not pauses_of(request).present:
            open_log(store_of(request.flags))(f"{request.event}: {NOT_IN_TIME}")
