"""
Keep a conversation, chunk by chunk, in the project's own files.

What the store comes to know of files that were written.

Capture a session from its beginning, whatever the project's files hold of it already.

What waits of a session goes into files and into the store.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TypeAlias

import attrs

from hardwon.domain.model.capture_rules import BUFFERED
from hardwon.domain.model.context import Workplace
from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.describe import described
from hardwon.domain.model.conversation.details import Note, notes_of
from hardwon.domain.model.conversation.session import Chunk, Draft, SessionBuffer
from hardwon.domain.model.formats.memory_file import SectionOfSession
from hardwon.domain.model.redaction import Cleaning
from hardwon.domain.use_cases.merge_transcript import dated_apart, hear
from hardwon.ports.clock import Clock
from hardwon.ports.documents import ConversationFiles, PlanFiles
from hardwon.ports.transcripts import CaptureJournal, Transcribed, Transcripts

Progress = Callable[[int], None]
"""Told how many exchanges were taken in so far."""


@attrs.frozen(kw_only=True)
class Captured:
    """
    What was kept.

    Attributes:
        buffer: The session as it is now.
        exchanges: How many exchanges were taken in, those that grew included, those that were known left out.
        chunks: What was written, each once, as it was written last.
        files: What the store may not know: where it stands or was taken from, also by an interrupted run; absolute
            paths, in order, each once.
        note_ids: The sections that were written.

    """

    buffer: SessionBuffer
    exchanges: int = 0
    chunks: tuple[Chunk, ...] = ()
    files: tuple[str, ...] = ()
    note_ids: frozenset[str] = frozenset()


@attrs.frozen(kw_only=True)
class Capture:
    """
    Take exchanges in, cut them by topic, write what is new.

    How a session is cut is decided, and kept in the journal, before anything is
    written: whoever is interrupted writes the same again.

    Attributes:
        chunker: Cuts.
        files: Where conversations are kept.
        plans: What phases are linked to.
        journal: Where sessions are kept.
        workplace: Where the user works.
        replaced: The sections that a capture anew is written in place of: until all of it is, the journal knows nothing.

    """

    chunker: Chunker
    files: ConversationFiles
    plans: PlanFiles
    journal: CaptureJournal
    workplace: Workplace
    replaced: tuple[SectionOfSession, ...] = ()

    def __call__(
        self,
        buffer: SessionBuffer,
        heard: Iterable[Transcribed],
        *,
        progress: Progress = lambda _: None,
    ) -> Captured:
        """
        Take in what was *heard*, and write all that is unwritten.

        Args:
            buffer: The session as it was.
            heard: More of it, in order; it may begin with the last exchange at hand.
            progress: Hears of it as it goes on.

        Raises:
            UnreadableFileError: a file can't be written; what was taken in by then is in the journal.
            StorageError: the journal can't be written now.

        """
        captured = self._write(Captured(buffer=buffer))  # what an earlier run could not
        remaining = dated_apart(heard, buffer)
        while batch := list(islice(remaining, BUFFERED)):
            captured = self._write(self._taken(captured, batch))
            progress(captured.exchanges)
        self._keep(captured.buffer)
        return captured

    def learned(self, buffer: SessionBuffer, handled: int = 0) -> None:
        """
        Keep that the store knows all files of *buffer*; the events up to number *handled* are dealt with.

        Raises:
            StorageError: the journal can't be written now.
        """
        self._keep(attrs.evolve(buffer, unlearned=()), handled)

    def for_good(self, buffer: SessionBuffer) -> Captured:
        """
        Keep all that is at hand of a session for good, and close it.

        Raises:
            UnreadableFileError: a file can't be written; nothing is lost.
            StorageError: the journal can't be written now.
        """
        permanent = buffer.kept_for_good()
        self._keep(permanent)
        captured = self._write(Captured(buffer=permanent))
        self._keep(captured.buffer)
        return captured

    def _taken(self, captured: Captured, batch: Sequence[Transcribed]) -> Captured:
        """Take *batch* in, and keep how it is cut; what is at hand already changes nothing."""
        buffer, count = captured.buffer, captured.exchanges
        for each in batch:
            if buffer.position and each.begins_at < buffer.position:  # it is another file by now
                buffer = attrs.evolve(buffer, position=None)
            if not buffer.has(each.exchange, each.begins_at):
                drafts = self.chunker.add(buffer.drafts, each.exchange)
                drafts = (*drafts[:-1], _heir(_on_branch(drafts[-1], each.branch), self.replaced))
                buffer = attrs.evolve(buffer, drafts=drafts, position=each.begins_at)
                count += 1
            elif each.exchange == buffer.exchanges[-1]:
                buffer = attrs.evolve(buffer, position=each.begins_at)
        self._keep(buffer)
        return attrs.evolve(captured, buffer=buffer, exchanges=count)

    def _write(self, captured: Captured) -> Captured:
        """Write what is unwritten."""
        buffer = captured.buffer
        drafts = [draft for draft in buffer.drafts if draft.unwritten]
        chunks: Sequence[Chunk] = [self._described(draft, buffer) for draft in drafts]
        notes = [note for draft, chunk in zip(drafts, chunks, strict=True) for note in self._notes(draft, chunk)]
        written = buffer.all_written(self.files.put(notes))
        return Captured(
            buffer=written,
            exchanges=captured.exchanges,
            chunks=_last_of_each((*captured.chunks, *chunks)),
            files=written.unlearned,
            note_ids=captured.note_ids.union(note.note_id for note in notes),
        )

    def _notes(self, draft: Draft, chunk: Chunk) -> tuple[Note, ...]:
        workplace = self.workplace._replace(branch=draft.branch or self.workplace.branch)
        return notes_of(chunk, workplace, self.plans.of_phase)

    def _described(self, draft: Draft, buffer: SessionBuffer) -> Chunk:
        return described(draft, self.workplace.project, buffer.session_id or None)

    def _keep(self, buffer: SessionBuffer, handled: int = 0) -> None:
        if buffer.session_id and not self.replaced:  # what belongs to no session, or is cut anew, is taken in at one go
            self.journal.keep(buffer, handled=handled)


def _heir(draft: Draft, replaced: Iterable[SectionOfSession]) -> Draft:
    """Return *draft*, kept for good if a part of it was in one of the sections *replaced*."""
    first, last = draft.exchanges[0].at, draft.exchanges[-1].at
    if draft.permanent or not any(
        each.permanent and first <= each.ends_at and each.starts_at <= last for each in replaced
    ):
        return draft
    return attrs.evolve(draft, permanent=True, written=0)


def _last_of_each(chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    return tuple({chunk.chunk_id: chunk for chunk in chunks}.values())


def _on_branch(draft: Draft, branch: str) -> Draft:
    """Return *draft* as it is on the branch its first exchange was said on."""
    return attrs.evolve(draft, branch=branch) if len(draft.exchanges) == 1 else draft


@attrs.frozen
class Learned:
    """
    What the store knows now.

    Attributes:
        embedded: How many vectors were made.
        troubles: What went wrong, one line each: the files are there, `hardwon index` brings them in.
        is_known: Whether the store was there to learn.

    """

    embedded: int = 0
    troubles: tuple[str, ...] = ()
    is_known: bool = True


Learn: TypeAlias = Callable[[Sequence[str]], Learned]
"""Brings files of the project into the store."""


def capture_session(
    capture: Capture,
    buffer: SessionBuffer,
    heard: Iterable[Transcribed],
    *,
    progress: Progress = lambda _: None,
) -> Captured:
    """
    Take in what was *heard* of a session; of one of which nothing is at hand, it takes the place of what files hold.

    It may be cut otherwise than before: by other settings, or with an embedder.
    What was kept for good stays so. Sections of other times stay as they are.

    Args:
        capture: Keeps it.
        buffer: The session as it was; empty to begin anew.
        heard: More of it, or all, in order.
        progress: Hears of it as it goes on.

    Raises:
        UnreadableFileError: a file can't be written; doing it again makes up for it.
        StorageError: the journal can't be written now.

    """
    begins = bool(buffer.session_id) and not buffer.exchanges
    replaced = tuple(capture.files.of_session(buffer.session_id)) if begins else ()
    captured = attrs.evolve(capture, replaced=replaced)(buffer, heard, progress=progress)
    if not (replaced and captured.chunks):
        return captured
    files = capture.files.remove([each.note_id for each in _outdated(replaced, captured)])
    known = attrs.evolve(captured.buffer, unlearned=tuple(sorted({*captured.buffer.unlearned, *files})))
    capture.journal.keep(known)
    return attrs.evolve(captured, buffer=known, files=known.unlearned)


def _outdated(sections: Iterable[SectionOfSession], captured: Captured) -> list[SectionOfSession]:
    """Return those of *sections* that all was written anew of, under other names."""
    chunks = sorted(captured.chunks, key=lambda chunk: chunk.starts_at)
    begins = [chunk.starts_at for chunk in chunks]
    last = max(chunk.ends_at for chunk in chunks)

    def is_covered(section: SectionOfSession) -> bool:
        """Tell whether a chunk goes on where *section* begins, and all were said before the last ended."""
        place = bisect_right(begins, section.starts_at)
        return place > 0 and section.starts_at <= chunks[place - 1].ends_at and section.ends_at <= last

    return [each for each in sections if each.note_id not in captured.note_ids and is_covered(each)]


@attrs.frozen(kw_only=True)
class TakeIn:
    """
    Take in what the hooks were told of a session of one project; only one process at a time may.

    Attributes:
        capture: Keeps it in the project's files.
        transcripts: What hosts write down.
        learn: Brings the files into the store.
        clean: What the events tell goes through it, as the transcript does.
        clock: The time.
        warn: Told of trouble in one line.

    """

    capture: Capture
    transcripts: Transcripts
    learn: Learn
    clean: Cleaning
    clock: Clock
    warn: Callable[[str], None]

    def __call__(self, session_id: str) -> None:
        """
        Take in what waits of that session.

        Its events wait until the store knows of it, so that whoever is interrupted does all of it again.

        Raises:
            UnreadableFileError: a file of the project can't be written; nothing is lost.
            StorageError: the journal or the store can't be used now; nothing is lost.
        """
        journal = self.capture.journal
        if not (events := journal.events(session_id)):
            return
        heard = hear(self.transcripts, journal.buffer(session_id), events, self.clock.now(), self.clean)
        if heard.trouble:
            self.warn(f"session {session_id}: {heard.trouble}; keeping what the hooks were told instead")
        captured = capture_session(self.capture, heard.buffer, heard.exchanges)
        learned = self.learn(captured.files)
        for trouble in learned.troubles:
            self.warn(trouble)
        if learned.is_known:
            self.capture.learned(captured.buffer, heard.handled)
