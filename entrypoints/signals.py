"""What the user is working on, from git and the project's feature files."""

from hardwon.adapters.feature_files import FeatureFiles
from hardwon.adapters.git.probe import GitChangeProbe
from hardwon.domain.model.context_query import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.entrypoints.spaces import Warn

GIT_SECONDS = 0.5
"""What git may take (rule U-16)."""


def read_signals(project_root: str, deadline: Deadline, warn: Warn) -> ContextQuery:
    """Return the signals of the project; those not there before *deadline* are left out."""
    return ContextQuery(
        feature=FeatureFiles(project_root, warn).active_feature(),
        files=GitChangeProbe(project_root, warn).changed_files(deadline),
    )
