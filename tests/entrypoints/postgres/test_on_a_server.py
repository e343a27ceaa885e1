"""Programs whose store is on a server, as a user runs them."""

import contextlib
import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.session import NEWEST
from hardwon.entrypoints.bootstrap_capture import INDEX_UPDATED_LATER, WORKER
from hardwon.entrypoints.hook.prepare import prepare_alone
from hardwon.entrypoints.mcp.tools_search import STILL_INDEXING
from hardwon.entrypoints.worker import REFRESHED
from tests.entrypoints.cli.test_evaluate import write_set
from tests.entrypoints.hook.test_prompt import ASKED
from tests.entrypoints.hook.test_prompt import LESSON as ON_COLUMNS
from tests.entrypoints.hook.test_prompt import payload as prompt_of
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import LESSON as LESSON_OF_AGENT
from tests.entrypoints.mcp.conftest import RawClient
from tests.entrypoints.programs import hardwon, run
from tests.entrypoints.sessions import Conversation, rest, statuses, until
from tests.fakes.doors import Ran
from tests.postgres_server import (
    SECRET,
    Network,
    member,
    network_to,
    new_database,
    server,
    store,
    url_of,
    world_of,
)
from tests.strategies import lesson

pytestmark = pytest.mark.postgres

LESSON = "Always pin the base image of a container by digest."
RANKING = "hardwon.domain.use_cases.rank"
BANK = "# Patterns\n\n### Pattern: Of the bank\nAbout it.\n- Observation count: 2\n"
START = {"session_id": "s1", "hook_event_name": "SessionStart"}
HOOK_SECONDS = 2.5
ROUND_TRIPS = 12
"""The most of a session start, a prompt or a search, from connecting to the receipt."""


TRIPS_OF_A_PREPARED_START = 8
"""Likewise, of a start that was prepared. Two of them keep the receipt, so at 100 ms the block crosses the network in 0.6 s."""

Join = Callable[[str], World]


def on_server(folder: Path, url: str, cleanup: contextlib.ExitStack) -> World:
    """Return a world whose store is at *url*; its folder in the home keeps what concerns the machine."""
    world = World(folder, cleanup)
    world.variables |= {"HARDWON_STORE": url, "HARDWON_MACHINE": folder.name}
    world.store = folder / "home" / ".claude" / "iflow" / "memory"
    world.may_fork = world.may_run_here = False
    return world


@pytest.fixture
def joined(tmp_path: Path, cleanup: contextlib.ExitStack) -> Join:
    """Return a function that makes a world of a new member of one tenant, by name."""

    def join(name: str) -> World:
        return on_server(
            tmp_path / name, url_of(cleanup.enter_context(member(f"of {tmp_path}"))), cleanup
        )

    return join


@pytest.fixture
def ann(joined: Join) -> World:
    return joined("ann")


@pytest.fixture
def silent() -> Iterator[int]:
    """Yield a port that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield int(server.getsockname()[1])


def add(world: World, text: str = LESSON) -> Ran:
    done = hardwon(world, "add", text, "--category", "heuristics", "--name", "Pin images", "--json")
    assert done.code == 0, done.stderr
    return done


def test_a_lesson_of_one_home_is_in_the_block_of_another_home(joined: Join) -> None:
    ann, bob = joined("ann"), joined("bob")
    add(ann)
    block = bob.hook(payload={**START, "cwd": str(bob.project)}).stdout

    assert "### Pin images" in block
    assert LESSON.rstrip(".") in block
    assert "- From: ann/project" in block
    assert hardwon(ann, "show", "1", "--json").document["recall_count"] == 1
    assert not list(bob.store.glob("memory.db*"))


@pytest.fixture
def networked(tmp_path: Path, cleanup: contextlib.ExitStack) -> Callable[[], tuple[World, Network]]:
    """Return a function that makes a world of a new member, and the network between it and the server."""

    def make() -> tuple[World, Network]:
        address = cleanup.enter_context(member())
        network = cleanup.enter_context(network_to(str(conninfo_to_dict(address)["host"])))
        return on_server(tmp_path / "ann", url_of(address, network.port), cleanup), network

    return make


def test_a_session_start_crosses_a_network_few_times(
    networked: Callable[[], tuple[World, Network]],
) -> None:
    ann, network = networked()
    for number in range(5):
        add(ann, f"{LESSON} {number}")
    ann.launch(payload={**START, "cwd": str(ann.project)})  # registers the project
    network.round_trips = 0
    launched = ann.launch(payload={**START, "cwd": str(ann.project)})
    block = launched.run.stdout

    assert "### Pin images" in block
    assert not launched.modules & {"mcp", "google", "httpx", "numpy", "attrs", "typer"}
    assert 0 < network.round_trips <= ROUND_TRIPS


FEATURE = "# Feed\n\n## Problem\n\nImages of containers differ between builds.\n"
"""The specification of the present work."""


def work_on_a_feature(world: World) -> None:
    spec = world.project / "docs" / "features" / "feed"
    spec.mkdir(parents=True)
    (spec / ".meta.json").write_text('{"slug": "feed", "status": "active", "phase": "design"}')
    (spec / "spec.md").write_text(FEATURE)


def fill(world: World) -> None:
    """Store lessons on columns and images, and sixty on other things."""
    texts = (*(f"Filler number {n}." for n in range(60)), ON_COLUMNS, LESSON)
    with contextlib.closing(PostgresDatabase(world.variables["HARDWON_STORE"])) as database:
        filled = world_of(database)
        with filled.repository.transaction():
            filled.add(*(lesson(text) for text in texts))


@pytest.fixture
def crossed(networked: Callable[[], tuple[World, Network]]) -> tuple[World, Network]:
    """Return a world with lessons and a feature, of a project that is known to the server."""
    world, network = networked()
    fill(world)
    work_on_a_feature(world)
    world.launch(payload={**START, "cwd": str(world.project)})
    rest(world)
    work(world)
    network.round_trips = 0
    return world, network


def test_a_start_for_a_feature_crosses_a_network_few_times(
    crossed: tuple[World, Network],
) -> None:
    ann, network = crossed
    block = ann.launch(payload={**START, "cwd": str(ann.project)}).run.stdout

    assert LESSON.rstrip(".") in block
    assert "vector=62" in block
    assert 0 < network.round_trips <= ROUND_TRIPS


def test_a_prompt_with_a_lesson_crosses_a_network_few_times(crossed: tuple[World, Network]) -> None:
    ann, network = crossed
    printed = ann.launch(payload=prompt_of(ann)).run.stdout
    assert ON_COLUMNS in printed
    assert 0 < network.round_trips <= ROUND_TRIPS


@pytest.mark.parametrize("collection", [{}, {"collection": "all"}, {"collection": "learnings"}])
def test_a_search_of_an_agent_crosses_a_network_few_times(
    crossed: tuple[World, Network], cleanup: contextlib.ExitStack, collection: dict[str, str]
) -> None:
    ann, network = crossed
    client = RawClient(ann)
    cleanup.callback(client.kill)
    client.initialize()
    until(lambda: STILL_INDEXING not in str(client.call("memory_search", query=LESSON)))
    rest(ann)  # the work of a start is done
    network.round_trips = 0
    found = client.call("memory_search", query=ASKED, **collection)["structuredContent"]

    assert ON_COLUMNS in str(found)
    assert 0 < network.round_trips <= ROUND_TRIPS


def test_a_prepared_start_is_printed_until_a_colleague_stores_a_lesson(joined: Join) -> None:
    ann, bob = joined("ann"), joined("bob")
    add(ann)
    payload = {**START, "cwd": str(ann.project)}
    plain = ann.hook(payload=payload).stdout
    with mock.patch.dict(os.environ, ann.variables, clear=True):
        prepare_alone(str(ann.store), str(ann.project), "units", on_server=True)
    prepared = ann.launch(payload=payload)
    add(bob, "Name the unit of a column.")
    after = ann.launch(payload=payload)

    assert "### Pin images" in plain
    assert prepared.run.stdout == plain
    assert RANKING not in prepared.modules
    assert RANKING in after.modules
    assert hardwon(ann, "show", "1", "--json").document["recall_count"] == 3


def test_a_prepared_start_has_memory_across_a_slow_network(
    networked: Callable[[], tuple[World, Network]],
) -> None:
    ann, network = networked()
    add(ann)
    payload = {**START, "cwd": str(ann.project)}
    ann.launch(payload=payload)  # registers the project
    with mock.patch.dict(os.environ, ann.variables, clear=True):
        prepare_alone(str(ann.store), str(ann.project), "units", on_server=True)
    network.round_trips = 0
    prepared = ann.launch(payload=payload)

    assert "### Pin images" in prepared.run.stdout
    assert RANKING not in prepared.modules
    assert 0 < network.round_trips <= TRIPS_OF_A_PREPARED_START
    assert hardwon(ann, "show", "1", "--json").document["recall_count"] == 2


def test_the_vector_of_a_query_is_remembered_on_the_machine(ann: World) -> None:
    add(ann)
    work_on_a_feature(ann)
    runs = [ann.launch(payload={**START, "cwd": str(ann.project)}) for _ in range(2)]

    assert ["vector=1" in run.run.stdout for run in runs] == [True, True]
    assert ["hardwon.adapters.minilm.transformer" in run.modules for run in runs] == [True, False]


def test_every_day_commands_work(ann: World) -> None:
    entry_id = add(ann).document["id"]

    assert "Pin images" in hardwon(ann, "recall", "which image do we pin").stdout
    assert [item["id"] for item in hardwon(ann, "list", "--json").items] == [entry_id]
    assert hardwon(ann, "update", entry_id, "--tier", "critical").code == 0
    assert hardwon(ann, "checkpoint", "create", "before", "--scope", "all").code == 0
    assert hardwon(ann, "delete", entry_id, "--yes").code == 0
    assert hardwon(ann, "checkpoint", "restore", "before", "--yes").code == 0
    assert hardwon(ann, "show", entry_id, "--json").document["tier"] == "critical"
    assert hardwon(ann, "forget", "base image", "--yes").code == 0
    assert hardwon(ann, "list", "--json").items == []
    for command in ("stats", "doctor", "why", "review", "project list", "export"):
        assert hardwon(ann, *command.split()).code == 0, command


def test_a_deleted_lesson_that_was_forgotten_does_not_come_back(ann: World) -> None:
    entry_id = add(ann).document["id"]
    assert hardwon(ann, "export", "--output", "copy.jsonl").code == 0
    assert hardwon(ann, "checkpoint", "create", "before", "--scope", "all").code == 0
    assert hardwon(ann, "delete", entry_id, "--yes").code == 0
    assert hardwon(ann, "checkpoint", "delete", "before", "--yes").code == 0
    assert hardwon(ann, "forget", entry_id, "--yes").code == 0

    assert hardwon(ann, "import", "copy.jsonl", "--no-embed").code == 0
    assert hardwon(ann, "list", "--json").items == []


def test_a_text_is_forgotten_in_each_of_its_spellings_and_it_is_said_who_may_vacuum(
    ann: World,
) -> None:
    for spelling in ("M\u00fchlrad", "Mu\u0308hlrad", "\uff2d\u00dcHLRAD\n> here"):
        assert (
            hardwon(
                ann, "add", f"The codename {spelling} stays secret.", "--category", "patterns"
            ).code
            == 0
        )

    done = hardwon(ann, "forget", "m\u00fchlrad", "--vacuum", "--yes")

    assert (done.code, hardwon(ann, "list", "--json").items) == (2, [])
    assert "may not vacuum; the tables' owner, " in done.stdout
    assert "VACUUM FULL (hardwon forget --vacuum, by the tables' owner)" in done.stdout


def test_forgetting_finds_a_folder_of_this_machine_that_moved(ann: World) -> None:
    assert hardwon(ann, "remember", "The zanthemur goes before the canary.").code == 0
    moved = ann.project.rename(ann.folder / "renamed")
    assert "zanthemur" in "".join(path.read_text() for path in moved.rglob("*.md"))
    ann.project.mkdir()
    (ann.project / "other.txt").write_text("another folder has its place")

    done = hardwon(ann, "forget", "zanthemur", "--yes")

    assert done.code == 0, done
    assert f"{moved}/memory" in done.stdout
    assert [path for path in moved.rglob("*.md") if "zanthemur" in path.read_text()] == []


def test_the_writer_stores_there(ann: World) -> None:
    entry = '{"name": "Pin images", "description": "Pin the image.", "category": "patterns", "keywords": ["a", "b", "c"]}'
    done = run(
        ann,
        "hardwon-writer",
        "--action",
        "upsert",
        "--global-store",
        ann.variables["HARDWON_STORE"],
        "--entry-json",
        entry,
    )

    assert done.code == 0, done.stderr
    assert len(hardwon(ann, "list", "--json").items) == 1


def test_the_password_is_shown_nowhere(ann: World) -> None:
    add(ann)
    ann.hook(payload={**START, "cwd": str(ann.project)})
    outputs = [
        hardwon(ann, *command.split())
        for command in ("stats --json", "doctor --json", "doctor", "store status")
    ]
    ann.variables["HARDWON_STORE"] = ann.variables["HARDWON_STORE"].replace(
        "?host=", "/wrong?host="
    )
    outputs.append(hardwon(ann, "list"))

    assert outputs[-1].code == 2
    assert not [done for done in outputs if SECRET in done.stdout + done.stderr]
    assert not [
        path
        for path in ann.folder.rglob("*")
        if path.is_file() and SECRET.encode() in path.read_bytes()
    ]


def test_a_file_of_the_project_names_no_server(ann: World) -> None:
    url = ann.variables.pop("HARDWON_STORE")
    (ann.project / ".tlc.json").write_text(f'{{"memory_global_store": "{url}"}}')
    done = hardwon(ann, "list", "--json")

    assert done.items == []
    assert "memory_global_store in .tlc.json is ignored" in done.stderr
    assert SECRET not in done.stderr


def test_a_store_is_copied_there_and_back(ann: World, empty_world: World, tmp_path: Path) -> None:
    url, source, back = (
        ann.variables["HARDWON_STORE"],
        str(empty_world.store),
        str(tmp_path / "back"),
    )
    add(empty_world)
    (empty_world.project / "memory" / "decisions").mkdir(parents=True)
    (empty_world.project / "memory" / "decisions" / "zed.md").write_text(
        "# Use zed\n\nWe decided on zed.\n"
    )
    assert hardwon(empty_world, "index").code == 0

    refused = hardwon(ann, "store", "copy", source, url)
    assert (refused.code, "give --yes" in refused.stderr, SECRET in refused.stderr) == (
        1,
        True,
        False,
    )
    assert ("all members" in refused.stdout, "you alone" in refused.stdout) == (True, True)
    first = hardwon(ann, "store", "copy", source, url, "--yes", "--json").document
    second = hardwon(ann, "store", "copy", source, url, "--yes", "--json").document
    assert hardwon(ann, "store", "copy", url, back, "--yes").code == 0

    assert (first["added"], first["vectors"], second["added"], second["known"]) == (2, 2, 0, 2)
    exports = [
        hardwon(ann, "export", "--global-store", store).stdout.splitlines()[1:]
        for store in (source, back)
    ]
    assert [len(lines) for lines in exports] == [3, 3]
    entries = [[line for line in lines if '"entry"' in line.split(",")[0]] for lines in exports]
    assert entries[0] == entries[1]


@pytest.mark.parametrize("kind", ["refused", "silent", "unknown"])
def test_a_session_starts_with_the_banks_where_the_server_is_away(
    ann: World, silent: int, kind: str
) -> None:
    host = {
        "refused": "127.0.0.1:1",
        "silent": f"127.0.0.1:{silent}",
        "unknown": "nowhere.invalid",
    }[kind]
    ann.variables["HARDWON_STORE"] = f"postgresql://ann@{host}/memory"
    bank = ann.project / "docs" / "knowledge-bank"
    bank.mkdir(parents=True)
    (bank / "patterns.md").write_text(BANK)
    started = ann.hook(payload={**START, "cwd": str(ann.project)})

    assert (started.code, "### Pattern: Of the bank" in started.stdout) == (0, True)
    assert len(started.log) == 1


@pytest.mark.parametrize("round_trips", [1, 6, 9, 12, 15])
def test_a_session_starts_where_the_server_falls_silent_in_the_middle(
    networked: Callable[[], tuple[World, Network]], round_trips: int
) -> None:
    ann, network = networked()
    add(ann)
    ann.write_bank("patterns", BANK)
    ann.launch(payload={**START, "cwd": str(ann.project)})
    network.limit = network.round_trips + round_trips
    started = ann.launch(payload={**START, "cwd": str(ann.project)})

    assert (started.run.code, "### Pattern: Of the bank" in started.run.stdout) == (0, True)
    assert len(started.run.log) <= 1


def test_a_conversation_while_the_server_is_away_waits_and_is_kept_later(ann: World) -> None:
    ann.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    url = ann.variables["HARDWON_STORE"]
    ann.variables["HARDWON_STORE"] = "postgresql://ann@127.0.0.1:1/memory"
    Conversation(ann).say("Which way does the parser go?", "We decided that it goes to the left.")
    work(ann)

    assert statuses(ann)["first"].waiting == 2
    assert len(ann.log.read_text().splitlines()) == 1

    ann.variables["HARDWON_STORE"] = url
    work(ann)
    assert statuses(ann)["first"].waiting == 0
    kept = hardwon(ann, "list", "--in", "conversations", "--scope", "global", "--json")
    assert "parser" in kept.stdout


def test_an_agent_whose_server_is_away_stores_here_and_there_when_it_is_back(
    networked: Callable[[], tuple[World, Network]], cleanup: contextlib.ExitStack
) -> None:
    ann, network = networked()
    network.is_away = True
    client = RawClient(ann)
    cleanup.callback(client.kill)
    client.initialize()
    kept, refused = client.store(), client.refusal("memory_list")
    network.is_away = False
    stored = client.store()

    assert "kept here, sent when the server is back" in kept["warnings"][0]
    assert "the server can't be reached" in refused
    assert stored["entryId"] == kept["entryId"]
    assert stored["warnings"] == []
    assert LESSON_OF_AGENT["name"] in hardwon(ann, "list", "--scope", "global", "--json").stdout


def test_a_new_member_is_not_told_of_an_earlier_index(ann: World) -> None:
    first, second = add(ann), hardwon(ann, "recall", "image")
    work(ann)

    assert [done.stderr for done in (first, second)] == ["", ""]
    assert not ann.log.exists()


def test_the_worker_updates_a_keyword_index_of_an_earlier_version_and_tells_it_once(
    joined: Join,
) -> None:
    ann, bob = joined("ann"), joined("bob")
    add(ann, "Call ｇｅｔAccountById twice, by the ＡＰＩ")  # noqa: RUF001
    add(bob, "Other words")
    downgrade(ann)
    before = hardwon(ann, "recall", "get_account_by_id")
    rest(ann)
    work(ann)
    after = [hardwon(ann, "recall", question) for question in ("get_account_by_id", "api")]

    assert "twice" not in before.stdout
    assert INDEX_UPDATED_LATER in before.stderr
    assert ["twice" in done.stdout for done in after] == [True, True]
    assert [hardwon(world, "recall", "words").stderr for world in (ann, bob)] == ["", ""]
    assert [line.partition(" ")[2] for line in ann.log.read_text().splitlines()] == [
        f"keyword index: 2 {REFRESHED}"
    ]


def downgrade(world: World) -> None:
    """Make the index of the world's tenant what an earlier version made of it: words as they stand, and no version."""
    user = conninfo_to_dict(world.variables["HARDWON_STORE"])["user"]
    statements = (
        "DELETE FROM hardwon.posting WHERE tenant = %s AND term IN ('account', 'api', 'getaccountbyid')",
        "DELETE FROM hardwon.metadata WHERE tenant = %s AND key LIKE 'keyword_index_version %%'",
    )
    with psycopg.connect(store()) as connection:
        [tenant] = (
            connection.execute(
                "SELECT tenant FROM hardwon.member WHERE role = %s", (user,)
            ).fetchone()
            or ()
        )
        for statement in statements:
            assert connection.execute(statement, (tenant,)).rowcount


def work(world: World) -> None:
    """Let a worker do what waits, and end."""
    options = (
        "--global-store",
        str(world.store),
        "--project-root",
        str(world.project),
        "--on-server",
    )
    subprocess.run(
        [world.bin / "python", "-m", WORKER, *options],
        env=world.variables,
        cwd=world.folder,
        check=False,
    )


def test_an_empty_database_is_made_ready_by_its_owner(empty_world: World) -> None:
    with new_database() as address:
        empty_world.variables["HARDWON_STORE"] = url_of(address)
        before = hardwon(empty_world, "store", "status")
        made = [
            hardwon(empty_world, "store", "migrate", "--json").document["added"] for _ in range(2)
        ]
        after = hardwon(empty_world, "store", "status", "--json")

    assert (before.code, "its owner runs: hardwon store migrate" in before.stderr) == (2, True)
    assert made == [[*range(1, NEWEST + 1)], []]
    assert (after.document["schema"], after.document["tenant"], after.document["entries"]) == (
        NEWEST,
        "default",
        0,
    )
    assert hardwon(empty_world, "store", "add-member", "nobody-here").code == 2


def test_the_block_and_answers_are_those_of_a_file(ann: World, embedded_world: World) -> None:
    """A copy has the same texts and vectors; the file's index rounds cosines where it takes their mean."""
    url, file = ann.variables["HARDWON_STORE"], str(embedded_world.store)
    assert hardwon(ann, "store", "copy", file, url, "--yes").code == 0
    for question in (
        "reading a file in pieces",
        "retry a failing request",
        "a timestamp without a zone",
    ):
        answers = [
            {
                item["id"]: item["score"]
                for item in hardwon(world, "recall", question, "--scope", "global", "--json").items
            }
            for world in (embedded_world, ann)
        ]
        assert [*answers[0]] == [*answers[1]]
        assert answers[0] == pytest.approx(answers[1], abs=0.01)
    project = ("--project-root", str(embedded_world.project))
    blocks = [hardwon(world, "context", *project).stdout for world in (embedded_world, ann)]
    assert blocks[0] == blocks[1]
    assert "### " in blocks[0]


def test_the_demo_on_a_server_leaves_no_database_behind(empty_world: World) -> None:
    databases = sql.SQL("SELECT datname FROM pg_database WHERE datname LIKE 'hardwon_demo_%'")
    done = hardwon(empty_world, "demo", "--on", url_of(server()))
    with psycopg.connect(server()) as connection:
        left = connection.execute(databases).fetchall()

    assert (done.code, done.stderr, left) == (0, "", [])
    assert "79 learnings imported, 79 vectors made" in done.stdout
    assert "<- new" in done.stdout


def test_a_public_set_is_answered_as_well_on_a_server(empty_world: World) -> None:
    folder = str(write_set(empty_world.folder / "notes"))
    in_a_file = hardwon(empty_world, "eval", folder, "--json").document
    empty_world.variables["HARDWON_STORE"] = url_of(server())
    on_a_server = hardwon(empty_world, "eval", folder, "--json").document

    assert figures(on_a_server) == pytest.approx(figures(in_a_file), abs=0.01)
    assert figures(in_a_file)["adaptive"] > 0.5


def figures(document: dict[str, Any]) -> dict[str, float]:
    """Return the nDCG@10 of every policy."""
    return {
        policy: found["ndcg@10"] for policy, found in document["sets"]["notes"]["policies"].items()
    }
