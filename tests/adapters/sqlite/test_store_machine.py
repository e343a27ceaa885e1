import contextlib
import datetime as dt
import tempfile
from collections.abc import Iterable

import attrs
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.scoring import count_texts
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, EntryFilter, Scope
from hardwon.domain.model.ranking.candidates import IndexHit
from hardwon.domain.model.vocabulary import CATEGORIES, CONVERSATION_KINDS, TIERS, Category, Tier
from tests.contracts.worlds import (
    ALL,
    IN_TIME,
    World,
    open_new_store,
    put_and_fail,
    world_in_memory,
    world_of,
)
from tests.fakes.projects import store_entry
from tests.strategies import (
    QUERY_VECTOR,
    entries_about,
    file_entries,
    filters,
    phrases_or_nothing,
    timestamps,
    unit_vectors,
)

LESSONS = ("retry the socket", "lock the cache", "deploy x86", "parser first", "émigré")
entries = entries_about(st.sampled_from(LESSONS))
FILTERS = [
    EVERYTHING,
    LEARNINGS,
    *(EntryFilter(category=category) for category in CATEGORIES),
    EntryFilter(kinds=CONVERSATION_KINDS, scope=Scope(("here",), "work")),
    EVERYTHING._replace(permanent=True, tag="parser"),
]


def ids_by_number(world: World) -> dict[int, str]:
    return {number: entry_id for entry_id, number in world.numbers().items()}


def named(hits: Iterable[IndexHit], ids: dict[int, str]) -> dict[str, float]:
    return {ids[hit.number]: hit.score for hit in hits}


def without_numbers(facts: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return sorted((fact[1:] for fact in facts), key=str)


class SqliteAgreesWithTheFake(RuleBasedStateMachine):
    """
    Whatever the order of calls, SQLite holds what the fake holds.

    But for the numbers it gives to entries: those may have gaps, so all is compared by id.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.database = open_new_store(self.folder.name)
        self.real = world_of(self.database)
        self.model = world_in_memory()

    def teardown(self) -> None:
        self.database.close()
        self.folder.cleanup()

    @property
    def both(self) -> tuple[World, World]:
        return self.real, self.model

    def stored(self) -> list[Entry]:
        return self.model.repository.matching(EVERYTHING, limit=ALL)

    @rule(entry=entries | file_entries)
    def put(self, entry: Entry) -> None:
        for world in self.both:
            world.repository.put(entry)

    @precondition(lambda self: self.stored())
    @rule(place=st.integers(0, len(LESSONS)))
    def delete(self, place: int) -> None:
        stored = self.stored()
        gone = stored[place % len(stored)].entry_id
        for world in self.both:
            assert world.repository.delete(gone)
            assert not world.repository.delete(gone)

    @rule(entry=entries)
    def learn(self, entry: Entry) -> None:
        real, model = (
            store_entry(world.repository).keep(redact_entry(entry)) for world in self.both
        )
        assert real == model

    @rule(entry=entries | file_entries)
    def give_up_a_transaction(self, entry: Entry) -> None:
        for world in self.both:
            with contextlib.suppress(LookupError):
                put_and_fail(world, entry)

    @precondition(lambda self: self.stored())
    @rule(place=st.integers(0, len(LESSONS)), notes=phrases_or_nothing)
    def change_the_text(self, place: int, notes: str) -> None:
        stored = self.stored()
        changed = attrs.evolve(stored[place % len(stored)], notes=notes)
        for world in self.both:
            world.repository.put(changed)

    @precondition(lambda self: self.stored())
    @rule(place=st.integers(0, len(LESSONS)), tier=st.sampled_from(TIERS))
    def change_the_tier(self, place: int, tier: Tier) -> None:
        stored = self.stored()
        changed = attrs.evolve(stored[place % len(stored)], tier=tier)
        for world in self.both:
            world.repository.put(changed)

    @rule(now=timestamps)
    def retire(self, now: dt.datetime) -> None:
        real, model = (world.repository.retire_expired(now) for world in self.both)
        assert real == model

    @precondition(lambda self: self.stored())
    @rule(place=st.integers(0, len(LESSONS)), at=timestamps, useful=st.booleans())
    def use(self, place: int, at: dt.datetime, useful: bool) -> None:  # noqa: FBT001  # Hypothesis draws it
        stored = self.stored()
        for world in self.both:
            number = world.numbers()[stored[place % len(stored)].entry_id]
            world.usage.record_access([number, 10_000], at)
            world.usage.record_validation(number, useful=useful)

    @precondition(lambda self: self.stored())
    @rule(places=st.lists(st.integers(0, len(LESSONS)), max_size=3), at=timestamps)
    def recall(self, places: list[int], at: dt.datetime) -> None:
        stored = self.stored()
        ids = [stored[place % len(stored)].entry_id for place in places]
        for world in self.both:
            numbers = world.numbers()
            world.usage.record_recall([10_000, *(numbers[place] for place in ids)], at)

    @rule(vector=unit_vectors, limit=st.integers(1, 3))
    def embed(self, vector: Vector, limit: int) -> None:
        for world in self.both:
            world.vectors.put((text, vector) for text in world.vectors.pending(limit))

    @rule(entry=entries | file_entries, vector=unit_vectors)
    def embed_while_another_writes(self, entry: Entry, vector: Vector) -> None:
        for world in self.both:
            waiting = world.vectors.pending(ALL)
            world.repository.put(entry)
            world.vectors.put((text, vector) for text in waiting)

    @rule(vector=unit_vectors)
    def embed_all_again(self, vector: Vector) -> None:
        for world in self.both:
            world.vectors.put((text, vector) for text in world.vectors.texts(ALL))

    @rule(headings=st.sets(st.sampled_from(["A", "B"])), fingerprint=st.sampled_from(["1", "2"]))
    def record_an_import(self, headings: set[str], fingerprint: str) -> None:
        for world in self.both:
            world.ledger.record("patterns.md", headings, fingerprint)

    @rule()
    def reopen(self) -> None:
        self.database.close()
        self.database = open_store(self.folder.name)
        self.real = world_of(self.database)

    @rule()
    def vacuum(self) -> None:
        self.database.rows("VACUUM")

    @rule(only=filters, category=st.none() | st.sampled_from(CATEGORIES), k=st.integers(1, 3))
    def search_by_meaning(self, only: EntryFilter, category: Category | None, k: int) -> None:
        near, near_in_model = (world.index.compare(QUERY_VECTOR, only) for world in self.both)
        real, model = (ids_by_number(world) for world in self.both)
        assert near.count() == near_in_model.count()
        assert named(near.top(k, category), real) == named(near_in_model.top(k, category), model)

    @rule(only=filters, category=st.none() | st.sampled_from(CATEGORIES))
    def search_by_word(self, only: EntryFilter, category: Category | None) -> None:
        terms = ("parser", "socket", "émigré")
        real, model = (ids_by_number(world) for world in self.both)
        in_model = self.model.keywords.match(terms, "any", only, IN_TIME).top(ALL, category)
        for words in (
            self.real.keywords.match(terms, "any", only, IN_TIME),
            self.real.keywords.weigh(terms, only, IN_TIME),
        ):
            assert named(words.top(ALL, category), real).keys() == named(in_model, model).keys()

    @invariant()
    def same_entries(self) -> None:
        real, model = (world.repository for world in self.both)
        for only in FILTERS:
            assert real.matching(only, limit=ALL) == model.matching(only, limit=ALL)
            assert real.count(only) == model.count(only)
            assert real.tally(only, "source") == model.tally(only, "source")
        for entry in self.stored():
            path = entry.file_path or ""
            assert real.with_file(path) == model.with_file(path)
            assert real.of_file(path) == model.of_file(path)
            assert entry.number is not None
            assert model.with_number(entry.number) == entry

    @invariant()
    def same_track_records(self) -> None:
        real, model = (world.repository for world in self.both)
        assert real.sizes() == model.sizes()
        assert real.most_observed() == model.most_observed()
        for k in (1, 2):
            newest, newest_in_model = (world.newest_by_track_record(k) for world in (real, model))
            assert newest.keys() == newest_in_model.keys()
            for record in newest:
                assert without_numbers(newest[record]) == without_numbers(newest_in_model[record])

    @invariant()
    def same_facts(self) -> None:
        facts, facts_in_model = (
            world.repository.facts(world.numbers().values()) for world in self.both
        )
        assert without_numbers(facts) == without_numbers(facts_in_model)
        wanted, wanted_in_model = (
            world.repository.recall_facts(world.numbers().values()) for world in self.both
        )
        assert without_numbers(
            (fact.ranking.number, fact.ranking[1:], fact[1:]) for fact in wanted
        ) == without_numbers(
            (fact.ranking.number, fact.ranking[1:], fact[1:]) for fact in wanted_in_model
        )

    @invariant()
    def same_vectors(self) -> None:
        real, model = (world.vectors for world in self.both)
        for only in FILTERS:
            assert (real.count(only), real.count_pending(only)) == (
                model.count(only),
                model.count_pending(only),
            )
        assert [fact[1:] for fact in real.pending(ALL)] == [fact[1:] for fact in model.pending(ALL)]
        near, near_in_model = (
            world.index.compare(QUERY_VECTOR, EVERYTHING).top(ALL) for world in self.both
        )
        assert named(near, ids_by_number(self.real)) == named(
            near_in_model, ids_by_number(self.model)
        )

    @invariant()
    def same_ledger(self) -> None:
        real, model = (world.ledger for world in self.both)
        assert real.headings("patterns.md") == model.headings("patterns.md")
        assert real.fingerprint("patterns.md") == model.fingerprint("patterns.md")

    @invariant()
    def the_keyword_index_is_sound(self) -> None:
        for index in ("entries_fts", "passages_fts"):
            self.database.rows(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
        size = self.model.keywords.size()  # without what is retired
        assert self.database.value("SELECT count(DISTINCT rowid >> 20) FROM passages_fts") == size
        assert self.real.keywords.size() == size
        rows = self.database.value("SELECT count(*) FROM passages_fts_docsize")
        assert count_texts(self.database, "passages") == rows

    @invariant()
    def the_file_is_sound(self) -> None:
        assert self.database.rows("PRAGMA integrity_check") == [("ok",)]
        assert self.database.rows("PRAGMA foreign_key_check") == []


SqliteAgreesWithTheFake.TestCase.settings = settings(
    max_examples=max(1, settings().max_examples // 5), stateful_step_count=20
)
TestSqliteAgreesWithTheFake = SqliteAgreesWithTheFake.TestCase
