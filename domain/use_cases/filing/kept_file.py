"""What became of a file that was to be kept."""

from typing import Literal

import attrs

from hardwon.domain.model.entry import Entry

Outcome = Literal["new", "changed", "again", "unchanged", "deleted"]
"""What became of a file; `again`: its text is as it was, `deleted`: its entry was, and stays so."""


@attrs.frozen(kw_only=True)
class KeptFile:
    """
    What became of a file; of a rehearsal, what would.

    Attributes:
        outcome: In a word.
        entry: What stands for the whole file, of a captured one for its first section; None when nothing does.
        sections: How many of its sections have an entry.
        warnings: What could not be read of it, one line each.

    """

    outcome: Outcome
    entry: Entry | None = None
    sections: int = 0
    warnings: tuple[str, ...] = ()
