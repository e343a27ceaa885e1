"""Merge two learnings into one."""

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.entry_change import EntryChange
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.use_cases.edit_entries import known_entry
from hardwon.domain.use_cases.edit_lesson import Edited, EditLesson
from hardwon.domain.use_cases.supersede import Supersede


@attrs.frozen
class MergeLessons:
    """Let a learning say what two say, and mark the other one as superseded by it."""

    edit_lesson: EditLesson
    supersede: Supersede

    def apply(self, older: str, newer: str, change: EntryChange) -> Edited:
        """
        Apply *change* to the learning of the id *newer*, with the keywords of both, and mark *older* as superseded by it.

        Raises:
            UnknownEntryError: there is no such entry.
            InvalidEntryError: one is no learning, both are the same, one is superseded already, or a value is invalid;
                nothing was changed. The others are those of `EditLesson.apply`.
            StorageError: the store can't be written now.
        """
        repository = self.supersede.change_entry.repository
        before, after = known_entry(repository, older)[0], known_entry(repository, newer)[0]
        ensure_mergeable(before, after)
        keywords = tuple(dict.fromkeys((*after.keywords, *before.keywords)))
        edited = self.edit_lesson.apply(newer, attrs.evolve(change, keywords=keywords))
        self.supersede.apply(older, edited.changed.entry.entry_id)
        return edited


def ensure_mergeable(older: Entry, newer: Entry) -> None:
    """
    Check that two entries can be merged.

    Raises:
        InvalidEntryError: they can't.
    """
    if older.entry_id == newer.entry_id:
        raise InvalidEntryError("an entry can't be merged with itself: name two")
    for entry in (older, newer):
        if entry.kind != "learning":
            raise InvalidEntryError(f"{entry.entry_id} is a {entry.kind}: only learnings are merged")
        if entry.superseded_by:
            raise InvalidEntryError(f"{entry.entry_id} is superseded already, by {entry.superseded_by}")
