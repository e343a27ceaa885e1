"""Memories to plant, each as near to one question as a test says."""

import datetime as dt
from typing import Any, NamedTuple

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import Kind

QUESTION = "how do we lock the store"
HERE, NEIGHBOUR, WORKSPACE = "project", "neighbour", "world"
"""Names of the project, of another one beside it, and of their folder."""

IMPORTED_AT = dt.datetime.now(dt.UTC)
"""The time from which the ages of planted memories count."""


class Planted(NamedTuple):
    """A memory, and the cosine of its vector with the question's, if it has one."""

    entry: Entry
    cosine: float | None

    def later(self, age: dt.timedelta) -> "Planted":
        """Return it as one that is younger by *age*."""
        created_at, updated_at = self.entry.created_at + age, self.entry.updated_at + age
        return self._replace(
            entry=attrs.evolve(self.entry, created_at=created_at, updated_at=updated_at)
        )


def memory(
    kind: Kind, name: str, text: str, cosine: float | None, age_days: float = 0, **more: Any
) -> Planted:
    """Return the memory of a file about which only what is named matters."""
    timestamp = IMPORTED_AT - dt.timedelta(days=age_days)
    fields = {
        "file_path": f"/memories/{kind}/{name.lower().replace(' ', '-')}.md",
        "source_project": HERE,
        **more,
    }
    timestamps = {"created_at": timestamp, "updated_at": timestamp}
    return Planted(
        Entry(kind=kind, name=name, description=text, **{**timestamps, **fields}), cosine
    )


FOLDER = "049-auth"


def document(
    name: str, text: str, cosine: float | None = None, age_days: float = 0, **more: Any
) -> Planted:
    """Return a document of the spec folder `049-auth`."""
    file = more.pop("file", f"{name.lower().replace(' ', '-')}.md")
    folder = more.pop("spec_folder", FOLDER)
    path = f"/memories/specs/{folder}/memory/{file}"
    return memory(
        "document", name, text, cosine, age_days, file_path=path, spec_folder=folder, **more
    )


def of_kind(kind: Kind, name: str, text: str, **more: Any) -> Planted:
    """Return a memory of any kind, without a vector."""
    if kind == "learning":
        return memory(kind, name, text, None, **{"file_path": None, "category": "patterns", **more})
    return memory(kind, name, text, None, **{"file_path": f"/memories/{kind}/{text}.md", **more})
