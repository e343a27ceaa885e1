"""Conditions of queries in SQL: optional ones, and an `EntryFilter`."""

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from hardwon.adapters.postgres.database import Database
from hardwon.domain.model.filters import ANYWHERE, EntryFilter
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.vocabulary import KINDS


class Where(NamedTuple):
    """
    A condition on the table `hardwon.entry e`, which includes its tenant.

    Attributes:
        sql: With named parameters, all of which begin with `f_`.
        parameters: By name.

    """

    sql: str
    parameters: Mapping[str, object]


def where(only: EntryFilter) -> Where:
    """Return the condition that an entry of the tenant passes *only*."""
    conditions = [*_of_the_entry(only), *_of_its_text(only), *_of_its_use(only)]
    parameters = {name: value for condition in conditions for name, value in condition.parameters.items()}
    return Where(" AND ".join(("e.tenant = %(tenant)s", *(condition.sql for condition in conditions))), parameters)


def visible(seen: Visibility | None) -> Where:
    """Return the condition that an entry may be shown without being asked for, as `Visibility.admits` says; any entry for None."""
    if seen is None:
        return Where("true", {})
    own = {"f_own": list(seen.own)}
    shared = "e.reach = 'shared'"
    if seen.is_foreign:
        shared += " AND e.project IS NULL"
    elif seen.silent:
        shared += " AND (e.project IS NULL OR e.project != ALL(%(f_silent)s))"
        own["f_silent"] = list(seen.silent)
    return Where(f"(e.reach = 'everywhere' OR ({shared}) OR e.project = ANY(%(f_own)s) OR {_placed('f_own')})", own)


def _placed(name: str) -> str:
    """Return the condition that an entry was said in one of the projects of the parameter *name* too."""
    return (
        "EXISTS (SELECT 1 FROM hardwon.entry_place p WHERE p.tenant = %(tenant)s AND p.number = e.number"
        f" AND p.project = ANY(%({name})s))"
    )


def in_tie_order(database: Database, numbers: Iterable[int]) -> list[int]:
    """Sort *numbers* by their entries, newest first, then by id."""
    rows = database.rows(
        "SELECT e.number FROM hardwon.entry e WHERE e.tenant = %(tenant)s AND e.number = ANY(%(numbers)s)"
        " ORDER BY e.updated_at DESC, e.id",
        numbers=[*numbers],
    )
    return [number for (number,) in rows]


def all_of(conditions: Mapping[str, tuple[str, object]]) -> Where:
    """
    Join those of *conditions* that have a value by AND.

    Args:
        conditions: The SQL of each, with the name and the value of its parameter.

    """
    asked = {sql: given for sql, given in conditions.items() if given[1] is not None}
    return Where(" AND ".join(asked) or "true", dict(asked.values()))


def _of_the_entry(only: EntryFilter) -> Iterator[Where]:
    if set(only.kinds) != set(KINDS):
        yield Where("e.kind = ANY(%(f_kinds)s)", {"f_kinds": list(only.kinds)})
    columns = {
        "category": only.category,
        "spec_folder": only.spec_folder,
        "tier": only.tier,
        "context_type": only.context_type,
        "source_project": only.label,
    }
    for column, value in columns.items():
        if value is not None:
            yield Where(f"e.{column} = %(f_{column})s", {f"f_{column}": value})
    yield from _of_its_origin(only)
    if only.permanent:
        yield Where("e.permanent", {})
    if only.ranked:
        yield Where("NOT e.retired", {})
    if only.among is not None:
        yield Where("e.number = ANY(%(f_among)s)", {"f_among": list(only.among)})
    if only.except_for:
        yield Where("e.number != ALL(%(f_except_for)s)", {"f_except_for": list(only.except_for)})


def _of_its_origin(only: EntryFilter) -> Iterator[Where]:
    if only.scope != ANYWHERE:
        projects, workspace = only.scope
        named = f"{os.sep}{workspace}" if workspace and os.sep not in workspace else None
        yield Where(
            "(e.project = ANY(%(f_projects)s) OR e.workspace = %(f_workspace)s OR right(e.workspace, length(%(f_named)s)) = %(f_named)s"
            " OR e.kind = ANY(%(f_anywhere)s))",
            {
                "f_projects": list(projects),
                "f_workspace": workspace,
                "f_named": named,
                "f_anywhere": list(only.anywhere),
            },
        )
    if only.unplaced:
        yield Where("e.project IS NULL", {})
    if only.origins:
        yield Where(f"(e.project = ANY(%(f_origins)s) OR {_placed('f_origins')})", {"f_origins": list(only.origins)})
    if only.visible_in is not None:
        yield visible(only.visible_in)


def _of_its_text(only: EntryFilter) -> Iterator[Where]:
    conditions = {
        "cardinality(t.keywords) = 0": ("f_unlabelled", only.unlabelled or None),
        "%(f_tag)s = ANY(t.tags)": ("f_tag", only.tag),
        "t.source = %(f_source)s": ("f_source", only.source),
        "e.reach = 'home' AND t.door = %(f_door)s": ("f_door", "checkout" if only.of_others else None),
        "starts_with(t.file_path, %(f_folder)s)": ("f_folder", only.folder and os.path.join(only.folder, "")),
        "t.session_id = %(f_session)s": ("f_session", only.session),
        "t.session_id IS DISTINCT FROM %(f_except_session)s": ("f_except_session", only.except_session),
        "t.anchor_id = %(f_anchor)s": ("f_anchor", only.anchor),
    }
    asked = all_of(conditions)
    if asked.parameters:
        texts = "SELECT 1 FROM hardwon.entry_text t WHERE t.tenant = %(tenant)s AND t.number = e.number"
        yield Where(f"EXISTS ({texts} AND {asked.sql})", asked.parameters)


def _of_its_use(only: EntryFilter) -> Iterator[Where]:
    """Yield the conditions on when an entry was made, injected and used."""
    if only.since is not None:
        yield Where("e.created_at >= to_timestamp(%(f_since)s)", {"f_since": math.ceil(only.since.timestamp())})
    if only.until is not None:
        yield Where("e.created_at < to_timestamp(%(f_until)s)", {"f_until": math.ceil(only.until.timestamp())})
    if only.shown is not None:
        yield Where(f"{_not(only.shown)}{_in('recall')})", {})
    if only.used is not None:
        yield Where(f"{_not(only.used)}{_in('influence')})", {})
    if only.idle_since is not None:
        yield Where(
            "e.created_at < to_timestamp(%(f_idle_second)s)"
            f" AND NOT {_in('recall')} AND o.last_recalled_at >= %(f_idle_since)s)",
            {"f_idle_second": math.ceil(only.idle_since.timestamp()), "f_idle_since": only.idle_since},
        )


def _in(table: str) -> str:
    """Return the beginning of the condition that *table* has a row of the entry; its closing parenthesis is to follow."""
    return f"EXISTS (SELECT 1 FROM hardwon.{table} o WHERE o.tenant = %(tenant)s AND o.number = e.number"


def _not(is_wanted: bool) -> str:  # noqa: FBT001  # a word for it
    return "" if is_wanted else "NOT "
