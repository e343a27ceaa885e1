"""A saved state of the store under a name, and the entries it is about."""

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
    Which entries a checkpoint is about; its snapshot holds the whole store.

    Attributes:
        scope: The documents of a project, all entries of a project, or every entry.
        project: The name of the project it was made in.
        root: That project's folder, links resolved: another one may have the same name. None asks for the name alone.

    """

    scope: CheckpointScope
    project: str
    root: str | None = None

    @property
    def entries(self) -> EntryFilter:
        """Those entries; what is deprecated or has expired among them."""
        match self.scope:
            case "documents":
                return EntryFilter(kinds=("document",), scope=Scope(self.project), folder=self.root)
            case "project":
                return EVERYTHING._replace(scope=Scope(self.project))
            case "all":
                return EVERYTHING

    def narrowed(self, scope: CheckpointScope | None) -> "Contents":
        """Return the same place with another *scope*, None for its own."""
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
    The state of the store at one moment, under a name.

    Attributes:
        name: Unique in the store; one line of 1 to `LONGEST_NAME` characters.
        description: What it was made for.
        created_at: That moment.
        contents: Which entries it is about.
        number: The store's number of it, None before it is taken.
        memory_count: How many of those entries there were.
        snapshot_path: The absolute path of its file.
        is_there: Whether that file is there.

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
    Return the name of the checkpoint that is made before a restore, cut to what fits.

    Args:
        restored: The name of what is restored.
        at: When, in UTC.
        attempt: From 2 it is part of the name: earlier ones are taken.

    """
    end = f" ({at:%Y-%m-%d %H:%M:%S}{f', {attempt}' if attempt > 1 else ''})"
    return f"before restore of {restored}"[: LONGEST_NAME - len(end)] + end
