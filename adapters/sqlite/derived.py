"""Tables that are derived from others by triggers: made again where they were dropped or damaged."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from hardwon.adapters.sqlite.database import Database
from hardwon.domain.model.errors import StorageError


def remake(
    database: Database,
    table: str,
    triggers: Sequence[str],
    script: str,
    is_sound: Callable[[Database], bool] = lambda _: True,
) -> None:
    """
    Make a derived table and its triggers again where one of them is missing; a store that can't be written stays as it is.

    Args:
        database: The store.
        table: The name of the table.
        triggers: Those that keep it.
        script: Makes and fills both.
        is_sound: Whether the table holds what it should; called where all are there.

    """
    expected = (table, *triggers)
    found = database.value(f"SELECT count(*) FROM sqlite_master WHERE name IN {expected}")
    if found == len(expected) and is_sound(database):
        return
    from hardwon.adapters.sqlite.migrations import run_scripts  # noqa: PLC0415  # rarely needed

    with suppress(StorageError), database.transaction(), database.translated():
        for trigger in triggers:
            database.connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        database.connection.execute(f"DROP TABLE IF EXISTS {table}")
        run_scripts(database.connection, script)
