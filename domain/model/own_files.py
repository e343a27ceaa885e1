"""
The folders of a project whose files hardwon writes, and the paths it reads.

Standard library only, for the hook.
"""

import os
from collections.abc import Sequence

MEMORY = "memory"
CONVERSATION_FOLDERS = ("conversations", "decisions", "gotchas", "preferences", "sessions")
"""The folders below `memory` whose files hardwon writes. Git ignores private ones."""


def is_within(real: str, folders: Sequence[str]) -> bool:
    """Return whether *real* is one of *folders* or below one, both without links."""
    return any(real == folder or real.startswith(os.path.join(folder, "")) for folder in folders)


NOT_STORABLE = "its name is not UTF-8, rename it"


def is_storable(path: str) -> bool:
    """Return whether *path* is valid UTF-8, as the store needs."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
