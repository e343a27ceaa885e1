from collections.abc import Iterator
from typing import Protocol


class Instructions(Protocol):
    """The instruction files that the host gives the agent at the beginning of every session; none is ours."""

    def texts(self) -> Iterator[tuple[str, str]]:
        """
        Yield the name of each file and what it says, the project's own first.

        Whatever is there and can't be read says nothing. Read when it is asked for: most prompts need none of it.
        """
        ...
