"""`memory_search` finds, filters and explains."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.entrypoints.mcp.conftest import RawClient, server_with
from tests.entrypoints.planted import QUESTION, document, of_kind

SIX_WORDS = "alder birch cedar dogwood elm fir"

PLANTED = [
    document("First", "lock the store, always lock", 0.9),
    document("Second", "the store has a lock and much else that is said about it at length", 0.8),
    document("Without a vector", "a lock"),
    document("By meaning only", "how two writers get on", 0.7),
    document(
        "Critical lock store",
        "lock the store for good",
        0.95,
        365,
        tier="critical",
        anchor_id="lock-store",
    ),
    document("Important", "lock the store after a year", 0.3, 365, tier="important"),
    document("Weighty", "lock the store with all weight", 0.3, 365, importance_weight=1.0),
    document("Ninety days", "lock the store in spring", 0.3, 90),
    document("Half a year", "lock the store in winter", 0.3, 180),
    document("Ancient", "lock the store long ago", 0.3, 3000),
    document(
        "Six days", "lock the store for now", 0.5, 6, tier="temporary", spec_folder="006-trial"
    ),
    document(
        "Eight days", "lock the store for then", 0.99, 8, tier="temporary", spec_folder="006-trial"
    ),
    document("Given up", "lock the store by hand", 0.99, tier="deprecated"),
    document(
        "A rule", "never lock the store twice", 0.6, tier="constitutional", importance_weight=0.9
    ),
    document(
        "Research", "lock the store, they say", 0.4, context_type="research", tier="important"
    ),
    document("Elsewhere", "lock the store there", 0.99, source_project="other"),
    document(
        "Whole", "oauth first. Then the callback.", -0.1, file="flow.md", spec_folder="007-flow"
    ),
    document(
        "Part",
        "the callback of oauth",
        -0.1,
        file="flow.md",
        anchor_id="oauth-callback",
        spec_folder="007-flow",
    ),
    document(
        "Other part",
        "oauth comes before",
        -0.1,
        file="flow.md",
        anchor_id="start",
        spec_folder="007-flow",
    ),
    document(
        "Three", "oauth errors: errors of oauth. Callback, callback!", -0.2, spec_folder="008-all"
    ),
    document("Two", "oauth errors", -0.2, spec_folder="008-all", trigger_phrases=("callback",)),
    document("Forms", "an oauth error in callbacks", -0.2, spec_folder="008-all"),
    document("Six words", SIX_WORDS, -0.3, spec_folder="009-words"),
    *[
        document(f"Many {number}", "many " * number + "words", -0.3, spec_folder="020-many")
        for number in range(1, 26)
    ],
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawClient]:
    with server_with(tmp_path_factory.mktemp("search"), *PLANTED) as client:
        yield client


@pytest.mark.parametrize(
    "arguments", [{}, {"limit": 3}, {"limit": 100}, {"useDecay": False}, {"tier": "important"}]
)
def test_every_score_is_recomputed_from_its_parts(
    client: RawClient, arguments: dict[str, object]
) -> None:
    answer = client.found(QUESTION, explain=True, **arguments)

    assert answer["results"]
    for row in answer["results"]:
        recomputed = eval(answer["formula"], {"__builtins__": {}}, row["parts"])  # noqa: S307  # a formula of ours
        assert row["score"] == pytest.approx(recomputed, abs=1e-9)
        ranks = [row["parts"]["vector_rank"], row["parts"]["keyword_rank"]]
        assert row["parts"]["rrf"] == pytest.approx(
            math.fsum(1 / (60 + rank) for rank in ranks if rank), abs=1e-12
        )
        assert max(ranks) <= 2 * int(str(arguments.get("limit", 10)))
    assert [row["score"] for row in answer["results"]] == sorted(
        (row["score"] for row in answer["results"]), reverse=True
    )


def test_the_first_of_both_lists_has_two_sixty_firsts_and_a_perfect_critical_one_shows_92_percent(
    client: RawClient,
) -> None:
    answer = client.found("lock store", tier="critical", explain=True)
    [row] = answer["results"]

    assert row["parts"]["rrf"] == pytest.approx(2 / 61, abs=1e-12)
    assert row["score"] == pytest.approx(40 + 25 * 2 / 3 + 20 + 15)
    assert answer["message"].splitlines()[:2] == [
        f"[92%] {row['filePath']}#lock-store",
        f"      \u2192 Critical lock store (#{row['id']})",
    ]


def test_lists_are_in_the_order_of_cosine_and_bm25(client: RawClient) -> None:
    answer = client.found(
        QUESTION, specFolder="049-auth", limit=50, explain=True, includeConstitutional=False
    )
    ranks = {
        row["title"]: (row["parts"]["vector_rank"], row["parts"]["keyword_rank"])
        for row in answer["results"]
    }
    sql = "SELECT rowid, bm25(entries_fts) FROM entries_fts WHERE entries_fts MATCH 'lock OR store'"
    bm25 = dict(client.world.query(sql))
    by_word = sorted((row["parts"]["keyword_rank"], row["id"]) for row in answer["results"])

    assert ranks["Without a vector"][0] == ranks["By meaning only"][1] == 0
    by_meaning = ["Critical lock store", "First", "Second", "By meaning only", "Research"]
    assert [ranks[title][0] for title in by_meaning] == [1, 2, 3, 4, 5]
    in_order = [bm25[number] for rank, number in by_word if rank]
    assert len(in_order) > 3
    assert in_order == sorted(in_order)


def test_ten_of_more_are_returned_unless_asked_otherwise(client: RawClient) -> None:
    assert client.found("many", specFolder="020-many")["count"] == 10
    assert len(client.titles("many", specFolder="020-many", limit=100)) == 25
    assert client.refusal("memory_search", query="many", limit=0).startswith("limit is 0")
    assert client.refusal("memory_search", query="many", limit=101).startswith("limit is 101")


def test_filters_combine_with_a_query(client: RawClient) -> None:
    assert set(client.titles(QUESTION, specFolder="006-trial")) == {"Six days"}
    assert set(client.titles(QUESTION, tier="important")) == {"Important", "Research"}
    assert client.titles(QUESTION, contextType="research") == ["Research"]
    assert client.titles(QUESTION, tier="important", contextType="research") == ["Research"]
    assert client.titles(QUESTION, tier="critical", contextType="research") == []
    assert client.refusal("memory_search", query="x", tier="vital").startswith(
        'tier is "vital": use'
    )
    assert client.refusal("memory_search", query="x", contextType="fun").startswith(
        'contextType is "fun": use'
    )


def decay_of(client: RawClient, title: str, **arguments: object) -> float:
    row = client.row(
        title, QUESTION, limit=50, explain=True, includeConstitutional=False, **arguments
    )
    return float(row["parts"]["decay"])


@pytest.mark.parametrize(
    ("title", "factor"),
    [
        ("Ninety days", 0.5),
        ("Half a year", 0.25),
        ("Ancient", 0.1),
        ("Important", 1),
        ("Critical lock store", 1),
        ("Weighty", 1),
        ("First", 1),
        ("Six days", 0.5 ** (6 / 90)),
    ],
)
def test_age_halves_every_ninety_days_down_to_a_floor_except_for_exempt_tiers(
    client: RawClient, title: str, factor: float
) -> None:
    assert decay_of(client, title) == pytest.approx(factor, abs=1e-3)  # an hour on a slow machine
    assert decay_of(client, title, useDecay=False) == 1


def test_an_old_memory_scores_lower_unless_age_is_left_out(client: RawClient) -> None:
    old, new = (
        [
            client.row(title, QUESTION, limit=50, useDecay=decays)["score"]
            for decays in (True, False)
        ]
        for title in ("Half a year", "First")
    )

    assert old[1] - old[0] == pytest.approx(20 * (1 - 0.25), abs=0.01)
    assert new[0] == pytest.approx(new[1], abs=0.01)


@pytest.mark.parametrize(
    ("title", "boost"),
    [("Critical lock store", 2), ("Important", 1.5), ("First", 1), ("Six days", 0.5)],
)
def test_a_tier_boosts(client: RawClient, title: str, boost: float) -> None:
    assert client.row(title, QUESTION, limit=50, explain=True)["parts"]["boost"] == boost


def test_a_constitutional_memory_is_boosted_by_three(client: RawClient) -> None:
    row = client.row("A rule", QUESTION, tier="constitutional", explain=True)

    assert (row["parts"]["boost"], row["parts"]["decay"]) == (3, 1)


def test_rules_come_first_whole_and_are_not_counted_or_doubled(client: RawClient) -> None:
    answer = client.found(QUESTION, limit=3)
    without = client.found(QUESTION, limit=3, includeConstitutional=False)

    assert [(rule["title"], rule["content"]) for rule in answer["constitutional"]] == [
        ("A rule", "never lock the store twice")
    ]
    assert answer["message"].startswith(
        "These rules always hold here:\n### A rule\nnever lock the store twice\n"
    )
    assert len(answer["results"]) == 3
    assert "A rule" not in client.titles(QUESTION, limit=100)
    assert without["constitutional"] == []
    assert "A rule" not in without["message"]
    assert "A rule" not in client.titles(QUESTION, limit=100, includeConstitutional=False)
    assert client.found("many", specFolder="020-many")["constitutional"]


def test_a_temporary_memory_is_found_on_the_sixth_day_and_not_on_the_eighth(
    client: RawClient,
) -> None:
    assert client.titles(QUESTION, specFolder="006-trial") == ["Six days"]
    listed = client.answer("memory_list", specFolder="006-trial")
    assert {row["title"] for row in listed["results"]} == {"Six days", "Eight days"}


def test_a_deprecated_memory_is_never_found_and_still_listed(client: RawClient) -> None:
    asked = client.found(QUESTION, tier="deprecated")

    assert "Given up" not in client.titles(QUESTION, limit=100)
    assert (asked["results"], asked["constitutional"]) == ([], [])
    assert "memory_list" in asked["suggestion"]
    assert [row["title"] for row in client.answer("memory_list", tier="deprecated")["results"]] == [
        "Given up"
    ]


def test_other_projects_are_out_of_scope_unless_wanted(client: RawClient) -> None:
    assert "Elsewhere" not in client.titles(QUESTION, limit=100)
    assert "Elsewhere" in client.titles(QUESTION, limit=100, scope="global")


def test_a_section_gains_by_its_name_and_stands_for_its_file(client: RawClient) -> None:
    answer = client.found("oauth callback", specFolder="007-flow", explain=True)
    rows = {row["title"]: row["parts"]["overlap"] for row in answer["results"]}

    assert rows == {"Part": 1.0, "Other part": 0.0}
    assert answer["results"][0]["anchorId"] == "oauth-callback"


def test_only_what_holds_all_concepts_is_found_with_their_counts(client: RawClient) -> None:
    answer = client.found(concepts=["oauth", "errors", "callback"])

    assert {row["title"]: row["conceptCounts"] for row in answer["results"]} == {
        "Three": {"oauth": 2, "errors": 2, "callback": 2},
        "Forms": {"oauth": 1, "errors": 0, "callback": 0},
    }
    assert (
        "      \u2192 Contains: oauth (2), errors (2), callback (2)"
        in answer["message"].splitlines()
    )
    assert client.titles("errors", concepts=["oauth", "callback"], specFolder="007-flow") == [
        "Part"
    ]


@pytest.mark.parametrize("count", [2, 5])
def test_two_to_five_concepts_are_taken(client: RawClient, count: int) -> None:
    assert client.titles(concepts=SIX_WORDS.split()[:count]) == ["Six words"]


@pytest.mark.parametrize("count", [1, 6])
def test_one_or_six_concepts_are_refused(client: RawClient, count: int) -> None:
    concepts = SIX_WORDS.split()[:count]

    assert client.refusal("memory_search", concepts=concepts) == (
        f"concepts must be 2 to 5 different ones, got {count}: {concepts!r}"
    )


@pytest.mark.parametrize("arguments", [{}, {"query": "  "}])
def test_an_invalid_query_is_refused_in_one_line(
    client: RawClient, arguments: dict[str, object]
) -> None:
    output = "nothing to search for: give a query, 2 to 5 concepts, or both"

    assert client.refusal("memory_search", **arguments) == output


def test_a_memory_that_shares_no_word_is_found_by_meaning(client: RawClient) -> None:
    parts = client.row("By meaning only", QUESTION, explain=True)["parts"]

    assert parts["keyword_rank"] == 0 < parts["vector_rank"]


def test_where_nothing_is_found_the_way_on_is_reported(client: RawClient) -> None:
    answer = client.found(QUESTION, specFolder="404-none")

    assert answer["results"] == []
    for way in (
        "memory_stats",
        "memory_index_scan",
        "restart",
        "checkpoint_restore",
        'collection "all"',
    ):
        assert way in answer["suggestion"]
    assert answer["suggestion"] in answer["message"]
    assert (
        "These rules always hold here:" in answer["message"],
        "Nothing found" in answer["message"],
    ) == (True, False)
    without_rules = client.found(QUESTION, specFolder="404-none", includeConstitutional=False)
    assert without_rules["message"] == f"Nothing found: {without_rules['suggestion']}"
    assert client.found(QUESTION)["suggestion"] is None


def test_an_access_by_search_or_load_is_counted(client: RawClient) -> None:
    before = client.row("Research", QUESTION, contextType="research")
    [loaded] = client.answer("memory_load", id=before["id"])["results"]
    after = client.row("Research", QUESTION, contextType="research")
    [(count, last)] = client.world.query(
        "SELECT access_count, last_accessed FROM memory_index WHERE id = ?", (before["id"],)
    )

    assert (loaded["accessCount"], after["accessCount"], count) == tuple(
        before["accessCount"] + n for n in (1, 2, 3)
    )
    assert last >= after["lastAccessed"][:19]


def test_a_store_that_is_busy_loses_the_count_not_the_answer(client: RawClient) -> None:
    client.found(QUESTION)  # the server's first search also deletes what has expired
    connection = client.world.connect()
    connection.execute("BEGIN IMMEDIATE")
    answer = client.found(QUESTION)
    connection.execute("ROLLBACK")

    assert answer["count"] == 10
    [note] = answer["notes"]
    assert note.startswith("access not counted: ")


def test_other_collections_are_asked_by_their_own_rules(client: RawClient) -> None:
    answer = client.found(QUESTION, collection="all", explain=True)

    for row in answer["results"]:
        names = {"exp": math.exp, "min": min, "max": max, **row["parts"]}
        recomputed = eval(answer["formula"], {"__builtins__": {}}, names)  # noqa: S307  # a formula of ours
        assert row["score"] == pytest.approx(recomputed, abs=1e-6)
    assert client.titles(QUESTION, collection="sessions") == []


def test_an_answer_is_short_enough_for_hosts(client: RawClient) -> None:
    client.call("memory_search", query=QUESTION)

    assert len(client.lines[-1]) < 20_000


def test_a_lesson_is_found_by_the_file_that_it_refers_to(tmp_path: Path) -> None:
    herd = of_kind("learning", "Herd", "Lock it first.", references=("src/zebra_quux.py:7",))
    with server_with(tmp_path, herd, of_kind("learning", "Other", "Lock it last.")) as client:
        found = [row["title"] for row in client.found("zebra_quux")["others"]]

    assert found == ["Herd"]
