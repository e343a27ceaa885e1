"""Find what a search text finds, and note once whatever was missing."""

from collections.abc import Iterable, Mapping

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.errors import (
    EmbedderError,
    KeywordIndexUnavailableError,
    NumpyMissingError,
    VectorIndexUnavailableError,
)
from hardwon.domain.model.hit import Hit
from hardwon.domain.model.keyword_query import distinctive_terms, search_terms
from hardwon.domain.model.vector import Vector
from hardwon.domain.use_cases.background import Background
from hardwon.domain.use_cases.embedding import embed_query
from hardwon.ports.embedder import Embedder
from hardwon.ports.keyword_index import KeywordIndex
from hardwon.ports.matches import Matches
from hardwon.ports.vector_index import VectorIndex
from hardwon.ports.vector_store import VectorStore

EMBED_SECONDS = 1.2


class NoMatches:
    """What a search finds that was not run."""

    def count(self, only: EntryFilter) -> int:
        """Return 0."""
        del only
        return 0

    def top(self, only: EntryFilter, k: int) -> list[Hit]:
        """Return nothing."""
        del only, k
        return []

    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        """Return nothing."""
        del seqs
        return {}


@attrs.frozen(kw_only=True)
class Retrieval:
    """
    What one search text found, before any ranking.

    Attributes:
        query: The search text, None when there was no signal.
        by_vector: Matches by meaning.
        by_keyword: Matches by word.
        embedded_by: The model that embedded the query, None when none did.
        numpy_missing: The installation is incomplete: vectors can't be compared.
        degradations: What was missing and why, one line each.

    """

    query: str | None
    by_vector: Matches = attrs.field(factory=NoMatches)
    by_keyword: Matches = attrs.field(factory=NoMatches)
    embedded_by: str | None = None
    numpy_missing: bool = False
    degradations: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class SemanticSearch:
    """
    Search by meaning.

    Attributes:
        embedder: Makes the query's vector.
        store: Knows whether there is anything to compare with.
        index: Compares.

    """

    embedder: Embedder
    store: VectorStore
    index: VectorIndex


@attrs.frozen(kw_only=True)
class Retrieve:
    """
    Run both searches side by side; either may be missing or fail.

    Attributes:
        semantic: None when no embedder is configured.
        keywords: Search by word.

    """

    semantic: SemanticSearch | None
    keywords: KeywordIndex

    def __call__(self, query: str | None, deadline: Deadline) -> Retrieval:
        """Return what *query* finds before *deadline*; nothing is searched for None."""
        if query is None:
            return Retrieval(query=None)
        return _Search(self, query, deadline).run()


class _Search:
    """One run of `Retrieve`, collecting what is missing as it goes."""

    def __init__(self, tools: Retrieve, query: str, deadline: Deadline) -> None:
        self._tools = tools
        self._query = query
        self._deadline = deadline
        self._degradations: list[str] = []
        self._numpy_missing = False

    def run(self) -> Retrieval:
        embedding = self._start_embedding()
        by_keyword = self._match_words()
        vector = self._finish_embedding(embedding)
        return Retrieval(
            query=self._query,
            by_vector=self._compare(vector),
            by_keyword=by_keyword,
            embedded_by=self._tools.semantic.embedder.space.model if self._tools.semantic and vector else None,
            numpy_missing=self._numpy_missing,
            degradations=tuple(self._degradations),
        )

    def _start_embedding(self) -> Background[Vector] | None:
        semantic = self._tools.semantic
        if semantic is None:
            return None
        try:
            semantic.index.ensure_usable()
        except NumpyMissingError as error:
            self._numpy_missing = True
            self._degradations.append(f"no vector search: {error}")
            return None
        if not semantic.store.count():
            return None
        deadline = self._deadline.within(EMBED_SECONDS)
        return Background(lambda: embed_query(semantic.embedder, self._query, deadline))

    def _finish_embedding(self, embedding: Background[Vector] | None) -> Vector | None:
        if embedding is None:
            return None
        try:
            return embedding.result(self._deadline.within(EMBED_SECONDS))
        except (EmbedderError, TimeoutError) as error:
            self._degradations.append(f"no vector search: {error}")
            return None

    def _compare(self, vector: Vector | None) -> Matches:
        if vector is None or self._tools.semantic is None:
            return NoMatches()
        try:
            return self._tools.semantic.index.compare(vector)
        except VectorIndexUnavailableError as error:
            self._degradations.append(f"no vector search: {error}")
            return NoMatches()

    def _match_words(self) -> Matches:
        keywords = self._tools.keywords
        terms = search_terms(self._query)
        try:
            frequencies = keywords.frequencies(terms, self._deadline)
            return keywords.match(distinctive_terms(terms, frequencies, keywords.size()), "any", self._deadline)
        except KeywordIndexUnavailableError as error:
            self._degradations.append(str(error))
            return NoMatches()
