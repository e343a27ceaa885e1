"""The markdown-only pipeline: no database, no third-party import."""

import datetime as dt
from collections.abc import Callable

from hardwon.domain.model.injection.markdown_block import deduplicate, rank, render, select
from hardwon.entrypoints.bootstrap_files import read_bank_entries, record_injection


def markdown_block(
    project_root: str, store: str, limit: int, now: dt.datetime, warn: Callable[[str], None]
) -> str:
    """
    Build the block from knowledge-bank files alone, and record its entries.

    Args:
        project_root: Its `docs/knowledge-bank` is read first.
        store: The folder with the files of all projects; gets `.last-injection.json`.
        limit: Maximum number of entries; zero or less prints nothing.
        now: With its zone.
        warn: Gets one line for every file that can't be read or written.

    Returns:
        The block with its final newline; empty, and not recorded, if nothing is selected.
    """
    selected = select(rank(deduplicate(list(read_bank_entries(project_root, store, warn)))), limit)
    if selected:
        record_injection(store, project_root, selected=selected, now=now, warn=warn)
    return render(selected)
