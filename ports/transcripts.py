from collections.abc import Iterator
from typing import NamedTuple, Protocol

from hardwon.domain.model.conversation.exchange import Exchange


class Transcribed(NamedTuple):
    """
    An exchange as a transcript has it.

    Attributes:
        exchange: Without what is not to be kept.
        begins_at: Where it begins: in bytes of the transcript; of what hooks were told, the number of its first event.
        is_over: Whether the next one has begun; the last one may still grow.
        session_id: The session it belongs to, empty when the transcript does not say.
        branch: The git branch it was said on, likewise.

    """

    exchange: Exchange
    begins_at: int
    is_over: bool
    session_id: str = ""
    branch: str = ""


class Transcripts(Protocol):
    """What hosts write down of their sessions."""

    def read(self, path: str, position: int = 0) -> Iterator[Transcribed]:
        """
        Yield the exchanges of the transcript at *path*, in order, from the one that begins at *position* on.

        What was injected, tool calls and their results (but questions and their
        answers), thinking, meta lines, summaries of compactions and sidechains
        are left out; so are secrets. A line that can't be read costs only itself.
        Memory does not grow with the file.

        Args:
            path: The file; `-` for standard input.
            position: A `begins_at` of an earlier reading; 0 for all. Beyond the end, all is read anew.

        Raises:
            UnreadableFileError: it can't be read.

        """
        ...
