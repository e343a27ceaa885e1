"""A store in its own folder, plain SQL, stub providers, and the real model."""

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardwon.adapters.minilm.embedder import MiniLmEmbedder, WordPiece, load_wordpiece
from hardwon.adapters.minilm.weights import find_weights
from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.use_cases.checkpoints import Checkpoints
from hardwon.ports.models import Task
from tests.adapters.providers.kinds import WAYS
from tests.adapters.providers.stub_server import StubProviders, running_stub
from tests.adapters.sqlite.sqlite_store import Sql, checkpoints_of
from tests.contracts.worlds import World, open_new_store, world_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "store"


@pytest.fixture
def database(folder: Path) -> Iterator[SqliteDatabase]:
    folder.mkdir(mode=0o700, parents=True)
    opened = open_new_store(str(folder))
    yield opened
    opened.close()


@pytest.fixture
def world(database: SqliteDatabase) -> World:
    return world_of(database)


@pytest.fixture
def checkpoints(database: SqliteDatabase) -> Checkpoints:
    return checkpoints_of(database)


@pytest.fixture
def sql(folder: Path, database: SqliteDatabase) -> Iterator[Sql]:
    """Run SQL on the file as an outsider would, without the product's functions."""
    assert database
    connection = sqlite3.connect(folder / "memory.db", isolation_level=None)
    yield lambda statement, *parameters: connection.execute(statement, parameters).fetchall()
    connection.close()


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def stub() -> Iterator[StubProviders]:
    with running_stub() as stub:
        yield stub


@pytest.fixture(scope="session")
def no_deadline() -> Deadline:
    return Deadline(time.monotonic)


@pytest.fixture(params=WAYS, ids=[f"{name}-{task}" for name, task in WAYS])
def way(request: pytest.FixtureRequest, stub: StubProviders) -> tuple[str, Task]:
    name: str
    name, task = request.param
    stub.dimensions = 1536 if name == "OpenAI" else 768
    return name, task


@pytest.fixture(scope="session")
def embedder() -> MiniLmEmbedder:
    return MiniLmEmbedder()


@pytest.fixture(scope="session")
def wordpiece() -> WordPiece:
    return load_wordpiece()


@pytest.fixture(scope="session")
def weights_path() -> str:
    return find_weights()
