"""Choose the entries that matter, looking at no more of the store than it takes to be sure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import chain
from typing import NamedTuple

from hardwon.domain.model.hit import Hit
from hardwon.domain.model.ranking.category_balancer import CategoryBalancer, Selection
from hardwon.domain.model.ranking.facts import Candidate, RankingFacts
from hardwon.domain.model.ranking.prominence import track_record
from hardwon.domain.model.ranking.pruning import NOTHING_UNSEEN, Tails, bound, is_exact
from hardwon.domain.model.ranking.ranking_policy import Maxima, RankingPolicy, Scored
from hardwon.domain.model.vocabulary import Category
from hardwon.domain.use_cases.retrieving.retrieve import Retrieval
from hardwon.ports.entry_repository import EntryRepository

FIRST_DEPTH = 80
"""Measured at 10,000 entries: 64 often has to be doubled, at three times the cost; more is read in vain."""


class Selected(NamedTuple):
    """
    The outcome of one selection.

    Attributes:
        ranked: The chosen entries, best first.
        selection: The same, by why they were chosen.
        policy: What scored them.
        depth: How deep the lists were read.
        seen: All that was ranked, best first, whether it was chosen or not.

    """

    ranked: tuple[Scored, ...]
    selection: Selection
    policy: RankingPolicy
    depth: int
    seen: Sequence[Scored] = ()


class _Head(NamedTuple):
    """The head of one category's three lists: the entries in it, and where each list ended."""

    facts: Mapping[int, RankingFacts]
    tails: Tails


def whole_store_maxima(retrieval: Retrieval, repository: EntryRepository) -> Maxima:
    """Return what scores are divided by: the best of each signal over all learnings."""
    return Maxima(
        vector=_best(retrieval.by_vector.top(1)),
        keyword=_best(retrieval.by_keyword.top(1)),
        observations=repository.most_observed(),
    )


def select(
    retrieval: Retrieval, repository: EntryRepository, policy: RankingPolicy, balancer: CategoryBalancer
) -> Selected:
    """
    Return exactly what ranking and balancing every learning would choose.

    The lists are read ever deeper until the entries seen prove that no
    other can change the choice (`pruning`).
    """
    sizes = repository.sizes()
    depth = max(FIRST_DEPTH, balancer.limit)
    while True:
        prominent = _most_prominent(depth, repository, policy)
        heads = {name: _head(name, depth, retrieval, repository, policy, prominent=prominent[name]) for name in sizes}
        bounds = {
            name: NOTHING_UNSEEN if len(head.facts) == sizes[name] else bound(policy, head.tails)
            for name, head in heads.items()
        }
        ranked = policy.rank(_candidates(heads.values(), retrieval))
        selection = balancer.select(ranked)
        if is_exact(selection, ranked, balancer, sizes, bounds):
            return Selected(tuple(selection.in_order(ranked)), selection, policy, depth, ranked)
        depth *= 2


def _most_prominent(
    depth: int, repository: EntryRepository, policy: RankingPolicy
) -> dict[Category | None, list[RankingFacts]]:
    """
    Return the *depth* most prominent of each category.

    A quarter as deep into each track record is nearly always enough: where the last entry that
    was read of one is not among the most prominent, those after it aren't either.
    """
    heads: dict[Category | None, list[RankingFacts]] = {}
    for width in (depth // 4, depth // 2, depth):
        newest: dict[Category | None, list[RankingFacts]] = {}
        for facts in repository.newest_by_track_record(width):
            newest.setdefault(facts.category, []).append(facts)
        heads = {name: nsmallest(depth, group, key=policy.prominence_order) for name, group in newest.items()}
        if max(Counter(map(track_record, chain.from_iterable(heads.values()))).values(), default=0) < width:
            break
    return heads


def _head(
    category: Category,
    depth: int,
    retrieval: Retrieval,
    repository: EntryRepository,
    policy: RankingPolicy,
    *,
    prominent: Sequence[RankingFacts],
) -> _Head:
    by_vector = retrieval.by_vector.top(depth, category)
    by_keyword = retrieval.by_keyword.top(depth, category)
    facts = {each.seq: each for each in prominent}
    found = {hit.seq for hit in (*by_vector, *by_keyword)}
    facts.update((each.seq, each) for each in repository.facts(found - facts.keys()))
    return _Head(
        facts=facts,
        tails=Tails(
            vector=_tail(by_vector, depth),
            keyword=_tail(by_keyword, depth),
            prominence=policy.prominence(prominent[-1]) if len(prominent) == depth else 0.0,
        ),
    )


def _candidates(heads: Iterable[_Head], retrieval: Retrieval) -> list[Candidate]:
    facts = {seq: each for head in heads for seq, each in head.facts.items()}
    vector = retrieval.by_vector.scores(facts)
    keyword = retrieval.by_keyword.scores(facts)
    return [Candidate(each, vector.get(seq), keyword.get(seq)) for seq, each in facts.items()]


def _best(hits: Sequence[Hit]) -> float:
    return hits[0].score if hits else 0.0


def _tail(hits: Sequence[Hit], depth: int) -> float:
    return hits[-1].score if len(hits) == depth else 0.0
