"""Ask the agent to keep what repaired a command, when that passes at last."""

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Self

from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.injection.neutral_text import defused, neutral_line
from hardwon.domain.model.injection.receipt import Receipt, text_digest
from hardwon.domain.use_cases.weigh_entries import LONGEST_KEPT, NOTHING, Actor, Injection
from hardwon.ports.activity import Receipts
from hardwon.ports.clock import Clock
from hardwon.ports.entries import EntryRepository
from hardwon.ports.store import Store

if TYPE_CHECKING:
    from hardwon.domain.model.conversation.session_actions import RepeatedFailure

MOST = 2
"""The number of questions in a session."""

KEPT_WITHIN = dt.timedelta(minutes=30)
"""A lesson that is stored so soon after a question counts as its answer."""

MAX_ASKED = 200
"""The number of questions that are counted."""

ASK = (
    "hardwon: `{command}` passes now, after it failed {times} times in this session with the error"
    ' "{error}". If this would cost time again in a later session, keep it with one call of the tool'
    " store_memory: category heuristics, and in the description the symptom (this error, word for"
    " word), its cause and the fix. If it was only work in progress, keep nothing."
)


class AskForLesson(NamedTuple):
    """
    Ask inside the turn, at most twice a session and once for each command.

    Nothing of the output is kept but the signature of its error.
    """

    receipts: Receipts
    clock: Clock

    @classmethod
    def on(cls, store: Store, clock: Clock) -> Self:
        """Return it on the roles of *store*."""
        return cls(store.receipts, clock)

    def text_for(self, failure: "RepeatedFailure", actor: Actor) -> Injection:
        """
        Return the question, or nothing if it was asked, or often enough.

        Raises:
            StorageError: the store can't be read.
        """
        session_id, query = actor.window.session_id, failure.key[:LONGEST_KEPT]
        if not session_id or actor.window.agent:
            return NOTHING
        asked = self.receipts.newest(session_id=session_id, event="ask", limit=MOST)
        if len(asked) >= MOST or query in {receipt.query for receipt in asked}:
            return NOTHING
        text = _question(failure)
        receipt = Receipt(
            session_id=session_id,
            event="ask",
            at=self.clock.now(),
            project=actor.workplace.project,
            query=query,
            space=None,
            policy="none",
            digest=text_digest(text),
            frame=(text,),
            signature=failure.error.signature,
        )
        return Injection(text, receipt=receipt)


def _question(failure: "RepeatedFailure") -> str:
    command, error = (neutral_line(defused(text)) for text in (failure.command, failure.error.text))
    return ASK.format(command=command, times=failure.times, error=error)


class AskFigures(NamedTuple):
    """
    The outcome of the last questions.

    Attributes:
        kept: After how many of them a lesson was stored.
    """

    asked: int
    kept: int


class CountAsks(NamedTuple):
    """Count questions, and the lessons that were stored after them."""

    receipts: Receipts
    repository: EntryRepository

    @classmethod
    def on(cls, store: Store) -> Self:
        """Return it on the roles of *store*."""
        return cls(store.receipts, store.entries)

    def figures(self) -> AskFigures:
        """Return the figures of the questions with a receipt."""
        asked = self.receipts.newest(event="ask", limit=MAX_ASKED)
        return AskFigures(len(asked), self._kept(asked))

    def _kept(self, asked: Sequence[Receipt]) -> int:
        return sum(map(self._is_answered, asked))

    def _is_answered(self, asked: Receipt) -> bool:
        only = EntryFilter(
            since=asked.at.replace(microsecond=0),
            until=asked.at + KEPT_WITHIN,
            origins=tuple(filter(None, [asked.project])),
        )
        return self.repository.count(only) > 0
