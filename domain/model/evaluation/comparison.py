"""A report beside an earlier one."""

from typing import NamedTuple

from hardwon.domain.model.evaluation.figures import QUALITY, Figures
from hardwon.domain.model.evaluation.report import ByPolicy, Report, SetReport, Standing

TOLERANCE = 0.005
"""A figure that falls by no more is taken for as good as before."""

MEAN = "mean"


class Change(NamedTuple):
    """
    How the figures of one policy on one set moved.

    Attributes:
        set_name: `mean` for the mean over all sets.
        policy: Whose figures.
        before: The earlier ones.
        after: Those of now.

    """

    set_name: str
    policy: str
    before: Figures
    after: Figures

    @property
    def differences(self) -> Figures:
        """Each figure now less what it was."""
        return Figures(*(after - before for after, before in zip(self.after, self.before, strict=True)))

    @property
    def regressions(self) -> tuple[str, ...]:
        """The names of the figures that fell beyond the tolerance; times, which are the machine's, never do."""
        return tuple(name for name in QUALITY if getattr(self.differences, name) < -TOLERANCE)


def changes(before: Report, after: Report) -> list[Change]:
    """Return how all figures moved that both reports have; means only when they are over the same sets."""
    moved = [
        change
        for name, report in after.sets.items()
        if name in before.sets
        for change in _changes(name, before.sets[name].policies, report.policies)
    ]
    return moved + (_changes(MEAN, before.mean, after.mean) if before.sets.keys() == after.sets.keys() else [])


def moved_queries(name: str, before: SetReport, after: SetReport) -> list[Standing]:
    """Return how every question stands to its earlier answer, by every policy that both reports have."""
    return [
        Standing(name, query_id, query.text, policy, earlier.ndcg[policy], ndcg)
        for query_id, query in after.queries.items()
        if (earlier := before.queries.get(query_id))
        for policy, ndcg in query.ndcg.items()
        if policy in earlier.ndcg
    ]


def _changes(name: str, before: ByPolicy, after: ByPolicy) -> list[Change]:
    return [Change(name, policy, before[policy], figures) for policy, figures in after.items() if policy in before]
