import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.entrypoints.hook_process import Original, World


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
