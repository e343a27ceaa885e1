"""Export everything that a store holds."""

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hardwon.domain.model.export import Location, Record, location_of, relocated
from hardwon.domain.model.project import Project, Registry
from hardwon.ports.transfer import StoreContents


class ExportStore(NamedTuple):
    """
    Export a store so that another machine can read it.

    Paths below a project's root become relative to it. Of the user's word on a project only a refusal is exported:
    trust is given to a folder on one machine.
    """

    contents: StoreContents
    registry: Registry

    def counts(self) -> Mapping[str, int]:
        """Return the number of records of each type."""
        return self.contents.counts()

    def records(self) -> Iterator[Record]:
        """Yield all records; both methods see one state within `contents.snapshot`."""
        for record in self.contents.records():
            if isinstance(record, Project):
                yield record._replace(trust="revoked" if record.trust == "revoked" else "unsaid")
                continue
            location = location_of(record)
            yield relocated(record, self._relative(location.path)) if location else record

    def _relative(self, path: str) -> Location:
        project = self.registry.holding(path)
        if project is None or path == project.identity.root:
            return Location(path)
        return Location(os.path.relpath(path, project.identity.root), project.id)
