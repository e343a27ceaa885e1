"""Which of the host's sessions a program was started in."""

import os

VARIABLE = "CLAUDE_CODE_SESSION_ID"


def host_session() -> str:
    """Return the session as Claude Code names it to hooks and servers; empty where nobody does."""
    return os.environ.get(VARIABLE, "").encode("utf-8", "replace").decode()
