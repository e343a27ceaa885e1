"""Vectors of queries are remembered by a hash, and never needed."""

from array import array
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.erase_files import StoreRows
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.query_vectors import KEPT, RememberingEmbedder
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.erasure import Erasure
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.ports.models import Task
from tests.contracts.worlds import IN_TIME
from tests.strategies import SPACE

TEXT = "which way does the parser go?"


class Counted:
    """An embedder that notes what it was asked; the vector tells how often that was."""

    max_tokens = 9

    def __init__(self, space: Space = SPACE) -> None:
        self.space = space
        self.asked = list[tuple[str, ...]]()

    def embed(self, texts: Sequence[str], task: Task, deadline: object) -> list[Vector]:
        del task, deadline
        self.asked.append(tuple(texts))
        return [array("f", [len(self.asked), 0.1, 0, 0]) for _ in texts]


@pytest.fixture
def database(folder: Path) -> Iterator[SqliteDatabase]:
    with closing(open_store(str(folder))) as database:
        yield database


def ask(
    embedder: Counted, database: SqliteDatabase, text: str = TEXT, task: Task = "query"
) -> Vector:
    [vector] = RememberingEmbedder(embedder, database.path).embed([text], task, IN_TIME)
    return vector


def count(database: SqliteDatabase) -> int:
    return int(database.value("SELECT count(*) FROM query_vector"))


def test_the_same_query_is_embedded_once_and_gets_the_same_vector_to_the_bit(
    database: SqliteDatabase,
) -> None:
    embedder = Counted()

    assert ask(embedder, database) == ask(embedder, database) == array("f", [1, 0.1, 0, 0])
    assert embedder.asked == [(TEXT,)]


def test_another_text_or_space_is_embedded(database: SqliteDatabase) -> None:
    embedder, other = Counted(), Counted(SPACE._replace(weights_hash="other"))
    ask(embedder, database)

    assert ask(embedder, database, f"{TEXT} ")[0] == 2
    ask(other, database)
    assert other.asked == [(TEXT,)]


def test_documents_are_not_remembered(database: SqliteDatabase) -> None:
    embedder = Counted()
    ask(embedder, database, task="document")
    RememberingEmbedder(embedder, database.path).embed([TEXT, TEXT], "query", IN_TIME)

    assert (len(embedder.asked), count(database)) == (2, 0)


def test_no_text_is_kept(database: SqliteDatabase, folder: Path) -> None:
    ask(Counted(), database)

    assert count(database) == 1
    assert b"parser" not in b"".join(path.read_bytes() for path in folder.iterdir())


def test_the_newest_queries_are_kept(database: SqliteDatabase) -> None:
    embedder = Counted()
    for number in range(KEPT + 5):
        ask(embedder, database, str(number))
    assert count(database) == KEPT

    ask(embedder, database, "5")
    assert len(embedder.asked) == KEPT + 5
    ask(embedder, database, "4")
    assert len(embedder.asked) == KEPT + 6


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE query_vector SET vec = zeroblob(16)",
        "UPDATE query_vector SET vec = x'00'",
        "UPDATE query_vector SET vec = 'text', checksum = 'text'",
        "UPDATE query_vector SET vec = 5",
        "UPDATE query_vector SET checksum = checksum + 1",
    ],
)
def test_a_damaged_vector_is_embedded_and_remembered_again(
    database: SqliteDatabase, damage: str
) -> None:
    embedder = Counted()
    ask(embedder, database)
    database.rows(damage)

    assert ask(embedder, database)[0] == 2
    assert ask(embedder, database)[0] == 2


def test_a_store_that_is_busy_remembers_nothing_and_is_not_waited_for(
    database: SqliteDatabase,
) -> None:
    embedder = Counted()
    with database.transaction():
        assert ask(embedder, database)[0] == 1
    assert count(database) == 0


def test_without_the_table_or_the_file_queries_are_embedded(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    embedder = Counted()
    database.rows("DROP TABLE query_vector")
    assert ask(embedder, database)[0] == 1

    missing = tmp_path / "missing.db"
    RememberingEmbedder(embedder, str(missing)).embed([TEXT], "query", IN_TIME)
    assert (len(embedder.asked), missing.exists()) == (2, False)


def test_a_failure_is_raised_and_not_remembered(database: SqliteDatabase) -> None:
    class Failing(Counted):
        def embed(self, texts: Sequence[str], task: Task, deadline: object) -> list[Vector]:
            del texts, task, deadline
            raise EmbedderUnavailableError("no model")

    with pytest.raises(EmbedderUnavailableError):
        ask(Failing(), database)
    assert count(database) == 0


def test_forgetting_anything_clears_them(database: SqliteDatabase) -> None:
    ask(Counted(), database)
    StoreRows(database).erase(Erasure(("something",)))

    assert count(database) == 0


def test_taking_secrets_out_clears_them(database: SqliteDatabase) -> None:
    ask(Counted(), database)
    StoreRows(database).redact()

    assert count(database) == 0
