"""
The file of pauses in the store's folder.

Standard library only: every hook reads it before anything else.
"""

import datetime as dt
import json
import os
from collections.abc import Sequence

from hardwon.adapters.folder import append_record, open_without_waiting
from hardwon.domain.model.pause import NEVER, UNREADABLE, Pause, resumed

FILE_NAME = "pauses.jsonl"


class PauseFile:
    """
    All pauses ever made, as lines of JSON, append-only.

    They stay after they ended, so that a later reading of a transcript does not capture paused
    utterances. A line that can't be read counts as `UNREADABLE`, which the next resume ends.

    Args:
        folder: The store's folder; reading does not create it.
    """

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, FILE_NAME)

    def read(self) -> tuple[Pause, ...]:
        """Return all pauses in order, none without a file."""
        try:
            with open(self.path, "rb", opener=open_without_waiting) as file:
                lines = file.read().split(b"\n")
        except (OSError, ValueError):
            return (UNREADABLE,) if os.path.lexists(self.path) else ()
        pauses = list[Pause]()
        for line in filter(bytes.strip, lines):
            pauses = _with_line(pauses, line)
        return tuple(pauses)

    def add(self, pause: Pause) -> None:
        """
        Append *pause*.

        Raises:
            StorageError: the file can't be written.
        """
        until = None if pause.ends_at == NEVER else pause.ends_at.isoformat()
        append_record(
            self.path,
            {"pause": pause.session_id, "from": pause.begins_at.isoformat(), "until": until},
        )

    def resume(self, session_id: str, at: dt.datetime) -> None:
        """
        Append a resume, see `resumed`.

        Raises:
            StorageError: the file can't be written.
        """
        append_record(self.path, {"resume": session_id, "from": at.isoformat()})


def _with_line(pauses: Sequence[Pause], line: bytes) -> list[Pause]:
    try:
        document = json.loads(line)
        at = dt.datetime.fromisoformat(document["from"]).astimezone(dt.UTC)
        if "resume" in document:
            return resumed(pauses, str(document["resume"]), at)
        until = document["until"]
        ends_at = NEVER if until is None else dt.datetime.fromisoformat(until).astimezone(dt.UTC)
        return [*pauses, Pause(str(document["pause"]), at, ends_at)]
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return [*pauses, UNREADABLE]
