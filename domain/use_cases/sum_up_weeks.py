"""Count what the memory did, week by week."""

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Self

from hardwon.domain.model.entry import REPAIR_TAG
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.weeks import Counts, Weekly, weeks_until
from hardwon.ports.clock import Clock
from hardwon.ports.overview import CreatedCount, Overview
from hardwon.ports.store import Store

REPAIRS = EVERYTHING._replace(tag=REPAIR_TAG)
STALE = EVERYTHING._replace(stale=True, ranked=True)


class SumUpWeeks(NamedTuple):
    """
    Count events and entries by week.

    `repaired` are the failures that passed later, and were kept. `stale` are the entries that cite
    what has changed or is gone, in the week in which they were made.
    """

    overview: Overview
    clock: Clock

    @classmethod
    def on(cls, store: Store, clock: Clock) -> Self:
        """Return it on the roles of *store*."""
        return cls(store.overview, clock)

    def activity(self, weeks: int) -> Weekly:
        """Return what was shown, used, helped and repaired in the last *weeks*."""
        return self._weekly(
            weeks,
            shown=self.overview.shown(),
            used=self.overview.used(),
            helped=self.overview.helped(),
            repaired=self._created(REPAIRS),
        )

    def entries(self, weeks: int) -> Weekly:
        """Return the entries of the last *weeks*, all and stale ones."""
        return self._weekly(weeks, created=self._created(EVERYTHING), stale=self._created(STALE))

    def _created(self, only: EntryFilter) -> Counts:
        return by_week(self.overview.created(only))

    def _weekly(self, weeks: int, **counts: Counts) -> Weekly:
        return Weekly.of(counts, weeks_until(self.clock.now().date(), weeks))


def by_week(created: Sequence[CreatedCount]) -> Counts:
    """Add up the entries of each week."""
    counts = Counter[dt.date]()
    for group in created:
        counts[group.week] += group.entries
    return counts
