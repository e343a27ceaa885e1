"""Hashes of forgotten texts as every store keeps them, so that a copy of a store knows those of the other one."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hardwon.domain.model.errors import ForgottenError
from hardwon.ports.forgotten import ForgottenTexts

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

SECRET = "forgetting_secret"  # noqa: S105  # the name of a row of metadata, whose value are the keys
KEY_BYTES = 32
HASH_BYTES = 16


def new_key() -> bytes:
    """Return a random key."""
    return os.urandom(KEY_BYTES)


def keyed_hash(key: bytes, text: str) -> bytes:
    """Return the hash of *text*, 16 bytes."""
    import hmac  # noqa: PLC0415  # brings OpenSSL: not on the hook's path

    return hmac.digest(key, text.encode("utf-8", "replace"), "sha256")[:HASH_BYTES]


def to_keys(value: str | None) -> list[bytes]:
    """Return the keys in a value of metadata, the store's own first; none without a value."""
    return [bytes.fromhex(key) for key in (value or "").split(",") if key]


def from_keys(keys: Iterable[bytes]) -> str:
    """Return the inverse of `to_keys`."""
    return ",".join(key.hex() for key in keys)


def ensure_not_forgotten(forgotten: ForgottenTexts, entry: "Entry") -> None:
    """
    Check that no text of *entry* was forgotten.

    Raises:
        ForgottenError: one was.
    """
    from hardwon.domain.model.forgotten import texts_of  # noqa: PLC0415  # rarely needed

    if forgotten.holds(texts_of(entry)):
        raise ForgottenError(entry.entry_id)
