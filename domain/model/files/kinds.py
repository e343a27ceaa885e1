"""What a file is kept as, by where it lies."""

import re
from pathlib import PurePath

from hardwon.domain.model.vocabulary import Kind

MEMORY = "memory"

FOLDERS: dict[str, Kind] = {
    "decisions": "decision",
    "gotchas": "gotcha",
    "preferences": "preference",
    "conversations": "conversation",
    "sessions": "session",
}

_SAVED = re.compile(r"memory-\d{8}-\d{6}(?:-\d+)?\.md")


def kind_by_place(path: str, project_root: str) -> Kind | None:
    """
    Return the kind that the place of *path* stands for, None when it stands for none.

    That is the nearest folder named after a kind; and `memory-*.md` is a session
    in a folder `memory` or at the project's root, with the time in its name anywhere.
    """
    file = PurePath(path)
    for folder in reversed(file.parts[:-1]):
        if folder in FOLDERS:
            return FOLDERS[folder]
    is_beside = file.parent.name == MEMORY or file.parent == PurePath(project_root)
    is_session = _SAVED.fullmatch(file.name) or (is_beside and file.match("memory-*.md"))
    return "session" if is_session else None
