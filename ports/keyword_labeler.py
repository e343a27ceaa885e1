"""The model that proposes keyword labels."""

from typing import Protocol

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry


class KeywordLabeler(Protocol):
    """Proposes keyword labels for an entry."""

    def label(self, entry: Entry, deadline: Deadline) -> list[str]:
        """
        Return the labels as the model gave them; callers validate them.

        Raises:
            LabelerUnavailableError: no key, or no answer before *deadline*.
            UnusableLabelsError: the answer contains no list of texts.
        """
        ...
