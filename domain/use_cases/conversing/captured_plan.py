"""What is to be done about a captured file."""

from collections.abc import Mapping

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.files.captured import CapturedSection
from hardwon.domain.use_cases.filing.kept_file import KeptFile, Outcome


@attrs.frozen(kw_only=True)
class CapturedPlan:
    """
    What is to be done about a file.

    Attributes:
        living: Its sections but those that were deleted.
        due: Those whose entry is to be made.
        is_partly_buried: Whether some were deleted.
        known: What stands for the file so far, as a whole or in part.
        is_other: Whether one of its sections is not what the store has.
        warnings: What could not be read of it.

    """

    living: tuple[CapturedSection, ...]
    due: tuple[CapturedSection, ...]
    is_partly_buried: bool
    known: tuple[Entry, ...]
    is_other: bool
    warnings: tuple[str, ...]

    @property
    def leaving(self) -> list[Entry]:
        """What stands for it no longer."""
        staying = {each.section.anchor_id for each in self.living}
        return [entry for entry in self.known if entry.entry_id not in staying]

    @property
    def outcome(self) -> Outcome:
        """What becomes of it."""
        if not (self.living or self.known):
            return "deleted"
        if self.is_other or self.leaving:
            return "changed" if self.known else "new"
        return "again" if self.due else "unchanged"

    def told(self, entries: Mapping[str, Entry]) -> KeptFile:
        """Return what is told of it, given its *entries*."""
        first = next((entries.get(each.section.anchor_id) for each in self.living), None)
        warnings = () if self.outcome in {"unchanged", "deleted"} else self.warnings
        return KeptFile(outcome=self.outcome, entry=first, sections=len(self.living), warnings=warnings)


def stands_for(known: Mapping[str, Entry], path: str, each: CapturedSection) -> bool:
    """Tell whether what the store has of that section is what the file at *path* says."""
    anchor = each.section.anchor_id
    entry = known.get(anchor)
    return entry is not None and (entry.entry_id, entry.file_path, entry.file_hash) == (anchor, path, each.section_hash)


def is_anothers(known: Mapping[str, Entry], each: CapturedSection) -> bool:
    """Tell whether the section bears the id of an entry that is no captured section."""
    anchor = each.section.anchor_id
    entry = known.get(anchor)
    return entry is not None and entry.entry_id == anchor != entry.anchor_id
