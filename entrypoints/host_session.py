"""Which of the host's sessions a program was started in."""

import os
from collections.abc import Mapping

VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""In which Claude Code tells a program the session it runs in."""


def host_session(environ: Mapping[str, str] = os.environ) -> str:
    """Return the session as Claude Code names it to hooks and servers; empty where nobody does."""
    return environ.get(VARIABLE, "").encode("utf-8", "replace").decode()
