"""What the hook does when the agent has answered: see whether something that was injected was of use."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from hardwon.entrypoints.hook_request import HookRequest

if TYPE_CHECKING:
    from hardwon.adapters.sqlite.database import Database

LONGEST_NAME = 200


def notice_use(request: HookRequest, store: str, warn: Callable[[str], None]) -> None:
    """
    Count which injected entries the agent shows to have used; a store that is busy loses the count.

    Nothing is opened when there is nothing to look through, or no store.
    """
    transcript = _transcript(request)
    has_session = bool(request.session_id.strip()) and len(request.session_id) <= LONGEST_NAME
    if not (has_session and (request.reply or transcript) and os.path.isdir(store)):
        return
    from hardwon.adapters.sqlite.existing import open_existing  # brings sqlite3
    from hardwon.domain.model.errors import StorageError

    try:
        if database := open_existing(store):
            try:
                _notice(database, request, transcript)
            finally:
                database.close()
    except StorageError as error:
        warn(f"use not counted: {error}")


def _notice(database: "Database", request: HookRequest, transcript: str) -> None:
    from hardwon.adapters.sqlite.influences import SqliteInfluences
    from hardwon.adapters.system_clock import SystemClock
    from hardwon.domain.model.receipts.turn import Turn
    from hardwon.domain.use_cases.asking.notice_use import NoticeUse

    def hear() -> Turn:
        from hardwon.adapters.transcripts.latest_turn import latest_turn  # compiles patterns

        return (latest_turn(transcript) if transcript else Turn())._replace(answer=request.reply)

    NoticeUse(SqliteInfluences(database), SystemClock())(request.session_id, hear)


def _transcript(request: HookRequest) -> str:
    """Return the transcript's path; empty when the host names no file that is there."""
    path = request.told.get("transcript_path")
    if not isinstance(path, str):
        return ""
    path = os.path.expanduser(path)
    try:
        return path if os.path.isfile(path) else ""
    except ValueError:
        return ""
