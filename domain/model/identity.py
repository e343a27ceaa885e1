"""
Identity of an entry: the one definition of the short hash. Standard library only.

What of an entry is searched, by meaning and by word. Standard library only.
"""

import hashlib
import re

HASH_LENGTH = 16
IDENTITY = re.compile(rf"[0-9a-f]{{{HASH_LENGTH}}}")


def short_hash(*parts: str) -> str:
    """Return the 16 hex digits that identify what these *parts* describe, in this order."""
    return hashlib.sha256("|".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LENGTH]


def content_hash(description: str) -> str:
    """
    Return the 16 hex digits that identify a learning.

    Letter case and runs of white space do not matter, so the same lesson
    written twice is one entry (requirement A-D1.3).
    """
    return short_hash(" ".join(description.lower().strip().split()))


def file_identity(kind: str, path: str, anchor: str = "") -> str:
    """
    Return the 16 hex digits that identify what a file holds (rule U-3).

    Args:
        kind: The kind of entry the file is kept as.
        path: Absolute, links resolved; its letter case counts.
        anchor: The section of the file, empty for the whole.

    """
    return short_hash(kind, path, anchor)


def title_to_search(name: str, description: str) -> str:
    """Return *name*, or nothing when it only repeats how the description begins: no word should count twice."""
    return "" if description.startswith(name) else name


def word_count(text: str) -> int:
    """Return how many words *text* has, as white space separates them."""
    return len(text.split())


def searchable_text(name: str, description: str, notes: str, reasoning: str) -> str:
    """Return what is turned into a vector: the texts a reader would judge an entry by, a line each."""
    return "\n".join(filter(None, (title_to_search(name, description), description, notes, reasoning)))
