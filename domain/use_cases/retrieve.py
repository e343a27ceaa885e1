"""
Nothing that has expired may be ranked.

Texts to unit vectors: the one place where vectors are brought to length 1.

Find what a search text finds, and note once whatever was missing.
"""

import datetime as dt
from array import array
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Space, Vector, unit
from hardwon.domain.model.errors import (
    EmbedderError,
    EmbedderUnavailableError,
    KeywordIndexUnavailableError,
    NumpyMissingError,
    StorageError,
    VectorIndexUnavailableError,
)
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.keywords import distinctive_terms, search_terms
from hardwon.domain.model.ranking.candidates import Hit
from hardwon.domain.model.ranking.score_statistics import ScoreStatistics
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.vocabulary import Category, Kind
from hardwon.domain.use_cases.closeness import Background, StandardisedMatches
from hardwon.ports.embedder import Embedder, Task
from hardwon.ports.entries import EntryState
from hardwon.ports.keyword_index import KeywordIndex
from hardwon.ports.vectors import Matches, VectorIndex, VectorStore


def retire_expired(repository: EntryState, now: dt.datetime) -> tuple[str, ...]:
    """Take what has expired by *now* out of every index; return why that was not possible in a line, none if it was."""
    try:
        repository.retire_expired(now)
    except StorageError as error:
        return (f"what has expired is still found: {error}",)
    return ()


class MemoisedEmbedder:
    """
    An embedder that is asked the same at most once, whoever asks again: it shares the answer, or the trouble.

    Who did not answer in time once is not waited for again.

    Args:
        embedder: Who is asked.

    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._asked: dict[tuple[Task, tuple[str, ...]], Background[list[Vector]]] = {}
        self._late = set[tuple[Task, tuple[str, ...]]]()
        self._lock = Lock()

    @property
    def space(self) -> Space:
        """The space of who is asked."""
        return self._embedder.space

    @property
    def max_tokens(self) -> int:
        """How much of a text counts."""
        return self._embedder.max_tokens

    def embed(self, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
        """
        Return one vector a text.

        Raises:
            EmbedderError: who is asked has none, or did not answer before *deadline*.
        """
        key = (task, tuple(texts))
        with self._lock:
            if key not in self._asked:
                self._asked[key] = Background(lambda: self._embedder.embed(texts, task, deadline))
        try:
            answer = self._asked[key].result(deadline.within(0) if key in self._late else deadline)
        except TimeoutError as error:
            self._late.add(key)
            raise EmbedderUnavailableError(f"{self.space.model} did not answer in time") from error
        return [array("f", vector) for vector in answer]


def embed_documents(embedder: Embedder, texts: Sequence[str], deadline: Deadline) -> list[Vector]:
    """
    Return the unit vectors of *texts*, in order.

    Raises:
        EmbedderError: the embedder gave no usable answer for one of them.
    """
    return _embed(embedder, texts, "document", deadline)


def embed_query(embedder: Embedder, text: str, deadline: Deadline) -> Vector:
    """
    Return the unit vector of a search text.

    Raises:
        EmbedderError: the embedder gave no usable answer.
    """
    [vector] = _embed(embedder, [text], "query", deadline)
    return vector


def _embed(embedder: Embedder, texts: Sequence[str], task: Task, deadline: Deadline) -> list[Vector]:
    vectors = embedder.embed(texts, task, deadline)
    if len(vectors) != len(texts):
        raise EmbedderUnavailableError(
            f"{embedder.space.model} answered {len(texts)} texts with {len(vectors)} vectors"
        )
    return [unit(vector, embedder.space.dimensions) for vector in vectors]


EMBED_SECONDS = 1.2
WORD_SECONDS = 0.8  # what is left must do for comparing, ranking and printing
WORDS_A_TOKEN = 1.2
"""Of a model's limit; where a long text's vector still says little is further on than where reading ends."""


class NoMatches:
    """What a search finds that was not run."""

    def count(self) -> int:
        """Return 0."""
        return 0

    def top(self, k: int, category: Category | None = None) -> list[Hit]:
        """Return nothing."""
        del k, category
        return []

    def scores(self, seqs: Iterable[int]) -> Mapping[int, float]:
        """Return nothing."""
        del seqs
        return {}

    def statistics(self) -> ScoreStatistics:
        """Return that of nothing."""
        return ScoreStatistics()


class Retrieval(NamedTuple):
    """
    What one search text found, before any ranking.

    Attributes:
        query: The search text, None when there was no signal.
        keyword_text: The text that was searched by keyword, likewise.
        by_vector: Matches by meaning.
        by_keyword: Matches by word.
        embedded_by: The model that embedded the query, None when none did.
        spaces: The matches by meaning of each space, scored by cosine.
        standardised: Whether several models were asked, so that scores by vector are no cosines.
        window: About how many words of a text that model takes in, 0 without a model.
        numpy_missing: The installation is incomplete: vectors can't be compared.
        degradations: What was missing and why, one line each.

    """

    query: str | None
    keyword_text: str | None = None
    by_vector: Matches = NoMatches()
    by_keyword: Matches = NoMatches()
    spaces: tuple[Matches, ...] = ()
    embedded_by: str | None = None
    standardised: bool = False
    window: int = 0
    numpy_missing: bool = False
    degradations: tuple[str, ...] = ()


class SemanticSearch(NamedTuple):
    """
    Search by meaning.

    Attributes:
        embedder: Makes the query's vector.
        store: Knows which kinds of entries it is for, and whether there is anything to compare with.
        vector_index: Compares.

    """

    embedder: Embedder
    store: VectorStore
    vector_index: VectorIndex


class Retrieve(NamedTuple):
    """
    Run both searches side by side; either may be missing or fail.

    Attributes:
        semantic: The spaces to search by meaning; for each kind the first whose embedder answers is searched.
        keywords: Search by word.
        only: Which entries are searched.
        by_passage: Whether words are weighed by passage, or by whole entry.
        embed_seconds: How long each embedder may take for the query.

    """

    semantic: Sequence[SemanticSearch]
    keywords: KeywordIndex
    only: EntryFilter = LEARNINGS
    by_passage: bool = False
    embed_seconds: float = EMBED_SECONDS

    def find(self, query: str | None, deadline: Deadline, keyword_text: str | None = None) -> Retrieval:
        """
        Return what a query finds.

        Args:
            query: The text to embed; nothing is searched for None.
            deadline: When searching must be over.
            keyword_text: The text to search by keyword, None for *query*.

        """
        if query is None:
            return Retrieval(query=None)
        return _Search(self, query, query if keyword_text is None else keyword_text, deadline).run()


class _Asked(NamedTuple):
    """Some kinds of entries, and the searches that serve them, in order."""

    only: EntryFilter
    searches: Sequence[SemanticSearch]


class _Answer(NamedTuple):
    """The query's vector, the space it is of, and why earlier spaces were passed over."""

    search: SemanticSearch
    vector: Vector
    trouble: str


class _Found(NamedTuple):
    """What one space found."""

    matches: Matches
    embedder: Embedder


def _first_answer(searches: Sequence[SemanticSearch], query: str, deadline: Deadline, seconds: float) -> _Answer:
    """
    Embed *query* with the first embedder that answers in so many *seconds*; secrets are taken out first.

    Raises:
        EmbedderUnavailableError: none of them answered; one line says why.
    """
    public, troubles = redact(query), list[str]()
    for search in searches:
        try:
            vector = embed_query(search.embedder, public, deadline.within(seconds))
        except EmbedderError as error:
            troubles.append(str(error))
        else:
            return _Answer(search, vector, "; ".join(troubles))
    raise EmbedderUnavailableError("; ".join(troubles))


class _Search:
    """One run of `Retrieve`, collecting what is missing as it goes."""

    def __init__(self, tools: Retrieve, query: str, keyword_text: str, deadline: Deadline) -> None:
        self._tools = tools
        self._query = query
        self._keyword_text = keyword_text
        self._deadline = deadline
        self._degradations: list[str] = []
        self._numpy_missing = False
        self._embed_by = deadline.within(tools.embed_seconds * len(tools.semantic))

    def run(self) -> Retrieval:
        embeddings = [(asked, self._start_embedding(asked)) for asked in self._asked()]
        by_keyword = self._match_words()
        found = [each for asked, embedding in embeddings if (each := self._compare(asked, embedding))]
        return Retrieval(
            query=self._query,
            keyword_text=self._keyword_text,
            by_vector=_as_one([each.matches for each in found]),
            by_keyword=by_keyword,
            spaces=tuple(each.matches for each in found),
            embedded_by=" + ".join(each.embedder.space.model for each in found) or None,
            standardised=len(found) > 1,
            window=min((int(each.embedder.max_tokens * WORDS_A_TOKEN) for each in found), default=0),
            numpy_missing=self._numpy_missing,
            degradations=tuple(self._degradations),
        )

    def _asked(self) -> Sequence[_Asked]:
        """Return the kinds to search, those together that the same spaces serve and that have vectors there."""
        try:
            for search in self._tools.semantic:
                search.vector_index.ensure_usable()
        except NumpyMissingError as error:
            self._numpy_missing = True
            self._degradations.append(f"no vector search: {error}")
            return []
        groups: dict[tuple[int, ...], list[Kind]] = {}
        for kind in self._tools.only.kinds:
            serving = tuple(at for at, search in enumerate(self._tools.semantic) if kind in search.store.kinds)
            groups.setdefault(serving, []).append(kind)
        return [
            asked
            for serving, kinds in groups.items()
            if (asked := self._filled(self._tools.only._replace(kinds=tuple(kinds)), serving)).searches
        ]

    def _filled(self, only: EntryFilter, serving: Sequence[int]) -> _Asked:
        searches = [self._tools.semantic[at] for at in serving]
        return _Asked(only, [search for search in searches if search.store.has_any(only)])

    def _start_embedding(self, asked: _Asked) -> Background[_Answer]:
        seconds = self._tools.embed_seconds
        return Background(lambda: _first_answer(asked.searches, self._query, self._deadline, seconds))

    def _compare(self, asked: _Asked, embedding: Background[_Answer]) -> _Found | None:
        try:
            answer = embedding.result(self._embed_by)
            matches = answer.search.vector_index.compare(answer.vector, asked.only)
        except (EmbedderError, TimeoutError, VectorIndexUnavailableError) as error:
            self._degradations.append(f"no vector search: {error}")
            return None
        if answer.trouble:
            self._degradations.append(f"searching with {answer.search.embedder.space.model}: {answer.trouble}")
        return _Found(matches, answer.search.embedder)

    def _match_words(self) -> Matches:
        keywords, only = self._tools.keywords, self._tools.only
        terms = search_terms(self._keyword_text)
        deadline = self._deadline.within(WORD_SECONDS)
        try:
            if self._tools.by_passage:
                return keywords.weigh(terms, only, deadline)
            frequencies = keywords.frequencies(terms, deadline)
            return keywords.match(distinctive_terms(terms, frequencies, keywords.size()), "any", only, deadline)
        except KeywordIndexUnavailableError as error:
            self._degradations.append(str(error))
            return NoMatches()


def _as_one(found: Sequence[Matches]) -> Matches:
    if not found:
        return NoMatches()
    return found[0] if len(found) == 1 else StandardisedMatches(found)
