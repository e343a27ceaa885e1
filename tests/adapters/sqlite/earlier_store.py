"""Stores of versions 3 to 6, made by the migrations up to there and filled by SQL with named columns."""

import json
import sqlite3
from pathlib import Path

from hardwon.adapters.sqlite.migrations import MIGRATIONS
from hardwon.domain.model.identity import content_hash, file_identity

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
