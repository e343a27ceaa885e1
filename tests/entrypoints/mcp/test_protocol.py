"""Our answers, message by message, are those of a server of the SDK, which serves the same tools by HTTP."""

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCNotification, jsonrpc_message_adapter
from pydantic import ValidationError

from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.mcp.http import sdk_server
from hardwon.entrypoints.mcp.protocol import (
    CAPABILITIES_KEY,
    CLIENT_KEY,
    HANDSHAKE_VERSIONS,
    VERSION_KEY,
    MalformedError,
    read_message,
)
from hardwon.entrypoints.mcp.server import MemoryServer
from hardwon.entrypoints.mcp.stdio import StdioTransport
from hardwon.entrypoints.mcp.threads import MemoryWorker
from hardwon.entrypoints.mcp.wire import Wire
from tests.entrypoints.mcp.conftest import LESSON
from tests.machine import LONGEST_WAIT

CLIENT = {"name": "x", "version": "1"}
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
ENVELOPE = {VERSION_KEY: "2026-07-28", CLIENT_KEY: CLIENT, CAPABILITIES_KEY: {}}
ASKED = ("initialize", HANDSHAKE)
INITIALIZED = ("notifications/initialized", None)
NOBODY = {VERSION_KEY: "2026-07-28"}

Step = tuple[str, object]

OF_TOOLS: Sequence[Step] = [
    ("tools/call", {"name": "checkpoint_list"}),
    ("tools/call", {"name": "checkpoint_list", "arguments": None}),
    ("tools/call", {"name": "checkpoint_list", "arguments": {"x": 1}}),
    ("tools/call", {"name": "memory_search", "arguments": {"query": "🦊 漢字", "limit": 0}}),
    (
        "tools/call",
        {"name": "memory_search", "arguments": {"query": "x" * 4_000_000, "concepts": "[]"}},
    ),
    ("tools/call", {"name": "store_memory", "arguments": {**LESSON, "category": "none"}}),
    ("tools/call", {"name": "no/such"}),
    ("tools/call", {"name": 5}),
    ("tools/call", {"name": "checkpoint_list", "arguments": []}),
    ("tools/call", {}),
    ("tools/call", None),
]
OF_PROMPTS: Sequence[Step] = [
    ("prompts/list", None),
    ("prompts/get", {"name": "recall"}),
    ("prompts/get", {"name": "remember", "arguments": {"lesson": "«x»"}}),
    ("prompts/get", {"name": "retrospective", "arguments": {"work": " "}}),
    ("prompts/get", {"name": "recall", "arguments": {"topic": 5}}),
    ("prompts/get", {"name": "recall", "arguments": {"no": "x"}}),
    ("prompts/get", {"name": "no"}),
    ("prompts/get", {}),
]
OF_RESOURCES: Sequence[Step] = [
    ("resources/list", None),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "memory://ffffffffffffffff"}),
    ("resources/read", {"uri": "memory://1"}),
    ("resources/read", {"uri": "file:///etc/passwd"}),
    ("resources/read", {"uri": 5}),
    ("resources/read", {}),
]
OF_ANY: Sequence[Step] = [
    ("tools/list", None),
    ("tools/list", {"cursor": "x"}),
    ("tools/list", {"cursor": 5}),
    ("tools/list", {"_meta": 5}),
    ("tools/list", {"_meta": {"progressToken": "x"}}),
    ("tools/list", {"_meta": {"progressToken": []}}),
    ("no/such", None),
    ("", {}),
    ("roots/list", {}),
    *OF_TOOLS,
    *OF_PROMPTS,
    *OF_RESOURCES,
]
AFTER_HANDSHAKE: Sequence[Step] = [
    ("ping", None),
    ("ping", {"_meta": 5}),
    ("server/discover", {}),
    ("server/discover", {"_meta": ENVELOPE}),
    ("tools/list", {"_meta": NOBODY}),
    ("resources/subscribe", {"uri": "memory://stats"}),
    ("logging/setLevel", {"level": "debug"}),
    ("initialize", {**HANDSHAKE, "protocolVersion": 5}),
    ("initialize", {**HANDSHAKE, "capabilities": []}),
    ("initialize", {**HANDSHAKE, "clientInfo": {"name": "x"}}),
    ("initialize", {}),
    ("initialize", None),
    ASKED,
]
ENVELOPES: Sequence[object] = [
    None,
    5,
    {},
    NOBODY,
    {CAPABILITIES_KEY: {}},
    {**ENVELOPE, VERSION_KEY: "2025-11-25"},
    {**ENVELOPE, VERSION_KEY: "2099-01-01"},
    {**ENVELOPE, VERSION_KEY: 5},
    {**ENVELOPE, CAPABILITIES_KEY: 5},
    {**ENVELOPE, CLIENT_KEY: 5},
    {**ENVELOPE, CLIENT_KEY: None},
    {**ENVELOPE, CLIENT_KEY: {"name": "x"}},
    {**ENVELOPE, "progressToken": []},
]


def enveloped(steps: Sequence[Step]) -> Iterator[Step]:
    for method, params in steps:
        given = params if isinstance(params, dict) else {}
        yield method, {"_meta": ENVELOPE, **given}


CONVERSATIONS: Mapping[str, Sequence[Step]] = {
    "handshake": [ASKED, INITIALIZED, *OF_ANY, *AFTER_HANDSHAKE],
    "no handshake": [("server/discover", None), *OF_ANY, ("ping", {})],
    "only the end of a handshake": [INITIALIZED, ("tools/list", None)],
    "a handshake that fails": [
        ("initialize", {}),
        ("tools/list", None),
        ASKED,
        ("tools/list", None),
    ],
    "a handshake with an envelope": [
        ("initialize", {**HANDSHAKE, "_meta": ENVELOPE}),
        ("tools/list", None),
    ],
    "envelopes": [
        *enveloped(
            [
                ("server/discover", None),
                *OF_ANY,
                ("ping", None),
                ("logging/setLevel", {"level": "debug"}),
            ]
        ),
        *(("tools/list", {"_meta": meta}) for meta in ENVELOPES),
        ASKED,
        ("initialize", {}),
        ("tools/list", None),
    ],
    "an envelope of an unknown version": [
        ("server/discover", {"_meta": {**ENVELOPE, VERSION_KEY: "2099-01-01"}}),
        ASKED,
        ("server/discover", {"_meta": ENVELOPE}),
    ],
    **{
        f"version {version!r}": [
            ("initialize", {**HANDSHAKE, "protocolVersion": version}),
            *OF_ANY[:1],
            *OF_TOOLS[:3],
        ]
        for version in (*HANDSHAKE_VERSIONS, "2026-07-28", "1999-01-01", "")
    },
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> MemoryServer:
    store = tmp_path_factory.mktemp("store")
    settings = Settings(global_store=str(store), embedding_provider="off", keyword_provider="off")
    return MemoryServer(MemoryWorker(settings, str(store), pytest.fail))


def messages(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """Return the messages of *steps*, each request with an id of its own."""
    made = []
    for number, (method, params) in enumerate(steps):
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if not method.startswith("notifications/"):
            message["id"] = number if number % 2 else f"{number}"
        if params is not None:
            message["params"] = params
        made.append(message)
    return made


def of_us(server: MemoryServer, asked: Sequence[bytes]) -> list[Any]:
    """Return our answers."""
    wire = Wire(io.BytesIO(b"\n".join(asked) + b"\n"), io.BytesIO())

    async def serve() -> None:
        transport = StdioTransport(wire, lambda _: None)
        await transport.serve(server)

    anyio.run(serve)
    assert isinstance(wire.outgoing, io.BytesIO)
    return [json.loads(line) for line in wire.outgoing.getvalue().splitlines()]


def of_the_sdk(server: MemoryServer, asked: Sequence[bytes], count: int) -> list[Any]:
    """Return the answers of a server of the SDK, after *count* of them."""

    async def serve() -> list[Any]:
        sdk = sdk_server(server)
        to_server, requests = anyio.create_memory_object_stream[SessionMessage | Exception](
            len(asked)
        )
        answers, from_server = anyio.create_memory_object_stream[SessionMessage](count)
        async with server.open(), to_server, from_server, anyio.create_task_group() as tasks:
            tasks.start_soon(sdk.run, requests, answers, sdk.create_initialization_options())
            for line in asked:
                await to_server.send(
                    SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
                )
            with anyio.fail_after(LONGEST_WAIT):
                got = [await from_server.receive() for _ in range(count)]
            tasks.cancel_scope.cancel()
        return [
            json.loads(item.message.model_dump_json(by_alias=True, exclude_unset=True))
            for item in got
        ]

    return anyio.run(serve)


@pytest.mark.parametrize("steps", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_every_answer_is_that_of_the_sdk(server: MemoryServer, steps: Sequence[Step]) -> None:
    asked = messages(steps)
    lines = [json.dumps(message).encode() for message in asked]
    expected = {
        answer["id"]: answer
        for answer in of_the_sdk(server, lines, sum("id" in item for item in asked))
    }
    ours = {answer["id"]: answer for answer in of_us(server, lines)}

    for message in asked:
        assert ours.get(message.get("id")) == expected.get(message.get("id")), str(message)[:500]
    assert len(ours) == len(expected)


@pytest.mark.parametrize(
    "line",
    [
        b"garbage {",
        b"\xff\xfe\x00",
        b"\xef\xbb\xbf{}",
        b"[]",
        b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]',
        b"null",
        b"5",
        b'"x"',
        b"{}",
        b'{"id": 7, "method": "ping"}',
        b'{"jsonrpc": "1.0", "id": 7, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 7}',
        b'{"jsonrpc": "2.0", "id": 1.0, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 7, "method": null}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": "x"}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": null}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "other": 1}',
        b'{"jsonrpc": "2.0", "id": -7, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 123456789012345678901234567890, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": "", "method": ""}',
        b'{"jsonrpc": "2.0", "id": 7, "id": 8, "method": "ping"}',
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "id": 7, "result": {}}',
        b'{"jsonrpc": "2.0", "id": 7, "result": 5}',
        b'{"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "x"}}',
        b'{"jsonrpc": "2.0", "id": 7, "error": 5}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": "\\ud800"}}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"\\uDFFF": 1}}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": "\\ud83e\\udd8a"}}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": "\\u0000\\n"}}',
        b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": "\n"}}',
        b'  {"jsonrpc": "2.0", "id": 7, "method": "ping"}  \r\n',
    ],
    ids=lambda line: repr(line)[:70],
)
def test_a_line_is_refused_where_the_sdk_refuses_it(line: bytes) -> None:
    def is_read_by_us() -> bool:
        try:
            read_message(line)
        except MalformedError:
            return False
        return True

    def is_read_by_the_sdk() -> bool:
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValidationError:
            return False
        return not (
            isinstance(message, JSONRPCNotification) and "id" in json.loads(line)
        )  # an id of a wrong type

    assert is_read_by_us() == is_read_by_the_sdk()


def test_half_a_surrogate_pair_is_named() -> None:
    with pytest.raises(MalformedError, match="half a surrogate pair") as refused:
        read_message(b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"x": "\\ud800"}}')

    assert refused.value.request_id == 7


def test_the_public_words_of_an_unforeseen_fault_are_none_of_its_own(tmp_path: Path) -> None:
    class Broken(MemoryServer):
        async def answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
            raise RuntimeError(f"a secret of {method} {params}")

    server = Broken(
        MemoryWorker(
            Settings(global_store=str(tmp_path), embedding_provider="off"), str(tmp_path), print
        )
    )
    [line] = of_us(server, [json.dumps(message).encode() for message in messages([ASKED])])

    assert line == {
        "jsonrpc": "2.0",
        "id": "0",
        "error": {"code": -32603, "message": "Internal server error"},
    }
