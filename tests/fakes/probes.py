"""What the user is working on, as a test says."""

from collections.abc import Sequence

from hardwon.domain.model.context import Feature
from hardwon.domain.model.deadline import Deadline


class InMemoryFeatureProbe:
    def __init__(self, feature: Feature | None = None) -> None:
        self._feature = feature

    def active_feature(self) -> Feature | None:
        return self._feature


class InMemoryChangeProbe:
    def __init__(self, files: Sequence[str] = ()) -> None:
        self._files = tuple(files)

    def changed_files(self, deadline: Deadline) -> tuple[str, ...]:
        del deadline
        return self._files
