"""HTTP for this machine alone, with a token."""

import contextlib
from collections.abc import Iterator

import anyio
import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import LESSON, LESSON_ID, RawClient, without_vectors
from tests.entrypoints.programs import run

TOKEN = "a-token-of-twenty-chars"  # noqa: S105  # a test's
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}
ACCEPTED = {"Accept": "application/json, text/event-stream"}
AUTHORISED = {"Authorization": f"Bearer {TOKEN}", **ACCEPTED}


class Served:
    """A server that listens, and where."""

    def __init__(self, world: World, *arguments: str) -> None:
        world.variables["HARDWON_MCP_TOKEN"] = TOKEN
        self.client = RawClient(world, "--http", "--port", "0", *arguments)
        assert self.client.process.stderr
        line = self.client.process.stderr.readline().decode()
        self.url = line.removeprefix("hardwon-mcp: ").strip()

    def post(self, **headers: str) -> httpx.Response:
        """Shake hands with these headers."""
        return httpx.post(self.url, json=INITIALIZE, headers=headers, timeout=30)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with contextlib.ExitStack() as cleanup:
        served = Served(without_vectors(World(tmp_path_factory.mktemp("mcp") / "world", cleanup)))
        yield served
        served.client.kill()


def test_a_client_with_the_token_is_served(served: Served) -> None:
    async def store() -> object:
        async with (
            httpx2.AsyncClient(headers=AUTHORISED, timeout=30) as http,
            Client(streamable_http_client(served.url, http_client=http)) as client,
        ):
            return (await client.call_tool("store_memory", dict(LESSON))).structured_content

    answer = anyio.run(store)

    assert isinstance(answer, dict)
    assert answer["entryId"] == LESSON_ID


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": ""},
        {"Authorization": TOKEN},
        {"Authorization": "Bearer"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": f"bearer {TOKEN}".upper()},
    ],
)
def test_a_client_without_the_token_is_refused(served: Served, headers: dict[str, str]) -> None:
    response = served.post(**ACCEPTED, **headers)

    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert TOKEN not in response.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example:80"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({}, 200),
    ],
)
def test_a_page_that_points_its_own_name_at_this_machine_is_refused(
    served: Served, headers: dict[str, str], status: int
) -> None:
    assert served.post(**AUTHORISED, **headers).status_code == status


def test_garbage_is_refused_and_the_server_lives_on(served: Served) -> None:
    garbage = httpx.post(
        served.url, content=b"garbage {", headers={**AUTHORISED, "Content-Type": "application/json"}
    )

    assert garbage.status_code == 400
    assert httpx.get(served.url.replace("/mcp", "/other"), headers=AUTHORISED).status_code == 404
    assert served.post(**AUTHORISED).status_code == 200


def test_sigterm_ends_it_at_once_with_zero_and_a_client_connected(world: World) -> None:
    world.may_fork = False
    served = Served(world)
    with httpx.Client(headers=AUTHORISED) as http:
        session = http.post(served.url, json=INITIALIZE).headers["mcp-session-id"]
        with http.stream("GET", served.url, headers={"Mcp-Session-Id": session}) as events:
            assert events.status_code == 200
            ran = served.client.terminate()

    assert (ran.code, ran.stdout) == (0, "")
    assert "Traceback" not in ran.stderr


def test_a_taken_port_is_reported_in_one_line(served: Served, world: World) -> None:
    world.variables["HARDWON_MCP_TOKEN"] = TOKEN
    ran = run(
        world, "hardwon-mcp", "--http", "--port", served.url.rpartition(":")[2].removesuffix("/mcp")
    )

    assert (ran.code, ran.stdout) == (1, "")
    assert ran.stderr.count("\n") == 1
    assert "ddress already in use" in ran.stderr


def test_a_store_that_cannot_be_opened_is_reported_over_http_too(world: World) -> None:
    world.store.write_text("a file")
    world.variables["HARDWON_MCP_TOKEN"] = TOKEN
    ran = run(world, "hardwon-mcp", "--http", "--port", "0")

    assert (ran.code, ran.stdout) == (2, "")
    assert str(world.store) in ran.stderr.splitlines()[-1]
