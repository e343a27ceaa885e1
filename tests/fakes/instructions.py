"""Instruction files that a test made up."""

from collections.abc import Iterator, Mapping

from hardwon.ports.documents import Instructions
from hardwon.ports.override import override


class InMemoryInstructions(Instructions):
    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self._files = files or {}
        self.asked = 0

    @override
    def texts(self) -> Iterator[tuple[str, str]]:
        self.asked += 1
        yield from self._files.items()
