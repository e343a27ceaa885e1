"""
A store whose query vector is planted.

It shows what is computed without a network and without a model.
"""

import datetime as dt
import time
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain

from bench.stores import build_store
from bench.texts import NOW, Writer, some_vectors
from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.entries import SqliteEntryRepository
from hardwon.adapters.sqlite.keyword_index import FtsKeywordIndex
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.vectors import SqliteVectorStore
from hardwon.adapters.threads import Threads
from hardwon.domain.model.context import ContextQuery, Feature
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.ranking.candidates import Candidate
from hardwon.domain.model.ranking.prominence import RankingPolicy, ScoredCandidate, SignalWeights
from hardwon.domain.model.ranking.selection import CategoryBalancer, in_order
from hardwon.domain.use_cases.inject_at_start import InjectAtStart
from hardwon.domain.use_cases.rank import maxima_of, select
from hardwon.domain.use_cases.retrieve import Retrieval, Retrieve, SemanticSearch
from hardwon.ports.models import Task
from hardwon.ports.vectors import BlockState, VectorBlock

LIMIT = 20
SPACE = Space(provider="bench", model="planted", dimensions=768)
IN_TIME = Deadline(time.monotonic)
QUERY_WORDS = 90


@cache
def _first_vector() -> Vector:
    return next(some_vectors(1, SPACE.dimensions))


class PlantedEmbedder:
    """Answers every text at once with the first vector of the store."""

    space = SPACE
    max_tokens = 256

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        """Return that vector for each of *texts*."""
        del task, deadline
        return [_first_vector() for _ in texts]


def numbers_of(members: Mapping[str | None, str]) -> list[int]:
    """Return the numbers of all *members* of a filter."""
    return [int(number) for numbers in members.values() for number in numbers.split(",")]


class Loaded:
    """Vectors that were read before, so that reading is not measured."""

    def __init__(self, source: SqliteVectorStore) -> None:
        self._source = source
        self._members = source.members(LEARNINGS)
        self._block = source.load(numbers_of(self._members))
        self.dimensions = source.dimensions

    def version(self) -> int:
        """Return a number: what was read stays."""
        return 1

    def load(self, numbers: Sequence[int]) -> VectorBlock:
        """Return the vectors of a few."""
        return self._source.load(numbers)

    def members(self, only: EntryFilter) -> Mapping[str | None, str]:
        """Return what was read."""
        del only
        return self._members

    def blocks(self) -> Mapping[int, BlockState]:
        """Return all vectors as one block."""
        return {0: BlockState(1, is_packed=False)}

    def load_block(self, number: int) -> VectorBlock:
        """Return what was read."""
        del number
        return self._block

    def admits_all(self, only: EntryFilter) -> bool:
        """Return whether *only* admits every entry."""
        return self._source.admits_all(only)

    def packed(self, number: int, most: int | None = None) -> None:
        """Return nothing: no block is packed."""
        del number, most

    def unpack(self, number: int) -> None:
        """Do nothing."""

    def in_tie_order(self, numbers: Sequence[int]) -> list[int]:
        """Return *numbers*, the newest first, then by id."""
        return self._source.in_tie_order(numbers)


class Planted:
    """
    A store of *entries* learnings with 768 dimensions in *folder*.

    It has all that works on it.
    """

    def __init__(self, folder: str, entries: int) -> None:
        self._database: SqliteDatabase = open_store(build_store(folder, entries, SPACE))
        self._repository = SqliteEntryRepository(self._database)
        self._vectors = SqliteVectorStore(self._database, SPACE, print)
        feature = Feature(slug="import-pipeline", description=Writer(seed=1).text(QUERY_WORDS))
        self._query = ContextQuery(feature=feature, files=("src/reader.py", "src/decoding.py"))

    @property
    def vectors(self) -> SqliteVectorStore:
        """The stored vectors."""
        return self._vectors

    def retrieve(self, source: SqliteVectorStore | Loaded, *, with_words: bool = True) -> Retrieve:
        """Return the search over the vectors of *source*, and over words."""
        search = SemanticSearch(
            embedder=PlantedEmbedder(), store=self._vectors, vector_index=NumpyVectorIndex(source)
        )
        return Retrieve(
            semantic=[search],
            keywords=FtsKeywordIndex(self._database, enabled=with_words),
            background=Threads(),
        )

    def inject(self, source: SqliteVectorStore | Loaded, *, with_words: bool = True) -> str:
        """Return the block: search, scores, choice and text."""
        inject = InjectAtStart(
            repository=self._repository,
            retrieve=self.retrieve(source, with_words=with_words),
            vectors=self._vectors,
            clock=_Now(),
            weights=SignalWeights(),
        )
        return inject.block_for(self._query, limit=LIMIT, deadline=IN_TIME).text

    def search(self, source: SqliteVectorStore | Loaded) -> Retrieval:
        """Return what both searches find."""
        return self.retrieve(source).search(
            self._query.compose(), IN_TIME, self._query.keyword_text
        )

    def choose(self, found: Retrieval) -> list[ScoredCandidate]:
        """Return what is chosen, looking at as little as it takes to be sure."""
        return list(
            select(found, self._repository, self._policy(found), CategoryBalancer(LIMIT)).ranked
        )

    def choose_exhaustively(self, found: Retrieval, entries: int) -> list[ScoredCandidate]:
        """Return what is chosen when every learning is ranked."""
        facts = [*chain.from_iterable(self._repository.newest_by_track_record(entries).values())]
        numbers = [fact.number for fact in facts]
        vector, keyword = found.by_vector.scores(numbers), found.by_keyword.scores(numbers)
        candidates = [
            Candidate(fact, vector.get(fact.number), keyword.get(fact.number)) for fact in facts
        ]
        ranked = self._policy(found).rank(candidates)
        return in_order(CategoryBalancer(LIMIT).select(ranked))

    def _policy(self, found: Retrieval) -> RankingPolicy:
        return RankingPolicy(
            weights=SignalWeights(), maxima=maxima_of(found, self._repository), now=NOW
        )


class _Now:
    def now(self) -> dt.datetime:
        return NOW

    def monotonic(self) -> float:
        return 0.0
