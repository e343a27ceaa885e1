"""The folders of a project whose files hardwon writes."""

import os
from collections.abc import Mapping, Sequence

from hardwon.domain.model.vocabulary import CONVERSATION_KINDS, Kind

MEMORY = "memory"
KIND_OF_FOLDER: Mapping[str, Kind] = {f"{kind}s": kind for kind in (*CONVERSATION_KINDS, "session")}
CONVERSATION_FOLDERS = tuple(sorted(KIND_OF_FOLDER))
"""The folders below `memory` whose files hardwon writes. Git ignores private ones."""


def is_within(real: str, folders: Sequence[str]) -> bool:
    """Return whether *real* is below one of *folders*, or one."""
    return any(real == folder or real.startswith(os.path.join(folder, "")) for folder in folders)


NOT_STORABLE = "its name is not UTF-8, rename it"


def is_storable(path: str) -> bool:
    """Return whether *path* is valid UTF-8, as the store needs."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
