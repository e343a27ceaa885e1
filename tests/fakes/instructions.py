"""What the agent is told anyway, as a test says."""

from collections.abc import Iterator, Mapping


class InMemoryInstructions:
    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self._files = files or {}
        self.asked = 0

    def texts(self) -> Iterator[tuple[str, str]]:
        self.asked += 1
        yield from self._files.items()
