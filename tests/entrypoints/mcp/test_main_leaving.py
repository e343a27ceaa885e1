"""The server ends soon and with 0, and standard output carries the protocol alone."""

import json
import subprocess
from collections.abc import Callable

import pytest

from tests.adapters.providers.stub_server import StubProviders
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import LESSON, LESSON_ID, Connect, RawClient
from tests.entrypoints.programs import run
from tests.entrypoints.provider_process import Hang, Scene
from tests.fakes.doors import Ran
from tests.machine import bare_programs

WAYS = {"end of input": RawClient.end, "SIGTERM": RawClient.terminate}
Leave = Callable[[RawClient], Ran]

NOISY = """\
import os
print("stray")
os.write(1, b"stray\\n")
os.system("echo stray")
raise ImportError
"""


@pytest.fixture(autouse=True)
def start_every_program_as_new_process(empty_world: World) -> None:
    empty_world.may_fork = False


@pytest.mark.parametrize("leave", WAYS.values(), ids=WAYS)
def test_the_server_leaves_at_once_with_zero(world: World, connect: Connect, leave: Leave) -> None:
    client = connect(world)
    client.store()
    ran = leave(client)

    assert ran == (0, "", "")
    assert world.query("SELECT id FROM entries") == [(LESSON_ID,)]
    assert not world.database.with_name("memory.db-wal").exists()


CALLS = 100


@pytest.fixture
def held_up(scene: Scene, stub: StubProviders, connect: Connect) -> RawClient:
    """Return a client whose calls wait for a provider."""
    scene.choose("openai", keyword_provider="off")
    hang = Hang(stub, 1)
    stub.fault = hang
    client = connect(scene.world)
    for _ in range(CALLS):
        client.begin_call("store_memory", **LESSON)
    hang.wait()
    return client


def test_calls_that_a_hanging_provider_holds_up_are_answered_after_the_end_of_input(
    held_up: RawClient,
) -> None:
    ran = held_up.end()

    assert (ran.code, ran.stderr) == (0, "")
    assert len([line for line in ran.stdout.splitlines() if LESSON_ID in line]) == CALLS


UNANSWERED = {"SIGTERM": RawClient.terminate, "its output closed too": RawClient.vanish}


@pytest.mark.parametrize("leave", UNANSWERED.values(), ids=UNANSWERED)
def test_a_provider_that_hangs_does_not_hold_up_the_end(
    scene: Scene, held_up: RawClient, leave: Leave
) -> None:
    ran = leave(held_up)

    assert (ran.code, ran.stderr) == (0, "")
    assert scene.world.query("SELECT id FROM entries") == [(LESSON_ID,)]


def test_requests_before_the_end_of_input_are_answered(world: World) -> None:
    handshake = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "store_memory", "arguments": LESSON},
        },
    ]
    ran = run(world, "hardwon-mcp", stdin="\n".join(map(json.dumps, lines)).encode())

    assert ran.code == 0
    assert [json.loads(line)["id"] for line in ran.stdout.splitlines()] == [1, 2]
    assert LESSON_ID in ran.stdout


def test_without_any_stream_there_is_nothing_to_do(world: World) -> None:
    assert run(world, "hardwon-mcp", redirections="<&- >&- 2>&-") == (0, "", "")


def test_an_incomplete_installation_is_reported_in_one_line(world: World) -> None:
    program = [str(bare_programs() / "hardwon-mcp"), "--project-root", str(world.project)]
    done = subprocess.run(
        program, env=world.variables, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )

    assert (done.returncode, done.stdout) == (2, b"")
    assert (
        done.stderr
        == b"hardwon-mcp: the package 'anyio' is missing, run: uv tool upgrade --reinstall hardwon\n"
    )


def test_stray_output_never_reaches_the_protocol(world: World, connect: Connect) -> None:
    world.put_package("pydantic", __init__=NOISY)  # imported to call a tool
    client = connect(world)
    line = client.refusal("store_memory", **LESSON)
    ran = client.end()

    assert (
        line == "hardwon is not installed completely (), run: uv tool upgrade --reinstall hardwon"
    )
    assert ran.stdout == ""
    assert ran.stderr.count("stray") >= 3
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in client.lines)


def test_a_package_that_tools_need_is_missed_in_one_line(world: World, connect: Connect) -> None:
    world.put_package("pydantic", __init__="import no_such_package")
    client = connect(world)

    assert "store_memory" in str(client.ask("tools/list"))
    assert client.refusal("store_memory", **LESSON) == (
        "hardwon is not installed completely (No module named 'no_such_package'),"
        " run: uv tool upgrade --reinstall hardwon"
    )
    assert client.end() == (0, "", "")


def test_a_client_that_reads_no_more_ends_the_server(world: World, connect: Connect) -> None:
    client = connect(world)
    assert client.process.stdout
    client.process.stdout.close()
    client.request("tools/list")

    assert client.process.wait(30) == 0


def test_a_store_that_cannot_be_opened_is_reported_in_one_line(world: World) -> None:
    world.store.write_text("a file")
    ran = run(world, "hardwon-mcp")

    assert (ran.code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("hardwon-mcp: ")
    assert ran.stderr.count("\n") == 1
    assert str(world.store) in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--nope"], "unrecognized arguments: --nope"),
        (["--project-root", "/no/such"], "--project-root '/no/such' is not a folder"),
        (["--port", "x"], "argument --port: invalid int value: 'x'"),
        (["--port", "70000"], "--port 70000 is no port: use 0 to 65535, 0 for any that is free"),
        (["--http"], "--http needs a token of at least 16 characters in HARDWON_MCP_TOKEN"),
    ],
)
def test_a_wrong_argument_is_reported_in_one_line(
    world: World, arguments: list[str], line: str
) -> None:
    assert run(world, "hardwon-mcp", *arguments) == (
        1,
        "",
        f"hardwon-mcp: {line}; see hardwon-mcp --help\n",
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "example.com", ""])  # noqa: S104  # refused
def test_only_addresses_of_this_machine_are_served(world: World, host: str) -> None:
    ran = run(world, "hardwon-mcp", "--http", "--host", host)

    assert (ran.code, ran.stdout) == (1, "")
    assert "argument --host: invalid choice" in ran.stderr


def test_help_and_version_are_printed(world: World) -> None:
    helped = run(world, "hardwon-mcp", "--help")
    version = run(world, "hardwon-mcp", "--version")

    assert (helped.code, helped.stderr) == (0, "")
    assert "HARDWON_MCP_TOKEN" in helped.stdout
    assert version.stdout.startswith("hardwon-mcp 0.")


def test_standard_output_is_taken_before_the_sdk_is_imported(world: World) -> None:
    code = "import sys, hardwon.entrypoints.mcp.main; print(sorted({'mcp', 'anyio', 'pydantic', 'attrs'} & set(sys.modules)))"
    ran = run(world, "python", "-c", code)

    assert ran.stdout == "[]\n"
