from typing import Protocol

from hardwon.domain.model.context import Feature
from hardwon.domain.model.deadline import Deadline


class ChangeProbe(Protocol):
    """Knows which files changed of late."""

    def changed_files(self, deadline: Deadline) -> tuple[str, ...]:
        """
        Return the names changed over the last three commits, in git's order, at most 20.

        With fewer commits, the names of the last one; nothing for a project
        with one commit, with none, without git, or when *deadline* passes.
        Never raises.
        """
        ...


class FeatureProbe(Protocol):
    """Knows which feature of the project is being worked on."""

    def active_feature(self) -> Feature | None:
        """
        Return the active feature, None when there is none.

        Of several, the one with the highest number in its folder's name wins.
        What can't be read is skipped with a warning, never raised.
        """
        ...
