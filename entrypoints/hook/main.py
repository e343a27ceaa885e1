"""The entry point of the hooks: whatever is broken, the user's session goes on, in time. `hook.event` handles them."""

import gc
import os
import sys
import time

from hardwon.entrypoints.bootstrap_capture import one_line
from hardwon.entrypoints.hook.event import Event
from hardwon.entrypoints.hook.output import Output, complain, start_watchdog
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


def main() -> None:
    """Run the hook and leave at once: threads that hang are left behind."""
    gc.disable()  # nothing lives long enough to be worth a look: up to a twentieth of the CPU
    os._exit(Hook(Output(), time.monotonic()).run(sys.argv[1:]))


class Hook:
    """One process of the hook, watched from its start."""

    def __init__(self, output: Output, started: float) -> None:
        self._output = output
        self._started = started
        self._request = from_payload(b"")

    def run(self, arguments: list[str]) -> int:
        """Answer one request and return the exit code."""
        if arguments in HELP:
            self._output.write(f"{USAGE}\n")
            return 0
        start_watchdog(self._started, self._print_fallback)
        try:
            self._request = self._requested(arguments)
            self._event().take()
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
        self._output.answer = understood(host, b"").answer  # reading may take all the time there is
        host_payload = understood(host, read_payload())
        self._output.answer = host_payload.answer
        request = from_payload(host_payload.payload)
        return request._replace(complaints=host_payload.complaints + request.complaints)

    def _event(self) -> Event | PausedEvent:
        pauses = pauses_of(self._request)
        if pauses.present:
            return PausedEvent(self._request, self._output, pauses.present)
        return Event(self._request, self._output, self._started, pauses)

    def _print_fallback(self) -> bool:
        late = "no block in time" if self._request.event == SESSION_START else "not done in time"
        return not self._output.taken and self._fall_back(late)

    def _fall_back(self, reason: str) -> bool:
        try:
            return self._event().fall_back(reason)
        except Exception as error:  # noqa: BLE001  # there is nothing left to fall back to
            complain(one_line(f"Warning: {reason}; and no markdown: {type(error).__name__}: {error}"))
            return False
