"""Hashes of forgotten texts in the store's table `forgotten`, keyed by a secret in its metadata."""

import datetime as dt
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from hardwon.adapters.sqlite.database import Database, from_text, to_text
from hardwon.domain.model.errors import ForgottenError
from hardwon.ports.forgotten import ForgottenHashes, ForgottenTexts
from hardwon.ports.override import override

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

SECRET = "forgetting_secret"  # noqa: S105  # the name of a row
SECRET_BYTES = 32
TAG_BYTES = 16


class SqliteForgottenTexts(ForgottenTexts):
    """Forgotten texts in the store's tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def add(self, owner: str, texts: Iterable[str], at: dt.datetime, words: Iterable[str] = ()) -> None:
        from hardwon.domain.model.forgotten import identifying  # noqa: PLC0415  # rarely needed

        with self._database.transaction():
            secret = next(iter(self._secrets()), None) or self._new_secret()
            owned = _tag(secret, owner)
            self._database.run_many(
                "INSERT OR IGNORE INTO forgotten (tag, owner, at) VALUES (?, ?, ?)",
                ((_tag(secret, passage), owned, to_text(at)) for passage in sorted(identifying(texts, words))),
            )

    @override
    def holds(self, texts: Iterable[str]) -> bool:
        return self._is_used() and any(self._found(text) for text in texts)

    @override
    def without(self, text: str) -> str:
        from hardwon.domain.model.forgotten import comparable, without_passages  # noqa: PLC0415  # rarely needed

        if not (gone := self._found(text) if self._is_used() else set()):
            return text
        return "" if comparable(text) in gone else without_passages(text, gone)

    @override
    def lift(self, owner: str) -> bool:
        lifted = list[object]()
        with self._database.transaction():
            for secret in self._secrets():
                lifted += self._database.rows(
                    "DELETE FROM forgotten WHERE tag IN (SELECT tag FROM forgotten WHERE owner = ?) RETURNING 1",
                    (_tag(secret, owner),),
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
            value = ",".join(secret.hex() for secret in secrets)
            self._database.rows("INSERT OR REPLACE INTO _metadata (key, value) VALUES (?, ?)", (SECRET, value))
            rows = ((tag, owner, to_text(at)) for tag, owner, at in hashes.rows)
            self._database.run_many("INSERT OR IGNORE INTO forgotten (tag, owner, at) VALUES (?, ?, ?)", rows)

    def _is_used(self) -> bool:
        return bool(self._database.value("SELECT 1 FROM forgotten LIMIT 1"))

    def _found(self, text: str) -> set[str]:
        """Return the passages of *text* that are forgotten."""
        from hardwon.domain.model.forgotten import passages  # noqa: PLC0415  # rarely needed

        secrets = self._secrets()
        known = "SELECT 1 FROM forgotten WHERE tag = ? LIMIT 1"
        return {
            passage
            for passage in passages(text)
            if any(self._database.value(known, (_tag(secret, passage),)) for secret in secrets)
        }

    def _secrets(self) -> list[bytes]:
        """Return the keys of the hashes, none before the first; those of copied stores follow the store's own."""
        value = self._database.value("SELECT value FROM _metadata WHERE key = ?", (SECRET,)) or ""
        return [bytes.fromhex(secret) for secret in value.split(",") if secret]

    def _new_secret(self) -> bytes:
        secret = os.urandom(SECRET_BYTES)
        self._database.rows("INSERT INTO _metadata (key, value) VALUES (?, ?)", (SECRET, secret.hex()))
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


def ensure_not_forgotten(forgotten: ForgottenTexts, entry: "Entry") -> None:
    """
    Check that no text of *entry* was forgotten.

    Raises:
        ForgottenError: one was.
    """
    if forgotten.holds(_texts_of(entry)):
        raise ForgottenError(entry.entry_id)


def _texts_of(entry: "Entry") -> Iterator[str]:
    from hardwon.domain.model.forgotten import texts_of  # noqa: PLC0415  # rarely needed

    yield from texts_of(entry)


def _tag(secret: bytes, text: str) -> bytes:
    import hmac  # noqa: PLC0415  # brings OpenSSL: not on the hook's path

    return hmac.digest(secret, text.encode("utf-8", "replace"), "sha256")[:TAG_BYTES]
