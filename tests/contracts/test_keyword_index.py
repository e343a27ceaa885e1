import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_filter import LEARNINGS, EntryFilter
from hardwon.domain.model.keyword_query import search_terms
from hardwon.domain.model.vocabulary import CATEGORIES, Category
from hardwon.ports.keyword_index import Mode
from hardwon.ports.matches import Matches
from tests.contracts.worlds import ALL, IN_TIME, MakeWorld, World, on_every_implementation, put_and_fail
from tests.strategies import DAY, NOW, WORDS, entries, few_examples, lesson, with_text

pytestmark = on_every_implementation

stores = st.lists(entries, max_size=12, unique_by=lambda entry: entry.entry_id)
queries = st.lists(st.sampled_from([*WORDS, "nowhere"]), max_size=4, unique=True)
modes = st.sampled_from(["any", "all"])


def words_of(entry: Entry) -> set[str]:
    return set(search_terms(" ".join((entry.searchable_text(), *entry.keywords))))


def holds(entry: Entry, terms: list[str], mode: Mode) -> bool:
    there = [term in words_of(entry) for term in terms]
    return bool(terms) and (any(there) if mode == "any" else all(there))


def found_ids(world: World, matches: Matches, only: EntryFilter = LEARNINGS) -> list[str]:
    return [entry.entry_id for entry in world.repository.hydrate([hit.seq for hit in matches.top(only, ALL)])]


@given(stored=stores, terms=queries, mode=modes)
@few_examples
def test_entries_that_hold_any_or_all_of_the_words_are_found(
    make: MakeWorld, stored: list[Entry], terms: list[str], mode: Mode
) -> None:
    with make() as world:
        world.add(*stored)
        matches = world.keywords.match(terms, mode, IN_TIME)

        assert set(found_ids(world, matches)) == {each.entry_id for each in stored if holds(each, terms, mode)}


@given(stored=stores, terms=queries)
@few_examples
def test_every_word_is_counted_in_the_entries_that_hold_it(
    make: MakeWorld, stored: list[Entry], terms: list[str]
) -> None:
    with make() as world:
        world.add(*stored)

        assert world.keywords.size() == len(stored)
        assert dict(world.keywords.frequencies(terms, IN_TIME)) == {
            term: sum(term in words_of(entry) for entry in stored) for term in terms
        }


@given(stored=stores, terms=queries, category=st.none() | st.sampled_from(CATEGORIES), k=st.integers(1, 5))
@few_examples
def test_the_best_come_first_and_ties_go_to_the_newest_then_to_the_smallest_id(
    make: MakeWorld, stored: list[Entry], terms: list[str], category: Category | None, k: int
) -> None:
    only = EntryFilter(category=category)
    with make() as world:
        world.add(*stored)
        matches = world.keywords.match(terms, "any", IN_TIME)
        hits = matches.top(only, ALL)

        facts = {each.seq: each for each in world.repository.facts([hit.seq for hit in hits])}
        keys = [(-hit.score, NOW - facts[hit.seq].updated_at, facts[hit.seq].entry_id) for hit in hits]
        assert keys == sorted(keys)
        assert all(hit.score > 0 for hit in hits)
        assert all(facts[hit.seq].category == category or category is None for hit in hits)
        assert matches.count(only) == len(hits)
        assert matches.top(only, k) == hits[:k]


@given(stored=stores, terms=queries)
@few_examples
def test_scores_are_those_of_the_top_and_no_others(make: MakeWorld, stored: list[Entry], terms: list[str]) -> None:
    with make() as world:
        seqs = world.add(*stored)
        matches = world.keywords.match(terms, "any", IN_TIME)

        assert dict(matches.scores([*seqs, 10_000])) == {hit.seq: hit.score for hit in matches.top(LEARNINGS, ALL)}
        assert dict(matches.scores([])) == {}


@pytest.mark.parametrize("field", ["name", "description", "notes", "keywords", "reasoning"])
def test_a_word_is_found_in_each_field(make: MakeWorld, field: str) -> None:
    entry = with_text(lesson("something else"), field, "the zebra")
    with make() as world:
        world.add(lesson("another one"), entry)

        assert found_ids(world, world.keywords.match(["zebra"], "any", IN_TIME)) == [entry.entry_id]


def test_the_index_follows_a_change_at_once(make: MakeWorld) -> None:
    entry = attrs.evolve(lesson("one"), notes="zebra")
    with make() as world:
        world.add(entry)
        world.add(attrs.evolve(entry, notes="lion"))

        assert world.keywords.match(["zebra"], "any", IN_TIME).count(LEARNINGS) == 0
        assert world.keywords.match(["lion"], "any", IN_TIME).count(LEARNINGS) == 1
        assert world.keywords.size() == 1


def test_what_a_failed_transaction_wrote_is_not_found(make: MakeWorld) -> None:
    with make() as world:
        with pytest.raises(LookupError):
            put_and_fail(world, lesson("zebra"))

        assert world.keywords.match(["zebra"], "any", IN_TIME).count(LEARNINGS) == 0
        assert world.keywords.size() == 0


@given(text=st.text(max_size=20))
@example('NOT " OR * ^ NEAR( name: \0 \ud800')
@few_examples
def test_any_text_can_be_asked_for_by_its_words(make: MakeWorld, text: str) -> None:
    with make() as world:
        world.add(lesson("one"))
        terms = search_terms(text)
        world.keywords.frequencies(terms, IN_TIME)

        assert world.keywords.match(terms, "any", IN_TIME).count(LEARNINGS) in {0, 1}


@pytest.mark.parametrize(
    "term", ['"', "NOT", "a OR b", "name:", "one*", "one\0", "(", "^one", "-", "NEAR(one two)", ""]
)
@pytest.mark.parametrize("mode", ["any", "all"])
def test_a_term_is_never_query_syntax(make: MakeWorld, term: str, mode: Mode) -> None:
    with make() as world:
        world.add(lesson("something else"))
        world.keywords.frequencies([term], IN_TIME)

        assert world.keywords.match([term], mode, IN_TIME).count(LEARNINGS) == 0


def test_two_searches_stand_side_by_side(make: MakeWorld) -> None:
    with make() as world:
        world.add(lesson("zebra"), lesson("lion"), lesson("lion cub", age=2 * DAY))
        zebra = world.keywords.match(["zebra"], "any", IN_TIME)
        lions = world.keywords.match(["lion"], "any", IN_TIME)

        assert (zebra.count(LEARNINGS), lions.count(LEARNINGS)) == (1, 2)


def test_entries_of_another_kind_are_not_found_among_learnings(make: MakeWorld) -> None:
    with make() as world:
        world.repository.put(attrs.evolve(lesson("zebra"), kind="session"))
        matches = world.keywords.match(["zebra"], "any", IN_TIME)

        assert matches.count(LEARNINGS) == 0
        assert matches.count(EntryFilter(kind="session")) == 1
