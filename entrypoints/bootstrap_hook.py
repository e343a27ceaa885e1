"""
What the hook is made of while a session goes on: `composition` would bring more than a prompt or an answer has time for.

Nothing happens at import; each module is imported when it is chosen.
"""

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardwon.domain.model.injection.receipt import Turn
    from hardwon.domain.use_cases.track_usage import NoticeUse
    from hardwon.ports.documents import Instructions


@contextlib.contextmanager
def noticing_in(store: str) -> "Iterator[NoticeUse | None]":
    """
    Open what notices use in a *store*, as it is; None where there is no store, or one of another schema.

    Raises:
        StorageError: the store can't be opened.
    """
    from hardwon.adapters.clock import SystemClock
    from hardwon.adapters.sqlite.activity import SqliteInfluences
    from hardwon.adapters.sqlite.store import open_existing
    from hardwon.domain.use_cases.track_usage import NoticeUse

    database = open_existing(store)
    try:
        yield NoticeUse(SqliteInfluences(database), SystemClock()) if database else None
    finally:
        if database:
            database.close()


def hear_turn(transcript_path: str) -> "Turn":
    """Return what a transcript tells of the last turn; nothing where there is none."""
    from hardwon.adapters.transcripts.latest_turn import latest_turn  # compiles patterns

    return latest_turn(transcript_path)


def instructions_for(project_root: str) -> "Instructions":
    """Return what the host gives the agent in every session of a project."""
    from hardwon.adapters.markdown.instructions import InstructionFiles
    from hardwon.entrypoints.host_memory import host_memory

    return InstructionFiles(project_root, host_memory(os.environ, project_root))
