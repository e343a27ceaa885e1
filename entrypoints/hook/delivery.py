"""At the end of a turn or session: check whether injections reached the model."""

import os

from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap_capture import confirming_in, read_given_texts
from hardwon.entrypoints.hook.request import HookRequest


def confirm_delivery(request: HookRequest, settings: Settings) -> None:
    """
    Count the printed injections that the session's transcript contains.

    Never creates or migrates a store. A turn may have a reply but no transcript, and a session may
    end before its first turn.

    Raises:
        StorageError: the store is busy or can't be read; the next turn counts.
    """
    has_turn = request.reply or os.path.isfile(request.transcript_path)
    if not (request.delivery == "awaited" and has_turn):
        return
    with confirming_in(settings) as confirm:
        if confirm:
            confirm.confirm(request.session_id, lambda: read_given_texts(request.transcript_path))
