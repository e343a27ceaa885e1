from typing import Protocol

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
