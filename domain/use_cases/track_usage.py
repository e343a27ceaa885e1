"""
Count accesses by searches, and sessions that used injected entries.

Made of tuples and free of `attrs`, for the hook.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.injection.receipt import How, Influence, SessionTurn
from hardwon.domain.model.injection.usage_signals import usage_signals
from hardwon.ports.activity import Influences, UsageLog
from hardwon.ports.clock import Clock

if TYPE_CHECKING:
    import datetime as dt

    from hardwon.domain.model.entry import Entry


def count_access(usage: UsageLog, entries: "Iterable[Entry]", at: "dt.datetime") -> tuple[str, ...]:
    """
    Count one access of each of *entries*.

    Returns one line if the store can't be written and the count is lost.
    """
    numbers = [entry.number for entry in entries if entry.number is not None]
    try:
        if numbers:
            usage.record_access(numbers, at)
    except StorageError as error:
        return (f"access not counted: {error}",)
    return ()


MAX_SHOWN = 40
"""The number of injected entries checked, the last ones."""


class NoticeUse(NamedTuple):
    """Detect which injected entries an agent used, once for each session."""

    influences: Influences
    clock: Clock

    def notice(self, session_id: str, hear: Callable[[], SessionTurn]) -> list[Influence]:
        """
        Count and return new usage signals of the last turn.

        Args:
            session_id: The session that the entries were injected into.
            hear: Reads the turn; only called if there are entries to check.
        """
        shown = self.influences.shown_texts(session_id, MAX_SHOWN)
        if all(entry.is_counted for entry in shown):
            return []
        turn, now = hear(), self.clock.now()
        texts: tuple[tuple[How, str], ...] = (("answer", turn.answer), ("edit", turn.edits))
        signs = [
            Influence(entry_id=entry_id, session_id=session_id, how=how, phrase=phrase, at=now)
            for how, text in texts
            for entry_id, phrase in usage_signals(shown, text, turn.given).items()
        ]
        return [sign for sign in signs if self.influences.record(sign)]
