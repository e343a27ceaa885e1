"""
The host session that started this program: its id, its pause, and the cleaning of its texts.

Standard library only: hooks import it.
"""

import datetime as dt
import os
from collections.abc import Mapping

from hardwon.domain.model.pause import Pause, pause_of
from hardwon.domain.model.redaction import Cleaning
from hardwon.entrypoints.bootstrap import open_pauses

VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""In which Claude Code tells a program the session it runs in."""


def host_session(environ: Mapping[str, str] = os.environ) -> str:
    """Return the session as Claude Code names it to hooks and servers; empty where none is named."""
    return environ.get(VARIABLE, "").encode("utf-8", "replace").decode()


def present_pause(store: str, now: dt.datetime) -> Pause | None:
    """Return the pause in the store of that folder that holds *now* in the host session; None if it is not paused."""
    return pause_of(host_session(), open_pauses(store).read(), now)


def cleaning_for(project_root: str) -> Cleaning:
    """Return what takes out secrets, and the paths of the project and of the user's folder by whatever links they go."""
    root, *other_roots = _names(project_root) or [""]
    home, *other_homes = _names(os.path.expanduser("~"))
    return Cleaning(root, home, tuple(other_roots), tuple(other_homes))


def _names(folder: str) -> list[str]:
    """Return what *folder* is called: its real path first, then as it was named, and as the shell reached it."""
    if not folder:
        return []
    real = os.path.realpath(folder)
    reached = os.environ.get("PWD", "")
    is_reached = os.path.isabs(reached) and os.path.realpath(reached) == real
    return list(dict.fromkeys((real, os.path.abspath(folder), *([os.path.normpath(reached)] if is_reached else []))))
