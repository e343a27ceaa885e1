import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import attrs
import pytest

from tests.clients.clients import Client, Desk
from tests.clients.scripted_model import ScriptedModel
from tests.entrypoints.hook_process import World
from tests.entrypoints.sessions import entry

ERROR = "ModuleNotFoundError: No module named 'frobnicate'"
LESSON = f"`{ERROR}` on CI: the cached venv is stale, bump the key of its cache."
OTHER = "The herd of zebra_quux is locked before it is counted, or LockTimeout is raised."
RULE = "Never touch the ledger of another quarter."

Set: TypeAlias = Callable[[Client], Desk]


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Yield a world with two lessons and a rule, which are searched by word."""
    with contextlib.ExitStack() as cleanup:
        world = World(tmp_path / "world", cleanup)
        world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
        world.variables["HARDWON_INJECTION_LIMIT"] = "0"  # or the first request had it all
        world.remember(
            entry("Stale venv", LESSON),
            attrs.evolve(entry("Herd", OTHER), references=("src/herd.py",)),
            attrs.evolve(entry("Ledger", RULE), tier="constitutional"),
            *(entry(f"Filler {number}", f"filler number {number}") for number in range(60)),
        )
        yield world


@pytest.fixture
def desk(world: World, model: ScriptedModel) -> Set:
    """Return a function that sets up a client, if it is installed."""

    def set_up(client: Client) -> Desk:
        if not client.path.exists():
            pytest.skip(f"{client.path.name} is not installed: make clients")
        return Desk(client, world, model)

    return set_up
