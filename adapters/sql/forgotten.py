"""Keyed hashes of forgotten texts, in the table `forgotten`."""

import datetime as dt
import os
from abc import abstractmethod
from collections.abc import Collection, Iterable

from hardwon.adapters.sql.database import Database, Decoder, Role, as_given
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


class SqlForgottenTexts(Role[Database], ForgottenTexts):
    """
    Forgotten texts in the table `forgotten`.

    The key of the hashes is in the store's metadata.
    """

    SELECT_SECRET: str
    SELECT_USED_SECRET: str
    SET_SECRET: str
    ADD: str
    SELECT: str
    _decode: Decoder = as_given

    @override
    def add(
        self, owner: str, texts: Iterable[str], at: dt.datetime, words: Iterable[str] = ()
    ) -> None:
        with self._database.transaction():
            secret = next(iter(self._secrets(self.SELECT_SECRET)), None) or self._new_secret()
            owned = keyed_hash(secret, names_of(owner)[0])
            rows = (
                {"tag": keyed_hash(secret, passage), "owner": owned, "at": at}
                for passage in sorted(identifying(texts, words))
            )
            self._database.run_many(self.ADD, rows)

    @override
    def holds(self, texts: Iterable[str]) -> bool:
        return bool(self._found(texts))

    @override
    def without(self, text: str) -> str:
        return without_passages(text, gone) if (gone := self._found([text])) else text

    @override
    def lift(self, owner: str) -> bool:
        secrets = self._secrets(self.SELECT_SECRET)
        owners = [keyed_hash(secret, name) for secret in secrets for name in names_of(owner)]
        if not owners:
            return False
        with self._database.transaction():
            return self._lift(owners)

    @abstractmethod
    def _lift(self, owners: Collection[bytes]) -> bool:
        """Delete the hashes of *owners* and return whether there were any."""

    @override
    def hashes(self) -> ForgottenHashes:
        rows = [self._decode(row) for row in self._database.rows(self.SELECT)]
        return ForgottenHashes(
            tuple(self._secrets(self.SELECT_SECRET)),
            tuple((tag, owner, at) for tag, owner, at in rows),
        )

    @override
    def adopt(self, hashes: ForgottenHashes) -> None:
        if not hashes.rows:
            return
        with self._database.transaction():
            secrets = dict.fromkeys((*self._secrets(self.SELECT_SECRET), *hashes.keys))
            self._database.rows(self.SET_SECRET, key=SECRET, value=from_keys(secrets))
            self._database.run_many(
                self.ADD, ({"tag": tag, "owner": owner, "at": at} for tag, owner, at in hashes.rows)
            )

    def _found(self, texts: Iterable[str]) -> set[str]:
        """
        Return the forgotten passages of *texts*.

        Reads no text while nothing is forgotten.
        """
        if not (secrets := self._secrets(self.SELECT_USED_SECRET)):
            return set()
        given = (passage for text in texts for passage in recognisable(text))
        tags = {keyed_hash(secret, passage): passage for passage in given for secret in secrets}
        return {tags[tag] for tag in self._among(tags)} if tags else set()

    @abstractmethod
    def _among(self, tags: Collection[bytes]) -> Iterable[bytes]:
        """Return the stored ones of *tags*."""

    def _secrets(self, query: str) -> list[bytes]:
        """Return the keys of the hashes, empty before the first hash."""
        return to_keys(self._database.value(query, key=SECRET))

    def _new_secret(self) -> bytes:
        secret = os.urandom(KEY_BYTES)
        self._database.rows(self.SET_SECRET, key=SECRET, value=from_keys([secret]))
        return secret
