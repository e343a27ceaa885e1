"""
The host session of this program: id, pause and cleaning.

Hooks import it: it uses the standard library alone.
"""

import datetime as dt
import os
from collections.abc import Mapping

from hardwon.domain.model.pause import Pause, pause_of
from hardwon.domain.model.redaction import Cleaning
from hardwon.entrypoints.bootstrap import open_pauses

VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""The variable in which Claude Code passes the id of the session."""


def host_session(environ: Mapping[str, str] = os.environ) -> str:
    """Return Claude Code's session id, empty if none is named."""
    return environ.get(VARIABLE, "").encode("utf-8", "replace").decode()


def present_pause(store: str, now: dt.datetime) -> Pause | None:
    """Return the pause of the host session at *now*, or None."""
    return pause_of(host_session(), open_pauses(store).read(), now)


def cleaning_for(project_root: str) -> Cleaning:
    """
    Return the removal of secrets and of project and home paths.

    It knows all paths by which links lead there.
    """
    root, *other_roots = _names(project_root) or [""]
    home, *other_homes = _names(os.path.expanduser("~"))
    return Cleaning(
        project_root=root, home=home, other_roots=tuple(other_roots), other_homes=tuple(other_homes)
    )


def _names(folder: str) -> list[str]:
    """
    Return the paths of *folder*, its real path first.

    The others are the path as given, and as the shell reached it.
    """
    if not folder:
        return []
    real = os.path.realpath(folder)
    reached = os.environ.get("PWD", "")
    is_reached = os.path.isabs(reached) and os.path.realpath(reached) == real
    return list(
        dict.fromkeys(
            (real, os.path.abspath(folder), *([os.path.normpath(reached)] if is_reached else []))
        )
    )
