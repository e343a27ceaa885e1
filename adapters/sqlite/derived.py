"""Tables that are derived from others: made again where they were dropped or damaged; and the blocks that some are packed by."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from hardwon.adapters.sqlite.database import Database
from hardwon.domain.model.errors import StorageError

SHIFT = 10
"""The bits of an entry's number that tell its place in its block of 1,024, in triggers too."""

LAST_PLACE = (1 << SHIFT) - 1


def bounds(block: int) -> tuple[int, int]:
    """Return the first and the last number that an entry of a block may have."""
    return block << SHIFT, block << SHIFT | LAST_PLACE


def remake(
    database: Database,
    tables: Sequence[str],
    triggers: Sequence[str],
    script: str,
    is_sound: Callable[[Database], bool] = lambda _: True,
) -> None:
    """
    Make derived tables and their triggers again where one of them is missing; a store that can't be written stays as it is.

    Args:
        database: The store.
        tables: Their names.
        triggers: Those that keep them.
        script: Makes and fills them.
        is_sound: Whether they hold what they should; called where all are there.

    """
    expected = (*tables, *triggers)
    names = ", ".join(map(repr, expected))
    found = database.value(f"SELECT count(*) FROM sqlite_master WHERE name IN ({names})")
    if found == len(expected) and is_sound(database):
        return
    from hardwon.adapters.sqlite.migrations import run_scripts  # noqa: PLC0415  # rarely needed

    with suppress(StorageError), database.transaction(), database.translated():
        for trigger in triggers:
            database.connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        for table in tables:
            database.connection.execute(f"DROP TABLE IF EXISTS {table}")
        run_scripts(database.connection, script)
