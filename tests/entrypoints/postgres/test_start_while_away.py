"""A session start while the server is away prints the last block that was prepared on this machine."""

import contextlib
import datetime as dt
import os
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from hardwon.adapters.prepared_starts import PreparedStarts
from hardwon.entrypoints.bootstrap import now, read_settings
from hardwon.entrypoints.hook.prepare import prepare_alone
from hardwon.entrypoints.hook.prepared_start import place_of
from hardwon.entrypoints.hook.request import start_of
from tests.entrypoints.hook_process import World
from tests.entrypoints.postgres.test_on_a_server import START, add, on_server
from tests.entrypoints.programs import hardwon
from tests.postgres_server import Network, execute, store, url_of

pytestmark = pytest.mark.postgres

TITLE = "### Pin images"
AWAY = " | the server is away, as of "
HOURS = dt.timedelta(hours=3, minutes=20)


@pytest.fixture
def world(tmp_path: Path, cleanup: contextlib.ExitStack, network: Network, address: str) -> World:
    """Return a world with a lesson, after whose first turn the next start was prepared."""
    world = on_server(tmp_path / "ann", url_of(address, network.port), cleanup)
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    add(world)
    world.hook(payload=start(world))
    prepare(world)
    return world


def start(world: World) -> dict[str, str]:
    return {**START, "cwd": str(world.project)}


def prepare(world: World) -> None:
    with mock.patch.dict(os.environ, world.variables, clear=True):
        prepare_alone(str(world.store), str(world.project), "units", on_server=True)


def age(world: World, by: dt.timedelta) -> None:
    """Let the prepared block be older *by* that."""
    with mock.patch.dict(os.environ, world.variables, clear=True):
        request = start_of(str(world.project), "units", {})
        place = place_of(read_settings(str(world.project), {}).settings, request)
        starts = PreparedStarts(str(world.store))
        prepared = starts.find(place)
        assert prepared
        receipt = prepared.receipt._replace(at=now() - by)
        starts.keep(place, prepared._replace(receipt=receipt))


def test_ten_starts_of_a_day_print_it_with_its_age(world: World, network: Network) -> None:
    plain = world.hook(payload=start(world)).stdout
    network.is_away = True
    age(world, HOURS)
    runs = [world.hook(payload=start(world)) for _ in range(10)]

    assert TITLE in plain
    assert {run.stdout.replace(f"{AWAY}3 h 20 min ago", "") for run in runs} == {plain}
    assert all(f"{AWAY}3 h 20 min ago*\n" in run.stdout for run in runs)
    assert all("the last block that was prepared is shown: " in run.log[-1] for run in runs)


@pytest.mark.parametrize(
    ("by", "printed"),
    [
        (dt.timedelta(hours=23, minutes=59), True),
        (dt.timedelta(hours=24, minutes=1), False),
        (-dt.timedelta(minutes=1), False),
    ],
    ids=["a day", "more than a day", "by a clock that went back"],
)
def test_it_is_at_most_a_day_old(
    world: World, network: Network, by: dt.timedelta, *, printed: bool
) -> None:
    network.is_away = True
    age(world, by)

    assert (TITLE in world.hook(payload=start(world)).stdout) is printed


def forget(world: World) -> None:
    add(world, "Another lesson, of which nothing is in any block.")
    prepare(world)
    assert hardwon(world, "forget", "Another lesson", "--yes").code == 0


def trust(world: World) -> None:
    assert hardwon(world, "trust", "--revoke").code == 0


def trust_below(world: World) -> None:
    assert hardwon(world, "trust", str(world.folder), "--below").code == 0


def ask_for_trust(world: World) -> None:
    world.variables["HARDWON_TRUST"] = "ask"


@pytest.mark.parametrize("change", [forget, trust, trust_below, ask_for_trust])
def test_it_is_void_after_what_was_decided_here(
    world: World, network: Network, change: Callable[[World], None]
) -> None:
    change(world)
    network.is_away = True

    assert TITLE not in world.hook(payload=start(world)).stdout


def test_a_silent_server_costs_no_start(world: World, network: Network) -> None:
    network.limit = network.round_trips
    started = world.hook(payload=start(world))

    assert TITLE in started.stdout
    assert AWAY in started.stdout


def test_a_resumed_session_and_the_argument_form_get_the_banks(
    world: World, network: Network
) -> None:
    network.is_away = True
    transcript = world.folder / "resumed.jsonl"
    transcript.write_text("{}\n")
    resumed = {"source": "resume", "transcript_path": str(transcript), "session_id": "resumed"}

    assert TITLE not in world.hook(payload={**start(world), **resumed}).stdout
    assert TITLE not in world.argument_form().stdout


def test_a_member_who_was_removed_gets_nothing(world: World, address: str) -> None:
    role = str(conninfo_to_dict(address)["user"])
    execute(
        store(), sql.SQL("DELETE FROM hardwon.member WHERE role = {}").format(sql.Literal(role))
    )

    assert TITLE not in world.hook(payload=start(world)).stdout
