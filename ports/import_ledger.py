from typing import Protocol


class ImportLedger(Protocol):
    """The headings of knowledge-bank files that were imported before."""

    def headings(self, path: str) -> set[str]:
        """Return the headings of *path* that were imported before."""
        ...

    def fingerprint(self, path: str) -> str | None:
        """Return the fingerprint *path* had when it was last imported, None when it never was."""
        ...

    def record(self, path: str, headings: set[str], fingerprint: str) -> None:
        """Remember *headings* as seen, besides those known, and the file's present fingerprint."""
        ...
