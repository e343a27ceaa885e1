"""Decisions in the store's metadata, and the ledger of imported files."""

import datetime as dt
import os
from collections.abc import Sequence

from hardwon.adapters.sql.database import Database, Role
from hardwon.domain.model.embedding import Space
from hardwon.ports.file_state import ImportLedger
from hardwon.ports.override import override

AUTOMATIC_PROVIDER = "automatic_provider"
LABEL_CURSOR = "label_cursor"
CITATION_CURSOR = "citation_cursor"
EMBED_CURSOR = "embed_cursor"


class SqlMetadata(Role[Database]):
    """Decisions in the store's metadata."""

    SELECT: str
    ADD: str
    SET: str
    STATE: str

    @property
    def automatic_provider(self) -> str | None:
        """The provider chosen for `auto`, None before the first decision."""
        return self._value(AUTOMATIC_PROVIDER)

    def decide_provider(self, provider: str, *, force: bool = False) -> None:
        """Store the provider for `auto`, replacing an earlier one with *force*."""
        self._remember(AUTOMATIC_PROVIDER, provider, self.SET if force else self.ADD)

    @property
    def label_cursor(self) -> str | None:
        """The imported entry whose labelling was tried last, by id."""
        return self._value(LABEL_CURSOR)

    def move_label_cursor(self, entry_id: str) -> None:
        """Store the id of the imported entry labelled last."""
        self._remember(LABEL_CURSOR, entry_id, self.SET)

    @property
    def citation_cursor(self) -> str | None:
        """The id of the entry whose citations were checked last."""
        return self._value(CITATION_CURSOR)

    def move_citation_cursor(self, entry_id: str) -> None:
        """Store the id of the entry whose citations were checked last."""
        self._remember(CITATION_CURSOR, entry_id, self.SET)

    def embed_cursor(self, space: Space) -> int:
        """
        Return the number of the last entry embedded again in *space*.

        0 unless such a run was interrupted.
        """
        value = self._value(_embed_cursor(space)) or ""
        return int(value) if value.isdecimal() else 0

    def move_embed_cursor(self, space: Space, number: int) -> None:
        """Store the number of the last entry embedded again."""
        self._remember(_embed_cursor(space), str(number), self.SET)

    def state_at(self, now: dt.datetime) -> str | None:
        """
        Return the state of everything that may be shown at *now*.

        None while an entry has expired that is not retired yet.
        """
        [(state, has_expired)] = self._database.rows(
            self.STATE, provider=AUTOMATIC_PROVIDER, now=now
        )
        return None if has_expired else str(state)

    def _value(self, key: str) -> str | None:
        value = self._database.value(self.SELECT, key=key)
        return None if value is None else str(value)

    def _remember(self, key: str, value: str, statement: str) -> None:
        with self._database.transaction():
            self._database.rows(statement, key=key, value=value)


def _embed_cursor(space: Space) -> str:
    return " ".join((EMBED_CURSOR, *map(str, space)))


class SqlImportLedger(Role[Database], ImportLedger):
    """The ledger of imported files and headings."""

    HEADINGS: str
    FINGERPRINTS: str
    SET_FINGERPRINT: str
    ADD_HEADING: str
    WITHDRAW_HEADING: str

    @override
    def headings(self, path: str) -> set[str]:
        rows = self._database.rows(self.HEADINGS, path=stored_path(path))
        return {heading for (heading,) in rows if isinstance(heading, str)}

    @override
    def record(self, path: str, headings: set[str], fingerprint: str) -> None:
        with self._database.transaction():
            self._database.rows(
                self.SET_FINGERPRINT, path=stored_path(path), fingerprint=fingerprint
            )
            self._change(self.ADD_HEADING, path, headings)

    @override
    def paths(self) -> Sequence[str]:
        return sorted(path for path, _ in self._database.rows(self.FINGERPRINTS))

    @override
    def withdraw(self, path: str, headings: set[str]) -> None:
        self._change(self.WITHDRAW_HEADING, path, headings)

    def _change(self, statement: str, path: str, headings: set[str]) -> None:
        rows = ({"path": stored_path(path), "heading": heading} for heading in sorted(headings))
        self._database.run_many(statement, rows)


def stored_path(path: str) -> str:
    """Return *path* as valid text, escaping bytes that are not UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
