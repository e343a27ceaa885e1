"""Versions of files in memory."""

from hardwon.domain.model.repository import OWN, Version
from hardwon.ports.override import override
from hardwon.ports.repository import FileVersions


class InMemoryVersions(FileVersions):
    """Every version is the user's but those of *others*, by path."""

    def __init__(self, others: dict[str, Version] | None = None) -> None:
        self.others = others or {}

    @override
    def of(self, path: str) -> Version:
        return self.others.get(path, OWN)
