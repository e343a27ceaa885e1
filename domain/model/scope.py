from typing import NamedTuple


class Scope(NamedTuple):
    """
    Where an entry must come from; one place it shares is enough, and without any place everything is inside.

    Attributes:
        project: The name of a project.
        workspace: The name of a workspace, a folder of projects.

    """

    project: str | None = None
    workspace: str | None = None


ANYWHERE = Scope()
