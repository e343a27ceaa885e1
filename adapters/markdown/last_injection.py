"""The record of the last injection, written. Standard library only."""
# The hook runs through here and pathlib is slow to import.

import datetime as dt
import json
import os
from collections.abc import Callable, Sequence

from hardwon.adapters.markdown.whole_files import reason, replace_file
from hardwon.domain.model.block.markdown_block import SourcedEntry, count_source

RECORD_NAME = ".last-injection.json"


def record_injection(
    store: str, project_root: str, selected: Sequence[SourcedEntry], now: dt.datetime, warn: Callable[[str], None]
) -> None:
    """
    Write `.last-injection.json` in the store, whole or not at all.

    Args:
        store: Made when missing, for its owner alone.
        project_root: Recorded by its base name.
        selected: What is printed, in the order of choice.
        now: With its zone.
        warn: Gets one line when the store can't be written.
    """
    try:
        record = json.dumps(_record(project_root, selected, now), indent=2)
        os.makedirs(store, mode=0o700, exist_ok=True)
        replace_file(os.path.join(store, RECORD_NAME), record)
    except (OSError, ValueError) as error:
        warn(f"{RECORD_NAME} is not written in {store!r}: {reason(error)}")


def _record(project_root: str, selected: Sequence[SourcedEntry], now: dt.datetime) -> dict[str, object]:
    return {
        "timestamp": now.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "project": os.path.basename(os.path.abspath(project_root)),
        "entries_injected": len(selected),
        "sources": {"local": count_source(selected, "local"), "global": count_source(selected, "global")},
        "entry_names": [sourced.entry.name for sourced in selected],
    }
