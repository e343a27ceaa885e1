"""Questions that a memory answers about itself: an entry's title asks for its text."""

from collections.abc import Sequence

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.evaluation.eval_set import EvalSet, JudgedQuery, Query, document_entry
from hardwon.domain.model.keyword_query import search_terms
from hardwon.domain.model.searchable import searchable_text, title_to_search

MOST = 500
FEWEST = 10
"""With fewer questions each is worth too much for the figures to mean anything."""

FEWEST_TERMS = 2


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
    return len(search_terms(title)) >= FEWEST_TERMS


def _untitled(entry: Entry) -> Entry | None:
    text = searchable_text("", entry.description, entry.notes, entry.reasoning)
    return document_entry(entry.entry_id, text, written_at=entry.updated_at.isoformat())
