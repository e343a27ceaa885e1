"""
The file of prepared session starts in the store's folder.

It is this machine's, also where a server keeps the store. It is derived: it may be removed at any time. Standard library
only: the hook reads it.
"""

import datetime as dt
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from hardwon.adapters.folder import read_start, real_place
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.injection.prepared_start import PreparedStart
from hardwon.domain.model.injection.receipt import NearMiss, Receipt, ReceiptEntry, text_digest

FILE_NAME = "prepared-starts"
KEPT = 16
"""Places whose start is kept, the newest."""

LARGEST = 4_000_000  # bytes; a start takes some 20,000
FIELDS = ("project", "query", "keyword_text", "space", "policy", "frame")
"""The fields of a receipt that are kept as they are."""


class PreparedStarts:
    """
    The newest prepared start of each place, a line of a file each.

    A line has its place, the digest of the rest, and the start as JSON. One that was cut or
    changed counts as none.

    Args:
        folder: The store's folder; reading does not create it.
    """

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, FILE_NAME)

    def find(self, place: str) -> PreparedStart | None:
        """Return the prepared start of *place*, None without a usable one."""
        for line in self._lines():
            if line.startswith(f"{place} ".encode()):
                return _decoded(line)
        return None

    def keep(self, place: str, start: PreparedStart) -> None:
        """
        Keep *start* in place of the one before.

        Only one process at a time may do so.

        Raises:
            StorageError: the file can't be written.
        """
        from hardwon.adapters.durable import written_file  # noqa: PLC0415  # the worker alone writes

        others = (line for line in self._lines() if not line.startswith(f"{place} ".encode()))
        lines = [*(line for line in others if line), _encoded(place, start)][-KEPT:]
        try:
            with written_file(real_place(self.path)) as file:
                file.write(b"\n".join((*lines, b"")))
        except OSError as error:
            raise StorageError(f"{self.path}: {error.strerror or error}") from error

    def remove(self) -> None:
        """Make all of them void (idempotent)."""
        with suppress(OSError):
            os.unlink(self.path)

    def _lines(self) -> list[bytes]:
        with suppress(OSError):
            return read_start(self.path, LARGEST).split(b"\n")
        return []


def _encoded(place: str, start: PreparedStart) -> bytes:
    receipt = start.receipt
    text = json.dumps(
        {
            "stamp": start.stamp,
            "at": receipt.at.isoformat(),
            "text": start.text,
            "numbers": start.numbers,
            "receipt": {field: getattr(receipt, field) for field in FIELDS},
            "shown": [{**entry._asdict(), "parts": dict(entry.parts)} for entry in receipt.shown],
            "missed": receipt.missed,
        }
    )
    return f"{place} {text_digest(text)} {text}".encode()


def _decoded(line: bytes) -> PreparedStart | None:
    try:
        _, digest, text = line.decode().split(" ", 2)
        return _start(json.loads(text)) if text_digest(text) == digest else None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None


def _start(document: Mapping[str, Any]) -> PreparedStart:
    text, fields = document["text"], document["receipt"]
    receipt = Receipt(
        session_id="",
        event="start",
        at=dt.datetime.fromisoformat(document["at"]),
        digest=text_digest(text),
        shown=tuple(ReceiptEntry(**entry) for entry in document["shown"]),
        missed=tuple(NearMiss(*miss) for miss in document["missed"]),
        **{**fields, "frame": tuple(fields["frame"])},
    )
    return PreparedStart(
        stamp=document["stamp"], text=text, receipt=receipt, numbers=tuple(document["numbers"])
    )
