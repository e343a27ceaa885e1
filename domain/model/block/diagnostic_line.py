"""The one line of the block that says how it came about (requirement A-D10)."""

from typing import NamedTuple

from hardwon.domain.model.block.neutral import neutral

QUERY_CHARACTERS = 30
SETUP_COMMAND = "make install"


class Diagnostics(NamedTuple):
    """
    What the line tells; what is counted are learnings.

    Attributes:
        total: Learnings in the store, and whatever else is printed.
        vector: Those with a vector that the query was compared with.
        keyword: Those that hold a word of the query, uncut.
        pending: Those still without a vector.
        query: The search text, None when there was no signal.
        model: What embedded the query, None when nothing did.
        numpy_missing: Vectors can't be compared in this installation.

    """

    total: int
    vector: int = 0
    keyword: int = 0
    pending: int = 0
    query: str | None = None
    model: str | None = None
    numpy_missing: bool = False

    def line(self, printed: int) -> str:
        """Return the line for a block of *printed* entries."""
        return (
            f"*Memory: {printed} entries from {self.total} | semantic: {self._state()} "
            f"| context: {self._context()} | model: {self.model or 'none'}*"
        )

    def _state(self) -> str:
        if self.numpy_missing:
            return f"degraded (numpy unavailable, run: {SETUP_COMMAND})"
        pending = f", pending_embedding={self.pending}" if self.pending else ""
        return f"active (vector={self.vector}, fts5={self.keyword}{pending})"

    def _context(self) -> str:
        if self.query is None:
            return "none"
        return f'"{neutral(" ".join(self.query.split())[:QUERY_CHARACTERS])}..."'
