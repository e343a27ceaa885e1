"""Hashes that identify entries, and the text of an entry that is searched. Standard library only."""

import re

from hardwon.domain.model.spelling import composed

HASH_LENGTH = 16
IDENTITY = re.compile(rf"[0-9a-f]{{{HASH_LENGTH}}}")


def short_hash(*parts: str) -> str:
    """Return the 16 hex digits that identify what these *parts* describe, in this order."""
    import hashlib  # noqa: PLC0415  # brings OpenSSL: a session start without an import needs none

    return hashlib.sha256("|".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LENGTH]


def content_hash(description: str) -> str:
    """
    Return the 16 hex digits that identify a learning.

    Letter case, runs of white space and whether accents are composed do not count, so that the same lesson written twice
    is one entry.
    """
    return short_hash(" ".join(composed(description).lower().strip().split()))


def file_identity(kind: str, path: str, anchor: str = "") -> str:
    """
    Return the 16 hex digits that identify the entry of a file.

    Args:
        kind: The kind of the entry.
        path: Absolute, links resolved; its letter case counts.
        anchor: The section of the file, empty for the whole.
    """
    return short_hash(kind, path, anchor)


def title_to_search(name: str, description: str) -> str:
    """Return *name*, or nothing when the description begins with it, so that no word counts twice."""
    return "" if description.startswith(name) else name


def word_count(text: str) -> int:
    """Return the number of words separated by white space."""
    return len(text.split())


def searchable_text(name: str, description: str, notes: str, reasoning: str) -> str:
    """Return the text of an entry that is embedded, composed, a line for each field."""
    return composed("\n".join(filter(None, (title_to_search(name, description), description, notes, reasoning))))
