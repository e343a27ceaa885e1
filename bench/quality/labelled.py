"""The labelled sets, as `bench/labelled/README.md` describes them."""

import datetime as dt
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hardwon.domain.model.conversation.session import Exchange

FOLDER = Path(__file__).parent.parent / "labelled"
HALVES = ("dev", "held")
"""
Rules are fitted on the first half.

The second shows how they do.
"""

STARTED = dt.datetime(2026, 1, 5, tzinfo=dt.UTC)
BETWEEN = dt.timedelta(minutes=3)


def items(name: str) -> list[dict[str, Any]]:
    """Return the objects of a JSON Lines file, in its order."""
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def exchanges_of(spoken: Iterable[dict[str, Any]]) -> list[Exchange]:
    """Return objects with `user` and `assistant` as exchanges, in order, three minutes apart."""
    return [
        Exchange(exchange["user"], exchange["assistant"], STARTED + place * BETWEEN)
        for place, exchange in enumerate(spoken)
    ]
