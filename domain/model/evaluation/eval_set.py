"""
A set to evaluate on: documents, questions, and which documents answer which question.

Questions that a memory answers about itself: an entry's title asks for its text.
"""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEvaluationError
from hardwon.domain.model.evaluation.report import Grades
from hardwon.domain.model.identity import searchable_text, title_to_search
from hardwon.domain.model.keywords import search_terms

LONGEST_NAME = 80
DEFAULT_TIME = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
"""When a document was written that does not tell; always the same, as recency is a signal."""

_BEGINNING = re.compile(r"\S+(?: \S+)*")


class Query(NamedTuple):
    """
    A question as it was read, before it is known what answers it.

    Attributes:
        query_id: Names it.
        text: What is asked.
        group: The only group that is searched, None for all.

    """

    query_id: str
    text: str
    group: str | None = None


class Judgement(NamedTuple):
    """How relevant a document is to a question; 0 and less is not."""

    query_id: str
    document_id: str
    grade: float


class JudgedQuery(NamedTuple):
    """A question, and what answers it."""

    query: Query
    grades: Grades


class EvalSet(NamedTuple):
    """
    What can be measured.

    Attributes:
        name: Names it in reports.
        documents: Those that can be found, by id.
        queries: Those to which a document is relevant.
        warnings: What was left out, one line each.

    """

    name: str
    documents: Mapping[str, Entry]
    queries: tuple[JudgedQuery, ...]
    warnings: tuple[str, ...] = ()

    @property
    def now(self) -> dt.datetime:
        """The moment the questions are asked: when the newest document was written."""
        return max(entry.updated_at for entry in self.documents.values())


def assemble(
    name: str, documents: Mapping[str, Entry | None], queries: Sequence[Query], judgements: Sequence[Judgement]
) -> EvalSet:
    """
    Return the set made of these parts.

    Args:
        name: Names it in reports.
        documents: By id; None for one without a text, which is left out, though it may count as relevant.
        queries: Without judgement they are left out.
        judgements: Of what is not there they are left out.

    Raises:
        InvalidEvaluationError: nothing is left to measure.

    """
    known = {query.query_id for query in queries}
    grades: dict[str, dict[str, float]] = {}
    for judgement in judgements:
        if judgement.query_id in known and judgement.document_id in documents:
            grades.setdefault(judgement.query_id, {})[judgement.document_id] = judgement.grade
    judged = [JudgedQuery(query, grades.get(query.query_id, {})) for query in queries]
    answerable = tuple(each for each in judged if max(each.grades.values(), default=0.0) > 0)
    found = {document_id: entry for document_id, entry in documents.items() if entry}
    if not answerable or not found:
        raise InvalidEvaluationError(f"{name}: no query has a relevant document: nothing to measure")
    return EvalSet(name, found, answerable, tuple(_left_out(name, documents, known, judgements)))


def document_entry(
    document_id: str, text: str, *, title: str = "", written_at: str = "", group: str | None = None
) -> Entry | None:
    """
    Return a document as the store keeps it, None without a text.

    Args:
        document_id: Tells documents apart, as a file's path does.
        text: What is searched; where there is none, *title* stands for it.
        title: Where there is none, the beginning of *text* stands for it.
        written_at: ISO 8601, UTC when it names no zone; what can't be read counts as nothing.
        group: The project it is kept under.

    Raises:
        InvalidEntryError: it can't be stored.

    """
    text = text.strip() or title.strip()
    if not text:
        return None
    moment = _moment(written_at)
    return Entry(
        kind="document",
        name=title.strip() or _beginning(text),
        description=text,
        created_at=moment,
        updated_at=moment,
        source_project=group,
        file_path=f"/{document_id}",
    )


def _beginning(text: str) -> str:
    """Return how *text* begins, to the letter: words with one space between them."""
    found = _BEGINNING.match(text)
    return found[0][:LONGEST_NAME].rstrip() if found else text


def _moment(text: str) -> dt.datetime:
    try:
        moment = dt.datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        return DEFAULT_TIME


def _left_out(
    name: str, documents: Mapping[str, Entry | None], queries: set[str], judgements: Sequence[Judgement]
) -> list[str]:
    strange_documents = [each.document_id for each in judgements if each.document_id not in documents]
    strange_queries = [each.query_id for each in judgements if each.query_id not in queries]
    empty = [document_id for document_id, entry in documents.items() if entry is None]
    counts = {
        "documents without a text": empty,
        "judgements of unknown documents": strange_documents,
        "judgements of unknown queries": strange_queries,
    }
    return [f"{name}: {what}: {len(ids)} left out, the first is {ids[0]!r}" for what, ids in counts.items() if ids]


MOST = 500
MIN_QUESTIONS = 10
"""With fewer questions each is worth too much for the figures to mean anything."""

MIN_TERMS = 2


def known_items(name: str, entries: Sequence[Entry]) -> EvalSet:
    """
    Return the set that *entries* make: each title is a question, all texts without titles are the documents.

    Of more than 500 questions those of the smallest ids are taken; there may be none.
    """
    ordered = sorted(entries, key=lambda entry: entry.entry_id)
    documents = {entry.entry_id: document for entry in ordered if (document := _untitled(entry))}
    asked = [entry for entry in ordered if _is_askable(entry)][:MOST]
    queries = (JudgedQuery(Query(entry.entry_id, entry.name), {entry.entry_id: 1.0}) for entry in asked)
    return EvalSet(name, documents, tuple(queries))


def _is_askable(entry: Entry) -> bool:
    title = title_to_search(entry.name, entry.description)
    return len(search_terms(title)) >= MIN_TERMS


def _untitled(entry: Entry) -> Entry | None:
    text = searchable_text("", entry.description, entry.notes, entry.reasoning)
    return document_entry(entry.entry_id, text, written_at=entry.updated_at.isoformat())
