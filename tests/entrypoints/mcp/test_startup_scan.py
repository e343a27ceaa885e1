"""The server indexes the project's files when it starts, beside its work."""

import os
import time

import pytest

from hardwon.entrypoints.mcp.tools_search import STILL_INDEXING
from tests.adapters.providers.stub_server import StubProviders
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import Connect, RawClient, write_document
from tests.entrypoints.provider_process import Hang, Scene
from tests.machine import LONGEST_WAIT

MANY = 400


def wait_for(world: World, condition: str) -> None:
    """Wait until the store says so."""
    give_up = time.monotonic() + LONGEST_WAIT
    while world.query(f"SELECT {condition} FROM memory_index") != [(1,)]:
        assert time.monotonic() < give_up, condition


def test_a_new_file_is_found_after_the_start_of_the_server(world: World, connect: Connect) -> None:
    write_document(world, text="# Zebra\n\nStripes.")
    client = connect(world)
    wait_for(world, "count(*) = 1")
    ran = client.end()

    assert ran == (0, "", "")
    assert world.query("SELECT title, spec_folder FROM memory_index") == [("Zebra", "005-auth")]


WAITS_TO_INDEX = """
from hardwon.domain.use_cases.index_files import IndexFiles
index = IndexFiles.index

def wait_and_index(*arguments, **more):
    open({gate!r}).close()
    return index(*arguments, **more)

IndexFiles.index = wait_and_index
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes of POSIX")
def test_a_search_during_the_scan_says_that_files_are_still_being_indexed(
    world: World, connect: Connect
) -> None:
    write_document(world, text="# Zebra\n\nStripes.")
    gate = world.folder / "gate"
    os.mkfifo(gate)
    world.put_package("sitecustomize", __init__=WAITS_TO_INDEX.format(gate=str(gate)))
    client = connect(world)
    early = client.answer("memory_search", query="zebra stripes")

    assert early["results"] == []
    assert early["notes"] == [STILL_INDEXING]
    assert f"Note: {STILL_INDEXING}" in early["message"].splitlines()

    gate.open("w").close()
    give_up = time.monotonic() + LONGEST_WAIT
    while (later := client.answer("memory_search", query="zebra stripes"))["notes"]:
        assert time.monotonic() < give_up
    assert [row["title"] for row in later["results"]] == ["Zebra"]


def test_a_lost_store_is_rebuilt_at_the_next_start(world: World, connect: Connect) -> None:
    write_document(world)
    client = connect(world)
    wait_for(world, "count(*) = 1")
    client.end()
    world.database.unlink()
    connect(world)

    wait_for(world, "count(*) = 1")


def test_the_vectors_that_are_missing_are_made_too(world: World, connect: Connect) -> None:
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    for number in range(3):
        write_document(world, f"005-auth/memory/{number}.md", f"About number {number}.")
    connect(world)

    wait_for(world, "count(embedding) = 3")


def test_tools_answer_while_many_files_are_scanned_and_a_second_scan_does_not_fail(
    world: World, connect: Connect
) -> None:
    for number in range(MANY):
        write_document(world, f"005-auth/memory/{number}.md", f"About number {number}.")
    client = connect(world)
    client.store()
    scanned = client.answer("memory_index_scan")

    assert (scanned["scanned"], scanned["errors"], scanned["details"]) == (MANY, 0, [])
    assert world.query("SELECT count(*) FROM memory_index") == [(MANY,)]
    assert client.end() == (0, "", "")


@pytest.mark.parametrize(
    "leave", [RawClient.end, RawClient.terminate], ids=["end of input", "SIGTERM"]
)
def test_the_server_leaves_at_once_in_the_midst_of_a_scan(
    world: World, connect: Connect, leave: object
) -> None:
    assert callable(leave)
    for number in range(MANY):
        write_document(world, f"005-auth/memory/{number}.md", f"About number {number}.")
    ran = leave(connect(world))

    assert (ran.code, ran.stdout) == (0, "")
    assert world.query("PRAGMA integrity_check") == [("ok",)]


def test_a_provider_that_hangs_blocks_neither_tools_nor_the_end(
    scene: Scene, stub: StubProviders, connect: Connect
) -> None:
    scene.choose("openai", keyword_provider="off")
    hang = Hang(stub, 1)
    stub.fault = hang
    write_document(scene.world)
    client = connect(scene.world)
    hang.wait()

    assert client.ask("tools/list")["result"]["tools"]
    ran = client.end()
    assert (ran.code, ran.stderr) == (0, "")


def test_unusable_input_is_reported_on_standard_error_only(world: World, connect: Connect) -> None:
    write_document(world, "005-auth/memory/bad.md").write_bytes(b"\0")
    write_document(world)
    client = connect(world)
    wait_for(world, "count(*) = 1")
    ran = client.end()

    assert (ran.code, ran.stdout, ran.stderr.count("\n")) == (0, "", 1)
    assert "bad.md' is no text: it holds a NUL byte" in ran.stderr


def test_where_memory_is_switched_off_nothing_is_scanned(world: World, connect: Connect) -> None:
    world.configure(semantic_enabled="false")
    write_document(world)
    client = connect(world)
    assert client.end() == (0, "", "")
    assert not world.store.exists()
