"""Keyed hashes of forgotten texts, the same in every store, so that a copy of a store knows those of the other one."""

from collections.abc import Iterable

SECRET = "forgetting_secret"  # noqa: S105  # the name under which a store's metadata has the keys
KEY_BYTES = 32
HASH_BYTES = 16


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
