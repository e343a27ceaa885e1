import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.adapters.providers.stub_server import StubProviders, running_stub
from tests.entrypoints.hook_process import Original, World
from tests.entrypoints.provider_process import Scene

if TYPE_CHECKING:
    from tests.entrypoints.mcp.conftest import Visit


@pytest.fixture(scope="module", autouse=True)
def _one_process(one_process: None) -> None:
    """Let all tests of programs share what each would load."""


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Original:
    return Original(tmp_path_factory.mktemp("hook"))


@pytest.fixture
def cleanup() -> Iterator[contextlib.ExitStack]:
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture
def world(original: Original, tmp_path: Path, cleanup: contextlib.ExitStack) -> World:
    """Return a world whose store knows the project's bank, without vectors."""
    return original.copy(tmp_path / "world", cleanup)


@pytest.fixture
def embedded_world(original: Original, tmp_path: Path, cleanup: contextlib.ExitStack) -> World:
    """Return a world whose store knows the project's bank, with all vectors."""
    return original.copy(tmp_path / "world", cleanup, embedded=True)


@pytest.fixture
def empty_world(tmp_path: Path, cleanup: contextlib.ExitStack) -> World:
    """Return a world with an empty project and no store."""
    return World(tmp_path / "world", cleanup)


@pytest.fixture
def world_by_word(empty_world: World) -> World:
    """Return an empty world whose memories are searched by word."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


@pytest.fixture
def stub() -> Iterator[StubProviders]:
    """Yield a server that plays every provider."""
    with running_stub() as stub:
        yield stub


@pytest.fixture
def scene(empty_world: World, stub: StubProviders) -> Scene:
    """Return a world with a feature, an empty store and stub providers."""
    scene = Scene(empty_world, stub)
    scene.begin_feature()
    return scene


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch) -> "Visit":
    """Return a function that connects a client to a server in memory: a process costs a second."""
    from tests.entrypoints.mcp.conftest import Visitor

    return lambda world: Visitor(world, monkeypatch)
