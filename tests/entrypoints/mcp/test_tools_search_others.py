"""`memory_search` without a collection finds what was stored, whatever kind it is: the embedded model."""

import math

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Visit
from tests.entrypoints.planted import memory
from tests.entrypoints.programs import hardwon
from tests.entrypoints.provider_process import Scene, texts

LESSON = {
    "name": "Idempotency keys",
    "description": "Never send a payment request again without an idempotency key: the customer pays twice.",
    "reasoning": "It happened at the end of a billing run.",
    "category": "anti-patterns",
}
PARAPHRASE = "people were billed two times after a retry"
YEAR = 365


@pytest.fixture
def local(world: World) -> World:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    return world


def test_a_lesson_of_one_session_is_found_in_the_next_by_a_paraphrase(
    local: World, visit: Visit
) -> None:
    visit(local).call("store_memory", **LESSON)
    answer = visit(local).answer("memory_search", query=PARAPHRASE)

    assert (answer["results"], answer["count"], answer["suggestion"]) == ([], 0, None)
    assert [row["title"] for row in answer["others"]] == ["Idempotency keys"]
    assert 50 <= answer["others"][0]["score"] <= 100
    lines = answer["message"].splitlines()
    assert lines[0] == "Documents: none"
    assert lines[2] == "Others:"
    assert lines[3].endswith("%] learning")


def test_documents_and_others_are_grouped_under_headings_best_first(
    local: World, visit: Visit
) -> None:
    local.remember(
        memory("document", "Billing", "How the billing run sends payment requests.", None).entry,
        memory(
            "decision",
            "Retries",
            "A payment is retried once, with the idempotency key of the first try.",
            None,
        ).entry,
        memory(
            "session",
            "Invoices",
            "Fixed invoices that customers paid twice because payments were retried.",
            None,
        ).entry,
        memory("gotcha", "Sourdough", "The dough needs more water in summer.", None).entry,
        memory(
            "gotcha",
            "Next door",
            "A payment is retried twice.",
            None,
            source_project="b",
            workspace="c",
        ).entry,
    )
    local.embed()
    client = visit(local)
    client.call("store_memory", **LESSON)
    answer = client.answer("memory_search", query="retrying a payment request twice", limit=3)

    assert [row["title"] for row in answer["results"]] == ["Billing"]
    others = answer["others"]
    assert {row["title"] for row in others} == {"Retries", "Invoices", "Idempotency keys"}
    scores = [row["score"] for row in others]
    assert scores == sorted(scores, reverse=True)
    text = answer["message"]
    assert text.startswith("Documents:\n[")
    assert text.index("Billing") < text.index("\n\nOthers:\n[") < text.index("Retries")
    few = client.answer(
        "memory_search", query="retrying a payment request twice", limit=1, explain=True
    )
    [other] = few["others"]
    assert len(few["results"]) == 1
    names = {"exp": math.exp, "min": min, "max": max, **other["parts"]}
    recomputed = eval(few["othersFormula"], {"__builtins__": {}}, names)  # noqa: S307  # a formula of ours
    assert other["score"] == pytest.approx(recomputed, abs=1e-6)


def test_nothing_is_found_only_when_no_collection_answers(local: World, visit: Visit) -> None:
    client = visit(local)
    client.call("store_memory", **LESSON)
    answer = client.answer("memory_search", query="tango lessons in buenos aires")

    assert (answer["results"], answer["others"]) == ([], [])
    assert answer["message"].startswith("Nothing found: ")
    assert answer["suggestion"]


def test_a_named_collection_is_asked_alone(local: World, visit: Visit) -> None:
    client = visit(local)
    client.call("store_memory", **LESSON)

    documents = client.answer("memory_search", query=PARAPHRASE, collection="documents")
    everything = client.answer("memory_search", query=PARAPHRASE, collection="all")
    assert (documents["results"], documents["others"]) == ([], [])
    assert [row["title"] for row in everything["results"]] == ["Idempotency keys"]


def test_concepts_find_others_too(local: World, visit: Visit) -> None:
    client = visit(local)
    client.call("store_memory", **LESSON)
    answer = client.answer("memory_search", concepts=["payment", "idempotency"])

    assert [row["title"] for row in answer["others"]] == ["Idempotency keys"]


def test_tier_and_age_order_what_is_relevant_and_lift_nothing_else(
    local: World, visit: Visit
) -> None:
    local.remember(
        memory("document", "Login", "We implemented authentication with OAuth", None, YEAR).entry,
        memory(
            "document", "Office", "The plants are watered on Mondays.", None, tier="important"
        ).entry,
    )
    local.embed()
    question = "how did we implement authentication"
    answer = visit(local).answer("memory_search", query=question)

    assert answer["results"][0]["title"] == "Login"
    lines = hardwon(local, "recall", "--in", "documents", question).stdout.splitlines()
    assert lines[1] == "      → Login (#1)"
    assert "Office" not in "\n".join(lines)


def test_rules_stand_apart_in_the_terminal_as_in_the_tool(local: World, visit: Visit) -> None:
    local.remember(
        memory("document", "Login", "We implemented authentication with OAuth", None).entry,
        memory(
            "document",
            "A rule",
            "Authentication is never implemented by hand.",
            None,
            tier="constitutional",
        ).entry,
    )
    local.embed()
    question = "how did we implement authentication"
    shown = hardwon(local, "recall", "--in", "documents", question).stdout
    answer = visit(local).answer("memory_search", query=question)

    rules = "These rules always hold here:\n### A rule\nAuthentication is never implemented by hand.\n\n"
    assert shown.startswith(f"{rules}[")
    assert answer["message"].startswith(f"{rules}[")
    assert shown.count("A rule") == 1
    document = hardwon(local, "recall", "--in", "documents", "--json", question).document
    assert [item["title"] for item in document["items"]] == ["Login"]
    assert [rule["name"] for rule in document["constitutional"]] == ["A rule"]


def test_the_question_is_sent_to_the_provider_once(scene: Scene, visit: Visit) -> None:
    scene.choose("openai", keyword_provider="off")
    scene.world.remember(memory("document", "Billing", "How the billing run works.", None).entry)
    client = visit(scene.world)
    client.call("store_memory", **LESSON)
    assert hardwon(scene.world, "embed").code == 0
    scene.requests()
    client.call("memory_search", query=PARAPHRASE)

    assert texts(scene.requests()) == [PARAPHRASE]
