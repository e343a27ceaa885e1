"""Which git is run: one of the user's own, never one that the project brings along. Standard library only."""

import errno
import os
from functools import lru_cache

from hardwon.adapters.git.work_tree import top_of

NAME = "git.exe" if os.name == "nt" else "git"


class Surroundings:
    """
    Where programs may be looked for by whoever works in a folder that nobody vouches for.

    A relative entry of PATH means a folder of the project, and tools like direnv put the
    project's own folders there: neither is trusted, whatever link leads to it.

    Args:
        project_root: The user's project; all of the repository around it counts.

    Raises:
        ValueError: *project_root* can't be a path.

    """

    def __init__(self, project_root: str) -> None:
        real = os.path.realpath(project_root)
        self._project = os.path.join(top_of(real) or real, "")

    def trusts(self, path: str) -> bool:
        """Tell whether *path* is absolute and neither lies in the project nor leads there."""
        if not os.path.isabs(path):
            return False
        places = (os.path.normpath(path), os.path.realpath(path))
        # Whoever works in the root folder has no place outside.
        return self._project == os.path.join(os.sep, "") or not any(
            os.path.join(place, "").startswith(self._project) for place in places
        )

    def trusted(self, search_path: str) -> str:
        """Return the entries of *search_path* that can be trusted."""
        return os.pathsep.join(filter(self.trusts, search_path.split(os.pathsep)))

    def git(self, search_path: str) -> str:
        """
        Return the absolute path of the first git on *search_path* that can be trusted.

        Raises:
            FileNotFoundError: there is none.

        """
        for folder in filter(None, self.trusted(search_path).split(os.pathsep)):
            program = os.path.join(folder, NAME)
            if os.path.isfile(program) and os.access(program, os.X_OK) and self.trusts(program):
                return program
        raise FileNotFoundError(errno.ENOENT, "no git on PATH, or only in the project itself or in relative folders")


@lru_cache(maxsize=4)
def surroundings(project_root: str) -> Surroundings:
    """Return the surroundings of *project_root*, looked at once."""
    return Surroundings(project_root)


@lru_cache(maxsize=4)
def find_git(project_root: str, search_path: str) -> str:
    """Return what `Surroundings.git` returns, looked for once."""
    return surroundings(project_root).git(search_path)
