"""Over a real store too, looking at the heads of lists chooses what ranking everything chooses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import LEARNINGS
from hardwon.domain.model.ranking.category_balancer import CategoryBalancer
from hardwon.domain.model.ranking.prominence import RankingPolicy
from hardwon.domain.model.ranking.weights import Weights
from hardwon.domain.use_cases import rank as module
from hardwon.domain.use_cases.rank import select, whole_store_maxima
from hardwon.domain.use_cases.retrieve import Retrieval
from tests.contracts.worlds import IN_TIME, MakeWorld, on_every_implementation
from tests.domain.test_pruning import rank_everything
from tests.strategies import NOW, QUERY_VECTOR, entries_about, few_examples, file_entries, unit_vectors

descriptions = st.builds("lesson {} {}".format, st.integers(1, 500), st.sampled_from(["parser", "cache lock", ""]))
others = st.lists(file_entries, max_size=5, unique_by=lambda entry: entry.entry_id)
stores = st.lists(
    st.tuples(entries_about(descriptions), st.none() | unit_vectors, st.sampled_from([0, 0, 5, 12])),
    max_size=30,
    unique_by=lambda each: each[0].entry_id,
)


@on_every_implementation
@given(stored=stores, other_kinds=others, limit=st.integers(0, 12), first_depth=st.integers(1, 3))
@few_examples
def test_pruned_is_exhaustive(
    make: MakeWorld,
    stored: list[tuple[Entry, Vector | None, int]],
    other_kinds: list[Entry],
    limit: int,
    first_depth: int,
) -> None:
    with make() as world, pytest.MonkeyPatch.context() as patch, world.repository.transaction():
        seqs = world.add(*(entry for entry, _, _ in stored))
        others = world.add(*other_kinds)
        vectors = {seq: vector for seq, (_, vector, _) in zip(seqs, stored, strict=True) if vector is not None}
        world.embed_all(vectors | dict.fromkeys(others, QUERY_VECTOR))
        for seq, (_, _, recalls) in zip(seqs, stored, strict=True):
            world.usage.record_recall([seq] * recalls, NOW)
        retrieval = Retrieval(
            query="parser",
            by_vector=world.index.compare(QUERY_VECTOR, LEARNINGS),
            by_keyword=world.keywords.match(["parser", "lock"], "any", LEARNINGS, IN_TIME),
        )
        policy = RankingPolicy(weights=Weights(), maxima=whole_store_maxima(retrieval, world.repository), now=NOW)
        ranked = rank_everything(retrieval, world.repository, Weights())
        patch.setattr(module, "START_DEPTH", first_depth)

        selected = select(retrieval, world.repository, policy, CategoryBalancer(limit))

        assert list(selected.ranked) == CategoryBalancer(limit).select(ranked).in_order(ranked)
