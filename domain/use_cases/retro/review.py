"""Find what was learned earlier and bears on the feature that just ended."""

import datetime as dt
from typing import NamedTuple

from hardwon.domain.model.context_query import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_filter import LEARNINGS
from hardwon.domain.model.recall.question import Question
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.use_cases.asking.recall import Recall

SEARCHED = 100
"""How many answers are looked through for those that are older and of this project."""


class Reviewed(NamedTuple):
    """
    What may be looked at again.

    Attributes:
        entries: The likeliest first.
        degradations: What was missing from the search, one line each.

    """

    entries: tuple[Entry, ...]
    degradations: tuple[str, ...]


class Review(NamedTuple):
    """
    Find learnings of a project, and of all projects, that the work just done may confirm or contradict.

    Attributes:
        recall: Answers what is asked.
        workplace: Where the work was done.

    """

    recall: Recall
    workplace: Workplace

    def __call__(self, work: ContextQuery, before: dt.datetime, limit: int, deadline: Deadline) -> Reviewed:
        """
        Return at most *limit* learnings that *work* recalls best; nothing is counted.

        Args:
            work: Its feature and files; without either nothing is found.
            before: Only what was last observed before it.
            limit: How many.
            deadline: When the search must end.

        Raises:
            StorageError: the store can't be read.

        """
        question = Question(
            text=work.compose() or "",
            only=LEARNINGS._replace(ranked=True),
            policy="adaptive",
            limit=SEARCHED,
            minimum=None,
            workplace=self.workplace,
            keyword_text=work.keyword_text,
        )
        recollection = self.recall(question, deadline)
        found = (answer.entry for answer in recollection.answers)
        older = [each for each in found if each.updated_at < before and self._is_of_here(each)]
        return Reviewed(tuple(older[:limit]), recollection.degradations)

    def _is_of_here(self, entry: Entry) -> bool:
        return entry.source_project in {None, self.workplace.project}
