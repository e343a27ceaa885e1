"""Keyword search by a scan, for an SQLite without FTS5."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.decoding import or_else, texts
from hardwon.adapters.sqlite.keyword_matches import KeywordMatches
from hardwon.adapters.sqlite.query import where
from hardwon.domain.model.citations import cited_words
from hardwon.domain.model.cited_place import paths_of
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import KeywordIndexUnavailableError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.identity import searchable, unaccented
from hardwon.domain.model.indexed_entry import lesson_tokens
from hardwon.domain.model.keywords import (
    completions,
    index_term,
    index_words,
    inverse_document_frequency,
)
from hardwon.domain.model.ranking.adaptive import passage_score
from hardwon.domain.model.vocabulary import Kind
from hardwon.ports.keyword_index import KeywordIndex, Mode
from hardwon.ports.override import override

SATURATION = 1.2
"""The k1 of BM25 in FTS5: the saturation of repeated words."""

TEXTS = "t.name || ' ' || t.description || ' ' || t.notes || ' ' || t.reasoning"
LABELS = """t.keywords || ' ' || t.tags || ' ' || t.trigger_phrases || ' ' || coalesce(e.spec_folder, '') || ' ' || t.anchor_id"""

EVERY_WORD = f"""{TEXTS} || ' ' || {LABELS}, e.kind, t."references", t.citations, t.name, t.description, t.notes"""

SELECT_WORDS = """
    SELECT e.seq, {words}
    FROM entry e JOIN entry_text t ON t.entry_seq = e.seq WHERE e.retired = 0 AND {within}
"""


SELECT_CONTAINING = f"""
    SELECT {TEXTS} FROM entry e JOIN entry_text t ON t.entry_seq = e.seq
    WHERE e.retired = 0 AND {{within}} AND (instr(lower({TEXTS}), :beginning) OR {{accented}}) ORDER BY e.seq DESC
"""
NOT_ASCII = f"length(CAST({TEXTS} AS BLOB)) > length({TEXTS})"

MAX_SCANNED = 500
"""Upper bound of the newest texts that complete a partial word."""


def completed(
    database: SqliteDatabase,
    beginning: str,
    only: EntryFilter,
    accented: str = NOT_ASCII,
    **parameters: str,
) -> tuple[str, ...]:
    """
    Return the words of entries that begin with *beginning*.

    The most frequent come first. The condition *accented* holds for texts with an accented one.
    """
    within, plain = where(only), unaccented(beginning)
    sql = SELECT_CONTAINING.format(within=within.sql, accented=accented)
    values = {**within.parameters, **parameters, "beginning": plain}
    texts = (unaccented(searchable(text)).lower() for (text,) in database.stream(sql, values))
    return completions(plain, islice((text for text in texts if plain in text), MAX_SCANNED))


class ScanKeywordIndex(KeywordIndex):
    """
    Keyword search by a scan of all texts.

    Slow, and without stemming.
    """

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    @override
    def size(self) -> int:
        return int(self._database.value("SELECT count(*) FROM entry WHERE retired = 0"))

    @override
    def frequencies(self, terms: Sequence[str], deadline: Deadline) -> Mapping[str, int]:
        found = [words for _, words in self._read(EVERYTHING, terms, deadline)]
        return {term: sum(term in words for words in found) for term in terms}

    @override
    def completions(self, beginning: str, only: EntryFilter, deadline: Deadline) -> Sequence[str]:
        with self._database.until(deadline):
            return completed(self._database, beginning, only)

    @override
    def match(
        self, terms: Sequence[str], mode: Mode, only: EntryFilter, deadline: Deadline
    ) -> KeywordMatches:
        # A term adds its idf; repetitions add a little, dampened.
        idf = self._idf(terms, deadline)
        least, read = (1, EVERY_WORD) if mode == "any" else (len(idf), TEXTS)
        found = self._read(only, terms, deadline=deadline, read=read)
        scores = {number: _bm25(words, idf) for number, words in found if len(words) >= least}
        return KeywordMatches(self._database, scores)

    @override
    def weigh(self, terms: Sequence[str], only: EntryFilter, deadline: Deadline) -> KeywordMatches:
        idf = self._idf(terms, deadline)
        asked = sum(idf.values())
        scores = {
            number: passage_score(_bm25(words, idf), sum(map(idf.__getitem__, words)), asked)
            for number, words in self._read(only, terms, deadline)
        }
        return KeywordMatches(self._database, scores, full=asked)

    def _idf(self, terms: Sequence[str], deadline: Deadline) -> Mapping[str, float]:
        size, frequencies = self.size(), self.frequencies(terms, deadline)
        return {
            term: inverse_document_frequency(size, count) for term, count in frequencies.items()
        }

    def _read(
        self, only: EntryFilter, terms: Sequence[str], deadline: Deadline, read: str = EVERY_WORD
    ) -> Iterator[tuple[int, Counter[str]]]:
        within, wanted = where(only), {index_term(term): term for term in terms}
        sql = SELECT_WORDS.format(words=read, within=within.sql)
        for number, text, *citing in self._database.stream(sql, **within.parameters):
            if deadline.passed():
                raise KeywordIndexUnavailableError("no answer in time")
            found = (*index_words(text), *(_cited_terms(*citing) if citing else ()))
            words = Counter(wanted[word] for word in found if word in wanted)
            if words:
                yield number, words


_references_of = or_else(texts, ())


def _cited_terms(
    kind: Kind, references: object, citations: object, *others: str
) -> tuple[str, ...]:
    given, places = _references_of(references), _references_of(citations)
    return (
        *index_words(cited_words(given)),
        *lesson_tokens(kind, (*given, *paths_of(places)), others),
    )


def _bm25(words: Mapping[str, int], idf: Mapping[str, float]) -> float:
    """Return BM25 without length normalisation."""
    return sum(
        idf[term] * count * (SATURATION + 1) / (count + SATURATION) for term, count in words.items()
    )
