"""How a knowledge bank is written: the words that its reader, its writer and the block share. Standard library only."""

from typing import Literal, TypeAlias

from hardwon.domain.model.vocabulary import Category

BankScope: TypeAlias = Literal["local", "global"]
"""Whose bank: the project's own, or the user's of all projects."""

ENTRY_HEAD = "### "
"""What the heading of an entry begins with."""

NAME_PREFIXES: dict[Category | None, str] = {
    "anti-patterns": "Anti-Pattern: ",
    "heuristics": "",
    "patterns": "Pattern: ",
    None: "",
}
"""Category to what stands before a name in an entry's heading."""

TITLES: dict[Category, str] = {"anti-patterns": "Anti-Patterns", "patterns": "Patterns", "heuristics": "Heuristics"}
"""What a new file is headed with."""

METADATA_HEAD = "- "
"""What a line of an entry's metadata begins with."""

OBSERVED_IN = "Observed in"
OBSERVATION_COUNT = "Observation count"
CONFIDENCE = "Confidence"
LAST_OBSERVED = "Last observed"


def metadata_line(label: str, value: object) -> str:
    """Return the line that says so."""
    return f"{METADATA_HEAD}{label}: {value}"


def text_after(label: str, line: str) -> str | None:
    """Return what a metadata *line* says after its *label*, in any case; None when it is not that line."""
    stripped = line.strip()
    if not stripped.lower().startswith(f"{METADATA_HEAD}{label.lower()}:"):
        return None
    return stripped.partition(":")[2].strip()
