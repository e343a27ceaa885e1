"""Give each exchange of a session a moment of its own: it is known by that, and by its prompt."""

import datetime as dt
from collections.abc import Iterable, Iterator

import attrs

from hardwon.domain.model.conversation.drafts import SessionBuffer
from hardwon.ports.transcripts import Transcribed

SAME_MOMENT = dt.timedelta(minutes=1)
"""One that is dated so little before another it follows has no moment of its own; beyond, clocks were set."""

ONE_LATER = dt.timedelta(milliseconds=1)


def dated_apart(heard: Iterable[Transcribed], buffer: SessionBuffer) -> Iterator[Transcribed]:
    """
    Yield what was *heard*, each exchange at least a millisecond after the one before it.

    Lines without a time have that of the line before, and some hosts round
    theirs. Read at one go or in parts, an exchange has the same moment.

    Args:
        heard: In order, from the beginning or from the last exchange of *buffer* on.
        buffer: The session as it was.

    """
    last, before = next(reversed(buffer.exchanges), None), None
    for each in heard:
        exchange = each.exchange
        if before is None and last and each.begins_at == buffer.position and exchange.user == last.user:
            exchange = attrs.evolve(exchange, at=last.at)
        elif before is not None and before - SAME_MOMENT < exchange.at <= before:
            exchange = attrs.evolve(exchange, at=before + ONE_LATER)
        before = exchange.at
        yield each._replace(exchange=exchange)
