"""
The file of trials in the store's folder.

It is this machine's, also where a server keeps the store: a trial is never started for others.
"""

import datetime as dt
import json
import os

from hardwon.adapters.folder import append_record, open_without_waiting
from hardwon.domain.model.trial import MAX_SHARE, Trial

FILE_NAME = "trials.jsonl"


class TrialFile:
    """
    The trials that were switched on and off, as lines of JSON, append-only.

    The last line holds. One that can't be read is no trial.

    Args:
        folder: The store's folder; reading does not create it.
    """

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, FILE_NAME)

    def read(self) -> Trial | None:
        """Return the running trial, None without one."""
        try:
            with open(self.path, "rb", opener=open_without_waiting) as file:
                document = json.loads(file.read().strip().rpartition(b"\n")[2])
            share = float(document["share"])
            since = dt.datetime.fromisoformat(document["from"]).astimezone(dt.UTC)
        except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
            return None
        return Trial(share, since) if 0 < share <= MAX_SHARE else None

    def write(self, trial: Trial) -> None:
        """
        Switch on *trial*, or off with a share of 0.

        Raises:
            StorageError: the file can't be written.
        """
        append_record(self.path, {"share": trial.share, "from": trial.since.isoformat()})
