"""Recall what bears on the user's work before anyone asks."""

from typing import NamedTuple

from hardwon.domain.model.context_query import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry_filter import CONVERSATIONS
from hardwon.domain.model.recall.collection import COLLECTIONS, PolicyName, ScopeName, scope_of
from hardwon.domain.model.recall.question import Question
from hardwon.domain.model.recall.workplace import Workplace
from hardwon.domain.use_cases.asking.recall import Rated, Recall, Recollection, searched

FEW = 3
"""Fewer answers than that, or than were asked for, and it is worth looking further (M-C14)."""

POLICY: PolicyName = "context"

DEPTH = 1_024
"""Being near counts more than being found: the heads of lists prove little, so most projects are judged at one go."""


class Nearby(NamedTuple):
    """
    What bears on the user's work.

    Attributes:
        best: Best first.
        search: How they were found; its answers are left to who wants to read them whole.

    """

    best: tuple[Rated, ...] = ()
    search: Recollection = Recollection()


class RecallNearby(NamedTuple):
    """
    Ask the project's conversations, and those of its workspace when the project has few (requirement C-T6.4).

    Attributes:
        recall: Answers a question.

    """

    recall: Recall

    def __call__(
        self,
        context: ContextQuery,
        workplace: Workplace,
        limit: int,
        deadline: Deadline,
        except_for: tuple[int, ...] = (),
    ) -> Nearby:
        """
        Return at most *limit* conversations that bear on *context*, or else on the files touched of late.

        Without either, none.

        What has expired must be retired before.

        Args:
            context: What the user is working on.
            workplace: Where, and what was touched there besides.
            limit: How many at most; 0 and less ask for none.
            deadline: When searching must be over.
            except_for: The numbers of those that are known already.

        Raises:
            StorageError: the store can't be read.

        """
        context = context if context.compose() else ContextQuery(files=workplace.touched_files)
        if context.compose() is None or limit <= 0:
            return Nearby()
        near = _question(context, workplace, limit, "project", except_for)
        if self.recall.repository.count(near.only) >= min(limit, FEW):
            found = self._ask(near, deadline)
            if len(found.best) >= min(limit, FEW):
                return found
        return self._ask(_question(context, workplace, limit, "workspace", except_for), deadline)

    def _ask(self, question: Question, deadline: Deadline) -> Nearby:
        recall = self.recall._replace(first_depth=DEPTH)
        found = recall.search(question, deadline)
        return Nearby(tuple(recall.rate(question, found)), searched(found))


def _question(
    context: ContextQuery, workplace: Workplace, limit: int, scope: ScopeName, except_for: tuple[int, ...]
) -> Question:
    return Question(
        text=context.compose() or "",
        only=CONVERSATIONS._replace(scope=scope_of(scope, workplace), except_for=except_for),
        policy=POLICY,
        limit=limit,
        minimum=COLLECTIONS["conversations"].minimum,
        workplace=workplace._replace(touched_files=tuple(dict.fromkeys(context.files + workplace.touched_files))),
        keyword_text=context.keyword_text,
    )
