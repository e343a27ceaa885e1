"""An `EntryFilter` as SQL; the one place that knows what being inside means."""

import os
from typing import NamedTuple

from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.scope import ANYWHERE
from hardwon.domain.model.vocabulary import KINDS


class Where(NamedTuple):
    """
    A condition on the table `entry e`.

    Attributes:
        sql: With a question mark for each parameter.
        parameters: In their order.

    """

    sql: str
    parameters: tuple[object, ...]


def where(only: EntryFilter) -> Where:
    """Return the condition that an entry is within *only*."""
    clauses = list[str]()
    parameters = list[object]()
    if set(only.kinds) != set(KINDS):
        clauses.append("e.kind = ?" if len(only.kinds) == 1 else f"e.kind IN ({', '.join('?' * len(only.kinds))})")
        parameters += only.kinds
    if only.category:
        clauses.append("e.category = ?")
        parameters.append(only.category)
    if only.scope != ANYWHERE:
        clauses.append("(e.project = ? OR e.workspace = ?)")
        parameters += only.scope
    if only.permanent:
        clauses.append("e.permanent")
    if only.tag is not None:
        clauses.append("e.seq IN (SELECT entry_seq FROM entry_text, json_each(tags) WHERE value = ?)")
        parameters.append(only.tag)
    if only.folder is not None:
        below = os.path.join(only.folder, "")
        clauses.append("e.seq IN (SELECT entry_seq FROM entry_text WHERE substr(file_path, 1, ?) = ?)")
        parameters += (len(below), below)
    return Where(" AND ".join(clauses) or "true", tuple(parameters))
