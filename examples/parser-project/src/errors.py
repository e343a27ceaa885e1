"""What can be wrong with a file we were sent."""

from dataclasses import dataclass

EXCERPT_CHARACTERS = 80


class MalformedRecordError(ValueError):
    """One record cannot be read; the next one may well be fine."""

    def __init__(self, expected: str, column: int) -> None:
        super().__init__(f"expected {expected}")
        self.column = column


@dataclass(frozen=True)
class Problem:
    """A message the sender of the file can act on alone."""

    line: int
    column: int
    message: str
    excerpt: str

    def __str__(self) -> str:
        shown = self.excerpt[:EXCERPT_CHARACTERS]
        return f"line {self.line}, column {self.column}: {self.message}, found {shown!r}"
