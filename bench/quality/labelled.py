"""The labelled sets, as `bench/labelled/README.md` describes them."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "labelled"
HALVES = ("dev", "held")
"""Rules are fitted on the first half; the second shows how they do."""


def items(name: str) -> list[dict[str, Any]]:
    """Return the objects of a JSON Lines file, in its order."""
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]
