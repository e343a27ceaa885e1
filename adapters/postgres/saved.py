"""The rows of a tenant as a checkpoint saved them, read as the tables that they were."""

from collections.abc import Mapping

from hardwon.adapters.postgres.database import Database
from hardwon.adapters.postgres.session import Row
from hardwon.domain.model.forgotten import SECRET

OF_ENTRIES = ("entry", "entry_text", "recall", "usage", "influence", "entry_place", "entry_alias", "vector")
"""The tables with rows of an entry, in the order of insertion."""

OF_SECTIONS = ("tombstone", "departed")
"""Tables about sections of files without an entry."""

LEDGERS = ("source", "source_heading", *OF_SECTIONS, "metadata")
"""Tables that the scope `all` restores as a whole, after those that they refer to."""

NUMBERED = (*OF_ENTRIES, "history")
SAVED = (*NUMBERED, *LEDGERS, "space", "project")
"""All tables that a checkpoint saves. Keyword postings are made again; receipts and what was forgotten stay as they are."""

ROWS: Mapping[str, str] = {"metadata": f"x.key != '{SECRET}'", "project": "x.owner = current_user"}
"""Which rows of a table are saved, where not all are."""

SAVE = """
    INSERT INTO hardwon.saved_row (tenant, snapshot, relation, place, number, content)
    SELECT x.tenant, %(snapshot)s, '{table}', row_number() OVER (), {number}, to_jsonb(x)
    FROM hardwon.{table} x WHERE x.tenant = %(tenant)s AND {rows}
"""
DROP = "DELETE FROM hardwon.saved_row WHERE tenant = %(tenant)s AND snapshot = %(snapshot)s"

CONTENTS: Mapping[str, str] = {
    "vector": """
        s.content || jsonb_build_object('space', coalesce(%(spaces)s::jsonb -> (s.content ->> 'space'), s.content -> 'space'))
    """,
    "metadata": """
        s.content || CASE s.content ->> 'key' WHEN 'active_space' THEN jsonb_build_object('value',
            coalesce(%(spaces)s::jsonb ->> (s.content ->> 'value'), s.content ->> 'value')) ELSE '{}' END
    """,
}
"""The content of rows that name a space by its number, with the number of today."""

TABLE = """
    past_{table} AS (
        SELECT x.* FROM hardwon.saved_row s
        CROSS JOIN LATERAL jsonb_populate_record(NULL::hardwon.{table}, {content}) x
        WHERE s.tenant = %(tenant)s AND s.snapshot = %(snapshot)s AND s.relation = '{table}'
            AND (s.number IS NULL OR s.number != ALL(%(gone)s::bigint[]))
    )
"""


def past(sql: str) -> str:
    """Return *sql* about the tables of today as the same about saved ones."""
    return sql.replace("hardwon.", "past_")


class Saved:
    """
    The rows that a checkpoint saved.

    Args:
        database: The store.
        snapshot: The name of the snapshot.

    Attributes:
        spaces: The numbers of the spaces of today, by those of the snapshot; a missing one has its number still.
        gone: The numbers of entries that are left out.

    """

    def __init__(self, database: Database, snapshot: str) -> None:
        self._database = database
        self._snapshot = snapshot
        self.spaces = dict[str, int]()
        self.gone = list[int]()

    def save(self) -> None:
        """Save all rows of the tenant that this member may see."""
        about = {"snapshot": self._snapshot}
        self._database.together([(_save(table), about) for table in SAVED])

    def drop(self) -> None:
        """Delete the saved rows."""
        self._database.rows(DROP, snapshot=self._snapshot)

    def rows(self, sql: str, **parameters: object) -> list[Row]:
        """
        Run a statement in which `past_entry` is the table `entry` as it was; so all saved tables.

        The server knows nothing of how many saved rows there are: left to itself, it would compare each with each.
        """
        tables = ", ".join(_table(table) for table in SAVED if f"past_{table}" in sql)
        about = {"snapshot": self._snapshot, "spaces": self.spaces, "gone": self.gone}
        with self._database.snapshot():
            self._database.rows("SET LOCAL enable_nestloop = off")
            rows = self._database.rows(f"WITH {tables} {sql}", **about, **parameters)
            self._database.rows("SET LOCAL enable_nestloop = on")
        return rows

    def asked(self, sql: str, **parameters: object) -> list[Row]:
        """Run a query about the tables of today on those of the snapshot."""
        return self.rows(past(sql), **parameters)


def _save(table: str) -> str:
    number = "x.number" if table in NUMBERED else "NULL"
    return SAVE.format(table=table, number=number, rows=ROWS.get(table, "true"))


def _table(table: str) -> str:
    return TABLE.format(table=table, content=CONTENTS.get(table, "s.content"))
