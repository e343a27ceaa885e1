"""A transcript on its way into a project's files."""

import os
from collections.abc import Iterator, Sequence
from itertools import chain

import attrs

from hardwon.adapters.transcripts.transcripts import STANDARD_INPUT
from hardwon.domain.model.conversation.drafts import SessionBuffer
from hardwon.domain.model.conversation.note import Note
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from hardwon.domain.model.sections.session_sections import SectionOfSession
from hardwon.domain.use_cases.conversing.capture import Captured, Progress
from hardwon.domain.use_cases.conversing.learn import Learned
from hardwon.domain.use_cases.conversing.recapture import capture_session
from hardwon.entrypoints.capturing.keeping import build_capture, build_learn
from hardwon.entrypoints.composition import Memory
from hardwon.ports.transcripts import Transcribed


class _Nowhere:
    """Files of conversations that nobody writes."""

    def put(self, notes: Sequence[Note]) -> tuple[str, ...]:
        del notes
        return ()

    def remove(self, note_ids: Sequence[str]) -> tuple[str, ...]:
        del note_ids
        return ()

    def of_session(self, session_id: str) -> Sequence[SectionOfSession]:
        del session_id
        return ()


class TranscriptCapture:
    """
    Keeps what the transcript at *path* says.

    Args:
        memory: The store that learns of it.
        root: The project's folder.
        path: The transcript, links resolved; `-` for standard input.
        embed: Whether the embedder may be asked; it is cut by words alone if not.

    Attributes:
        root: The project's folder, links resolved.

    """

    def __init__(self, memory: Memory, root: str, path: str, *, embed: bool = True) -> None:
        self.root = os.path.realpath(root)
        self._memory = memory
        self._path = path
        self._transcripts = memory.transcripts(root)
        self._embed = embed
        self._capture = build_capture(memory if embed else memory._replace(spaces=()), self.root)

    def rehearse(self, progress: Progress) -> Captured:
        """
        Return what would be kept of all of it; nothing is written.

        Raises:
            InvalidEntryError: it can't be read.
        """
        rehearsal = attrs.evolve(self._capture, files=_Nowhere())
        return rehearsal(SessionBuffer(session_id="", project_root=self.root), self._read(), progress=progress)

    def run(self, progress: Progress, *, anew: bool) -> Captured:
        """
        Keep what is new in it since it was captured last, or all of it *anew*.

        Raises:
            InvalidEntryError: it can't be read.
            UnreadableFileError: a file of the project can't be written.
            StorageError: the journal can't be written now.
        """
        heard = self._read()
        if (first := next(heard, None)) is None:
            return Captured(buffer=self._new_buffer(""))
        known = self._capture.journal.buffer(first.session_id) if first.session_id else None
        if known and self._is_of_this(known) and not anew:
            return capture_session(self._capture, known, self._read(known.position or 0), progress=progress)
        buffer = self._begun(first.session_id, known, anew=anew)
        return capture_session(self._capture, buffer, chain([first], heard), progress=progress)

    def learn(self, captured: Captured) -> Learned:
        """Bring the files that were written into the store, with vectors if the embedder may be asked."""
        learned = build_learn(self._memory, self.root, embed=self._embed)(captured.files)
        if learned.is_known and captured.files:
            self._capture.learned(captured.buffer)
        return learned

    def _begun(self, session_id: str, known: SessionBuffer | None, *, anew: bool) -> SessionBuffer:
        """Return an empty buffer of the session; of none where it goes on elsewhere, which is left alone."""
        if known is None:
            return self._new_buffer(session_id)
        if self._is_of_this(known) or (anew and os.path.realpath(known.project_root) == self.root):
            return attrs.evolve(self._new_buffer(session_id), unlearned=known.unlearned)
        return self._new_buffer("")

    def _new_buffer(self, session_id: str) -> SessionBuffer:
        """Return an empty buffer; what is piped belongs to no session, as there is no going on in it."""
        if self._path == STANDARD_INPUT:
            return SessionBuffer(session_id="", project_root=self.root)
        return SessionBuffer(session_id=session_id, project_root=self.root, transcript_path=self._path)

    def _is_of_this(self, buffer: SessionBuffer) -> bool:
        """Tell whether *buffer* is of this very file and project."""
        places = (os.path.realpath(buffer.project_root), os.path.realpath(buffer.transcript_path))
        return buffer.source == "transcript" and places == (self.root, self._path)

    def _read(self, position: int = 0) -> Iterator[Transcribed]:
        try:
            yield from self._transcripts.read(self._path, position)
        except UnreadableFileError as error:
            raise InvalidEntryError(f"nothing can be captured from {error}") from error
