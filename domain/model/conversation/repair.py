"""Repairs: commands that failed and passed later, and what was changed in between."""

import datetime as dt
from typing import NamedTuple

import attrs

from hardwon.domain.model.conversation.actions import ErrorLine
from hardwon.domain.model.identity import short_hash

MAX_TITLE = 85
"""Characters of the error line in a title."""


class Fix(NamedTuple):
    """
    The changes that may have repaired a failure.

    Attributes:
        passed_as: The command as it passed; empty if it was run in the same way.
    """

    files: tuple[str, ...]
    commands: tuple[str, ...]
    passed_as: str


@attrs.frozen(kw_only=True)
class Repair:
    """
    A failure of a command, and what repaired it.

    Attributes:
        command: As it failed.
        times: How often it failed so.
        cause: The sentence by which the agent stated the cause; empty for none.
        at: When the exchange began in which it passed.
    """

    command: str
    error: ErrorLine
    times: int
    fix: Fix
    cause: str
    at: dt.datetime

    @property
    def signature(self) -> str:
        """The signature of its error."""
        return self.error.signature

    @property
    def texts(self) -> tuple[str, ...]:
        """All its texts."""
        changes = (*self.fix.files, *self.fix.commands, self.fix.passed_as)
        return (self.command, *self.error, self.cause, *changes)


class RepairNote(NamedTuple):
    """
    A repair that is kept as a gotcha.

    Attributes:
        project: The label of its project.
    """

    repair: Repair
    project: str
    session_id: str | None = None

    @property
    def note_id(self) -> str:
        """16 hex digits: the same error of a project has one note."""
        return short_hash("repair", self.project, self.repair.signature)

    @property
    def title(self) -> str:
        """The title, with the beginning of the error line."""
        return f'Repaired: "{self.repair.error.text[:MAX_TITLE].rstrip()}"'
