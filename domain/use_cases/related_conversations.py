"""
Recall what bears on the user's work before anyone asks.

Tell the conversations that bear on the user's work, each on one line.
"""

from collections.abc import Iterable
from typing import NamedTuple

from hardwon.domain.model.context import ContextQuery, Workplace
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.filters import COLLECTIONS, CONVERSATIONS, PolicyName, ScopeName, scope_of
from hardwon.domain.model.injection.block import LARGEST_ENTRY
from hardwon.domain.model.injection.related_conversations import (
    ConversationSummary,
    RelatedSection,
    Room,
    related_section,
)
from hardwon.domain.model.ranking.question import Question
from hardwon.domain.model.settings import Occasion
from hardwon.domain.use_cases.recall import Rated, Recall, Recollection, searched
from hardwon.domain.use_cases.retrieve import retire_expired
from hardwon.ports.clock import Clock
from hardwon.ports.entries import RankingReads

FEW = 3
"""Fewer answers than that, or than were asked for, and it is worth looking further."""

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
    Ask the project's conversations, and those of its workspace when the project has few.

    Attributes:
        recall: Answers a question.

    """

    recall: Recall

    def find(
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
        return Nearby(tuple(recall.rank(question, found)), searched(found))


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


OF_SESSION = 10
"""So many conversations of a session are looked at after its compaction; the budget holds no more."""

NO_TIME = "no related conversations: no time was left"


class Related(NamedTuple):
    """
    What is told.

    Attributes:
        section: As it is printed.
        nearby: What was found; all of it, whether it is told or not.
        degradations: What was missing and why, one line each.

    """

    section: RelatedSection = RelatedSection()
    nearby: Nearby = Nearby()
    degradations: tuple[str, ...] = ()


class Relate(NamedTuple):
    """
    Find, sum up, and print as much as the budget holds.

    Attributes:
        repository: The entries.
        nearby: Finds what bears on the user's work.
        clock: For what has expired.

    """

    repository: RankingReads
    nearby: RecallNearby
    clock: Clock

    def section_for(
        self, context: ContextQuery, occasion: Occasion, deadline: Deadline, *, limit: int, most_units: int
    ) -> Related:
        """
        Return what bears on *context*, by itself.

        Args:
            context: What the user is working on.
            occasion: Where, and how much is wanted.
            deadline: When searching must be over.
            limit: How many conversations at most.
            most_units: UTF-16 units of the section.

        Raises:
            StorageError: the store can't be read.

        """
        troubles = retire_expired(self.repository, self.clock.now())
        with self.repository.snapshot():
            related = self.find(context, occasion, deadline, limit=limit, most_units=most_units)
        return related._replace(degradations=(*troubles, *related.degradations))

    def find(
        self,
        context: ContextQuery,
        occasion: Occasion,
        deadline: Deadline,
        *,
        limit: int = COLLECTIONS["conversations"].limit,
        most_units: int = LARGEST_ENTRY,
        known: tuple[int, ...] = (),
    ) -> Related:
        """
        Return what bears on *context*, of what the caller's snapshot holds; he has retired what has expired.

        After a compaction it begins with what was said in the session before. Without a signal the newest stand for
        what bears on it. What is *known* by number is left out.

        Raises:
            StorageError: the store can't be read.
        """
        room = Room(occasion.budget_tokens, most_units)
        if room.characters <= 0:
            return Related()
        late = deadline.passed()
        said = [each for each in self._of_session(occasion.compacted) if each.seq not in known]
        known += tuple(each.seq for each in said)
        nearby = Nearby() if late else self.nearby.find(context, occasion.workplace, limit, deadline, known)
        found = self.repository.summaries([each.seq for each in nearby.best])
        if not (found or late):
            found = self._lately(occasion, limit, known)
        others = _else(found, said)
        return Related(related_section(said, others, room), nearby, (NO_TIME,) if late else nearby.search.degradations)

    def _of_session(self, session: str) -> list[ConversationSummary]:
        of_session = CONVERSATIONS._replace(session=session)
        return _else(self.repository.newest_summaries(of_session, OF_SESSION) if session else (), ())

    def _lately(self, occasion: Occasion, limit: int, known: tuple[int, ...]) -> list[ConversationSummary]:
        """Return the project's newest conversations, what is permanent first: nobody knows what the user works on."""
        own = CONVERSATIONS._replace(scope=scope_of("project", occasion.workplace), except_for=known)
        kept = self.repository.newest_summaries(own._replace(permanent=True), max(limit, 0))
        return _else([*kept, *self.repository.newest_summaries(own, max(limit, 0))], ())[: max(limit, 0)]


def _else(
    conversations: Iterable[ConversationSummary], told: Iterable[ConversationSummary]
) -> list[ConversationSummary]:
    """Return the first of *conversations* by each name, of those *told* already none: a decision goes by its talk's."""
    names, others = {each.name for each in told}, list[ConversationSummary]()
    for each in conversations:
        if each.name not in names:
            names.add(each.name)
            others.append(each)
    return others
