"""Decide on repairs without a stated cause."""

import datetime as dt
from collections.abc import Callable, Iterator
from functools import partial

import attrs

from hardwon.domain.model.conversation.repair import RepairNote
from hardwon.domain.model.conversation.session import SessionBuffer
from hardwon.domain.model.errors import InvalidEntryError
from hardwon.domain.use_cases.capture import Capture, CaptureIndexOutcome, Learn
from hardwon.ports.clock import Clock

LIFETIME = dt.timedelta(days=30)
"""How long a candidate waits for a decision."""


@attrs.frozen(kw_only=True)
class KeepRepairs:
    """
    The candidates of a project, in the buffers of its sessions.

    Attributes:
        learn: Indexes the written files.
        is_here: Whether the folder of a session belongs to the project.
    """

    capture: Capture
    learn: Learn
    is_here: Callable[[str], bool]
    clock: Clock

    def candidates(self) -> list[RepairNote]:
        """Return the undecided repairs, the newest first, one for each error."""
        notes = sorted(self._notes(), key=lambda note: note.repair.at)
        return [*{note.note_id: note for note in notes}.values()][::-1]

    def candidate(self, note_id: str) -> RepairNote:
        """
        Return the candidate whose id begins with *note_id*.

        Raises:
            InvalidEntryError: there is none, or several.
        """
        found = [note for note in self.candidates() if note.note_id.startswith(note_id)]
        if len(found) != 1:
            raise InvalidEntryError(
                f"{note_id!r} names {len(found)} repairs: hardwon review lists those that wait"
            )
        return found[0]

    def keep(self, note: RepairNote) -> CaptureIndexOutcome:
        """
        Write *note* as a gotcha and index it.

        Raises:
            UnreadableFileError: a file can't be written; the candidate stays.
        """
        files = self.capture.files.put([note])
        learned = self.learn(sorted(files.values()))
        self.drop(note)
        return learned

    def drop(self, note: RepairNote) -> None:
        """Drop the candidates with the same error."""
        for buffer in self._buffers():
            if any(repair.signature == note.repair.signature for repair in buffer.repairs):
                self.capture.journal.keep(buffer.with_decided([note.repair]))

    def _notes(self) -> Iterator[RepairNote]:
        since = self.clock.now() - LIFETIME
        dropped = {signature for buffer in self._buffers() for signature in buffer.decided}
        for buffer in self._buffers():
            for note in map(partial(self.capture.note_of, buffer), buffer.repairs):
                is_old = note.repair.at < since
                if not (is_old or note.repair.signature in dropped or self._is_known(note)):
                    yield note

    def _is_known(self, note: RepairNote) -> bool:
        return self.capture.session_of(note.note_id) is not None

    def _buffers(self) -> list[SessionBuffer]:
        return [
            buffer for buffer in self.capture.journal.buffers() if self.is_here(buffer.project_root)
        ]
