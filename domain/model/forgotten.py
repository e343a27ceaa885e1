"""Recognition of a forgotten text, by keyed hashes of its passages."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from hardwon.domain.model.errors import ForgottenError
from hardwon.domain.model.identity import one_line
from hardwon.domain.model.plain_text import plain_text

if TYPE_CHECKING:
    from hardwon.domain.model.entry import Entry

MIN_CHARACTERS = 40
"""
Shorter passages are common.

They identify a text only as a whole, or with a forgotten word.
"""

_BLANK_LINES = re.compile(r"\n\s*\n")


def comparable(text: str) -> str:
    """Return *text* without formatting, in the form that all its spellings share."""
    return one_line(plain_text(text))


def _comparable_before(text: str) -> str:
    """Return the earlier comparable form, which old tombstones have."""
    return " ".join(unicodedata.normalize("NFKC", plain_text(text)).casefold().split())


def names_of(owner: str) -> tuple[str, ...]:
    """
    Return the names by which a forgotten text is restored.

    They are *owner*, first in its comparable form.
    """
    return tuple(dict.fromkeys((comparable(owner) or owner, owner)))


def texts_of(entry: "Entry") -> tuple[str, ...]:
    """Return the forgettable texts of *entry*, the identifying one first."""
    labels = (*entry.trigger_phrases, *entry.keywords, *entry.tags)
    return (entry.description, entry.reasoning, entry.notes, entry.name, *labels)


def ensure_not_forgotten(entry: "Entry", holds: Callable[[Iterable[str]], bool]) -> None:
    """
    Check that no text of *entry* was forgotten, as *holds* knows.

    The id of a learning stands for its description.

    Raises:
        ForgottenError: one was.
    """
    ids = (entry.entry_id,) if entry.kind == "learning" else ()
    if holds((*texts_of(entry), *ids)):
        raise ForgottenError(entry.entry_id)


def passages(text: str) -> Iterator[str]:
    """Yield *text* as a whole, then its nonempty paragraphs, all `comparable`."""
    return iter(dict.fromkeys(filter(None, map(comparable, _parts(text)))))


def recognisable(text: str) -> set[str]:
    """
    Return the passages of *text*, also in their earlier comparable form.

    Any of them may be known as forgotten.
    """
    return {form for part in _parts(text) for form in _forms(part)}


def _parts(text: str) -> tuple[str, ...]:
    return (text, *_BLANK_LINES.split(plain_text(text)))


def _forms(text: str) -> set[str]:
    return {comparable(text), _comparable_before(text)} - {""}


def identifying(texts: Iterable[str], words: Iterable[str] = ()) -> set[str]:
    """
    Return the passages by which *texts* are recognised.

    They are each text as a whole, and those paragraphs that contain any of *words*. Without such a
    paragraph all of at least 40 characters count.

    Args:
        texts: Of an entry, an exchange or a section.
        words: Words that the user wanted to be forgotten; empty for the texts themselves.
    """
    wanted = [*filter(None, map(comparable, words))]
    wholes, parts = set[str](), set[str]()
    for text in texts:
        whole, *paragraphs = [*passages(text)] or [""]
        wholes.add(whole)
        parts.update(paragraphs)
    holding = {part for part in parts if any(word in part for word in wanted)}
    return (wholes | (holding or {part for part in parts if len(part) >= MIN_CHARACTERS})) - {""}


def without_passages(text: str, dropped: AbstractSet[str]) -> str:
    """
    Return the paragraphs of *text* that are not among *dropped*.

    *dropped* has `recognisable` passages; the result is empty if *text* itself is one.
    """
    if not dropped:
        return text
    if _forms(text) & dropped:
        return ""
    return "\n\n".join(
        part for part in _BLANK_LINES.split(text) if not _forms(part) & dropped
    ).strip()


SECRET = "forgetting_secret"  # noqa: S105  # the name under which a store's metadata has the keys
KEY_BYTES = 32
HASH_BYTES = 16


def keyed_hash(key: bytes, text: str) -> bytes:
    """Return the hash of *text*, 16 bytes."""
    import hmac  # noqa: PLC0415  # brings OpenSSL: not on the hook's path

    return hmac.digest(key, text.encode("utf-8", "replace"), "sha256")[:HASH_BYTES]


def to_keys(value: str | None) -> list[bytes]:
    """Return the keys in a value of metadata, the store's own first."""
    return [bytes.fromhex(key) for key in (value or "").split(",") if key]


def from_keys(keys: Iterable[bytes]) -> str:
    """Return the inverse of `to_keys`."""
    return ",".join(key.hex() for key in keys)
