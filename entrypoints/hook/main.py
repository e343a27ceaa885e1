"""Entry point of the hooks: the host's session goes on, whatever fails."""

import contextlib
import gc
import os
import signal
import sys

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def main() -> None:
    """
    Run the hook and exit at once, always with 0.

    Hanging threads are abandoned.
    """
    code = 0
    try:
        for number in SIGNALS:
            signal.signal(number, _leave)
        if os.environ.get("HOME") == "":  # as `ignore_empty_home`, without what that imports
            del os.environ["HOME"]
        gc.disable()  # nothing lives long enough to be worth a look: up to a twentieth of the CPU
        from hardwon.entrypoints.hook.hook import Hook  # caught if broken
        from hardwon.entrypoints.hook.process import Output, process_start

        code = Hook(Output(), process_start()).run(sys.argv[1:])
    except Exception as error:  # noqa: BLE001  # the host's session goes on, whatever is broken here
        _complain(error)
    os._exit(code)


def _complain(error: Exception) -> None:
    with contextlib.suppress(Exception):  # standard error is closed, or there is no memory left
        print(f"hardwon-hook: {type(error).__name__}: {error}", file=sys.stderr, flush=True)


def _leave(*_: object) -> None:
    os._exit(0)
