"""The server answers or refuses every message in order and survives."""

import json
import re
from typing import Any

import pytest

from hardwon.domain.model.vocabulary import CATEGORIES
from hardwon.entrypoints.mcp.prompts import INSTRUCTIONS
from hardwon.entrypoints.mcp.stdio import LONGEST_LINE
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import LESSON, LESSON_ID, RawClient
from tests.entrypoints.programs import keep

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
MAX_CHARACTERS = 1_500
MAX_OF_ALL_TOOLS = 18_000


def tool(client: RawClient, name: str) -> Any:
    [found] = [item for item in client.ask("tools/list")["result"]["tools"] if item["name"] == name]
    return found


def test_the_instructions_are_short_and_name_the_tools_to_search_and_to_store(
    shared: RawClient,
) -> None:
    words = set(re.findall(r"\w+", INSTRUCTIONS))

    assert shared.initialised["serverInfo"]["name"] == "hardwon"
    assert shared.initialised["instructions"] == INSTRUCTIONS
    assert len(INSTRUCTIONS) < MAX_CHARACTERS
    assert {"memory_search", "store_memory"} <= words


def test_the_server_lists_exactly_the_tools_of_the_requirement(shared: RawClient) -> None:
    of_documents = (
        "search load match_triggers list update delete validate stats save index_scan".split()
    )
    of_checkpoints = "create list restore delete".split()

    assert {tool["name"] for tool in shared.ask("tools/list")["result"]["tools"]} == {
        "store_memory",
        *(f"memory_{verb}" for verb in of_documents),
        *(f"checkpoint_{verb}" for verb in of_checkpoints),
    }


def test_the_list_of_tools_costs_a_session_under_18000_characters(shared: RawClient) -> None:
    assert len(json.dumps(shared.ask("tools/list"))) <= MAX_OF_ALL_TOOLS


def test_the_schema_of_store_memory_says_what_it_takes(
    shared: RawClient,
) -> None:
    store_memory = tool(shared, "store_memory")
    properties = store_memory["inputSchema"]["properties"]

    assert store_memory["inputSchema"]["required"] == [
        "name",
        "description",
        "reasoning",
        "category",
    ]
    assert store_memory["inputSchema"]["additionalProperties"] is False
    assert sorted(properties["category"]["enum"]) == sorted(CATEGORIES)
    assert (properties["references"]["type"], properties["references"]["default"]) == ("array", [])
    assert all(value["description"] for value in properties.values())
    assert store_memory["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": False,
        "openWorldHint": False,
    }


@pytest.mark.parametrize(
    ("line", "request_id", "code"),
    [
        (b"garbage {", None, PARSE_ERROR),
        (b"\xff\xfe\x00", None, PARSE_ERROR),
        (b"[" * 100_000, None, PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "id": 1' + b"0" * 5_000 + b', "method": "ping"}', None, PARSE_ERROR),
        (b"[]", None, INVALID_REQUEST),
        (b"null", None, INVALID_REQUEST),
        (b'{"id": 7, "method": "ping"}', 7, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', None, INVALID_REQUEST),
        (b"x" * (LONGEST_LINE + 2), None, INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": "x", "method": 5}', "x", INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 8, "method": "tools/list", "params": [1]}', 8, INVALID_REQUEST),
        (
            b'{"jsonrpc": "2.0", "id": 9, "method": "ping", "params": {"x": "\\ud800"}}',
            9,
            INVALID_REQUEST,
        ),
        (b'{"jsonrpc": "2.0", "id": 10, "method": "no/such"}', 10, METHOD_NOT_FOUND),
        (
            b'{"jsonrpc": "2.0", "id": 11, "method": "tools/call", "params": {"name": 5}}',
            11,
            INVALID_PARAMS,
        ),
        (
            b'{"jsonrpc": "2.0", "id": 12, "method": "prompts/get", "params": {"name": "x"}}',
            12,
            INVALID_PARAMS,
        ),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_a_line_that_is_no_proper_request_is_refused(
    shared: RawClient, line: bytes, request_id: object, code: int
) -> None:
    shared.send(line)
    answer = shared.receive()

    assert (answer["id"], answer["error"]["code"]) == (request_id, code)
    assert "\n" not in answer["error"]["message"]
    assert shared.ask("ping")["result"] == {}


def test_empty_lines_and_unknown_notifications_are_passed_over(shared: RawClient) -> None:
    shared.send(b"")
    shared.send({"jsonrpc": "2.0", "method": "notifications/no_such"})
    shared.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "none"}}
    )

    assert shared.ask("ping")["result"] == {}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            {**LESSON, "category": "other"},
            """category is "other": use 'anti-patterns', 'heuristics' or 'patterns'""",
        ),
        ({**LESSON, "name": " \n"}, "name is blank: give it some text"),
        ({**LESSON, "description": ""}, "description is blank: give it some text"),
        ({**LESSON, "reasoning": "\t"}, "reasoning is blank: give it some text"),
        ({**LESSON, "name": 5}, "name is 5: input should be a valid string"),
        ({**LESSON, "references": "x"}, 'references is "x": input should be a valid list'),
        (
            {**LESSON, "references": ["x", {}]},
            "references[1] is {}: input should be a valid string",
        ),
        (
            {**LESSON, "tags": ["x"]},
            "unknown: tags, use name, description, reasoning, category, references, keywords, supersedes",
        ),
        ({"name": "x", "category": "patterns"}, "missing: description, reasoning"),
        (
            {**LESSON, "description": "x" * 4_194_305},
            "description has 4194305 bytes, at most 4194304 (4 MB) fit: shorten it",
        ),
        ({**LESSON, "name": "a\0b"}, "name holds a NUL character at position 1: remove it"),
    ],
    ids=lambda value: repr(value)[-60:],
)
def test_a_call_that_can_not_be_done_is_refused_in_one_line_and_stores_nothing(
    shared: RawClient, shared_world: World, arguments: dict[str, object], line: str
) -> None:
    before = shared_world.query("SELECT count(*) FROM entry")

    assert shared.refusal("store_memory", **arguments) == line
    assert shared_world.query("SELECT count(*) FROM entry") == before


def test_an_unknown_tool_is_refused(shared: RawClient) -> None:
    assert shared.refusal("no_such") == "unknown tool 'no_such': tools/list names those there are"


def test_a_long_text_is_stored_whole(shared: RawClient, shared_world: World) -> None:
    text = "word " * 200_000
    stored = shared.store(description=text)

    [(kept,)] = shared_world.query(
        "SELECT description FROM entries WHERE id = ?", [stored["entryId"]]
    )
    assert kept == text.strip()
    assert stored["warnings"][0].startswith("too long to be shown beside other entries: ")


def test_two_hundred_calls_at_once_are_all_done(shared: RawClient, shared_world: World) -> None:
    begun = {
        shared.begin_call("store_memory", **{**LESSON, "description": f"Lesson {n}."})
        for n in range(200)
    }
    answers = [shared.receive() for _ in begun]

    assert {answer["id"] for answer in answers} == begun
    assert not any(answer["result"]["isError"] for answer in answers)
    [(count,)] = shared_world.query(
        "SELECT count(*) FROM entries WHERE description LIKE 'Lesson %'"
    )
    assert count == 200


def test_the_prompts_tell_which_tools_to_use(shared: RawClient) -> None:
    prompts = shared.ask("prompts/list")["result"]["prompts"]
    assert [prompt["name"] for prompt in prompts] == ["recall", "remember", "retrospective"]

    texts = {
        prompt["name"]: shared.ask(
            "prompts/get", name=prompt["name"], arguments={prompt["arguments"][0]["name"]: "XYZ"}
        )
        for prompt in prompts
    }
    assert all(
        "XYZ" in json.dumps(text) and "memory" in json.dumps(text) for text in texts.values()
    )
    assert "result" in shared.ask("prompts/get", name="recall")


def test_a_memory_is_read_by_its_id_and_by_its_number(
    shared: RawClient, shared_world: World
) -> None:
    entry = keep(shared_world, description="Read me as a resource.")
    [(number,)] = shared_world.query("SELECT seq FROM entry WHERE id = ?", [entry.entry_id])

    by_id = shared.ask("resources/read", uri=f"memory://{entry.entry_id}")["result"]["contents"][0]
    by_number = shared.ask("resources/read", uri=f"memory://{number}")["result"]["contents"][0]

    assert json.loads(by_id["text"])["description"] == "Read me as a resource."
    assert by_id["mimeType"] == "application/json"
    assert by_number["text"] == by_id["text"]


def test_the_figures_of_the_store_are_a_resource(shared: RawClient) -> None:
    shared.store()
    figures = json.loads(
        shared.ask("resources/read", uri="memory://stats")["result"]["contents"][0]["text"]
    )

    assert figures["by_source"]["session-capture"] >= 1
    assert figures["embedding"]["provider"] == "off"


@pytest.mark.parametrize("reference", ["f" * 16, "999999", "9" * 30, "nope"])
def test_an_unknown_memory_is_refused_with_its_name(shared: RawClient, reference: str) -> None:
    error = shared.ask("resources/read", uri=f"memory://{reference}")["error"]

    assert error["code"] == INVALID_PARAMS
    assert error["message"] == (
        f"no memory has the id {reference!r}: give its number or its 16 hex digits, memory_list shows both"
    )


def test_a_client_that_asks_before_it_shakes_hands_is_answered_and_every_line_is_json_rpc(
    shared_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_world, "may_fork", False)
    client = RawClient(shared_world)

    assert client.ask("server/discover")["error"]["code"] == METHOD_NOT_FOUND
    assert client.ask("tools/list")["error"]["code"] == INVALID_PARAMS
    client.send(b"garbage")
    assert client.receive()["error"]["code"] == PARSE_ERROR
    client.initialize()
    client.refusal("store_memory", name=5)
    client.store()
    ran = client.end()

    assert ran == (0, "", "")
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in client.lines)
    assert LESSON_ID in client.lines[-1].decode()
