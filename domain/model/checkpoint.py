"""Checkpoints: named snapshots of the store, with the entries each covers."""

import datetime as dt
from typing import Literal, NamedTuple, TypeAlias, get_args

import attrs

from hardwon.domain.model.entry import Check, aware, count_from, one_of, storable, stripped
from hardwon.domain.model.errors import InvalidCheckpointError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter, Scope

CheckpointScope: TypeAlias = Literal["documents", "project", "all"]

CHECKPOINT_SCOPES: tuple[CheckpointScope, ...] = get_args(CheckpointScope)
LONGEST_NAME = 100


class Contents(NamedTuple):
    """
    The entries that a checkpoint covers.

    Its snapshot has the whole store.

    Attributes:
        scope: The documents of a project, all entries of a project, or every entry.
        root: The folder there, links resolved; None for all of the project.
    """

    scope: CheckpointScope
    project: str
    root: str | None = None
    label: str = ""

    @property
    def entries(self) -> EntryFilter:
        """The filter for them, which includes deprecated and expired entries."""
        match self.scope:
            case "documents":
                return EntryFilter(
                    kinds=("document",), scope=Scope((self.project,)), folder=self.root
                )
            case "project":
                return EVERYTHING._replace(scope=Scope((self.project,)))
            case "all":
                return EVERYTHING

    def narrowed(self, scope: CheckpointScope | None) -> "Contents":
        """Replace the scope, unless *scope* is None."""
        return self._replace(scope=scope or self.scope)


def _fit_to_name(_: object, __: object, value: str) -> None:
    if not value or len(value) > LONGEST_NAME:
        raise InvalidCheckpointError(
            f"the name of a checkpoint has 1 to {LONGEST_NAME} characters, this one {len(value)}"
        )
    if len(value.splitlines()) > 1:
        raise InvalidCheckpointError(f"the name of a checkpoint is one line: {value!r} has more")


def _known_scope() -> Check:
    check = one_of(CHECKPOINT_SCOPES)
    return lambda checkpoint, field, contents: check(checkpoint, field, contents.scope)


@attrs.frozen(kw_only=True)
class Checkpoint:
    """
    The state of the store at a time, under a name.

    Attributes:
        name: Unique in the store; one line of 1 to `LONGEST_NAME` characters.
    """

    name: str = attrs.field(converter=stripped, validator=[_fit_to_name, storable])
    description: str = attrs.field(default="", converter=stripped, validator=storable)
    created_at: dt.datetime = attrs.field(validator=aware)
    contents: Contents = attrs.field(validator=_known_scope())
    number: int | None = None
    memory_count: int = attrs.field(default=0, validator=count_from(0))
    snapshot_path: str = ""
    is_there: bool = True


def safety_name(restored: str, at: dt.datetime, attempt: int = 1) -> str:
    """
    Return the name of the checkpoint before a restore.

    From the second *attempt*, the number is part of the name: earlier ones are taken.
    """
    end = f" ({at:%Y-%m-%d %H:%M:%S}{f', {attempt}' if attempt > 1 else ''})"
    return f"before restore of {restored}"[: LONGEST_NAME - len(end)] + end
