"""A member of a tenant, and the network to the server."""

import contextlib

import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.postgres_server import Network, member, network_to


@pytest.fixture
def address(cleanup: contextlib.ExitStack) -> str:
    return cleanup.enter_context(member())


@pytest.fixture
def network(cleanup: contextlib.ExitStack, address: str) -> Network:
    """Return the network between the member and the server."""
    return cleanup.enter_context(network_to(str(conninfo_to_dict(address)["host"])))
