"""Find what a search text finds, and note once whatever was missing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.errors import (
    EmbedderError,
    EmbedderUnavailableError,
    KeywordIndexUnavailableError,
    NumpyMissingError,
    VectorIndexUnavailableError,
)
from hardwon.domain.model.hit import Hit
from hardwon.domain.model.keyword_query import distinctive_terms, search_terms
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.vector import Vector
from hardwon.domain.use_cases.background import Background
from hardwon.domain.use_cases.embedding import embed_query
from hardwon.ports.embedder import Embedder
from hardwon.ports.keyword_index import KeywordIndex
from hardwon.ports.matches import Matches
from hardwon.ports.vector_index import VectorIndex
from hardwon.ports.vector_store import VectorStore

EMBED_SECONDS = 1.2
WORD_SECONDS = 0.8  # what is left must do for comparing, ranking and printing


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


class Retrieval(NamedTuple):
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
    by_vector: Matches = NoMatches()
    by_keyword: Matches = NoMatches()
    embedded_by: str | None = None
    numpy_missing: bool = False
    degradations: tuple[str, ...] = ()


class SemanticSearch(NamedTuple):
    """
    Search by meaning.

    Attributes:
        embedder: Makes the query's vector.
        store: Knows whether there is anything to compare with.
        vector_index: Compares.

    """

    embedder: Embedder
    store: VectorStore
    vector_index: VectorIndex


class Retrieve(NamedTuple):
    """
    Run both searches side by side; either may be missing or fail.

    Attributes:
        semantic: The spaces to search by meaning; the first whose embedder answers is searched.
        keywords: Search by word.

    """

    semantic: Sequence[SemanticSearch]
    keywords: KeywordIndex

    def __call__(self, query: str | None, deadline: Deadline) -> Retrieval:
        """Return what *query* finds before *deadline*; nothing is searched for None."""
        if query is None:
            return Retrieval(query=None)
        return _Search(self, query, deadline).run()


class _Answer(NamedTuple):
    """The query's vector, the space it is of, and why earlier spaces were passed over."""

    search: SemanticSearch
    vector: Vector
    trouble: str


def _first_answer(searches: Sequence[SemanticSearch], query: str, deadline: Deadline) -> _Answer:
    """
    Embed *query* with the first embedder that answers; secrets are taken out first.

    Raises:
        EmbedderUnavailableError: none of them answered; one line says why.
    """
    public, troubles = redact(query), list[str]()
    for search in searches:
        try:
            vector = embed_query(search.embedder, public, deadline.within(EMBED_SECONDS))
        except EmbedderError as error:
            troubles.append(str(error))
        else:
            return _Answer(search, vector, "; ".join(troubles))
    raise EmbedderUnavailableError("; ".join(troubles))


class _Search:
    """One run of `Retrieve`, collecting what is missing as it goes."""

    def __init__(self, tools: Retrieve, query: str, deadline: Deadline) -> None:
        self._tools = tools
        self._query = query
        self._deadline = deadline
        self._degradations: list[str] = []
        self._numpy_missing = False
        self._embed_by = deadline.within(EMBED_SECONDS * len(tools.semantic))

    def run(self) -> Retrieval:
        embedding = self._start_embedding()
        by_keyword = self._match_words()
        answer = self._finish_embedding(embedding)
        return Retrieval(
            query=self._query,
            by_vector=self._compare(answer),
            by_keyword=by_keyword,
            embedded_by=answer.search.embedder.space.model if answer else None,
            numpy_missing=self._numpy_missing,
            degradations=tuple(self._degradations),
        )

    def _start_embedding(self) -> Background[_Answer] | None:
        try:
            for search in self._tools.semantic:
                search.vector_index.ensure_usable()
        except NumpyMissingError as error:
            self._numpy_missing = True
            self._degradations.append(f"no vector search: {error}")
            return None
        filled = [search for search in self._tools.semantic if search.store.count()]
        return Background(lambda: _first_answer(filled, self._query, self._deadline)) if filled else None

    def _finish_embedding(self, embedding: Background[_Answer] | None) -> _Answer | None:
        if embedding is None:
            return None
        try:
            answer = embedding.result(self._embed_by)
        except (EmbedderError, TimeoutError) as error:
            self._degradations.append(f"no vector search: {error}")
            return None
        if answer.trouble:
            self._degradations.append(f"searching with {answer.search.embedder.space.model}: {answer.trouble}")
        return answer

    def _compare(self, answer: _Answer | None) -> Matches:
        if answer is None:
            return NoMatches()
        try:
            return answer.search.vector_index.compare(answer.vector)
        except VectorIndexUnavailableError as error:
            self._degradations.append(f"no vector search: {error}")
            return NoMatches()

    def _match_words(self) -> Matches:
        keywords = self._tools.keywords
        terms = search_terms(self._query)
        deadline = self._deadline.within(WORD_SECONDS)
        try:
            frequencies = keywords.frequencies(terms, deadline)
            return keywords.match(distinctive_terms(terms, frequencies, keywords.size()), "any", deadline)
        except KeywordIndexUnavailableError as error:
            self._degradations.append(str(error))
            return NoMatches()
