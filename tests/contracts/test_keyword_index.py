import unicodedata
from collections.abc import Callable
from contextlib import suppress

import attrs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardwon.domain.model.citations import citations_of, tokens_of, tokens_to_find
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import EVERYTHING, LEARNINGS, EntryFilter
from hardwon.domain.model.keywords import UNSPACED, asked_terms, search_terms
from hardwon.domain.model.ranking.candidates import ScoreStatistics
from hardwon.domain.model.vocabulary import CATEGORIES, Category
from hardwon.domain.use_cases.retrieve import completed
from hardwon.ports.keyword_index import Mode
from hardwon.ports.vectors import Matches
from tests.contracts.worlds import (
    ALL,
    IN_TIME,
    MakeWorld,
    World,
    on_every_keyword_index,
    put_and_fail,
)
from tests.strategies import (
    DAY,
    NOW,
    WORDS,
    all_entries,
    few_examples,
    filters,
    is_within,
    lesson,
    of_file,
    with_text,
)

stores = st.lists(all_entries, max_size=12, unique_by=lambda entry: entry.entry_id)
queries = st.lists(st.sampled_from([*WORDS, "nowhere"]), max_size=4, unique=True)
modes = st.sampled_from(["any", "all"])

Search = Callable[[World, list[str], EntryFilter], Matches]

SEARCHES: dict[str, Search] = {
    "any": lambda world, terms, only: world.keywords.match(terms, "any", only, IN_TIME),
    "all": lambda world, terms, only: world.keywords.match(terms, "all", only, IN_TIME),
    "weighed": lambda world, terms, only: world.keywords.weigh(terms, only, IN_TIME),
}


def words_of(entry: Entry) -> set[str]:
    return set(search_terms(" ".join((entry.searchable_text(), *entry.labels))))


def holds(entry: Entry, terms: list[str], mode: Mode) -> bool:
    words = words_of(entry) if mode == "any" else set(search_terms(entry.searchable_text()))
    there = [term in words for term in terms]
    return bool(terms) and (any(there) if mode == "any" else all(there))


def found_ids(world: World, matches: Matches) -> list[str]:
    return [
        entry.entry_id
        for entry in world.repository.hydrate([hit.number for hit in matches.top(ALL)])
    ]


@on_every_keyword_index
@given(stored=stores, terms=queries, mode=modes, only=filters)
@few_examples
def test_entries_of_the_filter_that_hold_any_or_all_of_the_words_are_found(
    make: MakeWorld, stored: list[Entry], terms: list[str], mode: Mode, only: EntryFilter
) -> None:
    with make() as world:
        world.add(*stored)
        matches = world.keywords.match(terms, mode, only, IN_TIME)

        assert set(found_ids(world, matches)) == {
            entry.entry_id
            for entry in stored
            if holds(entry, terms, mode) and is_within(entry, only)
        }


@on_every_keyword_index
@pytest.mark.parametrize(
    "word", ["K\u00f6nig", "\u0439\u043e\u0434", "\uac01\ub3c4", "\u304c\u304e", "\u1ea5\u1eeb"]
)
@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_composed_finds_decomposed_and_the_other_way_round(
    make: MakeWorld, search: Search, word: str
) -> None:
    decomposed = unicodedata.normalize("NFD", word)
    with make() as world:
        kept = [
            lesson(f"About {word} here"),
            lesson(f"All of {decomposed} there"),
            lesson("Another"),
        ]
        world.add(*kept)

        for asked in (word, decomposed, decomposed.upper()):
            found = found_ids(world, search(world, [*search_terms(asked)], EVERYTHING))
            assert {*found} == {entry.entry_id for entry in kept[:2]}, asked


@on_every_keyword_index
@given(stored=stores, terms=queries, only=filters)
@few_examples
def test_weighing_finds_the_same_entries_as_matching_any_word(
    make: MakeWorld, stored: list[Entry], terms: list[str], only: EntryFilter
) -> None:
    with make() as world:
        world.add(*stored)
        weighed = world.keywords.weigh(terms, only, IN_TIME)

        assert sorted(found_ids(world, weighed)) == sorted(
            found_ids(world, world.keywords.match(terms, "any", only, IN_TIME))
        )
        assert all(hit.score > 0 for hit in weighed.top(ALL))
        assert weighed.top(0) == []


@on_every_keyword_index
@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@given(stored=stores, terms=queries, only=filters)
@few_examples
def test_a_filter_changes_no_score(
    make: MakeWorld, search: Search, stored: list[Entry], terms: list[str], only: EntryFilter
) -> None:
    with make() as world:
        numbers = world.add(*stored)
        inside = [
            number for number, entry in zip(numbers, stored, strict=True) if is_within(entry, only)
        ]

        assert search(world, terms, only).scores(numbers) == search(
            world, terms, EVERYTHING
        ).scores(inside)


@on_every_keyword_index
@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@given(stored=stores, terms=queries, only=filters)
@few_examples
def test_the_statistics_are_those_of_all_scores_in_whatever_order_they_were_stored(
    make: MakeWorld, search: Search, stored: list[Entry], terms: list[str], only: EntryFilter
) -> None:
    with make() as world, make() as backwards:
        numbers = world.add(*stored)
        backwards.add(*reversed(stored))
        matches = search(world, terms, only)

        statistics = matches.statistics()
        expected = ScoreStatistics.of(matches.scores(numbers).values())._replace(
            full=statistics.full
        )
        assert (statistics.found, statistics.best) == (expected.found, expected.best)
        assert statistics == pytest.approx(expected, abs=1e-6)
        assert search(backwards, terms, only).statistics() == matches.statistics()


@on_every_keyword_index
@given(stored=stores, terms=queries.filter(bool))
@few_examples
def test_a_passage_that_holds_all_words_scores_at_least_a_full_match(
    make: MakeWorld, stored: list[Entry], terms: list[str]
) -> None:
    with make() as world:
        [holder] = world.add(lesson(" ".join(terms)), *stored)[:1]
        matches = world.keywords.weigh(terms, EVERYTHING, IN_TIME)

        assert matches.statistics().full > 0
        assert matches.scores([holder])[holder] >= matches.statistics().full - 1e-9


@on_every_keyword_index
def test_without_words_nothing_is_found(make: MakeWorld) -> None:
    with make() as world:
        world.add(lesson("one"), of_file("one"))

        for search in SEARCHES.values():
            matches = search(world, [], EVERYTHING)
            assert (matches.count(), matches.top(ALL), matches.statistics()) == (
                0,
                [],
                ScoreStatistics(),
            )


@on_every_keyword_index
@given(
    stored=stores,
    terms=queries,
    only=filters,
    head=st.tuples(st.integers(1, 5), st.none() | st.sampled_from(CATEGORIES)),
)
@few_examples
def test_the_best_come_first_and_ties_go_to_the_newest_then_to_the_smallest_id(
    make: MakeWorld,
    stored: list[Entry],
    terms: list[str],
    only: EntryFilter,
    head: tuple[int, Category | None],
) -> None:
    k, category = head
    with make() as world:
        world.add(*stored)
        matches = world.keywords.match(terms, "any", only, IN_TIME)
        hits = matches.top(ALL, category)

        facts = {fact.number: fact for fact in world.repository.facts([hit.number for hit in hits])}
        keys = [
            (-hit.score, NOW - facts[hit.number].updated_at, facts[hit.number].entry_id)
            for hit in hits
        ]
        assert keys == sorted(keys)
        assert all(hit.score > 0 for hit in hits)
        assert all(facts[hit.number].category == category or category is None for hit in hits)
        assert matches.count() == len(hits if category is None else matches.top(ALL))
        assert matches.top(k, category) == hits[:k]


@on_every_keyword_index
@given(stored=stores, terms=queries)
@few_examples
def test_scores_are_those_of_the_top_and_no_others(
    make: MakeWorld, stored: list[Entry], terms: list[str]
) -> None:
    with make() as world:
        numbers = world.add(*stored)
        matches = world.keywords.match(terms, "any", EVERYTHING, IN_TIME)

        assert dict(matches.scores([*numbers, 10_000])) == {
            hit.number: hit.score for hit in matches.top(ALL)
        }
        assert dict(matches.scores([])) == {}


@on_every_keyword_index
@pytest.mark.parametrize("search", SEARCHES)
def test_the_best_none_are_none(make: MakeWorld, search: str) -> None:
    with make() as world:
        world.add(lesson("The parser waits."))

        assert SEARCHES[search](world, ["parser"], EVERYTHING).top(0) == []


@on_every_keyword_index
@pytest.mark.parametrize(
    "field", ["name", "description", "notes", "keywords", "tags", "trigger_phrases", "reasoning"]
)
def test_a_word_is_found_in_each_field(make: MakeWorld, field: str) -> None:
    entry = with_text(lesson("something else"), field, "the zebra")
    with make() as world:
        world.add(lesson("another one"), entry)

        assert found_ids(world, world.keywords.match(["zebra"], "any", LEARNINGS, IN_TIME)) == [
            entry.entry_id
        ]


@on_every_keyword_index
def test_the_index_follows_a_change_at_once(make: MakeWorld) -> None:
    entry = attrs.evolve(lesson("one"), notes="zebra")
    with make() as world:
        world.add(entry)
        world.add(attrs.evolve(entry, notes="lion"))

        assert world.keywords.match(["zebra"], "any", LEARNINGS, IN_TIME).count() == 0
        assert world.keywords.match(["lion"], "any", LEARNINGS, IN_TIME).count() == 1
        assert (
            world.keywords.weigh(["lion", "zebra"], LEARNINGS, IN_TIME).count()
            == world.keywords.size()
            == 1
        )


@on_every_keyword_index
def test_writes_of_a_failed_transaction_are_not_found(make: MakeWorld) -> None:
    with make() as world:
        with pytest.raises(LookupError):
            put_and_fail(world, lesson("zebra"))

        assert world.keywords.match(["zebra"], "any", LEARNINGS, IN_TIME).count() == 0
        assert world.keywords.size() == 0


@on_every_keyword_index
def test_frequencies_follow_each_change(make: MakeWorld) -> None:
    with make() as world:

        def counted() -> int:
            return world.keywords.frequencies(["zebra"], IN_TIME)["zebra"]

        found = [counted()]
        with suppress(LookupError), world.repository.transaction():
            world.repository.put(lesson("zebra"))
            found.append(counted())
            raise LookupError
        world.add(lesson("lion"))  # as many changes as were undone
        found.append(counted())
        world.add(lesson("zebra"))
        found.append(counted())

        assert found == [0, 1, 0, 1]


@on_every_keyword_index
@given(text=st.text(max_size=20))
@example('NOT " OR * ^ NEAR( name: \0 \ud800')
@few_examples
def test_any_text_can_be_asked_for_by_its_words(make: MakeWorld, text: str) -> None:
    with make() as world:
        world.add(lesson("one"))
        terms = search_terms(text)
        world.keywords.frequencies(terms, IN_TIME)

        assert world.keywords.match(terms, "any", LEARNINGS, IN_TIME).count() in {0, 1}


@on_every_keyword_index
@pytest.mark.parametrize(
    "term", ['"', "NOT", "a OR b", "name:", "one*", "one\0", "(", "^one", "-", "NEAR(one two)", ""]
)
@pytest.mark.parametrize("mode", ["any", "all"])
def test_a_term_is_never_query_syntax(make: MakeWorld, term: str, mode: Mode) -> None:
    with make() as world:
        world.add(lesson("something else"))
        world.keywords.frequencies([term], IN_TIME)
        assert world.keywords.weigh([term], EVERYTHING, IN_TIME).count() == 0

        assert world.keywords.match([term], mode, LEARNINGS, IN_TIME).count() == 0


@on_every_keyword_index
def test_two_searches_stand_side_by_side(make: MakeWorld) -> None:
    with make() as world:
        world.add(lesson("zebra"), lesson("lion"), lesson("lion cub", age=2 * DAY))
        zebra = world.keywords.match(["zebra"], "any", LEARNINGS, IN_TIME)
        lions = world.keywords.match(["lion"], "any", LEARNINGS, IN_TIME)

        assert (zebra.count(), lions.count()) == (1, 2)


@on_every_keyword_index
def test_the_index_follows_a_deletion_at_once(make: MakeWorld) -> None:
    entry = of_file("zebra")
    with make() as world:
        world.add(entry, lesson("zebra"))
        world.repository.delete(entry.entry_id)

        assert dict(world.keywords.frequencies(["zebra"], IN_TIME)) == {"zebra": 1}
        assert (
            world.keywords.match(["zebra"], "any", EVERYTHING, IN_TIME).count()
            == world.keywords.size()
            == 1
        )
        assert world.keywords.weigh(["zebra"], EVERYTHING, IN_TIME).count() == 1


@on_every_keyword_index
def test_a_name_that_begins_the_description_counts_once(make: MakeWorld) -> None:
    short = attrs.evolve(of_file("zebra crossing"), name="zebra")
    whole = attrs.evolve(of_file("zebra crossing", path="two.md"), name="zebra crossing")
    with make() as world:
        numbers = world.add(
            short, whole, lesson("something else"), lesson("another one"), lesson("one more")
        )

        for search in SEARCHES.values():
            scores = search(world, ["zebra"], EVERYTHING).scores(numbers)
            assert scores[numbers[0]] == scores[numbers[1]]


WRITTEN = (
    lesson("部署之前必须先清空缓存。否则用户会看到旧页面"),
    lesson("サーバーを再起動すると接続が切れる"),
    lesson("ต้องล้างแคชก่อนนำขึ้นระบบ"),
    lesson("배포 전에 캐시를 비운다"),
    lesson("getAccountById retries when refresh_token_rotation is on"),
    lesson("Call os.path.join, then std::vector<bool> with --dry-run"),
    lesson("kpir后面要重启"),
    lesson("ＡＰＩの鍵をｸﾗｲｱﾝﾄに渡さない。ｇｅｔＫｅｙを使う"),
    lesson("Die Straße nach Łódź, đường, der Vögel"),
    lesson("Перед развёртыванием: امسح ذاكرة النُسَخ أولا: \u05d4\u05b7\u05de\u05bc\u05b0\u05d8"),
)


@on_every_keyword_index
@pytest.mark.parametrize(
    ("question", "place"),
    [
        *(
            ("缓存", 0),
            ("清", 0),
            ("清空缓存", 0),
            ("再起動", 1),
            ("サーバー", 1),
            ("แคช", 2),
            ("캐시", 3),
        ),
        *(
            ("get_account_by_id", 4),
            ("get account by id", 4),
            ("refreshTokenRotation", 4),
            ("refresh-token", 4),
        ),
        *(("os_path_join", 5), ("stdVector", 5), ("dryRun", 5), ("dry-run", 5), ("kpir后", 6)),
        *(
            ("api", 7),
            ("ＡＰＩ", 7),  # noqa: RUF001
            ("クライアント", 7),
            ("ｸﾗｲｱﾝﾄ", 7),
            ("get_key", 7),
            ("ＲＥＦＲＥＳＨ-token", 4),  # noqa: RUF001
            ("ｻｰﾊﾞｰ", 1),
        ),
        *((word, 8) for word in ("strasse", "STRASSE", "straße", "lodz", "ŁÓDŹ", "Łódz", "duong")),
        *(("vo\u0308gel", 8), ("Vögel", 8), ("vogel", 8)),
        *((word, 9) for word in ("развертыванием", "РАЗВЁРТЫВАНИЕМ", "النسخ", "النُسخ", "النـــسخ")),
        *((word, 9) for word in ("أولا", "اولا", "\u05d4\u05de\u05d8", "\u05d4\u05b7\u05de\u05d8")),
    ],
)
def test_a_word_within_a_run_and_an_identifier_in_any_spelling_find_their_entry(
    make: MakeWorld, question: str, place: int
) -> None:
    with make() as world:
        numbers = world.add(*WRITTEN)
        asked = asked_terms(question)
        counts = world.keywords.frequencies(asked.terms, IN_TIME)
        terms = asked.known(term for term, count in counts.items() if count)

        for matches in (
            world.keywords.weigh(terms, EVERYTHING, IN_TIME),
            world.keywords.match(terms, "any", EVERYTHING, IN_TIME),
            world.keywords.match(terms, "all", EVERYTHING, IN_TIME),
        ):
            assert matches.top(1)[0].number == numbers[place]


@on_every_keyword_index
def test_entries_that_are_mostly_without_spaces_are_counted(make: MakeWorld) -> None:
    with make() as world:
        world.add(*WRITTEN)

        assert dict(world.keywords.frequencies([UNSPACED], IN_TIME)) == {UNSPACED: 6}


@on_every_keyword_index
def test_a_word_that_is_being_typed_is_completed_by_the_most_frequent(make: MakeWorld) -> None:
    with make() as world:
        replication, other = (
            of_file("A replica lags", path="/a.md"),
            of_file("Replay the log", path="/b.md"),
        )
        world.add(lesson("The Replication slot"), lesson("Replication is off"), replication, other)

        found = [
            world.keywords.completions(typed, EVERYTHING, IN_TIME)
            for typed in ("repl", "replicati", "slots")
        ]
        assert found == [("replication", "replay", "replica"), ("replication",), ()]
        assert world.keywords.completions("repl", LEARNINGS, IN_TIME) == ("replication",)


@on_every_keyword_index
@pytest.mark.parametrize(
    ("typed", "word"), [("lod", "lodz"), ("łó", "lodz"), ("stras", "strasse"), ("при", "привет")]
)
def test_a_word_is_completed_whatever_its_accents_and_case(
    make: MakeWorld, typed: str, word: str
) -> None:
    with make() as world:
        world.add(lesson("Łódź, Straße 5. Привет!"), lesson("LODZ"))

        assert world.keywords.completions(typed, EVERYTHING, IN_TIME) == (word,)


@on_every_keyword_index
def test_a_word_is_completed_if_no_entry_of_the_filter_holds_it(make: MakeWorld) -> None:
    with make() as world:
        world.add(lesson("Servers in Łódź"), of_file("A lod", path="/a.md"))

        assert [
            completed(world.keywords, "the lod", only, IN_TIME) for only in (LEARNINGS, EVERYTHING)
        ] == ["the lodz", "the lod"]


@on_every_keyword_index
@pytest.mark.parametrize("search", [SEARCHES["any"], SEARCHES["weighed"]], ids=["any", "weighed"])
@pytest.mark.parametrize("word", ["zebra", "quux", "zebraquux", "herd", "test_gallop"])
def test_the_words_of_a_reference_are_found(make: MakeWorld, search: Search, word: str) -> None:
    cited = attrs.evolve(
        lesson("Lock it first."), references=("src/herd/zebra_quux.py::test_gallop",)
    )
    with make() as world:
        world.add(cited, lesson("Lock it last."))

        assert found_ids(world, search(world, [*search_terms(word)], EVERYTHING)) == [
            cited.entry_id
        ]
        assert world.keywords.match(["zebra"], "all", EVERYTHING, IN_TIME).count() == 0


@on_every_keyword_index
@pytest.mark.parametrize(
    ("reference", "opened", "other"),
    [
        ("src/db/pool.py:40", "src/db/pool.py", "src/db/pools.py"),
        ("src/db/", "src/db/deep/x.sql", "src/dbx/x.sql"),
        ("**/*.sql", "deep/in/schema.sql", "deep/in/schema.py"),
        ("web/*.{ts,tsx}", "web/a.tsx", "web/a.css"),
    ],
)
def test_lessons_that_cite_a_file_are_found_by_its_tokens(
    make: MakeWorld, reference: str, opened: str, other: str
) -> None:
    referring = attrs.evolve(lesson("Lock it first."), references=(reference,))
    quoting = lesson(f"Lock `{reference}` first.")
    document = of_file(f"Lock `{reference}` first.", kind="document")
    with make() as world:
        world.add(referring, quoting, document, lesson("Lock it last."))
        found = [
            {
                *found_ids(
                    world, world.keywords.match(tokens_to_find(path), "any", EVERYTHING, IN_TIME)
                )
            }
            for path in (opened, other)
        ]

        assert found == [{referring.entry_id, quoting.entry_id}, set()]


@on_every_keyword_index
def test_tokens_are_no_words_of_an_entry(make: MakeWorld) -> None:
    citing = lesson("Lock `src/db/pool.py` first.")
    with make() as world:
        world.add(citing)
        [token] = tokens_of(citations_of((), [citing.description]))

        assert not world.keywords.match([token], "all", EVERYTHING, IN_TIME).count()
        assert not world.keywords.completions(token[:6], EVERYTHING, IN_TIME)


@on_every_keyword_index
def test_a_reference_that_is_gone_is_not_found(make: MakeWorld) -> None:
    citing = attrs.evolve(lesson("Lock it first."), references=("src/db/pool.py",))
    tokens = tokens_to_find("src/db/pool.py")
    with make() as world:
        world.add(citing)
        before = world.keywords.match(tokens, "any", EVERYTHING, IN_TIME).count()
        world.repository.put(attrs.evolve(citing, references=()))

        assert (before, world.keywords.match(tokens, "any", EVERYTHING, IN_TIME).count()) == (1, 0)
