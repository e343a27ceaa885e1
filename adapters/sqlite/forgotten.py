"""Hashes of forgotten texts in the store's table `forgotten`, keyed by a secret in its metadata."""

import datetime as dt
import os
from collections.abc import Iterable

from hardwon.adapters.sqlite.database import Database, from_text, to_text
from hardwon.domain.model.forgotten import (
    KEY_BYTES,
    SECRET,
    from_keys,
    identifying,
    keyed_hash,
    names_of,
    recognisable,
    to_keys,
    without_passages,
)
from hardwon.ports.erasure import ForgottenHashes, ForgottenTexts
from hardwon.ports.override import override


class SqliteForgottenTexts(ForgottenTexts):
    """Forgotten texts in the store's tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def add(self, owner: str, texts: Iterable[str], at: dt.datetime, words: Iterable[str] = ()) -> None:
        with self._database.transaction():
            secret = next(iter(self._secrets()), None) or self._new_secret()
            owned = keyed_hash(secret, names_of(owner)[0])
            self._database.run_many(
                "INSERT OR IGNORE INTO forgotten (tag, owner, at) VALUES (?, ?, ?)",
                ((keyed_hash(secret, passage), owned, to_text(at)) for passage in sorted(identifying(texts, words))),
            )

    @override
    def holds(self, texts: Iterable[str]) -> bool:
        return self._is_used() and any(self._found(text) for text in texts)

    @override
    def without(self, text: str) -> str:
        return without_passages(text, self._found(text)) if self._is_used() else text

    @override
    def lift(self, owner: str) -> bool:
        lifted = list[object]()
        with self._database.transaction():
            for hashed in (keyed_hash(secret, name) for secret in self._secrets() for name in names_of(owner)):
                lifted += self._database.rows(
                    "DELETE FROM forgotten WHERE tag IN (SELECT tag FROM forgotten WHERE owner = ?) RETURNING 1",
                    (hashed,),
                )
        return bool(lifted)

    @override
    def hashes(self) -> ForgottenHashes:
        rows = self._database.rows("SELECT tag, owner, at FROM forgotten ORDER BY tag, owner")
        return ForgottenHashes(tuple(self._secrets()), tuple((tag, owner, from_text(at)) for tag, owner, at in rows))

    @override
    def adopt(self, hashes: ForgottenHashes) -> None:
        if not hashes.rows:
            return
        with self._database.transaction():
            secrets = dict.fromkeys((*self._secrets(), *hashes.keys))
            value = from_keys(secrets)
            self._database.rows("INSERT OR REPLACE INTO _metadata (key, value) VALUES (?, ?)", (SECRET, value))
            rows = ((tag, owner, to_text(at)) for tag, owner, at in hashes.rows)
            self._database.run_many("INSERT OR IGNORE INTO forgotten (tag, owner, at) VALUES (?, ?, ?)", rows)

    def _is_used(self) -> bool:
        return bool(self._database.value("SELECT 1 FROM forgotten LIMIT 1"))

    def _found(self, text: str) -> set[str]:
        """Return the passages of *text* that are forgotten."""
        secrets = self._secrets()
        known = "SELECT 1 FROM forgotten WHERE tag = ? LIMIT 1"
        return {
            passage
            for passage in recognisable(text)
            if any(self._database.value(known, (keyed_hash(secret, passage),)) for secret in secrets)
        }

    def _secrets(self) -> list[bytes]:
        """Return the keys of the hashes, none before the first; those of copied stores follow the store's own."""
        return to_keys(self._database.value("SELECT value FROM _metadata WHERE key = ?", (SECRET,)))

    def _new_secret(self) -> bytes:
        secret = os.urandom(KEY_BYTES)
        self._database.rows("INSERT INTO _metadata (key, value) VALUES (?, ?)", (SECRET, from_keys([secret])))
        return secret


def drop_forgotten(copy: Database, forgotten: ForgottenTexts) -> None:
    """
    Delete the entries of *copy*, of another store or an earlier time, whose texts were forgotten in this one.

    Raises:
        StorageError: the copy can't be read.
    """
    rows = copy.stream("SELECT entry_seq, description, reasoning, notes FROM entry_text")
    gone = [seq for seq, *texts in rows if forgotten.holds(map(str, texts))]
    for table, column in (("entry", "seq"), ("history", "memory_id")):
        copy.run_many(f"DELETE FROM {table} WHERE {column} = ?", ((seq,) for seq in gone))
