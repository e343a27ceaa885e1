"""Hashes of forgotten texts in the table `forgotten`, keyed by a secret in the tenant's metadata."""

import datetime as dt
import os
from collections.abc import Iterable

from hardwon.adapters.postgres.database import Database
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

SELECT_SECRET = "SELECT value FROM hardwon.metadata WHERE tenant = %(tenant)s AND key = %(key)s"  # noqa: S105  # a query

SELECT_USED_SECRET = f"""
    {SELECT_SECRET} AND EXISTS (SELECT 1 FROM hardwon.forgotten WHERE tenant = %(tenant)s)
"""

SET_SECRET = """
    INSERT INTO hardwon.metadata (tenant, key, value) VALUES (%(tenant)s, %(key)s, %(value)s)
    ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value
"""  # noqa: S105  # a query

ADOPT = """
    INSERT INTO hardwon.forgotten (tenant, tag, of, at) VALUES (%(tenant)s, %(tag)s, %(of)s, %(at)s)
    ON CONFLICT DO NOTHING
"""

LIFT = """
    DELETE FROM hardwon.forgotten WHERE tenant = %(tenant)s
        AND tag IN (SELECT tag FROM hardwon.forgotten WHERE tenant = %(tenant)s AND of = ANY(%(owners)s::bytea[])) RETURNING 1
"""


class PostgresForgottenTexts(ForgottenTexts):
    """Forgotten texts in the tables of a server; forgotten by one member, they are forgotten by the whole tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    def add(self, owner: str, texts: Iterable[str], at: dt.datetime, words: Iterable[str] = ()) -> None:
        with self._database.transaction():
            secret = next(iter(self._secrets(SELECT_SECRET)), None) or self._new_secret()
            self._database.rows(
                "INSERT INTO hardwon.forgotten (tenant, tag, of, at)"
                " SELECT %(tenant)s, unnest(%(tags)s::bytea[]), %(owner)s::bytea, %(at)s ON CONFLICT DO NOTHING",
                tags=[keyed_hash(secret, passage) for passage in sorted(identifying(texts, words))],
                owner=keyed_hash(secret, names_of(owner)[0]),
                at=at,
            )

    @override
    def holds(self, texts: Iterable[str]) -> bool:
        return bool(self._found(texts))

    @override
    def without(self, text: str) -> str:
        if not (gone := self._found([text])):
            return text
        return without_passages(text, gone)

    @override
    def lift(self, owner: str) -> bool:
        if not (secrets := self._secrets(SELECT_SECRET)):
            return False
        owners = [keyed_hash(secret, name) for secret in secrets for name in names_of(owner)]
        with self._database.transaction():
            return bool(self._database.rows(LIFT, owners=owners))

    @override
    def hashes(self) -> ForgottenHashes:
        rows = self._database.rows(
            "SELECT tag, of, at FROM hardwon.forgotten WHERE tenant = %(tenant)s ORDER BY tag, of"
        )
        return ForgottenHashes(
            tuple(self._secrets(SELECT_SECRET)), tuple((bytes(a), bytes(b), at) for a, b, at in rows)
        )

    @override
    def adopt(self, hashes: ForgottenHashes) -> None:
        if not hashes.rows:
            return
        with self._database.transaction():
            secrets = dict.fromkeys((*self._secrets(SELECT_SECRET), *hashes.keys))
            self._database.rows(SET_SECRET, key=SECRET, value=from_keys(secrets))
            rows = ({"tag": tag, "of": of, "at": at} for tag, of, at in hashes.rows)
            self._database.run_many(ADOPT, rows)

    def _found(self, texts: Iterable[str]) -> set[str]:
        """Return the passages of *texts* that are forgotten; reads no text when nothing is."""
        if not (secrets := self._secrets(SELECT_USED_SECRET)):
            return set()
        given = (passage for text in texts for passage in recognisable(text))
        tags = {keyed_hash(secret, passage): passage for passage in given for secret in secrets}
        found = self._database.rows(
            "SELECT DISTINCT tag FROM hardwon.forgotten WHERE tenant = %(tenant)s AND tag = ANY(%(tags)s::bytea[])",
            tags=[*tags],
        )
        return {tags[tag] for (tag,) in found}

    def _secrets(self, query: str) -> list[bytes]:
        """Return the keys of the hashes, none before the first; those of copied stores follow the store's own."""
        return to_keys(self._database.value(query, key=SECRET))

    def _new_secret(self) -> bytes:
        secret = os.urandom(KEY_BYTES)
        self._database.rows(SET_SECRET, key=SECRET, value=from_keys([secret]))
        return secret
