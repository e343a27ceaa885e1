"""Which project a set-up is for."""

import os
from typing import NamedTuple

from hardwon.adapters.git.work_tree import top_of

NONE = "{} is no project: nothing is written into it; run hardwon init in a project, or name one with --project-root"


class Project(NamedTuple):
    """
    The folder that a set-up is for.

    Attributes:
        folder: A real path, whose settings and memories count.
        root: Where files of a project go; None where the folder is none.

    """

    folder: str
    root: str | None


def find_project(named: str | None, working_folder: str, home: str) -> Project:
    """
    Return the project.

    Args:
        named: What the user named, which is it; None for nothing.
        working_folder: It is the project where no repository holds it. The user's home, or a folder above it, is none.
        home: The user's home.

    """
    if named is not None:
        return Project(os.path.realpath(named), os.path.realpath(named))
    real, home = os.path.realpath(working_folder), os.path.realpath(home)
    top = top_of(real)
    folder = real if top is None or _holds(top, home) else top
    return Project(folder, None if _holds(folder, home) else folder)


def _holds(folder: str, home: str) -> bool:
    return os.path.join(home, "").startswith(os.path.join(folder, ""))
