from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.evaluation.figures import Figures
from hardwon.domain.model.recall.collection import PolicyName

MEASURED: Mapping[str, PolicyName] = {
    "keyword": "keyword",
    "vector": "cosine",
    "rrf": "rrf",
    "weighted": "weighted",
    "hybrid": "hybrid",
    "adaptive": "adaptive",
}
"""What is measured, in the order of reports, and the policy of recall behind each name."""

ByPolicy = Mapping[str, Figures]


class QueryReport(NamedTuple):
    """
    How well one question was answered.

    Attributes:
        text: What was asked.
        ndcg: The figure, by policy.

    """

    text: str
    ndcg: Mapping[str, float]


class SetReport(NamedTuple):
    """
    How well the questions of one set were answered.

    Attributes:
        policies: The figures of each policy.
        queries: The questions one by one, by id.
        degradations: What was missing when a question was answered, one line each.

    """

    policies: ByPolicy
    queries: Mapping[str, QueryReport]
    degradations: tuple[str, ...] = ()


class Report(NamedTuple):
    """
    How well recall answers.

    Attributes:
        sets: By name.

    """

    sets: Mapping[str, SetReport]

    @property
    def mean(self) -> ByPolicy:
        """The mean over the sets of each policy that all of them have; nothing for a single set."""
        every = [report.policies for report in self.sets.values()]
        if len(every) <= 1:
            return {}
        shared = [policy for policy in every[0] if all(policy in each for each in every)]
        return {policy: Figures.mean([each[policy] for each in every]) for policy in shared}


class Standing(NamedTuple):
    """
    How one question fared beside what it is held against.

    Attributes:
        set_name: The set it is of.
        query_id: Which question.
        text: What was asked.
        policy: Who answered.
        before: What it is held against.
        after: How it was answered; both are nDCG@10.

    """

    set_name: str
    query_id: str
    text: str
    policy: str
    before: float
    after: float

    @property
    def change(self) -> float:
        """Above 0 for the better."""
        return self.after - self.before


def farthest(standings: Sequence[Standing], count: int) -> list[Standing]:
    """Return the *count* that changed most, worst first; those that did not change are left out."""
    changed = [each for each in standings if each.change]
    return sorted(sorted(changed, key=lambda each: -abs(each.change))[:count], key=lambda each: each.change)


def adaptive_beside_the_better(name: str, report: SetReport) -> list[Standing]:
    """Return for each question how `adaptive` stands to the better of `keyword` and `vector`; nothing without them."""
    return [
        Standing(name, query_id, query.text, "adaptive", max(others), query.ndcg["adaptive"])
        for query_id, query in report.queries.items()
        if "adaptive" in query.ndcg
        and (others := [query.ndcg[single] for single in ("keyword", "vector") if single in query.ndcg])
    ]
