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
    UPDATE hardwon.state SET entries = entries + %(entries)s, entry_words = entry_words + %(entry_words)s,
        passages = passages + %(passages)s, passage_words = passage_words + %(passage_words)s
    WHERE tenant = %(tenant)s
"""
MEASURE = """
    SELECT count(*) FILTER (WHERE passage = 0), coalesce(sum(words) FILTER (WHERE passage = 0), 0)::bigint,
        count(*) FILTER (WHERE passage > 0), coalesce(sum(words) FILTER (WHERE passage > 0), 0)::bigint
    FROM hardwon.document WHERE tenant = %(tenant)s AND number = %(number)s
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
            (COUNT, _figures(1, lengths[WHOLE], len(lengths) - 1, sum(lengths[1:]))),
        )
    )


def drop_from_index(database: Database, number: int) -> None:
    """Remove an entry from the index."""
    [figures] = database.rows(MEASURE, number=number)
    if figures[0]:
        about = {"number": number}
        database.together((*((sql, about) for sql in DROP), (COUNT, _figures(*(-figure for figure in figures)))))


def ensure_counted(database: Database) -> None:
    """
    Check that the figures of the index are those of its rows.

    Raises:
        KeywordIndexUnavailableError: they are not, as after a restore by hand.
    """
    [(entries, counted)] = database.rows(
        "SELECT s.entries, (SELECT count(*) FROM hardwon.document d WHERE d.tenant = %(tenant)s AND d.passage = 0)"
        " FROM hardwon.state s WHERE s.tenant = %(tenant)s"
    )
    if counted > entries:  # fewer are those that other members keep to themselves
        raise KeywordIndexUnavailableError("it does not fit the entries, run: hardwon doctor --repair")


def _figures(entries: int, entry_words: int, passages: int, passage_words: int) -> dict[str, object]:
    return {"entries": entries, "entry_words": entry_words, "passages": passages, "passage_words": passage_words}


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
