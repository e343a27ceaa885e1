"""Stores of earlier versions, by migrations or as they were written."""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from hardwon.adapters.sqlite.migrations import MIGRATIONS
from hardwon.domain.model.identity import content_hash, file_identity

STORES = sorted((Path(__file__).parent / "stores").glob("*.sql"))
LESSON, SECTION, NEXT_NUMBER = 5, 9, 13
"""Numbers of the two entries, and the first that was never given."""

Row = tuple[Any, ...]


def version_of(store: Path) -> int:
    return int(store.stem.partition("-")[0])


def unpack(store: Path, folder: Path) -> Path:
    """Make the database from the SQL in *store*; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "memory.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(f"BEGIN; {store.read_text(encoding='utf-8')} COMMIT;")
    return path


def tables(path: Path) -> dict[str, list[str]]:
    """Return the columns by table, without the keyword index."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '*_fts*' AND name NOT GLOB 'sqlite_*'"
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute(query)]
        return {
            name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            for name in names
        }


def rows(path: Path, table: str, columns: Iterable[str]) -> set[Row]:
    """Return the rows of *table*, by those columns."""
    quoted = ", ".join(f'"{column}"' for column in columns)
    with closing(sqlite3.connect(path)) as connection:
        return set(connection.execute(f"SELECT {quoted} FROM {table}"))


def content(path: Path) -> list[Row]:
    """Return the schema and all rows, those of the keyword index's own tables too."""
    with closing(sqlite3.connect(path)) as connection:
        schema = connection.execute(
            "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
        ).fetchall()
        names = sorted(name for kind, name, _ in schema if kind == "table")
        return [
            *schema,
            *(
                (name, *row)
                for name in names
                for row in connection.execute(f"SELECT * FROM {name}")
            ),
        ]


AT = "2026-02-28T12:30:00.000000+00:00"


class EarlierStore:
    """A store of *version*, open for writing in *folder*."""

    def __init__(self, folder: Path, version: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(folder / "memory.db", isolation_level=None)
        self.connection.execute("BEGIN")
        for migration in MIGRATIONS[:version]:
            migration(self.connection)
        self.insert("_metadata", key="schema_version", value=str(version))

    def close(self) -> None:
        """Commit and close it."""
        self.connection.execute("COMMIT")
        self.connection.close()

    def insert(self, table: str, **values: object) -> int:
        """Insert one row; return its number."""
        names, marks = ", ".join(f'"{name}"' for name in values), ", ".join("?" * len(values))
        statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"
        return self.connection.execute(statement, tuple(values.values())).lastrowid or 0

    def learning(
        self,
        name: str,
        text: str = "",
        *,
        label: str | None = None,
        source: str = "import",
        workspace: str | None = None,
    ) -> None:
        """Add a learning; its text is by default that of `bank_text`."""
        text = text or f"About {name}."
        identity = content_hash(text)
        number = self.insert(
            "entry",
            id=identity,
            content_hash=identity,
            kind="learning",
            category="patterns",
            updated_at=AT,
            project=label,
            workspace=workspace,
            words=5,
        )
        self._text(number, name, text, source)

    def file(
        self,
        path: Path | str,
        *,
        label: str | None = "app",
        kind: str = "decision",
        source: str = "import",
    ) -> None:
        """Add the entry of a file; its name and text are those of the file, by its name."""
        name = Path(str(path)).stem or "unnamed"
        identity = file_identity(kind, str(path))
        number = self.insert(
            "entry",
            id=identity,
            content_hash=identity,
            kind=kind,
            updated_at=AT,
            project=label,
            workspace="src",
            words=5,
        )
        self._text(
            number,
            name,
            f"Text of {name}.",
            source,
            file_path=str(path),
            file_hash="h",
            file_mtime=1,
        )

    def _text(self, number: int, name: str, text: str, source: str, **values: object) -> None:
        self.insert(
            "entry_text",
            entry_seq=number,
            name=name,
            description=text,
            reasoning="",
            notes="",
            keywords="[]",
            tags="[]",
            references="[]",
            trigger_phrases="[]",
            text_hash="h",
            created_at=AT,
            **{"source": source, **values},
        )

    def imported(self, bank: Path | str, *headings: str) -> None:
        """Add a file of a bank to the ledger, with its headings."""
        self.insert("sources", path=str(bank), fingerprint="1-1")
        for heading in headings:
            self.insert("source_heading", path=str(bank), heading=heading)

    def checkpoint(self, name: str, **metadata: object) -> None:
        """Add a checkpoint without its snapshot."""
        self.insert(
            "checkpoints",
            name=name,
            created_at=AT,
            memory_count=0,
            snapshot_path=f"checkpoints/{name}.db",
            metadata=json.dumps(metadata),
        )


def bank_text(*names: str) -> str:
    """Return a bank file with the learnings of those names."""
    return "".join(
        f"### Pattern: {name}\nAbout {name}.\n- Observation count: 2\n\n" for name in names
    )
