"""An entry that is stored while the server is away waits here, and arrives once, in order."""

import contextlib
import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from hardwon.adapters.postgres.migrate import add_member
from hardwon.adapters.postgres.session import NEWEST
from hardwon.adapters.postgres.store import PostgresStore, open_postgres
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.model.errors import ServerAwayError
from hardwon.domain.model.filters import NOWHERE
from hardwon.domain.model.settings import ServerAddress
from hardwon.domain.use_cases.store_entry import Origin, StoreEntry
from hardwon.entrypoints.bootstrap import keep_in, now, read_settings
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.presenters.answers import ASKED_HERE as ASKED
from hardwon.entrypoints.presenters.entries import KEPT_HERE as KEPT
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import LESSON as LESSON_OF_AGENT
from tests.entrypoints.mcp.conftest import RawClient
from tests.entrypoints.postgres.test_on_a_server import START, on_server, work
from tests.entrypoints.programs import hardwon, run
from tests.entrypoints.sessions import rest
from tests.entrypoints.view.caller import Caller
from tests.fakes.doors import Ran
from tests.postgres_server import Network, execute, member, store, url_of
from tests.strategies import NOW

pytestmark = pytest.mark.postgres

KEPT_HERE, ASKED_HERE = (line.partition("{")[0] for line in (KEPT, ASKED))
VERSION = sql.SQL(
    "UPDATE hardwon.migration SET version = {to} WHERE version = (SELECT max(version) FROM hardwon.migration)"
)
LESSONS = (
    "Pin the base image of a container by digest.",
    "Parse partner feeds line by line with the csv reader.",
    "東京の倉庫では温度を毎時間記録する。",
)


@pytest.fixture
def ann(tmp_path: Path, cleanup: contextlib.ExitStack, network: Network, address: str) -> World:
    """Return a world whose server is away, after it was there."""
    world = on_server(tmp_path / "ann", url_of(address, network.port), cleanup)
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    work(world)
    network.is_away = True
    return world


def add(world: World, text: str) -> Ran:
    done = hardwon(world, "add", text, "--category", "heuristics")
    assert done.code == 0, done.stderr
    return done


def write(world: World, text: str, **fields: object) -> Ran:
    entry = {"name": "Written", "description": text, "category": "patterns", **fields}
    store = world.variables["HARDWON_STORE"]
    options = ("--action", "upsert", "--global-store", store, "--entry-json", json.dumps(entry))
    return run(world, "hardwon-writer", *options)


def stored(world: World) -> list[dict[str, Any]]:
    """Return what is on the server, the oldest first."""
    items = hardwon(world, "list", "--scope", "global", "--json").items
    return sorted(items, key=lambda item: int(item["number"]))


def waiting(world: World) -> str:
    return hardwon(world, "store", "status").stderr


def held(world: World, text: str) -> list[Path]:
    """Return the files of the store's folder that hold *text*."""
    files = [path for path in world.store.rglob("*") if path.is_file()]
    return [path for path in files if text.encode() in path.read_bytes()]


def member_of(world: World) -> PostgresStore:
    return open_postgres(ServerAddress(world.variables["HARDWON_STORE"]), lambda _: None)


def remove_member(role: str) -> None:
    execute(
        store(), sql.SQL("DELETE FROM hardwon.member WHERE role = {}").format(sql.Literal(role))
    )


def test_all_doors_keep_it_here_and_it_is_sent_in_order(
    ann: World, network: Network, cleanup: contextlib.ExitStack
) -> None:
    first = add(ann, LESSONS[0])
    second = write(ann, LESSONS[1])
    client = RawClient(ann)
    cleanup.callback(client.kill)
    client.initialize()
    third = client.call("store_memory", **LESSON_OF_AGENT)
    found = hardwon(ann, "recall", "container image")
    status, doctor = hardwon(ann, "store", "status"), hardwon(ann, "doctor")

    assert [KEPT_HERE in line for line in (first.stderr, second.stderr)] == [True, True]
    assert (first.code, second.code) == (0, 0)
    assert KEPT_HERE in str(third)
    assert ASKED_HERE in found.stderr
    assert LESSONS[0][:20] in found.stdout
    assert "3 entries wait here for postgresql://" in status.stderr
    assert "3 entries wait here for postgresql://" in doctor.stdout

    network.is_away = False
    work(ann)

    assert [item["description"] for item in stored(ann)] == [
        LESSONS[0],
        LESSONS[1],
        LESSON_OF_AGENT["description"],
    ]
    assert "wait" not in waiting(ann)
    assert ASKED_HERE not in hardwon(ann, "recall", "container image").stderr


def test_the_outbox_holds_no_secret_and_only_the_user_reads_it(ann: World) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    add(ann, f"Never print the token {secret} in a log of the deployment.")
    files = [path for path in ann.store.rglob("*") if path.is_file()]

    assert [path for path in files if secret.encode() in path.read_bytes()] == []
    assert [path for path in files if path.stat().st_mode & 0o077] == []


def test_a_text_remembered_while_away_is_indexed_when_the_server_is_back(
    ann: World, network: Network
) -> None:
    remembered = hardwon(ann, "remember", "The zanthemur goes before the canary.")
    found = hardwon(ann, "recall", "zanthemur")
    network.is_away = False
    work(ann)

    assert remembered.code == 0
    assert KEPT_HERE in remembered.stderr
    assert "zanthemur" in found.stdout
    assert "zanthemur" in hardwon(ann, "recall", "zanthemur").stdout
    assert "wait" not in waiting(ann)


def test_a_text_that_a_colleague_forgot_meanwhile_never_arrives(
    ann: World, network: Network
) -> None:
    add(ann, LESSONS[0])
    add(ann, LESSONS[1])
    network.is_away = False
    with closing(member_of(ann)) as colleague:
        colleague.entries.forgotten.add("x", [LESSONS[0]], NOW)
    work(ann)

    assert [item["description"] for item in stored(ann)] == [LESSONS[1]]
    assert "wait" not in waiting(ann)
    assert "1 text that waited was forgotten meanwhile, and not sent" in ann.log.read_text()
    assert held(ann, LESSONS[0]) == []


@pytest.mark.parametrize("is_away", [False, True], ids=["back", "away"])
def test_forgetting_reaches_what_waits(ann: World, network: Network, *, is_away: bool) -> None:
    add(ann, LESSONS[0])
    add(ann, LESSONS[1])
    network.is_away = is_away
    done = hardwon(ann, "forget", "base image of a container", "--yes")
    network.is_away = False
    work(ann)

    assert done.code == (2 if is_away else 0), done
    assert ("the server can't be reached" in done.stdout) is is_away
    assert "--gone" not in done.stdout
    assert [item["description"] for item in stored(ann)] == [LESSONS[1]]
    assert held(ann, "base image of a container") == []


def test_commands_that_need_the_server_say_when_to_try_again(
    ann: World, cleanup: contextlib.ExitStack
) -> None:
    advice = "try again when the server is back"
    note = ann.project / "memory" / "decisions" / "note.md"
    note.parent.mkdir(parents=True)
    note.write_text("We deploy on Tuesdays.")
    client = RawClient(ann)
    cleanup.callback(client.kill)
    client.initialize()
    client.store()  # the server is asked at the first call

    assert advice in client.refusal("memory_save", filePath=str(note))
    assert advice in client.refusal("memory_list")
    for command in (["list"], ["index"], ["review"], ["delete", "abcdef12", "--yes"]):
        refused = hardwon(ann, *command)
        assert (refused.code, refused.stderr.count("\n")) == (2, 1)
        assert advice in refused.stderr
    page = Caller(ann, server=ServerAddress(ann.variables["HARDWON_STORE"]))
    page.open()
    assert advice in page.get("/memory").text


def test_nothing_is_sent_as_another_login(ann: World, network: Network) -> None:
    add(ann, LESSONS[0])
    network.is_away = False
    with member() as other:
        own = ann.variables["HARDWON_STORE"]
        ann.variables["HARDWON_STORE"] = url_of(other, network.port)
        work(ann)
        foreign, doctor = stored(ann), hardwon(ann, "doctor").stdout
        counted = hardwon(ann, "store", "status", "--json").document["waiting"]
        ann.variables["HARDWON_STORE"] = own
        work(ann)

    assert counted == 1
    assert foreign == []
    assert "1 entry waits here for postgresql://" in doctor
    assert [item["description"] for item in stored(ann)] == [LESSONS[0]]


def test_nothing_is_sent_to_another_tenant_of_the_same_login(
    ann: World, network: Network, address: str
) -> None:
    add(ann, LESSONS[0])
    network.is_away = False
    role = str(conninfo_to_dict(address)["user"])
    remove_member(role)
    add_member(store(), role, f"other {role}")
    work(ann)
    there = stored(ann)
    [outbox] = ann.store.glob("outbox-*")
    copied = hardwon(ann, "store", "copy", str(outbox), ann.variables["HARDWON_STORE"], "--yes")
    on_request = stored(ann)
    remove_member(role)
    add_member(store(), role, role)
    log = ann.log.read_text()
    work(ann)

    assert there == []
    assert copied.code == 0, copied
    assert [item["description"] for item in on_request] == [LESSONS[0]]
    assert log.count("was stored as another member, so nothing is sent") == 1
    assert [item["description"] for item in stored(ann)] == [LESSONS[0]]


def test_a_member_who_was_removed_loses_nothing(ann: World, network: Network, address: str) -> None:
    add(ann, LESSONS[0])
    network.is_away = False
    role = str(conninfo_to_dict(address)["user"])
    remove_member(role)
    work(ann)
    refused = write(ann, LESSONS[1])
    add_member(store(), role, role)
    work(ann)

    assert "is a member of no tenant" in ann.log.read_text()
    assert refused.code == 2
    assert KEPT_HERE not in refused.stderr
    assert [item["description"] for item in stored(ann)] == [LESSONS[0]]


def test_a_later_schema_loses_nothing(ann: World, network: Network) -> None:
    add(ann, LESSONS[0])
    network.is_away = False
    execute(store(), VERSION.format(to=sql.Literal(NEWEST + 1)))
    try:
        work(ann)
    finally:
        execute(store(), VERSION.format(to=sql.Literal(NEWEST)))
    work(ann)

    assert "install the newest hardwon" in ann.log.read_text()
    assert [item["description"] for item in stored(ann)] == [LESSONS[0]]


def test_a_superseded_lesson_is_not_guessed(ann: World) -> None:
    refused = write(ann, LESSONS[0], supersedes="1")

    assert refused.code == 1
    assert "supersedes can't be looked up now, store the lesson without it" in refused.stderr
    assert "wait" not in waiting(ann)


def test_the_next_start_has_it_sent(ann: World, network: Network) -> None:
    add(ann, LESSONS[0])
    network.is_away = False
    ann.variables["HARDWON_CAPTURE_ENABLED"] = "true"
    ann.hook(payload={**START, "cwd": str(ann.project)})
    rest(ann)

    assert [item["description"] for item in stored(ann)] == [LESSONS[0]]


def test_a_lesson_belongs_to_the_project_in_which_it_was_learned(
    ann: World, network: Network
) -> None:
    known = add(ann, LESSONS[0])
    network.is_away = False
    work(ann)
    add(ann, LESSONS[1])
    projects = {item["project"] for item in stored(ann)}

    assert known.code == 0
    assert len(projects) == 1


def test_a_lesson_whose_storing_got_no_answer_is_counted_once(ann: World, network: Network) -> None:
    network.is_away = False
    at = now()
    lesson = Entry(
        name="Pin",
        description=LESSONS[0],
        category="patterns",
        created_at=at,
        updated_at=at,
    )

    def keep(memory: Memory) -> None:
        StoreEntry.on(memory.store, Origin(NOWHERE, "add")).keep(redact_entry(lesson))
        if not memory.away:
            raise ServerAwayError("no answer in time")

    with mock.patch.dict(os.environ, ann.variables, clear=True):
        settings = read_settings(str(ann.project), {}).settings
        memory, _ = keep_in(settings, print, keep)
        memory.close()
    work(ann)

    assert memory.away == "no answer in time"
    assert [(item["description"], item["observation_count"]) for item in stored(ann)] == [
        (LESSONS[0], 1)
    ]
