"""
BM25 of entries and passages, by packed postings and by FTS5.

Both compute the same to the last bit. FTS5 searches what is not packed.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from itertools import compress, count, repeat, takewhile
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.derived import SHIFT
from hardwon.adapters.sqlite.keyword_matches import (
    PLACE_BITS,
    TermCounts,
    any_of,
    frequencies,
    quoted,
)
from hardwon.adapters.sqlite.postings import (
    PackedBlock,
    PackedTerm,
    Texts,
    packed_blocks,
    packed_terms,
    tokenized,
    varints,
)
from hardwon.domain.model.keywords import index_term, inverse_document_frequency
from hardwon.domain.model.ranking.adaptive import passage_score

K1, B = 1.2, 0.75
"""The parameters of FTS5's `bm25()`."""

SELECT_TAIL = (
    "SELECT rowid, -bm25(entries_fts) FROM entries_fts WHERE entries_fts MATCH ? AND rowid >= ?"
)


class PackedPostings(NamedTuple):
    """
    The packed postings of a query.

    Attributes:
        blocks: By number, without a gap from the first.
        holding: By block, the terms in it in the query's order. Each comes after its inverse
            document frequency.
        average: The mean number of words of a text.
        after: How many texts after the blocks hold each term.

    """

    blocks: Mapping[int, PackedBlock]
    holding: Mapping[int, Sequence[tuple[float, PackedTerm]]]
    average: float
    after: Mapping[str, int]

    @property
    def end(self) -> int:
        """The number of the first entry after them."""
        return max(self.blocks) + 1 << SHIFT


TABLES_OF: Mapping[Texts, str] = {"entries": "entries_fts", "passages": "passages_fts"}


def count_texts(database: SqliteDatabase, texts: Texts) -> int:
    """Return how many *texts* FTS5 has."""
    return _totals(database, texts)[0]


def _totals(database: SqliteDatabase, texts: Texts) -> Sequence[int]:
    """
    Return how many *texts* FTS5 has, and the words in each of their columns.

    FTS5 keeps these sums: to count its rows takes 10 ms for a million.
    """
    if database.connection.in_transaction:  # FTS5 writes its sums at a savepoint
        database.rows("SAVEPOINT sums")
        database.rows("RELEASE sums")
    sums = f"SELECT block FROM {TABLES_OF[texts]}_data WHERE id = 1 AND typeof(block) = 'blob'"
    return [*varints(database.value(sums) or b"")] or [0]


def packed_postings(
    database: SqliteDatabase, terms: Sequence[str], counted: Mapping[str, int], texts: Texts
) -> PackedPostings | None:
    """
    Return the packed postings of *terms*.

    None if FTS5 has to search everything. It always searches the entries after the packed blocks.
    Packed postings are used only if they have each term as often as FTS5.

    Args:
        database: The store.
        terms: The words to find.
        counted: The number of *texts* with each term according to FTS5.
        texts: Whether entries are scored, or passages.
    """
    blocks = {
        block: packed
        for block, packed in takewhile(itemgetter(1), packed_blocks(database).items())
        if packed
    }
    if not blocks or not computes_as_sqlite() or not (stems := _stems(terms)):
        return None
    table, bits = TABLES_OF[texts], PLACE_BITS * (texts == "passages")
    packed = packed_terms(database, stems, last=max(blocks), texts=texts)
    found = Counter[str]()
    for held in packed.values():
        for stem, posting in held.items():
            found[stem] += len(posting.places)
    after = frequencies(database, table, terms=terms, first=max(blocks) + 1 << SHIFT + bits)
    size, *totals = _totals(database, texts)
    if not size or any(
        found[stem] + after[term] != counted[term] for term, stem in zip(terms, stems, strict=True)
    ):
        return None
    weights = [
        (stem, inverse_document_frequency(size, counted[term]))
        for term, stem in zip(terms, stems, strict=True)
    ]
    holding = {
        block: [(weight, terms[stem]) for stem, weight in weights if stem in terms]
        for block, terms in packed.items()
    }
    return PackedPostings(blocks, holding, average=sum(totals) / size, after=after)


class _Saturation(dict[int, float]):
    """
    The part of BM25 that depends on a text's length alone.

    It is made for each number of words when it is first asked for.
    """

    def __init__(self, average: float) -> None:
        super().__init__()
        self._average = average

    def __missing__(self, length: int) -> float:
        self[length] = K1 * (1 - B + B * length / self._average)
        return self[length]


def packed_scores(
    database: SqliteDatabase,
    terms: Sequence[str],
    counted: Mapping[str, int],
    within: Container[int] | None = None,
) -> dict[int, float] | None:
    """
    Return the BM25 of entries with any of *terms*, by number.

    None if FTS5 has to search.

    Args:
        database: The store.
        terms: The words to find.
        counted: The number of entries with each term according to FTS5.
        within: The blocks to score, None for all.
    """
    packed = packed_postings(database, terms, counted=counted, texts="entries")
    if packed is None:
        return None
    scores, saturation = dict[int, float](), _Saturation(packed.average)
    for block, holding in packed.holding.items():
        if within is not None and block not in within:
            continue
        of_places = bm25(holding, packed.blocks[block].entries, saturation)
        scores.update(
            zip(compress(count(block << SHIFT), of_places), filter(None, of_places), strict=True)
        )
    scores.update(database.rows(SELECT_TAIL, (any_of(terms), packed.end)))
    return scores


def bm25(
    holding: Sequence[tuple[float, PackedTerm]],
    lengths: Sequence[int],
    saturation: Mapping[int, float],
) -> list[float]:
    """
    Return the BM25 of every place of a block.

    Args:
        holding: The query's terms in the block, as `PackedPostings` has them.
        lengths: The number of words of each place.
        saturation: By the number of words.
    """
    scores, most = [0.0] * len(lengths), K1 + 1
    for weight, term in holding:
        for place, times in zip(term.places, term.counts):  # noqa: B905  # strict costs a tenth
            scores[place] += weight * ((times * most) / (times + saturation[lengths[place]]))
    return scores


def _stems(terms: Sequence[str]) -> list[str]:
    """Return FTS5's form of each term, none if one is not a single word."""
    with closing(tokenized([*enumerate(map(index_term, terms))])) as connection:
        found = connection.execute("SELECT doc, term FROM token ORDER BY doc").fetchall()
    return [stem for _, stem in found] if [doc for doc, _ in found] == [*range(len(terms))] else []


PROBE = [(count, "found " * count + "other " * count**2) for count in range(1, 9)]


@cache
def computes_as_sqlite() -> bool:
    """
    Return whether this build of SQLite rounds as Python does.

    A compiler may fuse a product and a sum.
    """
    lengths = [count + count**2 for count, _ in PROBE]
    counts = [count for count, _ in PROBE]
    term = PackedTerm([*range(len(PROBE))], counts)
    weight = inverse_document_frequency(len(PROBE), len(PROBE))
    with closing(tokenized(PROBE)) as connection:
        theirs = connection.execute(
            "SELECT -bm25(texts) FROM texts WHERE texts MATCH 'found' ORDER BY rowid"
        ).fetchall()
    return [
        (score,)
        for score in bm25([(weight, term)], lengths, _Saturation(sum(lengths) / len(lengths)))
    ] == theirs


SELECT_HITS = (
    "SELECT rowid, -bm25(passages_fts) FROM passages_fts WHERE passages_fts MATCH ? AND rowid >= ?"
)


class PassageMatches(NamedTuple):
    """
    Entries found by their passages.

    Attributes:
        scores: The score of each entry's best passage, by number.
        asked: The sum of the terms' inverse document frequencies.

    """

    scores: dict[int, float]
    asked: float


BestPassages: TypeAlias = Callable[[PackedPostings, float], dict[int, float]]
"""
Returns the score of each entry's best packed passage, by number.

The second argument is the sum of the query's inverse document frequencies.
"""


def packed_passages(packed: PackedPostings, asked: float) -> dict[int, float]:
    """Score passages one by one, as `BestPassages`."""
    scores, saturation = dict[int, float](), _Saturation(packed.average)
    for block, holding in packed.holding.items():
        texts = packed.blocks[block]
        bm25s = bm25(holding, texts.passages, saturation)
        matched = dict[int, float]()  # by place, of few
        for weight, term in holding:
            for place in term.places:
                matched[place] = matched.get(place, 0.0) + weight
        found = map(passage_score, map(bm25s.__getitem__, matched), matched.values(), repeat(asked))
        scores |= _best(texts.numbers(block << SHIFT, matched), found)
    return scores


def weigh(
    passages: TermCounts,
    terms: Sequence[str],
    most: int,
    *,
    best_passages: BestPassages = packed_passages,
) -> PassageMatches:
    """
    Score the entries that contain any of *terms* by their best passage.

    The rarest terms of the *passages* count, those with at most *most* hits together.
    """
    database, counted = passages.database, dict(_rarest(passages, terms, most))
    size = count_texts(database, "passages")
    idf = {term: inverse_document_frequency(size, hits) for term, hits in counted.items()}
    scores, first, asked = dict[int, float](), 0, sum(idf.values())
    if packed := packed_postings(database, [*counted], counted=counted, texts="passages"):
        scores, first = best_passages(packed, asked), packed.end
        idf = {term: weight for term, weight in idf.items() if packed.after[term]}
    return PassageMatches(scores | _searched_passages(database, idf, asked, first=first), asked)


def _searched_passages(
    database: SqliteDatabase, idf: Mapping[str, float], asked: float, first: int
) -> dict[int, float]:
    """Score the passages that FTS5 finds from entry *first* on."""
    bm25s, matched = dict[int, float](), dict[int, float]()
    for term, weight in idf.items():
        hits: dict[int, float] = dict(
            database.rows(SELECT_HITS, (quoted(term), first << PLACE_BITS))
        )
        _add(bm25s, hits)
        _add(matched, dict.fromkeys(hits, weight))
    found = map(passage_score, bm25s.values(), map(matched.__getitem__, bm25s), repeat(asked))
    return _best((rowid >> PLACE_BITS for rowid in bm25s), found)


def _best(numbers: Iterable[int], scores: Iterable[float]) -> dict[int, float]:
    best = dict[int, float]()
    for number, score in zip(numbers, scores, strict=True):
        if score > best.get(number, 0.0):
            best[number] = score
    return best


FIRST_SHARE = 4
"""The part of all allowed hits up to which a term is counted first."""


def _rarest(passages: TermCounts, terms: Sequence[str], most: int) -> Iterator[tuple[str, int]]:
    """
    Yield *terms* with the number of their passages, rarest first.

    Stops before there would be more than *most* hits. Of a frequent term no more are counted than
    it takes to exclude it.
    """
    left, counted, hits = terms, most // FIRST_SHARE + 1, 0
    while left:
        counts = passages.of(left, counted)
        for term in sorted(counts, key=lambda term: (counts[term], term)):
            if hits and hits + counts[term] > most:
                return
            if counts[term] == counted:
                break
            hits += counts[term]
            yield term, counts[term]
        if hits and hits + counted > most:
            return
        left = [term for term in left if counts[term] == counted]
        counted = most - hits + 1 if counted <= most - hits else -1


def _add(sums: dict[int, float], further: dict[int, float]) -> None:
    """Add *further* to the *sums*, of which few are in both."""
    for rowid in sums.keys() & further.keys():
        further[rowid] += sums[rowid]
    sums.update(further)
