"""Find conversations related to the user's current work, and render them."""

from collections.abc import Iterable
from typing import NamedTuple

from hardwon.domain.model.context import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.filters import (
    COLLECTIONS,
    CONVERSATIONS,
    PolicyName,
    RecallOccasion,
    ScopeName,
    Workplace,
    scope_of,
)
from hardwon.domain.model.injection.entry_text import LARGEST_ENTRY, Length, units
from hardwon.domain.model.injection.related_conversations import (
    ConversationSummary,
    RelatedSection,
    Room,
    related_section,
)
from hardwon.domain.model.ranking.policy import RecallQuestion
from hardwon.domain.use_cases.recall import AnswerRating, Recall, RecallAnswers, searched
from hardwon.domain.use_cases.retrieve import retire_expired
from hardwon.ports.clock import Clock
from hardwon.ports.entries import RankingReads

FEW = 3
"""With fewer answers than this, or than requested, the search widens to the workspace."""

POLICY: PolicyName = "context"

DEPTH = 1_024
"""
Most projects are judged at once.

Proximity outweighs the search score, so that the heads of the lists give weak bounds.
"""


class NearbyConversations(NamedTuple):
    """
    The conversations related to the user's work.

    Attributes:
        best: Their ratings, best first.
        search: The diagnostics of the search, without answers.
    """

    best: tuple[AnswerRating, ...] = ()
    search: RecallAnswers = RecallAnswers()


class RecallNearby(NamedTuple):
    """
    Search the project's conversations.

    Those of its workspace are added if the project has few.
    """

    recall: Recall

    def conversations_near(
        self,
        context: ContextQuery,
        workplace: Workplace,
        limit: int,
        deadline: Deadline,
        except_for: tuple[int, ...] = (),
    ) -> NearbyConversations:
        """
        Return at most *limit* conversations related to *context*.

        Without a context, the files touched recently replace it; without either, there are none.
        The numbers *except_for* are left out. The caller has retired expired entries.
        """
        context = context if context.compose() else ContextQuery(files=workplace.touched_files)
        if context.compose() is None or limit <= 0:
            return NearbyConversations()
        near = _question(context, workplace, limit=limit, scope="project", except_for=except_for)
        if self.recall.repository.count(near.only) >= min(limit, FEW):
            found = self._ask(near, deadline)
            if len(found.best) >= min(limit, FEW):
                return found
        return self._ask(
            _question(context, workplace, limit=limit, scope="workspace", except_for=except_for),
            deadline,
        )

    def _ask(self, question: RecallQuestion, deadline: Deadline) -> NearbyConversations:
        recall = self.recall._replace(first_depth=DEPTH)
        found = recall.search(question, deadline)
        return NearbyConversations(tuple(recall.rank(question, found)), searched(found))


def _question(
    context: ContextQuery,
    workplace: Workplace,
    limit: int,
    scope: ScopeName,
    except_for: tuple[int, ...],
) -> RecallQuestion:
    return RecallQuestion(
        text=context.compose() or "",
        only=CONVERSATIONS._replace(
            scope=scope_of(scope, workplace), visible_in=workplace.visibility, except_for=except_for
        ),
        policy=POLICY,
        limit=limit,
        minimum=COLLECTIONS["conversations"].minimum,
        workplace=workplace._replace(
            touched_files=tuple(dict.fromkeys(context.files + workplace.touched_files))
        ),
        keyword_text=context.keyword_text,
        in_any_spelling=False,
    )


OF_SESSION = 10
"""The maximum number of conversations of a session read after its compaction."""

NO_TIME = "no related conversations: no time was left"


class RelatedConversations(NamedTuple):
    """
    The section of related conversations.

    Attributes:
        nearby: All conversations found, printed or not.
        degradations: The missing parts with their reasons, one line each.
    """

    section: RelatedSection = RelatedSection()
    nearby: NearbyConversations = NearbyConversations()
    degradations: tuple[str, ...] = ()


class RelateConversations(NamedTuple):
    """
    Find and render as many related conversations as the budget allows.

    Attributes:
        length: How the host counts the length of the section.
    """

    repository: RankingReads
    nearby: RecallNearby
    clock: Clock
    length: Length = units

    def section_for(
        self,
        context: ContextQuery,
        occasion: RecallOccasion,
        deadline: Deadline,
        *,
        limit: int,
        most_units: int,
    ) -> RelatedConversations:
        """
        Return the section for *context*, on a consistent state of the store.

        It has at most *limit* conversations and *most_units* of length.
        """
        problems = retire_expired(self.repository, self.clock.now())
        with self.repository.snapshot():
            related = self.section_in_snapshot(
                context, occasion, deadline, limit=limit, most_units=most_units
            )
        return related._replace(degradations=(*problems, *related.degradations))

    def section_in_snapshot(
        self,
        context: ContextQuery,
        occasion: RecallOccasion,
        deadline: Deadline,
        *,
        limit: int = COLLECTIONS["conversations"].limit,
        most_units: int = LARGEST_ENTRY,
        except_for: tuple[int, ...] = (),
    ) -> RelatedConversations:
        """
        Return the section for *context*, within the caller's snapshot.

        The caller has retired expired entries. After a compaction the section begins with the
        conversations of the same session. Without a signal the newest conversations replace related
        ones. The numbers *except_for* are left out.
        """
        room = Room(occasion.budget_tokens, most_units, self.length)
        if room.characters <= 0:
            return RelatedConversations()
        late = deadline.passed()
        earlier = [
            talk for talk in self._of_session(occasion.compacted) if talk.number not in except_for
        ]
        except_for += tuple(talk.number for talk in earlier)
        nearby = (
            NearbyConversations()
            if late
            else self.nearby.conversations_near(
                context, occasion.workplace, limit=limit, deadline=deadline, except_for=except_for
            )
        )
        found = self.repository.summaries([answer.number for answer in nearby.best])
        if not (found or late):
            found = self._lately(occasion, limit, except_for)
        others = _else(found, earlier)
        return RelatedConversations(
            related_section(earlier, others, room),
            nearby,
            (NO_TIME,) if late else nearby.search.degradations,
        )

    def _of_session(self, session: str) -> list[ConversationSummary]:
        of_session = CONVERSATIONS._replace(session=session)
        return _else(
            self.repository.newest_summaries(of_session, OF_SESSION) if session else (), ()
        )

    def _lately(
        self, occasion: RecallOccasion, limit: int, except_for: tuple[int, ...]
    ) -> list[ConversationSummary]:
        """
        Return the project's newest conversations, permanent ones first.

        They replace related ones where the user's work is unknown.
        """
        own = CONVERSATIONS._replace(
            scope=scope_of("project", occasion.workplace), except_for=except_for
        )
        kept = self.repository.newest_summaries(own._replace(permanent=True), max(limit, 0))
        return _else([*kept, *self.repository.newest_summaries(own, max(limit, 0))], ())[
            : max(limit, 0)
        ]


def _else(
    conversations: Iterable[ConversationSummary], told: Iterable[ConversationSummary]
) -> list[ConversationSummary]:
    names, others = {each.name for each in told}, list[ConversationSummary]()
    for each in conversations:
        if each.name not in names:
            names.add(each.name)
            others.append(each)
    return others
