import contextlib
from collections.abc import Callable, Iterator

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.clients import RawClient, Visitor

Connect = Callable[..., RawClient]
Visit = Callable[[World], Visitor]


def without_vectors(world: World) -> World:
    """Return *world* searching by word only and asking no provider for labels: most tests need neither."""
    world.variables |= {"HARDWON_EMBEDDING_PROVIDER": "off", "HARDWON_KEYWORD_PROVIDER": "off"}
    return world


@pytest.fixture(scope="module")
def shared_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Return the world of `shared`."""
    with contextlib.ExitStack() as cleanup:
        yield without_vectors(World(tmp_path_factory.mktemp("mcp") / "world", cleanup))


@pytest.fixture(scope="module")
def shared(shared_world: World) -> Iterator[RawClient]:
    """Return a client of one server for the whole module: starting one takes a second."""
    client = RawClient(shared_world)
    client.initialize()
    yield client
    client.kill()


@pytest.fixture
def world(empty_world: World) -> World:
    return without_vectors(empty_world)


@pytest.fixture
def connect(cleanup: contextlib.ExitStack) -> Connect:
    """Return a function that starts a server in a world and shakes hands with it."""

    def connect(world: World, *arguments: str) -> RawClient:
        client = RawClient(world, *arguments)
        cleanup.callback(client.kill)
        client.initialize()
        return client

    return connect
