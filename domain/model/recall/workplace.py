from typing import NamedTuple


class Workplace(NamedTuple):
    """
    Where the user is working: what is near to it is more likely to matter.

    Attributes:
        project: The name of the project, its folder's.
        workspace: The name of the folder of projects it lies in.
        branch: The git branch that is checked out, None without git.
        touched_files: Files changed of late, as the project names them.

    """

    project: str
    workspace: str | None = None
    branch: str | None = None
    touched_files: tuple[str, ...] = ()
