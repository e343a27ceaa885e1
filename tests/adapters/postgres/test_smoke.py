"""A server is started, and keeps a lesson: the one test of a server outside of `make doors`."""

from contextlib import closing

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.domain.model.filters import EVERYTHING
from tests.contracts.worlds import IN_TIME
from tests.postgres_server import member, world_of
from tests.strategies import lesson


def test_a_lesson_is_kept_on_a_server_and_found_by_its_words() -> None:
    entry = lesson("Escape quotes by doubling them.")
    with member() as address, closing(PostgresDatabase(address)) as database:
        world = world_of(database)
        world.repository.put(entry)

        assert world.repository.by_id(entry.entry_id) == entry
        assert world.keywords.match(["quote"], "any", EVERYTHING, IN_TIME).count() == 1
