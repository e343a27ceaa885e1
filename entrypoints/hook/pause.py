"""
Pauses, as the hook reads them before it touches settings, log or store.

Standard library only.
"""

import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.pause import Pause, holding, last_end, pause_of
from hardwon.entrypoints.bootstrap import open_pauses, store_of
from hardwon.entrypoints.bootstrap_capture import now
from hardwon.entrypoints.hook.output import Output
from hardwon.entrypoints.hook.request import SESSION_START, HookRequest
from hardwon.entrypoints.host_session import host_session

LONGEST_TURN = dt.timedelta(days=1)
"""Longest turn assumed, and how long a session start mentions another session's pause."""


class SessionPauses(NamedTuple):
    """
    The pauses of a store, seen from the session of one request.

    Attributes:
        pauses: All of them.
        session_id: Empty if the host names none.
        store: The store's folder.
        now: The time.

    """

    pauses: tuple[Pause, ...]
    session_id: str
    store: str
    now: dt.datetime

    @property
    def present(self) -> Pause | None:
        """The pause that holds for this session now."""
        return pause_of(self.session_id, self.pauses, self.now)

    @property
    def notice(self) -> str:
        """
        Line for a session start if another session was paused lately and still is.

        Empty otherwise.
        """
        lately = [
            pause
            for pause in holding(self.pauses, self.now)
            if self.now - pause.begins_at < LONGEST_TURN
        ]
        if not lately:
            return ""
        from hardwon.entrypoints.presenters.pauses import other_session_line  # compiles patterns

        return f"{other_session_line(lately[-1])}\n"

    def began_off_record(self) -> bool:
        """
        Return whether the current turn answers a prompt that came during a pause.

        Judged by the capture journal.

        Raises:
            StorageError: the journal can't be read now.
        """
        ended_at = last_end(self.pauses, self.session_id)
        if ended_at is None or self.now - ended_at > LONGEST_TURN:
            return False
        from hardwon.entrypoints.bootstrap_capture import has_prompt_since  # brings sqlite3

        return not has_prompt_since(self.store, self.session_id, ended_at)


def pauses_of(request: HookRequest) -> SessionPauses:
    """
    Read the pauses that concern *request*.

    Costs one failed `open` if there are none.
    """
    store = store_of(request.flags)
    session_id = request.session_id or host_session()
    return SessionPauses(
        pauses=open_pauses(store).read(), session_id=session_id, store=store, now=now()
    )


class PausedEvent:
    """An event during a pause: nothing is written, a session start prints one line."""

    is_noting = False

    def __init__(self, request: HookRequest, output: Output, pause: Pause) -> None:
        self._request = request
        self._output = output
        self._pause = pause

    def take(self) -> None:
        """Print the line at a session start."""
        self._print()

    def fall_back(self, reason: str) -> bool:
        """Print the same line, and return whether it was printed."""
        del reason
        return self._print()

    def warn(self, event: str) -> None:
        """Write nothing."""

    def _print(self) -> bool:
        if self._request.event != SESSION_START:
            return False
        from hardwon.entrypoints.presenters.pauses import pause_line  # compiles patterns

        return self._output.write(f"{pause_line(self._pause, self._pause.session_id)}\n")
