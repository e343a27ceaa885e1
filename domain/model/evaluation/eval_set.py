"""Evaluation sets: documents, queries, and relevance judgements."""

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEvaluationError
from hardwon.domain.model.evaluation.report import Grades
from hardwon.domain.model.identity import searchable_text, title_to_search
from hardwon.domain.model.keywords import STOP_WORDS, search_terms, words_of
from hardwon.domain.model.text import identifier_words

LONGEST_NAME = 80
DEFAULT_TIME = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
"""The time of a document without one. Constant, as recency is a signal."""

_BEGINNING = re.compile(r"\S+(?: \S+)*")


class EvalQuery(NamedTuple):
    """
    A query without its judgements.

    Attributes:
        group: The only group that is searched, None for all.
    """

    query_id: str
    text: str
    group: str | None = None


class Judgement(NamedTuple):
    """
    The relevance grade of a document for a query.

    A grade of 0 or less is irrelevant.
    """

    query_id: str
    document_id: str
    grade: float


class JudgedQuery(NamedTuple):
    """A query and the grades of its relevant documents."""

    query: EvalQuery
    grades: Grades


class EvalSet(NamedTuple):
    """
    A set that can be evaluated.

    Attributes:
        queries: Those with a relevant document.
    """

    name: str
    documents: Mapping[str, Entry]
    queries: tuple[JudgedQuery, ...]
    warnings: tuple[str, ...] = ()

    @property
    def now(self) -> dt.datetime:
        """The time of all queries: that of the newest document."""
        return max(entry.updated_at for entry in self.documents.values())


def assemble(
    name: str,
    documents: Mapping[str, Entry | None],
    queries: Sequence[EvalQuery],
    judgements: Sequence[Judgement],
) -> EvalSet:
    """
    Assemble a set, without queries that have no judgement.

    Judgements of unknown documents or queries are left out, and so are documents without a text
    (None), which still count as relevant.

    Raises:
        InvalidEvaluationError: nothing is left to measure.
    """
    known = {query.query_id for query in queries}
    grades: dict[str, dict[str, float]] = {}
    for judgement in judgements:
        if judgement.query_id in known and judgement.document_id in documents:
            grades.setdefault(judgement.query_id, {})[judgement.document_id] = judgement.grade
    judged = [JudgedQuery(query, grades.get(query.query_id, {})) for query in queries]
    answerable = tuple(query for query in judged if max(query.grades.values(), default=0.0) > 0)
    found = {document_id: entry for document_id, entry in documents.items() if entry}
    if not answerable or not found:
        raise InvalidEvaluationError(
            f"{name}: no query has a relevant document: nothing to measure"
        )
    return EvalSet(
        name=name,
        documents=found,
        queries=answerable,
        warnings=tuple(_left_out(name, documents, queries=known, judgements=judgements)),
    )


def document_entry(
    document_id: str, text: str, *, title: str = "", written_at: str = "", group: str | None = None
) -> Entry | None:
    """
    Return a document as an entry, None without a text.

    Args:
        document_id: Unique, such as a file's path.
        text: The text to search; empty to use *title*.
        title: Empty to use the beginning of *text*.
        written_at: ISO 8601, UTC without a zone; an unreadable one is ignored.
        group: The project it is stored under.

    Raises:
        InvalidEntryError: it can't be stored.
    """
    text = text.strip() or title.strip()
    if not text:
        return None
    written = _time(written_at)
    return Entry(
        kind="document",
        name=title.strip() or _beginning(text),
        description=text,
        created_at=written,
        updated_at=written,
        project=group,
        source_project=group,
        file_path=f"/{document_id}",
    )


def _beginning(text: str) -> str:
    found = _BEGINNING.match(text)
    return found[0][:LONGEST_NAME].rstrip() if found else text


def _time(text: str) -> dt.datetime:
    try:
        time = dt.datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        return DEFAULT_TIME


def _left_out(
    name: str,
    documents: Mapping[str, Entry | None],
    queries: set[str],
    judgements: Sequence[Judgement],
) -> list[str]:
    unknown_documents = [
        judgement.document_id for judgement in judgements if judgement.document_id not in documents
    ]
    unknown_queries = [
        judgement.query_id for judgement in judgements if judgement.query_id not in queries
    ]
    empty = [document_id for document_id, entry in documents.items() if entry is None]
    counts = {
        "documents without a text": empty,
        "judgements of unknown documents": unknown_documents,
        "judgements of unknown queries": unknown_queries,
    }
    return [
        f"{name}: {what}: {len(ids)} left out, the first is {ids[0]!r}"
        for what, ids in counts.items()
        if ids
    ]


MAX_QUESTIONS = 500
MIN_QUESTIONS = 10
"""With fewer questions a single one moves the figures too far."""

MIN_TERMS = 2


def known_items(name: str, entries: Sequence[Entry]) -> EvalSet:
    """
    Make a set of *entries*: the titles are queries for the texts.

    The documents are the texts without titles. Of more than 500 queries those of the smallest ids
    are kept; there may be none.
    """
    ordered = sorted(entries, key=lambda entry: entry.entry_id)
    documents = {entry.entry_id: document for entry in ordered if (document := _untitled(entry))}
    asked = [entry for entry in ordered if _is_askable(entry)][:MAX_QUESTIONS]
    queries = (
        JudgedQuery(EvalQuery(entry.entry_id, entry.name), {entry.entry_id: 1.0}) for entry in asked
    )
    return EvalSet(name, documents, tuple(queries))


SHORTEST_WORD = 5
BEGINNING = 3
"""
Letters.

Words with the same ones are forms of one word, as far as search knows.
"""

MAX_WORDS = 100


def rare_words(name: str, known: EvalSet) -> EvalSet:
    """
    Return the set of single-word queries that one document answers.

    Of many words those evenly spread are taken.
    """
    words_by_document = {
        document_id: _words(entry) for document_id, entry in known.documents.items()
    }
    beginnings = Counter(
        beginning
        for words in words_by_document.values()
        for beginning in {word[:BEGINNING] for word in words}
    )
    rare = sorted(
        (word, document_id)
        for document_id, words in words_by_document.items()
        for word in words
        if len(word) >= SHORTEST_WORD and word.isalpha() and beginnings[word[:BEGINNING]] == 1
    )
    asked = rare[:: math.ceil(len(rare) / MAX_WORDS) or 1]
    queries = (
        JudgedQuery(EvalQuery(word, word), {document_id: 1.0}) for word, document_id in asked
    )
    return EvalSet(name, known.documents, tuple(queries))


def _words(entry: Entry) -> set[str]:
    text = searchable_text(
        entry.name, entry.description, notes=entry.notes, reasoning=entry.reasoning
    )
    return {*words_of(text), *words_of(" ".join(identifier_words(text)))} - STOP_WORDS


def _is_askable(entry: Entry) -> bool:
    title = title_to_search(entry.name, entry.description)
    return len(search_terms(title)) >= MIN_TERMS


def _untitled(entry: Entry) -> Entry | None:
    text = searchable_text("", entry.description, notes=entry.notes, reasoning=entry.reasoning)
    return document_entry(entry.entry_id, text, written_at=entry.updated_at.isoformat())
