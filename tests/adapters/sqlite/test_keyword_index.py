from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.sqlite import keyword_index, keyword_matches, scoring
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.keyword_index import FtsKeywordIndex
from hardwon.adapters.sqlite.keyword_matches import PLACE_BITS
from hardwon.adapters.threads import Threads
from hardwon.domain.model.entry import redact_entry
from hardwon.domain.model.errors import KeywordIndexUnavailableError
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, NOWHERE
from hardwon.domain.model.keywords import inverse_document_frequency
from hardwon.domain.model.ranking.adaptive import passage_score
from hardwon.domain.model.ranking.policy import RecallQuestion
from hardwon.domain.model.ranking.prominence import SignalWeights
from hardwon.domain.use_cases.recall import Recall
from hardwon.domain.use_cases.retrieve import Retrieve
from tests.adapters.sqlite.sqlite_store import FULL, Sql, dump, opened, weigh_passages
from tests.contracts.worlds import ALL, IN_TIME, World, open_new_store, world_of
from tests.fakes.clock import FixedClock
from tests.fakes.projects import store_entry
from tests.strategies import DAY, NOW, lesson, of_file, with_text


@pytest.mark.parametrize("field", ["name", "description", "reasoning", "notes", "keywords"])
def test_a_word_of_only_one_field_matches(world: World, sql: Sql, field: str) -> None:
    world.add(lesson("another"), with_text(lesson("plain"), field, "zebra"))

    for expression in ("zebra", f"{field}:zebra"):
        assert sql("SELECT count(*) FROM entries_fts WHERE entries_fts MATCH ?", expression) == [
            (1,)
        ]


def test_forms_of_a_word_and_accents_are_one(world: World) -> None:
    world.add(attrs.evolve(lesson("Retrying sockets"), keywords=("café",)))

    for word in ("retry", "retries", "socket", "cafe", "café", "CAFÉ"):
        assert world.keywords.match([word], "any", LEARNINGS, IN_TIME).count() == 1


def test_a_recall_touches_neither_the_keyword_index_nor_updated_at(world: World, sql: Sql) -> None:
    [number] = world.add(FULL)
    before = (
        sql("SELECT * FROM entries_fts_data"),
        sql("SELECT updated_at, created_at FROM entries"),
    )
    world.usage.record_recall([number], NOW + DAY)

    assert (
        sql("SELECT * FROM entries_fts_data"),
        sql("SELECT updated_at, created_at FROM entries"),
    ) == before


def test_observing_again_rewrites_the_keyword_index_only_when_words_changed(
    world: World, sql: Sql
) -> None:
    world.add(FULL)
    before = sql("SELECT * FROM entries_fts_data")
    store_entry(world.repository).keep(redact_entry(FULL))

    assert sql("SELECT * FROM entries_fts_data") == before
    assert sql("SELECT observation_count FROM entries") == [(4,)]


DAMAGES = [
    "DROP TABLE entries_fts",
    "DELETE FROM entries_fts",
    "INSERT INTO entries_fts (rowid, name) VALUES (10000, 'ghost')",
    "DELETE FROM entries_fts_data WHERE id = 1",
    "UPDATE entries_fts_data SET block = 'text' WHERE id = 1",
]

MIXED = (
    FULL,
    lesson("another"),
    of_file("Title\nand a text", kind="document", tags=("label",), keywords=("word",)),
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_keyword_index_that_does_not_fit_is_rebuilt_when_opened(
    folder: Path, damage: str
) -> None:
    with opened(folder) as database:
        world_of(database).add(FULL, lesson("another"))
        database.rows(damage)

    with opened(folder) as database:
        world = world_of(database)
        database.rows("INSERT INTO entries_fts (entries_fts) VALUES ('integrity-check')")
        assert world.keywords.size() == 2
        for word in ("backoff", "day", "café", "feature"):
            assert world.keywords.match([word], "any", LEARNINGS, IN_TIME).count() == 1
        assert world.keywords.match(["ghost"], "any", LEARNINGS, IN_TIME).count() == 0


@pytest.mark.parametrize("damage", DAMAGES)
def test_it_is_not_rebuilt_where_nothing_may_be_repaired_and_search_says_so(
    folder: Path, damage: str
) -> None:
    with opened(folder) as database:
        world_of(database).add(FULL, lesson("another"))
        database.rows(damage)
    before = dump(folder)

    with opened(folder, repair_index=False) as database:
        keywords = FtsKeywordIndex(database)
        for ask in (
            keywords.size,
            lambda: keywords.frequencies(["day"], IN_TIME),
            lambda: keywords.match(["day"], "any", LEARNINGS, IN_TIME),
        ):
            with pytest.raises(KeywordIndexUnavailableError, match="doctor --repair"):
                ask()
        assert len(world_of(database).repository.matching(LEARNINGS, limit=ALL)) == 2
    assert dump(folder) == before


def test_frequencies_follow_the_writes_of_another_connection(folder: Path) -> None:
    with opened(folder) as database, opened(folder) as other:
        keywords = world_of(database).keywords
        before = keywords.frequencies(["zebra"], IN_TIME)
        world_of(other).add(lesson("zebra"))

        assert (before, keywords.frequencies(["zebra"], IN_TIME)) == ({"zebra": 0}, {"zebra": 1})


def test_frequencies_of_few_terms_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyword_matches, "KEPT_COUNTS", 2)
    with opened(folder) as database:
        world_of(database).add(lesson("zebra"))
        keywords, statements = FtsKeywordIndex(database), list[str]()
        database.connection.set_trace_callback(statements.append)
        for terms in (["zebra", "lion"], ["lion"], ["zebra", "tiger"], ["lion"]):
            keywords.frequencies(terms, IN_TIME)

    counted = [statement.count("MATCH") for statement in statements if "MATCH" in statement]
    assert counted == [2, 1, 1]


def test_a_store_without_its_keyword_index_can_still_be_written(folder: Path) -> None:
    with opened(folder) as database:
        world_of(database).add(FULL)
        database.rows("DROP TABLE entries_fts")

    with opened(folder, repair_index=False) as database:
        world_of(database).repository.put(lesson("another"))
    with opened(folder) as database:
        assert (
            world_of(database).keywords.match(["another"], "any", LEARNINGS, IN_TIME).count() == 1
        )


def test_a_new_store_has_its_keyword_index_even_where_nothing_may_be_repaired(folder: Path) -> None:
    with opened(folder, repair_index=False) as database:
        world = world_of(database)
        world.add(FULL)
        assert world.keywords.match(["backoff"], "any", LEARNINGS, IN_TIME).count() == 1


def test_an_entry_written_without_fts5_is_found_once_it_is_there(folder: Path) -> None:
    changed = attrs.evolve(FULL, reasoning="zebra")
    with opened(folder) as database:
        world_of(database).add(FULL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keyword_index, "is_available", lambda: False)
        with opened(folder) as database:
            world = world_of(database)
            world.add(changed)
            with pytest.raises(KeywordIndexUnavailableError, match="FTS5 not available"):
                world.keywords.size()

    with opened(folder) as database:
        assert world_of(database).keywords.match(["zebra"], "any", LEARNINGS, IN_TIME).count() == 1


def test_a_store_made_without_fts5_gets_its_index_later(folder: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keyword_index, "is_available", lambda: False)
        with opened(folder) as database:
            world_of(database).add(FULL)

    with opened(folder) as database:
        assert (
            world_of(database).keywords.match(["backoff"], "any", LEARNINGS, IN_TIME).count() == 1
        )


def test_an_entry_deleted_without_fts5_is_not_found_once_it_is_there(folder: Path) -> None:
    with opened(folder) as database:
        world_of(database).add(FULL, lesson("another"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keyword_index, "is_available", lambda: False)
        with opened(folder) as database:
            assert world_of(database).repository.delete(FULL.entry_id)

    with opened(folder) as database:
        keywords = world_of(database).keywords
        assert keywords.match(["backoff"], "any", EVERYTHING, IN_TIME).count() == 0
        assert (
            keywords.weigh(["backoff", "another"], EVERYTHING, IN_TIME).count()
            == keywords.size()
            == 1
        )


def test_a_rebuilt_index_holds_what_writing_entry_by_entry_put_there(
    database: SqliteDatabase, world: World
) -> None:
    world.add(*MIXED, attrs.evolve(of_file("Title\nand a text"), name="Title"))
    tables = ("entries_fts", "passages_fts")
    before = [database.rows(f"SELECT rowid, * FROM {table} ORDER BY rowid") for table in tables]
    keyword_index.rebuild_index(database)

    assert [
        database.rows(f"SELECT rowid, * FROM {table} ORDER BY rowid") for table in tables
    ] == before


def test_a_store_without_passages_gets_them_when_opened(folder: Path) -> None:
    with opened(folder) as database:
        world_of(database).add(*MIXED)
        database.rows("DROP TABLE passages_fts")

    with opened(folder, repair_index=False) as database:
        keywords = world_of(database).keywords
        assert keywords.match(["backoff"], "any", EVERYTHING, IN_TIME).count() == 1
        with pytest.raises(KeywordIndexUnavailableError, match="doctor --repair"):
            keywords.weigh(["backoff"], EVERYTHING, IN_TIME)
    with opened(folder) as database:
        assert world_of(database).keywords.weigh(["backoff"], EVERYTHING, IN_TIME).count() == 1


def test_a_weighed_entry_scores_as_its_best_passage_does(world: World, sql: Sql) -> None:
    numbers = world.add(
        *MIXED, *(of_file(f"filler {number}", path=f"{number}.md") for number in range(9))
    )
    terms = ["backoff", "retry", "filler", "nowhere"]
    size = sql("SELECT count(*) FROM passages_fts")[0][0]
    frequency = {
        term: sql("SELECT count(*) FROM passages_fts WHERE passages_fts MATCH ?", term)[0][0]
        for term in terms
    }
    idf = {term: inverse_document_frequency(size, frequency[term]) for term in terms}
    hits = sql(
        "SELECT rowid >> 20, -bm25(passages_fts) FROM passages_fts WHERE passages_fts MATCH ?",
        " OR ".join(terms),
    )

    scores = world.keywords.weigh(terms, EVERYTHING, IN_TIME).scores(numbers)
    assert scores.keys() == {number for number, _ in hits}
    for number, bm25 in hits:
        matched = idf["backoff"] + idf["retry"] if number == numbers[0] else idf["filler"]
        assert scores[number] == pytest.approx(passage_score(bm25, matched, sum(idf.values())))


def test_an_answer_that_cannot_be_read_leaves_the_others_their_scores(
    world: World, database: SqliteDatabase
) -> None:
    texts = ("backoff", "backoff of a retry", "backoff of a retry of a socket")
    numbers = world.add(*(lesson(text) for text in texts))
    recall = Recall(
        world.repository,
        Retrieve([], world.keywords, Threads()),
        FixedClock(),
        SignalWeights(),
    )
    question = RecallQuestion("backoff", EVERYTHING, "hybrid", 3, None, NOWHERE)
    before = {
        answer.entry.number: answer.score for answer in recall.answer(question, IN_TIME).answers
    }
    database.rows("UPDATE entry_text SET keywords = '{}' WHERE entry_seq = ?", (numbers[0],))

    after = recall.answer(question, IN_TIME).answers
    assert len({*before.values()}) == len(numbers)
    assert {answer.entry.number: answer.score for answer in after} == {
        number: before[number] for number in numbers[1:]
    }


WORDS = ("lock", "cache", "retry", "socket", "parser")
PARAGRAPHS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map(" ".join)


@given(
    texts=st.lists(st.lists(PARAGRAPHS, min_size=1, max_size=4).map("\n\n".join), max_size=6),
    terms=st.lists(st.sampled_from((*WORDS, "nowhere")), min_size=1, unique=True),
    most=st.integers(1, 30),
    share=st.sampled_from((1, 4, 30)),
)
def test_weighing_is_scoring_passage_by_passage(
    texts: list[str], terms: list[str], most: int, share: int
) -> None:
    with TemporaryDirectory() as folder, closing(open_new_store(folder)) as database:
        world_of(database).add(
            *(of_file(text, path=f"{place}.md") for place, text in enumerate(texts))
        )
        hits = {
            term: database.rows(
                "SELECT rowid, -bm25(passages_fts) FROM passages_fts WHERE passages_fts MATCH ?",
                (term,),
            )
            for term in terms
        }
        size = database.value("SELECT count(*) FROM passages_fts")
        rarest = sorted(terms, key=lambda term: (len(hits[term]), term))
        counted = [
            term
            for place, term in enumerate(rarest)
            if sum(len(hits[before]) for before in rarest[: place + 1]) <= most
            or not any(hits[before] for before in rarest[:place])
        ]
        idf = {term: inverse_document_frequency(size, len(hits[term])) for term in counted}
        expected = dict[int, float]()
        for rowid in {rowid for term in counted for rowid, _ in hits[term]}:
            bm25 = matched = 0.0
            for term in counted:
                for place, score in hits[term]:
                    if place == rowid:
                        bm25, matched = bm25 + score, matched + idf[term]
            score = passage_score(bm25, matched, sum(idf.values()))
            expected[rowid >> PLACE_BITS] = max(score, expected.get(rowid >> PLACE_BITS, 0.0))

        with mock.patch.object(scoring, "FIRST_SHARE", share):
            assert weigh_passages(database, terms, most) == (expected, sum(idf.values()))


def test_keyword_search_can_be_switched_off(database: SqliteDatabase) -> None:
    with pytest.raises(KeywordIndexUnavailableError, match="switched off"):
        FtsKeywordIndex(database, enabled=False).size()


def test_a_search_ends_at_its_deadline(world: World) -> None:
    for number in range(300):
        world.repository.put(lesson(f"lesson {number}"))
    clock = FixedClock()

    with pytest.raises(KeywordIndexUnavailableError, match="no answer in time"):
        world.keywords.match(["lesson"], "any", LEARNINGS, clock.deadline(0))
    assert world.keywords.match(["lesson"], "any", LEARNINGS, clock.deadline(1)).count() == 300


def test_a_search_within_a_snapshot_leaves_the_store_as_it_was(world: World, sql: Sql) -> None:
    world.add(FULL)
    for _ in range(2):
        with world.repository.snapshot():
            assert world.keywords.match(["backoff"], "any", LEARNINGS, IN_TIME).count() == 1
    world.repository.put(lesson("another"))

    assert sql("SELECT count(*) FROM entries") == [(2,)]
