"""Where the user works, in a project that is the user's own."""

from hardwon.domain.model.filters import Workplace
from hardwon.domain.model.project import Visibility


def working_in(
    project: str,
    workspace: str | None = None,
    branch: str | None = None,
    touched_files: tuple[str, ...] = (),
) -> Workplace:
    """Return a place in *project*, whose label is its id."""
    visibility = Visibility(own=(project,))
    return Workplace(
        project, workspace, branch, touched_files, label=project, visibility=visibility
    )
