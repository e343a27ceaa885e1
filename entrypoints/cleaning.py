"""What texts of a project go through before any of them is kept. Standard library only: the capture hooks need it."""

import os

from hardwon.domain.model.conversation.cleaning import Cleaning


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
