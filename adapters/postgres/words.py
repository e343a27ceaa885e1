"""The keyword index of entries and of their passages: how often each term is where, and how long texts are."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hardwon.adapters.postgres.database import Database
from hardwon.adapters.postgres.tokens import count_terms
from hardwon.domain.model.errors import KeywordIndexUnavailableError
from hardwon.domain.model.identity import title_to_search

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

WHOLE = 0
"""The passage that stands for the whole entry; those of its text are numbered from 1."""

ADD_POSTINGS = """
    INSERT INTO hardwon.posting (tenant, is_passage, term, number, passage, times, own_times, owner)
    SELECT %(tenant)s, passage > 0, term, %(number)s, passage, times, own_times, %(owner)s
    FROM unnest(%(terms)s::text[], %(passages)s::int[], %(times)s::int[], %(own_times)s::int[])
        AS given (term, passage, times, own_times)
"""
ADD_DOCUMENTS = """
    INSERT INTO hardwon.document (tenant, number, passage, owner, words)
    SELECT %(tenant)s, %(number)s, place - 1, %(owner)s, words
    FROM unnest(%(lengths)s::int[]) WITH ORDINALITY AS given (words, place)
"""
COUNT = """
    INSERT INTO hardwon.corpus AS c (tenant, owner, entries, entry_words, passages, passage_words)
    VALUES (%(tenant)s, %(owner)s, %(entries)s, %(entry_words)s, %(passages)s, %(passage_words)s)
    ON CONFLICT (tenant, owner) DO UPDATE SET entries = c.entries + excluded.entries,
        entry_words = c.entry_words + excluded.entry_words, passages = c.passages + excluded.passages,
        passage_words = c.passage_words + excluded.passage_words
"""
MEASURE = """
    SELECT owner, count(*) FILTER (WHERE passage = 0), coalesce(sum(words) FILTER (WHERE passage = 0), 0)::bigint,
        count(*) FILTER (WHERE passage > 0), coalesce(sum(words) FILTER (WHERE passage > 0), 0)::bigint
    FROM hardwon.document WHERE tenant = %(tenant)s AND number = %(number)s GROUP BY owner
"""
DROP = (
    "DELETE FROM hardwon.posting WHERE tenant = %(tenant)s AND number = %(number)s",
    "DELETE FROM hardwon.document WHERE tenant = %(tenant)s AND number = %(number)s",
)


def index_entry(database: Database, number: int, owner: str, entry: "Entry") -> None:
    """Put an entry into the index, in place of what was there of it."""
    drop_from_index(database, number)
    texts = _texts(entry)
    whole, own = _counted(texts)
    documents = [whole, *count_terms(_passages(texts))]
    postings = [(term, place, times) for place, terms in enumerate(documents) for term, times in sorted(terms.items())]
    lengths = [terms.total() for terms in documents]
    about = {"number": number, "owner": owner}
    database.together(
        (
            (
                ADD_POSTINGS,
                {
                    **about,
                    "terms": [term for term, *_ in postings],
                    "passages": [place for _, place, _ in postings],
                    "times": [times for *_, times in postings],
                    "own_times": [own[term] if place == WHOLE else times for term, place, times in postings],
                },
            ),
            (ADD_DOCUMENTS, {**about, "lengths": lengths}),
            (COUNT, _figures(owner, 1, lengths[WHOLE], len(lengths) - 1, sum(lengths[1:]))),
        )
    )


def drop_from_index(database: Database, number: int) -> None:
    """Remove an entry from the index."""
    about = {"number": number}
    for owner, *figures in database.rows(MEASURE, number=number):
        database.together((*((sql, about) for sql in DROP), (COUNT, _figures(owner, *(-figure for figure in figures)))))


def ensure_counted(database: Database) -> None:
    """
    Check that the figures of the index are those of its rows.

    Raises:
        KeywordIndexUnavailableError: they are not, as after a restore by hand.
    """
    [(entries, counted)] = database.rows(
        "SELECT (SELECT coalesce(sum(entries), 0) FROM hardwon.corpus WHERE tenant = %(tenant)s),"
        " (SELECT count(*) FROM hardwon.document WHERE tenant = %(tenant)s AND passage = 0)"
    )
    if counted != entries:
        raise KeywordIndexUnavailableError("it does not fit the entries, run: hardwon doctor --repair")


def _figures(owner: str, *figures: int) -> dict[str, object]:
    return {"owner": owner, **dict(zip(("entries", "entry_words", "passages", "passage_words"), figures, strict=True))}


def _texts(entry: "Entry") -> tuple[str, ...]:
    """Return the texts of an entry that are searched; the fourth are its labels."""
    title = title_to_search(entry.name, entry.description)
    return (title, entry.description, entry.notes, " ".join(entry.labels), entry.reasoning)


def _counted(texts: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
    """Return the terms of all *texts*, and those of all but the labels."""
    title, description, notes, labels, reasoning = count_terms(texts)
    own = title + description + notes + reasoning
    return own + labels, own


def _passages(texts: Sequence[str]) -> list[str]:
    from hardwon.domain.model.text import identifier_words, passages  # noqa: PLC0415  # for writers only

    title, *others = texts
    return ["\n".join((part, *identifier_words(part))) for part in passages(title, "\n".join(others))]
