"""
A lesson of a knowledge bank, and the labels in its file.

Standard library only, for the hook's fallback.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias

from hardwon.domain.model.text import CONTINUES
from hardwon.domain.model.vocabulary import Category, Confidence

BankScope: TypeAlias = Literal["local", "global"]
"""The project's own bank, or the user's for all projects."""

BANK_FOLDER = "docs/knowledge-bank"
"""Of a project's own bank."""

BANK_FILES: tuple[Category, ...] = ("anti-patterns", "patterns", "heuristics")
"""The files of a bank, in the order they are read."""

ENTRY_HEAD = "### "
"""The beginning of an entry's heading."""

NAME_PREFIXES: dict[Category | None, str] = {
    "anti-patterns": "Anti-Pattern: ",
    "heuristics": "",
    "patterns": "Pattern: ",
    None: "",
}
"""Category to the prefix of a name in an entry's heading."""

TITLES: dict[Category, str] = {
    "anti-patterns": "Anti-Patterns",
    "patterns": "Patterns",
    "heuristics": "Heuristics",
}
"""The title of a new file."""

METADATA_HEAD = "- "
"""The beginning of a metadata line."""

OBSERVED_IN = "Observed in"
OBSERVATION_COUNT = "Observation count"
CONFIDENCE = "Confidence"
LAST_OBSERVED = "Last observed"


def name_in(heading: str) -> str:
    """Return the name of a lesson in its *heading*."""
    for prefix in filter(None, NAME_PREFIXES.values()):
        if heading.startswith(prefix):
            return heading[len(prefix) :]
    return heading


def metadata_line(label: str, value: object) -> str:
    """Return the metadata line of *label* and *value*."""
    return f"{METADATA_HEAD}{label}: {value}"


def text_after(label: str, line: str) -> str | None:
    """Return the value of a metadata *line* with that *label*, else None."""
    stripped = line.strip()
    if not stripped.lower().startswith(f"{METADATA_HEAD}{label.lower()}:"):
        return None
    return stripped.partition(":")[2].strip()


class BankEntry(NamedTuple):
    """
    A lesson of a knowledge-bank file, its texts verbatim.

    Args:
        name: The heading without its ``Anti-Pattern: `` or ``Pattern: ``.
        metadata: The first line that starts with ``- `` and all below it; may be empty.
        observation_count: Any integer of 64 bits, zero and negative ones too.
        last_observed: The text as written, which need not be a date; None without such a line.
        position: The index of the chunk among all chunks of the file.
        notes: The metadata lines that no other field holds, in order; one with an unreadable count
            or confidence too.
        is_continued: Whether the description begins with an ellipsis in place of the name, as
            hardwon once wrote it.
    """

    category: Category
    heading: str
    name: str
    description: str
    metadata: str
    observation_count: int
    confidence: Confidence
    last_observed: str | None
    position: int
    notes: tuple[str, ...] = ()
    is_continued: bool = False

    @property
    def text(self) -> str:
        """
        The lesson: its description, with the name where that is left out.

        A doubled ellipsis means that it is not.
        """
        if not self.is_continued:
            return self.description
        text = self.description.removeprefix(CONTINUES)
        return text if text.startswith(CONTINUES) else self.name + text

    @property
    def lines(self) -> str:
        """The identifying lines of the lesson, as its file has them."""
        return "\n".join((f"{ENTRY_HEAD}{self.heading}", self.description, *self.notes))


class BankFile(NamedTuple):
    """
    One markdown file of a knowledge bank.

    Attributes:
        path: Absolute, links resolved; the file's key in the ledger.
        project: Its project, None for the user's own bank.
        fingerprint: Differs after each change of the file; computed without reading it.
    """

    path: str
    category: Category
    project: str | None
    fingerprint: str
    size: int


def changed_files(
    files: Iterable[BankFile], last_import: Callable[[str], str | None]
) -> Iterator[BankFile]:
    """Yield the files whose fingerprint differs from that of their last import."""
    return (file for file in files if last_import(file.path) != file.fingerprint)
