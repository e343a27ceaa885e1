"""What the hook does when the agent has answered: see whether something that was injected was of use."""

import os
from collections.abc import Callable

from hardwon.entrypoints.hooking.request import HookRequest


def notice_use(request: HookRequest, store: str, warn: Callable[[str], None]) -> None:
    """
    Count which injected entries the agent shows to have used; a store that is busy loses the count.

    Nothing is opened when there is nothing to look through, or no store.
    """
    has_transcript = os.path.isfile(request.transcript_path)
    if not (request.session_id and (request.reply or has_transcript) and os.path.isdir(store)):
        return
    from hardwon.domain.model.errors import StorageError
    from hardwon.entrypoints.hooking.composition import hear_turn, noticing_in  # brings sqlite3

    try:
        with noticing_in(store) as notice:
            if notice:
                notice(request.session_id, lambda: hear_turn(request.transcript_path)._replace(answer=request.reply))
    except StorageError as error:
        warn(f"use not counted: {error}")
