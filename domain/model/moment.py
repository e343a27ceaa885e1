"""A moment when an agent acts, or a subagent starts."""

from typing import NamedTuple, TypeAlias

from hardwon.domain.model.edit import Edit, beginning
from hardwon.domain.model.failure import Failure
from hardwon.domain.model.keywords import LONGEST_PROMPT, has_enough_terms


class OpenedFile(NamedTuple):
    """
    A file that was read, or is about to be changed.

    Attributes:
        path: Relative to the project, if the file is in it.
    """

    path: str


class Task(NamedTuple):
    """
    A task that a subagent starts with.

    Attributes:
        text: Empty if it is unknown.
    """

    text: str

    @property
    def question(self) -> str:
        """The text to search with, without secrets, empty if too short."""
        return beginning(self.text, LONGEST_PROMPT) if has_enough_terms(self.text) else ""


Moment: TypeAlias = Failure | Edit | OpenedFile | Task
"""An action that just ended, or the task of a starting subagent."""
