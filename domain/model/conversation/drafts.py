"""The last chunks of a session while they grow."""

from collections.abc import Iterable
from typing import Literal, TypeAlias

import attrs

from hardwon.domain.model.conversation.capture_rules import BUFFERED
from hardwon.domain.model.conversation.exchange import Exchange

BufferSource: TypeAlias = Literal["transcript", "events"]


@attrs.frozen(kw_only=True)
class Draft:
    """
    A chunk while it grows.

    Attributes:
        topic: The words its file is named after; fixed by its first exchange.
        exchanges: In order, at least one.
        is_closed: No more will come.
        permanent: Kept for good.
        written: How many of its exchanges are in its file as they are here.
        branch: The git branch it began on; empty when nobody says.

    """

    topic: str
    exchanges: tuple[Exchange, ...]
    is_closed: bool = False
    permanent: bool = False
    written: int = 0
    branch: str = ""

    @property
    def unwritten(self) -> int:
        """How many of its exchanges are still to be written."""
        return len(self.exchanges) - self.written

    def growing(self, exchange: Exchange) -> "Draft":
        """Return the draft with *exchange* at its end."""
        return attrs.evolve(self, exchanges=(*self.exchanges, exchange))

    def with_more_of_the_last(self, exchange: Exchange) -> "Draft":
        """Return the draft with *exchange* in place of its last one, which it continues."""
        return attrs.evolve(
            self, exchanges=(*self.exchanges[:-1], exchange), written=min(self.written, len(self.exchanges) - 1)
        )


@attrs.frozen(kw_only=True)
class SessionBuffer:
    """
    What is known of a session that is captured: the rolling buffer, and how far it was read.

    Attributes:
        session_id: The session, as the host names it; empty for exchanges that belong to none.
        project_root: The project's folder.
        source: Where its exchanges come from: what the host writes down, or what the hooks were told.
        transcript_path: What the host writes; empty when there is none.
        position: Where to read on: where the last exchange taken begins, in bytes of the transcript, or the number of
            the event, as *source* says; None when that is not known, and all is read anew.
        drafts: Its last chunks, in order; only the last can be open.
        unlearned: Files that were written and that the store may not know yet.

    """

    session_id: str
    project_root: str
    source: BufferSource = "transcript"
    transcript_path: str = ""
    position: int | None = 0
    drafts: tuple[Draft, ...] = ()
    unlearned: tuple[str, ...] = ()

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """The exchanges at hand, in order."""
        return tuple(exchange for draft in self.drafts for exchange in draft.exchanges)

    @property
    def unwritten(self) -> int:
        """How many of them are still to be written."""
        return sum(draft.unwritten for draft in self.drafts)

    def has(self, exchange: Exchange, begins_at: int) -> bool:
        """
        Tell whether *exchange* was taken in already, as it is; the last one at hand may have grown.

        What begins behind the last one taken is new, whatever time it has; of what is read anew, what is later.

        Args:
            exchange: What was heard.
            begins_at: Where, as `position` counts.

        """
        *earlier, last = self.exchanges or (None,)
        if last is None or exchange.continues(last):
            return exchange == last
        is_behind = self.position is not None and begins_at > self.position
        return any(map(exchange.continues, filter(None, earlier))) or not (is_behind or exchange.at > last.at)

    def all_written(self, files: Iterable[str] = ()) -> "SessionBuffer":
        """Return the buffer once all of it is in *files*; the oldest chunks leave it until 20 exchanges are left."""
        written = tuple(attrs.evolve(draft, written=len(draft.exchanges)) for draft in self.drafts)
        return attrs.evolve(self, drafts=_rolled(written), unlearned=tuple(sorted({*self.unlearned, *files})))

    def kept_for_good(self) -> "SessionBuffer":
        """Return the buffer with all its chunks closed and permanent, to be written anew."""
        drafts = (attrs.evolve(each, is_closed=True, permanent=True, written=0) for each in self.drafts)
        return attrs.evolve(self, drafts=tuple(drafts))


def _rolled(drafts: Iterable[Draft]) -> tuple[Draft, ...]:
    """Return *drafts* without the oldest as long as more than 20 exchanges are at hand; the last one stays."""
    kept = list(drafts)
    while len(kept) > 1 and sum(len(draft.exchanges) for draft in kept) > BUFFERED:
        kept.pop(0)
    return tuple(kept)


def project_of(buffer: SessionBuffer | None, told: Iterable[str]) -> str:
    """
    Return the folder of the project that a session is about: the one it began in; empty when the host named none.

    Args:
        buffer: What is known of the session.
        told: The folders that its events name, in order; empty where one names none.

    """
    return next(filter(None, (buffer.project_root if buffer else "", *told)), "")
