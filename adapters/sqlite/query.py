"""Conditions of queries in SQL: optional ones, and an `EntryFilter`. Standard library only."""

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hardwon.adapters.sqlite.database import Database, in_list, to_text
from hardwon.domain.model.filters import ANYWHERE, EntryFilter
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.vocabulary import KINDS


def all_of(conditions: Mapping[str, object]) -> tuple[str, tuple[object, ...]]:
    """
    Join those of *conditions* that have a value by AND; return the condition and the values in order.

    A query without unused conditions can be answered from an index.
    """
    asked = {sql: value for sql, value in conditions.items() if value is not None}
    return " AND ".join(asked) or "true", tuple(asked.values())


def in_tie_order(database: Database, seqs: Iterable[int]) -> list[int]:
    """Sort *seqs*, newest first, then by id."""
    rows = database.rows(
        "SELECT e.seq FROM json_each(?) wanted CROSS JOIN entry e ON e.seq = wanted.value"
        " ORDER BY e.updated_at DESC, e.id",
        (in_list(seqs),),
    )
    return [seq for (seq,) in rows]


class Where(NamedTuple):
    """
    A condition on the table `entry e`.

    Attributes:
        sql: With question marks for parameters.
        parameters: In order.

    """

    sql: str
    parameters: tuple[object, ...]


def where(only: EntryFilter) -> Where:
    """Return the condition that an entry passes *only*."""
    conditions = [*_of_the_entry(only), *_of_its_text(only), *_of_its_use(only)]
    parameters = (parameter for condition in conditions for parameter in condition.parameters)
    return Where(" AND ".join(condition.sql for condition in conditions) or "true", tuple(parameters))


def visible(seen: Visibility | None) -> Where:
    """Return the condition that an entry may be shown without being asked for, as `Visibility.admits` says; any entry for None."""
    group, others = visible_by_group(seen), placed(seen)
    if seen is None or not seen.own:
        return group
    return Where(f"({group.sql} OR {others.sql})", (*group.parameters, *others.parameters))


def visible_by_group(seen: Visibility | None) -> Where:
    """Return the part of `visible` that an entry's reach and project decide."""
    if seen is None:
        return Where("true", ())
    if not (seen.silent or seen.is_foreign):  # all but what others keep at home
        shared, parameters = "e.reach = 'shared'", tuple[str, ...]()
    elif seen.is_foreign:
        shared, parameters = "(e.reach = 'shared' AND e.project IS NULL)", ()
    else:
        shared = f"(e.reach = 'shared' AND (e.project IS NULL OR e.project NOT IN ({_marks(seen.silent)})))"
        parameters = seen.silent
    own = f" OR e.project IN ({_marks(seen.own)})" if seen.own else ""
    return Where(f"(e.reach = 'everywhere' OR {shared}{own})", (*parameters, *seen.own))


def placed(seen: Visibility | None) -> Where:
    """Return the part of `visible` that an entry was said in the user's project too."""
    own = seen.own if seen else ()
    return Where(f"EXISTS (SELECT 1 FROM entry_place WHERE entry_seq = e.seq AND project IN ({_marks(own)}))", own)


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))


def _columns(only: EntryFilter) -> Mapping[str, object]:
    """Return the conditions that are equality with a column of `entry`."""
    return {
        "category": only.category,
        "spec_folder": only.spec_folder,
        "tier": only.tier,
        "context_type": only.context_type,
        "source_project": only.label,
    }


def _of_the_entry(only: EntryFilter) -> Iterator[Where]:
    if set(only.kinds) != set(KINDS):
        yield Where("e.kind = ?" if len(only.kinds) == 1 else f"e.kind IN ({_marks(only.kinds)})", only.kinds)
    for column, value in _columns(only).items():
        if value is not None:
            yield Where(f"e.{column} = ?", (value,))
    yield from _of_its_origin(only)
    if only.permanent:
        yield Where("e.permanent", ())
    if only.of_others:  # the text is looked up for the few entries that are kept at home
        texts = "SELECT door FROM entry_text WHERE entry_seq = e.seq"
        yield Where(f"e.reach = 'home' AND ({texts}) = 'checkout'", ())
    if only.ranked:
        yield Where("e.retired = 0", ())
    if only.among is not None:
        yield Where("e.seq IN (SELECT value FROM json_each(?))", (in_list(only.among),))
    if only.except_for:
        yield Where("e.seq NOT IN (SELECT value FROM json_each(?))", (in_list(only.except_for),))


def _of_its_origin(only: EntryFilter) -> Iterator[Where]:
    if only.scope != ANYWHERE:
        projects, workspace = only.scope
        sql = (
            f"(e.project IN ({_marks(projects)}) OR e.workspace = ? OR substr(e.workspace, -length(?)) = ?"
            f" OR e.kind IN ({_marks(only.anywhere)}))"
        )
        named = f"{os.sep}{workspace}" if workspace and os.sep not in workspace else None
        yield Where(sql, (*projects, workspace, named, named, *only.anywhere))
    if only.unplaced:
        yield Where("e.project IS NULL", ())
    if only.origins:
        yield _of_projects(only.origins)
    if only.visible_in is not None:
        yield visible(only.visible_in)


def _of_projects(ids: Sequence[str]) -> Where:
    """Return the condition that an entry stands or was said in one of the projects of those *ids*."""
    own = _marks(ids)
    places = f"EXISTS (SELECT 1 FROM entry_place WHERE entry_seq = e.seq AND project IN ({own}))"
    return Where(f"(e.project IN ({own}) OR {places})", (*ids, *ids))


def _of_its_text(only: EntryFilter) -> Iterator[Where]:
    if only.unlabelled:  # looked up by entry: a list of all would be built for every page
        yield Where("(SELECT keywords FROM entry_text WHERE entry_seq = e.seq) = '[]'", ())
    if only.tag is not None:
        yield Where("e.seq IN (SELECT entry_seq FROM entry_text, json_each(tags) WHERE value = ?)", (only.tag,))
    if only.source is not None:
        yield Where("e.seq IN (SELECT entry_seq FROM entry_text WHERE source = ?)", (only.source,))
    if only.folder is not None:
        below = os.path.join(only.folder, "")
        sql = "e.seq IN (SELECT entry_seq FROM entry_text WHERE substr(file_path, 1, ?) = ?)"
        yield Where(sql, (len(below), below))
    if only.session is not None:
        yield Where("e.seq IN (SELECT entry_seq FROM entry_text WHERE session_id = ?)", (only.session,))
    if only.except_session is not None:
        yield Where("e.seq NOT IN (SELECT entry_seq FROM entry_text WHERE session_id = ?)", (only.except_session,))
    if only.anchor is not None:
        yield Where("e.seq IN (SELECT entry_seq FROM entry_text WHERE anchor_id = ?)", (only.anchor,))


def _of_its_use(only: EntryFilter) -> Iterator[Where]:
    """Yield the conditions on when an entry was made, injected and used."""
    if only.since is not None:
        yield Where("e.created_at_epoch >= ?", (math.ceil(only.since.timestamp()),))
    if only.until is not None:
        yield Where("e.created_at_epoch < ?", (math.ceil(only.until.timestamp()),))
    if only.shown is not None:
        yield Where(f"{_not(only.shown)}EXISTS (SELECT 1 FROM recall WHERE entry_seq = e.seq)", ())
    if only.used is not None:
        yield Where(f"{_not(only.used)}EXISTS (SELECT 1 FROM influence WHERE entry_seq = e.seq)", ())
    if only.idle_since is not None:
        yield Where(
            "e.created_at_epoch < ? AND NOT EXISTS (SELECT 1 FROM recall WHERE entry_seq = e.seq AND last_recalled_at >= ?)",
            (math.ceil(only.idle_since.timestamp()), to_text(only.idle_since)),
        )


def _not(is_wanted: bool) -> str:  # noqa: FBT001  # a word for it
    return "" if is_wanted else "NOT "
