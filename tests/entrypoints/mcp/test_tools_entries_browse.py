"""`memory_load`, `memory_list` and `memory_stats` show what there is."""

import json
from collections.abc import Iterator

import pytest
from pydantic.alias_generators import to_camel

from hardwon.domain.model.vocabulary import KINDS
from tests.entrypoints.mcp.conftest import Connect, RawClient, server_with
from tests.entrypoints.planted import document, of_kind
from tests.entrypoints.programs import hardwon
from tests.entrypoints.provider_process import Scene

LONG = "word " * 4_000

PLANTED = [
    *[
        document(
            f"Page {number}",
            f"text {number}",
            0.5,
            number,
            importance_weight=number / 10,
            spec_folder="001-pages",
        )
        for number in range(1, 6)
    ],
    document(
        "Flow", "the whole flow", 0.1, file="flow.md", spec_folder="002-flow", tier="critical"
    ),
    document(
        "Start", "how it starts", 0.1, file="flow.md", anchor_id="start", spec_folder="002-flow"
    ),
    document(
        "Gone", "given up", tier="deprecated", spec_folder="002-flow", context_type="research"
    ),
    document("Long", LONG, 0.1, spec_folder="003-long"),
    document("After it", "short", 0.1, 1, spec_folder="003-long"),
    document("Waiting", "no vector yet", spec_folder="004-waiting"),
    document("Elsewhere", "of another project", source_project="other", spec_folder="001-pages"),
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawClient]:
    with server_with(tmp_path_factory.mktemp("browse"), *PLANTED) as client:
        yield client


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawClient]:
    """Return a server that knows one memory of each kind, and of each another one of another project."""
    own = [of_kind(kind, f"One {kind}", f"{kind} of this project") for kind in KINDS]
    others = [
        of_kind(kind, f"Other {kind}", f"{kind} of another", source_project="other")
        for kind in KINDS
    ]
    with server_with(tmp_path_factory.mktemp("mixed"), *own, *others) as client:
        yield client


def listed(client: RawClient, **arguments: object) -> list[str]:
    return [row["title"] for row in client.answer("memory_list", **arguments)["results"]]


def test_a_folder_is_loaded_whole_the_newest_first_what_is_given_up_included(
    client: RawClient,
) -> None:
    answer = client.answer("memory_load", specFolder="002-flow")

    assert {row["title"]: row["content"] for row in answer["results"]} == {
        "Flow": "the whole flow",
        "Start": "how it starts",
        "Gone": "given up",
    }
    assert "how it starts" in answer["message"]
    pages = client.answer("memory_load", specFolder="001-pages", limit=2)
    assert [row["title"] for row in pages["results"]] == ["Page 1", "Page 2"]
    assert (pages["total"], pages["count"]) == (5, 2)


def test_an_anchor_is_loaded_alone(client: RawClient) -> None:
    [row] = client.answer("memory_load", specFolder="002-flow", anchorId="start")["results"]

    assert (row["title"], row["anchorId"], row["content"]) == ("Start", "start", "how it starts")


def test_one_memory_is_loaded_by_number_or_id(client: RawClient) -> None:
    [flow] = client.answer("memory_load", specFolder="002-flow", anchorId="start")["results"]

    for reference in (flow["id"], str(flow["id"]), flow["entryId"]):
        [row] = client.answer("memory_load", id=reference)["results"]
        assert row["title"] == "Start"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"anchorId": "start"},
        {"id": 1, "specFolder": "002-flow"},
        {"id": 1, "anchorId": "start"},
    ],
)
def test_a_memory_to_load_is_named_in_exactly_one_way(
    client: RawClient, arguments: dict[str, object]
) -> None:
    refused = client.refusal("memory_load", **arguments)

    assert refused == "give specFolder, with an anchorId if you like, or id"


def test_a_missing_entry_is_reported(client: RawClient) -> None:
    assert client.refusal("memory_load", id=9999).startswith("no memory has the id '9999'")
    assert client.answer("memory_load", specFolder="404-none") == {
        "message": "no memory of 404-none: memory_list shows those there are",
        "total": 0,
        "count": 0,
        "results": [],
    }


def test_a_long_text_is_cut_where_a_host_would_cut_it_and_says_so(client: RawClient) -> None:
    answer = client.answer("memory_load", specFolder="003-long")
    rows = {row["title"]: row for row in answer["results"]}

    assert rows["Long"]["truncated"]
    assert LONG.startswith(rows["Long"]["content"])
    assert (
        f"id {rows['Long']['id']} is cut: the rest is in {rows['Long']['filePath']}"
        in answer["message"]
    )
    assert len(client.lines[-1]) < 20_000


def test_pages_do_not_overlap_and_tell_the_total(client: RawClient) -> None:
    pages = [client.answer("memory_list", limit=4, offset=offset) for offset in (0, 4, 8, 12)]
    titles = [row["title"] for page in pages for row in page["results"]]

    assert [(page["total"], page["count"], page["offset"]) for page in pages] == [
        (11, 4, 0),
        (11, 4, 4),
        (11, 3, 8),
        (11, 0, 12),
    ]
    assert len(set(titles)) == 11
    assert "Elsewhere" not in titles


def test_every_kind_is_listed_lessons_of_all_projects_included(mixed: RawClient) -> None:
    everything = mixed.answer("memory_list")
    pages = [mixed.answer("memory_list", limit=3, offset=offset) for offset in (0, 3, 6)]
    expected = {*(f"One {kind}" for kind in KINDS), "Other learning"}

    assert {row["title"] for row in everything["results"]} == expected
    assert {row["kind"] for row in everything["results"]} == set(KINDS)
    assert (everything["total"], everything["count"]) == (8, 8)
    assert [(page["total"], page["count"]) for page in pages] == [(8, 3), (8, 3), (8, 2)]
    assert {row["title"] for page in pages for row in page["results"]} == expected
    assert listed(mixed, tier="critical") == []


def test_a_collection_is_listed_alone(mixed: RawClient) -> None:
    assert set(listed(mixed, collection="learnings")) == {"One learning", "Other learning"}
    assert listed(mixed, collection="documents") == ["One document"]
    assert listed(mixed, collection="sessions", limit=1) in (["One session"], ["Other session"])


def test_lists_are_filtered_and_sorted(client: RawClient) -> None:
    by_weight = ["Page 5", "Page 4", "Page 3", "Page 2", "Page 1"]

    assert listed(client, specFolder="001-pages", sortBy="importance_weight") == by_weight
    assert listed(client, specFolder="001-pages") == by_weight[::-1]
    assert listed(client, specFolder="001-pages", sortBy="updated_at") == by_weight[::-1]
    assert listed(client, tier="critical") == ["Flow"]
    assert listed(client, collection="learnings") == []
    assert client.refusal("memory_list", sortBy="title").startswith('sortBy is "title": use')
    assert client.refusal("memory_list", offset=-1).startswith("offset is -1")


def test_a_row_has_all_the_fields_of_a_memory(client: RawClient) -> None:
    [row] = client.answer("memory_list", tier="critical")["results"]
    number, epoch = row.pop("id"), row.pop("createdAtEpoch")

    assert client.world.query(
        "SELECT id, created_at_epoch FROM memory_index WHERE importance_tier = 'critical'"
    ) == [(number, epoch)]
    assert row.keys() == {
        *(
            "entryId",
            "kind",
            "specFolder",
            "filePath",
            "anchorId",
            "name",
            "title",
            "importanceTier",
            "importanceWeight",
        ),
        *(
            "contextType",
            "channel",
            "sessionId",
            "createdAt",
            "updatedAt",
            "accessCount",
            "lastAccessed",
        ),
        *(
            "validationCount",
            "confidenceScore",
            "triggerPhrases",
            "expiresAt",
            "supersededBy",
            "warning",
        ),
    }


def test_the_statistics_are_those_of_the_resource_and_the_command(client: RawClient) -> None:
    stats = client.answer("memory_stats")
    output = {name: figures for name, figures in stats.items() if name != "message"}

    assert stats["entries"] == {"total": 12}
    assert stats["byTier"] == {"normal": 10, "critical": 1, "deprecated": 1}
    assert stats["byContextType"] == {"general": 11, "research": 1}
    assert stats["bySpecFolder"] == {"001-pages": 6, "002-flow": 3, "003-long": 2, "004-waiting": 1}
    embedding = {
        "provider": "openai",
        "model": "text-embedding-3-small",
        "dimensions": 16,
        "trouble": "",
    }
    assert stats["embedding"] == {**embedding, "embedded": 9, "pending": 2}
    store = {
        "path": str(client.world.database),
        "bytes": stats["store"]["bytes"],
        "keyword_search": True,
    }
    assert stats["store"] == store
    assert store["bytes"] >= client.world.database.stat().st_size  # and of the write-ahead log
    [resource] = client.ask("resources/read", uri="memory://stats")["result"]["contents"]
    command = hardwon(client.world, "stats", "--json").document
    read = json.loads(resource["text"])
    assert read | {"store": store} == command | {"store": store}
    assert output == {to_camel(name): figures for name, figures in command.items()} | {
        "store": store
    }


def test_a_failing_embedder_shows_and_words_are_searched(scene: Scene, connect: Connect) -> None:
    scene.choose("openai", keyword_provider="off")
    scene.world.remember(document("Lock", "lock the store", source_project="project").entry)
    scene.take_down()
    client = connect(scene.world)
    stats = client.answer("memory_stats")
    answer = client.answer("memory_search", query="lock")

    assert stats["embedding"]["trouble"]
    assert (
        f"embedding fails, so search is by word only: {stats['embedding']['trouble']}"
        in stats["message"]
    )
    assert [row["title"] for row in answer["results"]] == ["Lock"]
