"""Where the user works, in a project that is the user's own."""

from typing import Any

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.project import Visibility


def at(project: str, workspace: str | None = None, branch: str | None = None, **more: Any) -> Workplace:
    """Return a place in *project*, whose label is its id."""
    return Workplace(project, workspace, branch, label=project, visibility=Visibility(own=(project,)), **more)
