"""
Keep a conversation, chunk by chunk, in the project's own files.

Index files that capture wrote.

Capture a session from its beginning, replacing its sections in the project's files.

Capture the waiting events of a session in files and in the store.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TypeAlias

import attrs

from hardwon.domain.model.context import Workplace
from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.describe import described
from hardwon.domain.model.conversation.session import Chunk, Draft, SessionBuffer
from hardwon.domain.model.redaction import Cleaning
from hardwon.domain.model.settings import BUFFERED
from hardwon.domain.use_cases.merge_transcript import dated_apart, merge_transcript
from hardwon.ports.clock import Clock
from hardwon.ports.documents import ConversationFiles, SectionOfSession
from hardwon.ports.transcripts import CaptureJournal, Transcribed, Transcripts

Progress = Callable[[int], None]
"""Called with the number of exchanges taken in so far."""


@attrs.frozen(kw_only=True)
class Captured:
    """
    The outcome of a capture.

    Attributes:
        buffer: The session as it is now.
        exchanges: How many exchanges were taken in, those that grew included, those that were known left out.
        chunks: Those written, without repeats, as they were written last.
        files: Files that were changed and that the store may not know yet, also by an interrupted run; absolute
            paths, in order, without repeats.
        section_ids: The sections that were written.

    """

    buffer: SessionBuffer
    exchanges: int = 0
    chunks: tuple[Chunk, ...] = ()
    files: tuple[str, ...] = ()
    section_ids: frozenset[str] = frozenset()


@attrs.frozen(kw_only=True)
class Capture:
    """
    Take exchanges in, cut them by topic, write what is new.

    The chunks of a session are recorded in the journal before anything is written:
    a run that follows an interrupted one writes the same again (write-ahead, idempotent).

    Attributes:
        chunker: Cuts a session into chunks.
        files: The files of conversations.
        journal: The state of sessions.
        workplace: Where the user works.
        replaced: Sections that a capture from the beginning replaces; the journal is not written until it is complete.

    """

    chunker: Chunker
    files: ConversationFiles
    journal: CaptureJournal
    workplace: Workplace
    replaced: tuple[SectionOfSession, ...] = ()

    def add(
        self,
        buffer: SessionBuffer,
        transcript: Iterable[Transcribed],
        *,
        progress: Progress = lambda _: None,
    ) -> Captured:
        """
        Take in the exchanges of *transcript*, and write all that is unwritten.

        Args:
            buffer: The session as it was.
            transcript: More of it, in order; it may begin with the last exchange at hand.
            progress: Called as it goes on.

        Raises:
            UnreadableFileError: a file can't be written; what was taken in by then is in the journal.
            StorageError: the journal can't be written now.

        """
        captured = self._write(Captured(buffer=buffer))  # what an earlier run could not
        remaining = dated_apart(transcript, buffer)
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
        """Take *batch* in, and record its chunks in the journal; exchanges at hand change nothing."""
        buffer, count = captured.buffer, captured.exchanges
        for new in batch:
            if buffer.position and new.begins_at < buffer.position:  # it is another file by now
                buffer = attrs.evolve(buffer, position=None)
            if not buffer.has(new.exchange, new.begins_at):
                drafts = self.chunker.add(buffer.drafts, new.exchange)
                drafts = (*drafts[:-1], _heir(_on_branch(drafts[-1], new.branch), self.replaced))
                buffer = attrs.evolve(buffer, drafts=drafts, position=new.begins_at)
                count += 1
            elif new.exchange == buffer.exchanges[-1]:
                buffer = attrs.evolve(buffer, position=new.begins_at)
        self._keep(buffer)
        return attrs.evolve(captured, buffer=buffer, exchanges=count)

    def _write(self, captured: Captured) -> Captured:
        """Write what is unwritten."""
        buffer = captured.buffer
        chunks = [self._described(draft, buffer) for draft in buffer.drafts if draft.unwritten]
        files = self.files.put(chunks)
        written = buffer.all_written(files.values())
        return Captured(
            buffer=written,
            exchanges=captured.exchanges,
            chunks=_last_of_each((*captured.chunks, *chunks)),
            files=written.unlearned,
            section_ids=captured.section_ids.union(files),
        )

    def _described(self, draft: Draft, buffer: SessionBuffer) -> Chunk:
        return described(draft, self.workplace.project, buffer.session_id or None, self.workplace.branch)

    def _keep(self, buffer: SessionBuffer, handled: int = 0) -> None:
        if buffer.session_id and not self.replaced:  # what belongs to no session, or is cut anew, is taken in at one go
            self.journal.keep(buffer, handled=handled)


def _heir(draft: Draft, replaced: Iterable[SectionOfSession]) -> Draft:
    """Return *draft*, kept for good if a part of it was in one of the sections *replaced*."""
    first, last = draft.exchanges[0].at, draft.exchanges[-1].at
    if draft.permanent or not any(
        section.permanent and first <= section.ends_at and section.starts_at <= last for section in replaced
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
    The outcome of indexing them.

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
    transcript: Iterable[Transcribed],
    *,
    progress: Progress = lambda _: None,
) -> Captured:
    """
    Take in the *transcript* of a session; if nothing of it is at hand, replace its sections in the files.

    Chunks may differ from earlier ones, after other settings or with an embedder.
    Permanent exchanges stay permanent. Sections of other times stay as they are.

    Args:
        capture: Keeps it.
        buffer: The session as it was; empty to begin anew.
        transcript: More of it, or all, in order.
        progress: Called as it goes on.

    Raises:
        UnreadableFileError: a file can't be written; doing it again makes up for it.
        StorageError: the journal can't be written now.

    """
    begins = bool(buffer.session_id) and not buffer.exchanges
    replaced = tuple(capture.files.of_session(buffer.session_id)) if begins else ()
    captured = attrs.evolve(capture, replaced=replaced).add(buffer, transcript, progress=progress)
    if not (replaced and captured.chunks):
        return captured
    files = capture.files.remove([section.section_id for section in _outdated(replaced, captured)])
    known = attrs.evolve(captured.buffer, unlearned=tuple(sorted({*captured.buffer.unlearned, *files})))
    capture.journal.keep(known)
    return attrs.evolve(captured, buffer=known, files=known.unlearned)


def _outdated(sections: Iterable[SectionOfSession], captured: Captured) -> list[SectionOfSession]:
    """Return those of *sections* whose exchanges were all written again, under other ids."""
    chunks = sorted(captured.chunks, key=lambda chunk: chunk.starts_at)
    begins = [chunk.starts_at for chunk in chunks]
    last = max(chunk.ends_at for chunk in chunks)

    def is_covered(section: SectionOfSession) -> bool:
        """Return whether a chunk goes on where *section* begins, and all were said before the last ended."""
        place = bisect_right(begins, section.starts_at)
        return place > 0 and section.starts_at <= chunks[place - 1].ends_at and section.ends_at <= last

    written = captured.section_ids
    return [section for section in sections if section.section_id not in written and is_covered(section)]


@attrs.frozen(kw_only=True)
class CaptureEvents:
    """
    Take in the events of a session of one project; only one process at a time may.

    Attributes:
        capture: Keeps it in the project's files.
        transcripts: The hosts' transcripts.
        learn: Brings the files into the store.
        clean: Applied to the texts of events, as to the transcript.
        clock: The time.
        warn: Called with one line when something is wrong.

    """

    capture: Capture
    transcripts: Transcripts
    learn: Learn
    clean: Cleaning
    clock: Clock
    warn: Callable[[str], None]

    def capture_waiting(self, session_id: str) -> None:
        """
        Take in the waiting events of that session.

        They leave the journal when the store has their exchanges: an interrupted run is repeated whole.

        Raises:
            UnreadableFileError: a file of the project can't be written; nothing is lost.
            StorageError: the journal or the store can't be used now; nothing is lost.
        """
        journal = self.capture.journal
        if not (events := journal.events(session_id)):
            return
        unread = merge_transcript(self.transcripts, journal.buffer(session_id), events, self.clock.now(), self.clean)
        if unread.trouble:
            self.warn(f"session {session_id}: {unread.trouble}; keeping what the hooks were told instead")
        captured = capture_session(self.capture, unread.buffer, unread.exchanges)
        learned = self.learn(captured.files)
        for trouble in learned.troubles:
            self.warn(trouble)
        if learned.is_known:
            self.capture.learned(captured.buffer, unread.handled)
