"""A released migration of a server is never edited."""

import pytest

from hardwon.adapters.postgres.migrate import Migration, migrations
from hardwon.adapters.postgres.session import NEWEST

RELEASED = {
    1: "71b6d648687f1fb2",
    2: "e9e44039b19d4c5c",
    3: "c2f42576a01d65c9",
    4: "3143a3116ba8d3d3",
    5: "9f055c59a85b2e2d",
    6: "68fe3a367d80b02a",
    7: "b6eb3ced998ecdcc",
    8: "b6abbaa874f6d70c",
    9: "e2af9b72b1b3ee7d",
    10: "518b354f7dbed7ad",
    11: "e057a6c423b4cc9b",
    12: "2b762d0b729b3639",
}
"""The beginning of the checksum of each file. A line is never changed, only added."""


@pytest.mark.parametrize("migration", migrations(), ids=lambda migration: str(migration.version))
def test_a_released_file_is_as_it_was_released(migration: Migration) -> None:
    assert migration.checksum[:16] == RELEASED[migration.version]


def test_the_files_end_with_the_version_that_is_expected_of_a_server() -> None:
    assert [migration.version for migration in migrations()] == list(range(1, NEWEST + 1))
