from collections.abc import Iterator, Sequence

from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.errors import UnreadableFileError
from hardwon.ports.override import override
from hardwon.ports.transcripts import Transcribed, Transcripts


class InMemoryTranscripts(Transcripts):
    """
    Transcripts that are given; an exchange begins at a thousand times its place.

    Attributes:
        session_id: The session of all of them.

    """

    def __init__(self, session_id: str = "") -> None:
        self.session_id = session_id
        self._exchanges: dict[str, Sequence[Exchange]] = {}

    def put(self, path: str, exchanges: Sequence[Exchange]) -> None:
        """Replace the transcript at *path*."""
        self._exchanges[path] = exchanges

    @override
    def read(self, path: str, position: int = 0) -> Iterator[Transcribed]:
        if path not in self._exchanges:
            raise UnreadableFileError(f"{path!r}: it can't be read")
        exchanges = self._exchanges[path]
        beginning = position if position < 1_000 * len(exchanges) else 0
        for place, exchange in enumerate(exchanges):
            if place * 1_000 >= beginning:
                yield Transcribed(
                    exchange, place * 1_000, place + 1 < len(exchanges), self.session_id
                )
