from typing import NamedTuple


class Written(NamedTuple):
    """
    What was written to one file.

    Attributes:
        digest: sha256 of what it held then.
        was_there: Whether there was a file when this was written.
        is_made: Whether the file would not be there without us, though others may have written to it since.
        original: What it held before, where that can't be told from what was written.

    """

    digest: str
    was_there: bool
    is_made: bool
    original: str | None = None
