"""
Retrieve the matches of a query by semantic and keyword search.

Both run side by side, and failures become degradations. Matches of several spaces are compared by
z-scores, and closeness is on one scale.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from heapq import merge
from itertools import islice
from typing import NamedTuple

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector, knows_english_only, unit
from hardwon.domain.model.errors import (
    EmbedderError,
    EmbedderUnavailableError,
    KeywordIndexUnavailableError,
    NumpyMissingError,
    StorageError,
    VectorIndexUnavailableError,
)
from hardwon.domain.model.filters import LEARNINGS, EntryFilter
from hardwon.domain.model.identity import composed
from hardwon.domain.model.keywords import (
    UNSPACED,
    QuestionTerms,
    asked_terms,
    distinctive_terms,
    half_typed,
    is_mostly_unspaced,
)
from hardwon.domain.model.ranking.candidates import IndexHit, ScoreStatistics
from hardwon.domain.model.redaction import redact
from hardwon.domain.model.vocabulary import Category, Kind
from hardwon.ports.entries import EntryState
from hardwon.ports.keyword_index import KeywordIndex
from hardwon.ports.models import Background, Embedder, Pending, Task
from hardwon.ports.vectors import Matches, VectorIndex, VectorStore


def retire_expired(repository: EntryState, now: dt.datetime) -> tuple[str, ...]:
    """
    Remove entries that expired by *now* from every index.

    Returns one line if the store can't be written.
    """
    try:
        repository.retire_expired(now)
    except StorageError as error:
        return (f"what has expired is still found: {error}",)
    return ()


def embed_documents(embedder: Embedder, texts: Sequence[str], deadline: Deadline) -> list[Vector]:
    """Return the unit vectors of *texts*, in order."""
    return _embed(embedder, texts, task="document", deadline=deadline)


def embed_query(embedder: Embedder, text: str, deadline: Deadline) -> Vector:
    """Return the unit vector of a search text."""
    [vector] = _embed(embedder, [composed(text)], task="query", deadline=deadline)
    return vector


def _embed(
    embedder: Embedder, texts: Sequence[str], task: Task, deadline: Deadline
) -> list[Vector]:
    vectors = embedder.embed(texts, task, deadline)
    if len(vectors) != len(texts):
        raise EmbedderUnavailableError(
            f"{embedder.space.model} answered {len(texts)} texts with {len(vectors)} vectors"
        )
    return [unit(vector, embedder.space.dimensions) for vector in vectors]


EMBED_SECONDS = 1.2
WORD_SECONDS = 0.8  # the rest is for comparing, ranking and printing
WORDS_A_TOKEN = 1.2
"""
A generous estimate of the words in a token.

The vector of a text near the model's limit is good enough.
"""


def completed(keywords: KeywordIndex, question: str, only: EntryFilter, deadline: Deadline) -> str:
    """
    Return *question* with an unfinished last word completed.

    It is unfinished if no entry of *only* holds it but some hold words with that prefix.
    """
    beginning = half_typed(question)
    try:
        if not beginning or keywords.match((beginning,), "any", only, deadline=deadline).count():
            return question
        words = keywords.completions(beginning, only, deadline)
    except KeywordIndexUnavailableError:
        return question
    return question[: -len(beginning)] + " ".join(words) if words else question


class NoMatches:
    """The empty matches of a search that was not run."""

    def count(self) -> int:
        """Return 0."""
        return 0

    def top(self, k: int, category: Category | None = None) -> list[IndexHit]:
        """Return no hits."""
        del k, category
        return []

    def scores(self, numbers: Iterable[int]) -> Mapping[int, float]:
        """Return no scores."""
        del numbers
        return {}

    def statistics(self) -> ScoreStatistics:
        """Return empty statistics."""
        return ScoreStatistics()


class Retrieval(NamedTuple):
    """
    The matches of one query, before any ranking.

    Attributes:
        query: The search text, None without a signal.
        keyword_text: The text of the keyword search, None without a signal.
        terms: Its terms, with the parts of identifiers.
        spaces: The semantic matches of each space, scored by cosine.
        embedded_by: The models that embedded the query, None without any.
        standardised: Whether several models were used, so that `by_vector` has z-scores, not
            cosines.
        window: About how many words of a text the model reads, 0 without a model.
        degradations: The missing parts with their reasons, one line each.
    """

    query: str | None
    keyword_text: str | None = None
    terms: tuple[str, ...] = ()
    by_vector: Matches = NoMatches()
    by_keyword: Matches = NoMatches()
    spaces: tuple[Matches, ...] = ()
    embedded_by: str | None = None
    standardised: bool = False
    window: int = 0
    numpy_missing: bool = False
    degradations: tuple[str, ...] = ()


class SemanticSearch(NamedTuple):
    """The semantic search in one space."""

    embedder: Embedder
    store: VectorStore
    vector_index: VectorIndex


class Retrieve(NamedTuple):
    """
    Run the semantic and the keyword search side by side.

    Either may be missing or fail.

    Attributes:
        semantic: The spaces, in order of preference; each kind is searched in the first whose
            embedder answers.
        by_passage: Whether keyword scores are those of passages, or of whole entries.
        in_any_spelling: Whether identifiers are also searched by their parts; False where a gate
            was calibrated without them.
        slowdown: Elapsed seconds for a second of computing; 0 in a process that stays, where vectors
            that came too late are there for the next query.
        semantic_seconds: The minimum time of the semantic search on this machine now; with less
            left it is skipped.
        depth: How deep both lists are read at first.
    """

    semantic: Sequence[SemanticSearch]
    keywords: KeywordIndex
    background: Background
    only: EntryFilter = LEARNINGS
    by_passage: bool = False
    in_any_spelling: bool = False
    slowdown: float = 0.0
    embed_seconds: float = EMBED_SECONDS
    semantic_seconds: float = 0.0
    depth: int = 0

    def first_reads(self, query: str | None, deadline: Deadline, keyword_text: str | None) -> None:
        """Read what `search` reads first, whatever is found."""
        if query is not None:
            self._search(query, deadline, keyword_text).first_reads()

    def search(
        self, query: str | None, deadline: Deadline, keyword_text: str | None = None
    ) -> Retrieval:
        """
        Return the matches of a query.

        Args:
            query: The text to embed; None searches nothing.
            deadline: The end of the time for searching.
            keyword_text: The text of the keyword search, None for *query*.
        """
        if query is None:
            return Retrieval(query=None)
        return self._search(query, deadline, keyword_text).run()

    def _search(self, query: str, deadline: Deadline, keyword_text: str | None) -> "_Search":
        keyword_text = query if keyword_text is None else keyword_text
        return _Search(self, query, keyword_text=keyword_text, deadline=deadline)


class _Group(NamedTuple):
    only: EntryFilter
    searches: Sequence[SemanticSearch]


class _Answer(NamedTuple):
    search: SemanticSearch
    vector: Vector
    problem: str


class _SemanticMatches(NamedTuple):
    matches: Matches
    embedder: Embedder


def _first_answer(
    searches: Sequence[SemanticSearch], query: str, deadline: Deadline, seconds: float
) -> _Answer:
    """Embed *query*, redacted, with the first embedder that answers within *seconds*."""
    public, problems = redact(query), list[str]()
    for search in searches:
        try:
            vector = embed_query(search.embedder, public, deadline.within(seconds))
        except EmbedderError as error:
            problems.append(str(error))
        else:
            return _Answer(search, vector, "; ".join(problems))
    raise EmbedderUnavailableError("; ".join(problems))


class _Search:
    def __init__(self, tools: Retrieve, query: str, keyword_text: str, deadline: Deadline) -> None:
        self._tools = tools
        self._query = query
        self._keyword_text = keyword_text
        self._deadline = deadline
        self._degradations: list[str] = []
        self._numpy_missing = False
        self._terms: tuple[str, ...] = ()
        self._unspaced: tuple[int, ...] = ()
        self._embed_by = deadline.within(tools.embed_seconds * len(tools.semantic))

    def first_reads(self) -> None:
        self._groups()
        with suppress(KeywordIndexUnavailableError):
            self._frequencies(self._asked(), self._deadline)

    def run(self) -> Retrieval:
        embeddings = [(asked, self._start_embedding(asked)) for asked in self._groups()]
        by_keyword = self._match_words()
        depth = self._tools.depth
        likely = [hit.number for hit in by_keyword.top(depth)] if depth else []
        found = [
            result
            for asked, embedding in embeddings
            if (result := self._compare(asked, embedding, likely))
        ]
        return Retrieval(
            query=self._query,
            keyword_text=self._keyword_text,
            terms=self._terms,
            by_vector=_as_one([result.matches for result in found]),
            by_keyword=by_keyword,
            spaces=tuple(result.matches for result in found),
            embedded_by=" + ".join(result.embedder.space.model for result in found) or None,
            standardised=len(found) > 1,
            window=min(
                (int(result.embedder.max_tokens * WORDS_A_TOKEN) for result in found), default=0
            ),
            numpy_missing=self._numpy_missing,
            degradations=tuple(self._degradations),
        )

    def _groups(self) -> Sequence[_Group]:
        try:
            for search in self._tools.semantic:
                search.vector_index.ensure_usable()
        except VectorIndexUnavailableError as error:
            self._numpy_missing = isinstance(error, NumpyMissingError)
            self._degradations.append(f"no vector search: {error}")
            return []
        left, needed = self._deadline.remaining(), self._tools.semantic_seconds
        if left < needed and self._tools.semantic:
            self._degradations.append(
                f"no vector search: it needs {needed:.1f} s of the {left:.1f} s left now"
            )
            return []
        groups: dict[tuple[int, ...], list[Kind]] = {}
        for kind in self._tools.only.kinds:
            serving = tuple(
                at for at, search in enumerate(self._tools.semantic) if kind in search.store.kinds
            )
            groups.setdefault(serving, []).append(kind)
        return [
            asked
            for serving, kinds in groups.items()
            if (
                asked := self._filled(self._tools.only._replace(kinds=tuple(kinds)), serving)
            ).searches
        ]

    def _filled(self, only: EntryFilter, serving: Sequence[int]) -> _Group:
        searches = [
            self._tools.semantic[at] for at in serving if self._is_read_by(self._tools.semantic[at])
        ]
        return _Group(only, [search for search in searches if search.store.has_any(only)])

    def _start_embedding(self, asked: _Group) -> Pending[_Answer]:
        seconds = self._tools.embed_seconds
        return self._tools.background.start(
            lambda: _first_answer(
                asked.searches, self._query, deadline=self._deadline, seconds=seconds
            )
        )

    def _compare(
        self, asked: _Group, embedding: Pending[_Answer], likely: Sequence[int]
    ) -> _SemanticMatches | None:
        try:
            answer = embedding.result(self._embed_by)
            self._ensure_time(answer.search.vector_index)
            matches = answer.search.vector_index.compare(
                answer.vector, self._read_by(answer.search, asked.only), likely
            )
        except (EmbedderError, TimeoutError, VectorIndexUnavailableError) as error:
            self._degradations.append(f"no vector search: {error}")
            return None
        if answer.problem:
            self._degradations.append(
                f"searching with {answer.search.embedder.space.model}: {answer.problem}"
            )
        return _SemanticMatches(matches, answer.search.embedder)

    def _ensure_time(self, index: VectorIndex) -> None:
        """Raise if the comparison would end after the deadline."""
        left, needed = self._deadline.remaining(), index.cpu_seconds() * self._tools.slowdown
        if left < needed:
            raise VectorIndexUnavailableError(
                f"comparing needs {needed:.1f} s of the {left:.1f} s left"
            )

    def _is_read_by(self, search: SemanticSearch) -> bool:
        """
        Return whether the model knows the script of the query.

        A query in another script is searched by keyword only.
        """
        space = search.embedder.space
        if not (knows_english_only(space) and is_mostly_unspaced(self._query)):
            return True
        problem = f"no vector search: {space.model} does not know the script of the question"
        self._degradations += [problem] * (problem not in self._degradations)
        return False

    def _read_by(self, search: SemanticSearch, only: EntryFilter) -> EntryFilter:
        """Return *only* without the entries whose script the model does not know."""
        if not (self._unspaced and knows_english_only(search.embedder.space)):
            return only
        return only._replace(except_for=tuple(sorted({*only.except_for, *self._unspaced})))

    def _match_words(self) -> Matches:
        keywords, only = self._tools.keywords, self._tools.only
        deadline = self._deadline.within(WORD_SECONDS)
        try:
            asked = self._asked()
            frequencies = self._frequencies(asked, deadline)
            self._terms = terms = asked.known(term for term, count in frequencies.items() if count)
            self._unspaced = self._mostly_unspaced(deadline) if frequencies[UNSPACED] else ()
            if self._tools.by_passage:
                return keywords.weigh(terms, only, deadline)
            return keywords.match(
                distinctive_terms(terms, frequencies, keywords.size()),
                "any",
                only=only,
                deadline=deadline,
            )
        except KeywordIndexUnavailableError as error:
            self._degradations.append(str(error))
            return NoMatches()

    def _asked(self) -> QuestionTerms:
        return asked_terms(self._keyword_text, in_any_spelling=self._tools.in_any_spelling)

    def _frequencies(self, asked: QuestionTerms, deadline: Deadline) -> Mapping[str, int]:
        counted = asked.uncertain if self._tools.by_passage else asked.terms
        return self._tools.keywords.frequencies((*counted, UNSPACED), deadline)

    def _mostly_unspaced(self, deadline: Deadline) -> tuple[int, ...]:
        found = self._tools.keywords.match(
            (UNSPACED,), "any", only=self._tools.only, deadline=deadline
        )
        return tuple(hit.number for hit in found.top(max(1, found.count())))


def _as_one(found: Sequence[Matches]) -> Matches:
    if not found:
        return NoMatches()
    return found[0] if len(found) == 1 else StandardisedMatches(found)


class _Space(NamedTuple):
    matches: Matches
    statistics: ScoreStatistics


class Closeness(NamedTuple):
    """The semantic closeness to a query, on one scale."""

    spaces: tuple[_Space, ...] = ()

    @classmethod
    def of(cls, found: Sequence[Matches]) -> "Closeness":
        """Return the closeness of the entries *found*, from cosines."""
        return cls(tuple(_Space(matches, matches.statistics()) for matches in found))

    def scores(self, found: Mapping[int, float]) -> Mapping[int, float]:
        """Return the closeness of the entries *found*, from listed scores."""
        if len(self.spaces) == 1:
            return {
                number: self.spaces[0].statistics.closeness(cosine)
                for number, cosine in found.items()
            }
        return {
            number: space.statistics.closeness(cosine)
            for space in self.spaces
            for number, cosine in space.matches.scores(found).items()
        }

    def upper_bound(self, score: float) -> float:
        """Return the upper bound of closeness for a listed *score*."""
        if len(self.spaces) == 1:
            return self.spaces[0].statistics.closeness(score)
        return max(
            (space.statistics.closeness(_cosine(score, space.statistics)) for space in self.spaces),
            default=0.0,
        )

    def closest(self) -> float:
        """Return the closeness of the closest entry, 0 without matches."""
        return max(
            (
                space.statistics.closeness(space.statistics.best)
                for space in self.spaces
                if space.statistics.found
            ),
            default=0.0,
        )

    def background(self) -> float:
        """Return the mean closeness of all entries searched."""
        found = sum(space.statistics.found for space in self.spaces)
        return (
            sum(space.statistics.background() * space.statistics.found for space in self.spaces)
            / found
            if found
            else 0.0
        )


def _cosine(score: float, statistics: ScoreStatistics) -> float:
    return statistics.mean(statistics.found) + score * statistics.deviation(statistics.found)


class StandardisedMatches:
    """
    The matches of one query in several spaces, as z-scores.

    Cosines of two models are not comparable; their z-scores are: the distance from the mean of the
    space, in its standard deviations.
    """

    def __init__(self, spaces: Sequence[Matches]) -> None:
        self._spaces = [(matches, matches.statistics()) for matches in spaces]

    def count(self) -> int:
        """Return the number of matches."""
        return sum(statistics.found for _, statistics in self._spaces)

    def top(self, k: int, category: Category | None = None) -> list[IndexHit]:
        """Return the *k* best."""
        lists = [
            [
                IndexHit(hit.number, _standardised(hit.score, statistics))
                for hit in matches.top(k, category)
            ]
            for matches, statistics in self._spaces
        ]
        return list(islice(merge(*lists, key=lambda hit: -hit.score), k))

    def scores(self, numbers: Iterable[int]) -> Mapping[int, float]:
        """Return the scores of the matches among *numbers*."""
        wanted = list(numbers)
        return {
            number: _standardised(score, statistics)
            for matches, statistics in self._spaces
            for number, score in matches.scores(wanted).items()
        }

    def statistics(self) -> ScoreStatistics:
        """Return the statistics of z-scores: mean 0, deviation 1."""
        best = [_standardised(statistics.best, statistics) for _, statistics in self._spaces]
        return ScoreStatistics(
            found=self.count(), total=0.0, squares=float(self.count()), best=max(best, default=0.0)
        )


def _standardised(score: float, statistics: ScoreStatistics) -> float:
    deviation = statistics.deviation(statistics.found)
    return (score - statistics.mean(statistics.found)) / deviation if deviation > 0 else 0.0
