from typing import Protocol

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry


class KeywordLabeler(Protocol):
    """Proposes keyword labels for an entry."""

    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        """
        Return labels as the model gave them; they are checked before they are stored.

        Raises:
            LabelerUnavailableError: no key, or no answer before *deadline*.
            UnusableLabelsError: the answer holds no list of texts.
        """
        ...
