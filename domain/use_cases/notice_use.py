"""Notice which injected entries were of use. Made of tuples, for the hook."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.injection.receipt import How, Influence, Turn
from hardwon.domain.model.injection.usage_signals import usage_signals

if TYPE_CHECKING:
    from hardwon.ports.activity import Influences
    from hardwon.ports.clock import Clock

MOST_LOOKED_FOR = 40
"""Entries: what was injected before them, a session has left behind."""


class NoticeUse(NamedTuple):
    """
    Count the entries that an agent shows to have used, once an entry and session.

    Attributes:
        influences: What is known of that.
        clock: The time.

    """

    influences: "Influences"
    clock: "Clock"

    def __call__(self, session_id: str, hear: Callable[[], Turn]) -> list[Influence]:
        """
        Look for signs of use in what the agent did; return what is new.

        Args:
            session_id: Where the entries were injected.
            hear: Tells what the agent did; it is only asked when there is something to look for.

        Raises:
            StorageError: the store is busy; what was counted stays so.

        """
        shown = self.influences.shown_texts(session_id, MOST_LOOKED_FOR)
        if all(each.is_counted for each in shown):
            return []
        turn, now = hear(), self.clock.now()
        texts: tuple[tuple[How, str], ...] = (("answer", turn.answer), ("edit", turn.edits))
        signs = [
            Influence(entry_id, session_id, how, phrase, now)
            for how, text in texts
            for entry_id, phrase in usage_signals(shown, text, turn.given).items()
        ]
        return [sign for sign in signs if self.influences.record(sign)]
