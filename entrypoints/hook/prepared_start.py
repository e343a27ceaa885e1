"""
A session start whose block was made at a turn's end.

The stamp stands for everything that the block was made from, and alone decides whether it is printed. Neither numpy nor the
ranking is imported.
"""

import datetime as dt
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from hardwon.domain.model.conversation.hook_event import MAX_WAITING
from hardwon.domain.model.errors import ServerAwayError, StorageError
from hardwon.domain.model.injection.receipt import ContextWindow, text_digest
from hardwon.domain.model.settings import ResolvedSettings, Settings
from hardwon.domain.use_cases.record_injection import RecordInjection
from hardwon.entrypoints.bootstrap import keys_given, now, open_prepared_starts, state_of_program
from hardwon.entrypoints.bootstrap_capture import activity_in, count_events
from hardwon.entrypoints.bootstrap_files import state_of_files
from hardwon.entrypoints.hook.process import Output
from hardwon.entrypoints.hook.request import HookRequest

if TYPE_CHECKING:
    from hardwon.domain.model.injection.prepared_start import PreparedStart
    from hardwon.ports.activity import Activity


OLDEST = dt.timedelta(days=1)
"""The greatest age of a block that is printed while the server is away."""


def place_of(settings: Settings, request: HookRequest) -> str:
    """Return the name of the place where a host starts next."""
    real = os.path.realpath(request.project_root)
    return text_digest(repr((real, request.measure, settings.address if settings.server else "")))


def stamp_of(
    resolved: ResolvedSettings, request: HookRequest, *, state: str, at: dt.datetime
) -> str:
    """
    Return the stamp of everything that a block is made from at a time.

    Args:
        resolved: The settings.
        request: The session start.
        state: That of the store.
        at: The time, of which the day counts.
    """
    store = os.path.realpath(resolved.settings.global_store)
    files = state_of_files(request.project_root, store)
    return f"{_stamp_of_machine(resolved)} {text_digest(repr((files, state, at.date())))}"


def _stamp_of_machine(resolved: ResolvedSettings) -> str:
    """Return the part of the stamp that is known while a server is away."""
    store = os.path.realpath(resolved.settings.global_store)
    settings = resolved.settings._replace(global_store=store)
    return text_digest(repr((state_of_program(), settings, resolved.refused, keys_given())))


def may_be_prepared(request: HookRequest) -> bool:
    """
    Return whether nothing of the session itself decides the block.

    A resumed session has its block already, and a compacted one gets what was said in it.
    """
    return request.framed and request.beginning != "continued" and not request.compacted


class PreparedBlock:
    """
    The prepared block for one session start.

    Args:
        resolved: The settings.
        request: The session start.
        warn: Gets one line for each problem.
    """

    def __init__(
        self, resolved: ResolvedSettings, request: HookRequest, warn: Callable[[str], None]
    ) -> None:
        self._resolved = resolved
        self._request = request
        self._warn = warn

    def print(self, output: Output, before: str) -> bool:
        """
        Print the block after *before* and record it, unless it is void.

        Returns:
            False, and nothing is done, if there is none or it is void.
        """
        settings = self._resolved.settings
        prepared = open_prepared_starts(settings.global_store).find(
            place_of(settings, self._request)
        )
        if prepared is None or not may_be_prepared(self._request):
            return False
        try:
            with activity_in(settings) as activity:
                if not (activity and self._is_valid(prepared, activity)):
                    return False
                self._empty_window(activity)
                text = before + prepared.text
                if text and output.write(text) and prepared.text:
                    self._record(prepared, activity)
        except ServerAwayError as error:
            return output.taken or self._print_last(prepared, output, before=before, error=error)
        except (StorageError, OSError, ValueError):
            return output.taken
        return True

    def _print_last(
        self, prepared: "PreparedStart", output: Output, *, before: str, error: ServerAwayError
    ) -> bool:
        """
        Print the block with its age, while nothing on the server can be asked.

        No receipt is stored. It is void after a change of settings, or when it is a day old.
        """
        age = now() - prepared.receipt.at
        is_of_settings = prepared.stamp.startswith(f"{_stamp_of_machine(self._resolved)} ")
        if not (prepared.text and is_of_settings and dt.timedelta() <= age <= OLDEST):
            return False
        from hardwon.domain.model.injection.block import with_age

        if output.write(before + with_age(prepared.text, age)):
            self._warn(f"the last block that was prepared is shown: {error}")
        return output.taken

    def _is_valid(self, prepared: "PreparedStart", activity: "Activity") -> bool:
        at = now()
        state = activity.metadata.state_at(at)
        return (
            state is not None
            and prepared.receipt.at <= at
            and prepared.stamp == stamp_of(self._resolved, self._request, state=state, at=at)
            and count_events(self._resolved.settings.global_store) < MAX_WAITING  # else it is said
        )

    def _empty_window(self, activity: "Activity") -> None:
        if self._request.beginning == "emptied" and self._request.session_id:
            activity.windows.empty(ContextWindow(self._request.session_id))

    def _record(self, prepared: "PreparedStart", activity: "Activity") -> None:
        receipt = prepared.receipt._replace(
            session_id=self._request.session_id, at=now(), delivery=self._request.delivery
        )
        for line in RecordInjection.on(activity).record(receipt, prepared.numbers):
            self._warn(line)
