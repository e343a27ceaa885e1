"""SQL conditions of an `EntryFilter` and of optional values."""

import math
import os
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from hardwon.domain.model.filters import ANYWHERE, EntryFilter
from hardwon.domain.model.project import Visibility
from hardwon.domain.model.vocabulary import KINDS


class Where(NamedTuple):
    """
    A condition on the table `entry e`.

    Attributes:
        sql: With named parameters.
        parameters: By name. Those of a filter begin with `f_`.

    """

    sql: str
    parameters: Mapping[str, object]


EVERY = Where("true", {})

Bind = Callable[[str, object], Where]
"""
Returns the SQL of a named parameter and its bound values.

A tuple becomes one parameter for each item.
"""


def all_of(conditions: Mapping[str, str], **values: object) -> Where:
    """
    Join the conditions whose value is given by AND.

    Each value is bound to the parameter of its name.
    Unused conditions are left out, so that an index can answer the query.
    """
    asked = {name: value for name, value in values.items() if value is not None}
    return Where(" AND ".join(map(conditions.__getitem__, asked)) or "true", asked)


CONDITIONS = {
    **{
        name: f"e.{name} = {{{name}}}"
        for name in ("category", "spec_folder", "tier", "context_type")
    },
    "label": "e.source_project = {label}",
    "permanent": "e.permanent",
    "unplaced": "e.project IS NULL",
    "foreign": "e.reach = 'shared' AND e.project IS NULL",
}
"""The conditions whose SQL is the same in both engines."""


class Conditions:
    """
    The conditions of a filter in the SQL of one engine.

    Args:
        texts: The engine's own conditions by name, with `{parameter}` for each parameter.
        bind: Names and encodes parameters.
        always: A condition added to each query, if any.

    """

    def __init__(self, texts: Mapping[str, str], bind: Bind, always: str = "") -> None:
        self._texts = {**CONDITIONS, **texts}
        self._bind = bind
        self._always = [Where(always, {})] if always else []

    def where(self, only: EntryFilter) -> Where:
        """Return the condition that an entry passes *only*."""
        return _joined(
            " AND ",
            *self._always,
            *(self._condition(name, **values) for name, values in _of_the_entry(only)),
            *([self.visible(only.visible_in)] if only.visible_in is not None else ()),
            *(
                self._condition(name, **values)
                for name, values in (*_of_its_text(only), *_of_its_use(only))
            ),
        )

    def visible(self, seen: Visibility | None) -> Where:
        """
        Return the condition that an entry may be shown without a query.

        It says the same as `Visibility.admits`. None admits any entry.
        """
        group = self.visible_by_group(seen)
        return _within(group, self.placed(seen)) if seen and seen.own else group

    def visible_by_group(self, seen: Visibility | None) -> Where:
        """Return the part of `visible` that depends on reach and project."""
        if seen is None:
            return EVERY
        shared = Where("e.reach = 'shared'", {})  # all but what others keep at home
        if seen.is_foreign:
            shared = self._condition("foreign")
        elif seen.silent:
            shared = self._condition("silent", silent=seen.silent)
        own = [self._condition("own", own=seen.own)] if seen.own else []
        return _within(Where("e.reach = 'everywhere'", {}), shared, *own)

    def placed(self, seen: Visibility | None) -> Where:
        """Return the condition that an entry was also said here."""
        return self._condition("placed", own=seen.own if seen else ())

    def _condition(self, name: str, **values: object) -> Where:
        bound = {name: self._bind(f"f_{name}", value) for name, value in values.items()}
        parameters = {
            name: value for text in bound.values() for name, value in text.parameters.items()
        }
        return Where(
            self._texts[name].format_map({name: text.sql for name, text in bound.items()}),
            parameters,
        )


def _joined(operator: str, *conditions: Where) -> Where:
    parameters = {
        name: value for condition in conditions for name, value in condition.parameters.items()
    }
    return Where(operator.join(condition.sql for condition in conditions) or "true", parameters)


def _within(*conditions: Where) -> Where:
    joined = _joined(" OR ", *conditions)
    return joined._replace(sql=f"({joined.sql})")


Asked = Iterator[tuple[str, Mapping[str, object]]]
"""Names of conditions with their parameters: tuples of texts, lists of numbers."""


def _of_the_entry(only: EntryFilter) -> Asked:
    if set(only.kinds) != set(KINDS):
        yield "kinds", {"kinds": tuple(only.kinds)}
    yield from _given(only, "category", "spec_folder", "tier", "context_type", "label")
    if only.scope != ANYWHERE:
        projects, workspace = only.scope
        named = f"{os.sep}{workspace}" if workspace and os.sep not in workspace else None
        scope = {
            "projects": tuple(projects),
            "workspace": workspace,
            "named": named,
            "anywhere": tuple(only.anywhere),
        }
        yield "scope", scope
    yield from _flagged(only, "unplaced")
    if only.origins:
        yield "origins", {"origins": tuple(only.origins)}
    yield from _flagged(only, "permanent", "of_others", "ranked")
    yield from _flagged(only, "gone", "superseded")
    if only.among is not None:
        yield "among", {"among": [*only.among]}
    if only.except_for:
        yield "except_for", {"except_for": [*only.except_for]}


def _of_its_text(only: EntryFilter) -> Asked:
    yield from _flagged(only, "unlabelled", "citing", "stale")
    yield from _given(only, "tag", "source")
    if only.folder is not None:
        yield "folder", {"folder": os.path.join(only.folder, "")}
    yield from _given(only, "session", "except_session", "anchor")


def _of_its_use(only: EntryFilter) -> Asked:
    for name in ("since", "until"):
        if (at := getattr(only, name)) is not None:
            yield name, {name: math.ceil(at.timestamp())}
    for name in ("shown", "used"):
        if (is_wanted := getattr(only, name)) is not None:
            yield name if is_wanted else f"not {name}", {}
    if only.idle_since is not None:
        yield (
            "idle",
            {"idle_second": math.ceil(only.idle_since.timestamp()), "idle_since": only.idle_since},
        )


def _given(only: EntryFilter, *names: str) -> Asked:
    return ((name, {name: value}) for name in names if (value := getattr(only, name)) is not None)


def _flagged(only: EntryFilter, *names: str) -> Asked:
    return ((name, {}) for name in names if getattr(only, name))
