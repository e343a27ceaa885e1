"""Recall what bears on the user's work before anyone asks."""

from typing import NamedTuple

from hardwon.domain.model.context_query import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.recall.collection import COLLECTIONS, ScopeName, scope_of
from hardwon.domain.model.recall.question import Question
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.use_cases.recall import Recall, Recollection

FEW = 3
"""Fewer answers than that, or than were asked for, and it is worth looking further (M-C14)."""


class RecallNearby(NamedTuple):
    """
    Ask the project's conversations, and those of its workspace when the project has few (requirement C-T6.4).

    Attributes:
        recall: Answers a question.

    """

    recall: Recall

    def __call__(self, context: ContextQuery, workplace: Workplace, limit: int, deadline: Deadline) -> Recollection:
        """
        Return at most *limit* conversations that bear on *context*; without a signal, none.

        Raises:
            StorageError: the store can't be read.
        """
        near = self.recall(_question(context, workplace, limit, "project"), deadline)
        if len(near.answers) >= min(limit, FEW) or context.compose() is None:
            return near
        return self.recall(_question(context, workplace, limit, "workspace"), deadline)


def _question(context: ContextQuery, workplace: Workplace, limit: int, scope: ScopeName) -> Question:
    conversations = COLLECTIONS["conversations"]
    return Question(
        text=context.compose() or "",
        only=EntryFilter(kinds=conversations.kinds, scope=scope_of(scope, workplace)),
        policy=conversations.policy,
        limit=limit,
        minimum=conversations.minimum,
        workplace=workplace._replace(touched_files=context.files),
    )
