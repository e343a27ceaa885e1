"""Moments as text: UTC, fixed width, so that the order of texts is the order of moments."""

import datetime as dt


def to_text(moment: dt.datetime) -> str:
    """Return *moment* as ISO 8601 in UTC with microseconds."""
    return moment.astimezone(dt.UTC).isoformat(timespec="microseconds")


def from_text(text: str) -> dt.datetime:
    """Return the moment that `to_text` wrote."""
    return dt.datetime.fromisoformat(text)
