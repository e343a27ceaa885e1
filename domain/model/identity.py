"""Identity of an entry: the one definition of the content hash. Standard library only."""

import hashlib

HASH_LENGTH = 16


def content_hash(description: str) -> str:
    """
    Return the 16 hex digits that identify a learning.

    Letter case and runs of white space do not matter, so the same lesson
    written twice is one entry (requirement A-D1.3).
    """
    normalised = " ".join(description.lower().strip().split())
    return hashlib.sha256(normalised.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LENGTH]


def file_identity(kind: str, path: str, anchor: str = "") -> str:
    """
    Return the 16 hex digits that identify what a file holds (rule U-3).

    Args:
        kind: The kind of entry the file is kept as.
        path: Absolute, links resolved; its letter case counts.
        anchor: The section of the file, empty for the whole.

    """
    return hashlib.sha256(f"{kind}|{path}|{anchor}".encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LENGTH]
