from typing import Protocol

from hardwon.domain.model.context_query import Feature


class FeatureProbe(Protocol):
    """Knows which feature of the project is being worked on."""

    def active_feature(self) -> Feature | None:
        """
        Return the active feature, None when there is none.

        Of several, the one with the highest number in its folder's name wins.
        What can't be read is skipped with a warning, never raised.
        """
        ...
