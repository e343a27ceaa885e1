"""Tell the conversations that bear on the user's work, each on one line."""

from collections.abc import Iterable
from typing import NamedTuple

from hardwon.domain.model.block.memory_block import LARGEST_ENTRY
from hardwon.domain.model.block.related import RelatedSection, Room, related_section
from hardwon.domain.model.block.summary import ToldConversation
from hardwon.domain.model.context_query import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry_filter import CONVERSATIONS
from hardwon.domain.model.recall.collection import COLLECTIONS, scope_of
from hardwon.domain.model.recall.occasion import Occasion
from hardwon.domain.use_cases.asking.recall_nearby import Nearby, RecallNearby
from hardwon.domain.use_cases.keeping.retire import retire_expired
from hardwon.ports.clock import Clock
from hardwon.ports.entry_repository import EntryRepository

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
    Find, sum up, and print as much as the budget holds (requirements C-T6.9, C-T7).

    Attributes:
        repository: The entries.
        nearby: Finds what bears on the user's work.
        clock: For what has expired.

    """

    repository: EntryRepository
    nearby: RecallNearby
    clock: Clock

    def __call__(
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
        nearby = Nearby() if late else self.nearby(context, occasion.workplace, limit, deadline, known)
        found = self.repository.told([each.seq for each in nearby.best])
        if not (found or late):
            found = self._lately(occasion, limit, known)
        others = _else(found, said)
        return Related(related_section(said, others, room), nearby, (NO_TIME,) if late else nearby.search.degradations)

    def _of_session(self, session: str) -> list[ToldConversation]:
        of_session = CONVERSATIONS._replace(session=session)
        return _else(self.repository.told_newest(of_session, OF_SESSION) if session else (), ())

    def _lately(self, occasion: Occasion, limit: int, known: tuple[int, ...]) -> list[ToldConversation]:
        """Return the project's newest conversations, what is permanent first: nobody knows what the user works on."""
        own = CONVERSATIONS._replace(scope=scope_of("project", occasion.workplace), except_for=known)
        kept = self.repository.told_newest(own._replace(permanent=True), max(limit, 0))
        return _else([*kept, *self.repository.told_newest(own, max(limit, 0))], ())[: max(limit, 0)]


def _else(conversations: Iterable[ToldConversation], told: Iterable[ToldConversation]) -> list[ToldConversation]:
    """Return the first of *conversations* by each name, of those *told* already none: a decision goes by its talk's."""
    names, others = {each.name for each in told}, list[ToldConversation]()
    for each in conversations:
        if each.name not in names:
            names.add(each.name)
            others.append(each)
    return others
