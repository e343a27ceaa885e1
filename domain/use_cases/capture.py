"""Capture conversations: cut, write and index them."""

import contextlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

import attrs

from hardwon.domain.model.conversation.actions import texts_of
from hardwon.domain.model.conversation.chunker import Chunker
from hardwon.domain.model.conversation.describe import described
from hardwon.domain.model.conversation.repair import Repair, RepairNote
from hardwon.domain.model.conversation.session import (
    READING,
    Chunk,
    DraftChunk,
    SessionBuffer,
)
from hardwon.domain.model.conversation.small_talk import is_noise
from hardwon.domain.model.filters import Workplace
from hardwon.domain.model.redaction import Cleaning
from hardwon.domain.model.settings import BUFFERED
from hardwon.domain.use_cases.merge_transcript import (
    PairedExchange,
    dated_apart,
    merge_transcript,
    with_repairs,
)
from hardwon.ports.clock import Clock
from hardwon.ports.documents import ConversationFiles, SectionOfSession
from hardwon.ports.erasure import ForgottenTexts
from hardwon.ports.transcripts import CaptureJournal, TranscribedExchange, Transcripts

Progress = Callable[[int], None]
"""Called with the number of exchanges captured so far."""


@attrs.frozen(kw_only=True)
class CaptureOutcome:
    """
    The outcome of a capture.

    Attributes:
        exchanges: The number of exchanges that were new or grew.
        chunks: The chunks written, in their last version, without duplicates.
        files: Changed files that are not indexed yet, also those of an interrupted run.
            Absolute paths, sorted, without duplicates.
        notes: The repairs that were kept as gotchas, without duplicates.
    """

    buffer: SessionBuffer
    exchanges: int = 0
    chunks: tuple[Chunk, ...] = ()
    notes: tuple[RepairNote, ...] = ()
    files: tuple[str, ...] = ()
    section_ids: frozenset[str] = frozenset()

    def followed_by(self, later: "CaptureOutcome") -> "CaptureOutcome":
        """Return the outcome of this capture continued by *later*."""
        return CaptureOutcome(
            buffer=later.buffer,
            exchanges=self.exchanges + later.exchanges,
            chunks=_latest((*self.chunks, *later.chunks)),
            notes=_distinct((*self.notes, *later.notes)),
            files=tuple(sorted({*self.files, *later.files})),
            section_ids=self.section_ids | later.section_ids,
        )


class CaptureInterruptedError(Exception):
    """
    A capture gave way to `hardwon forget`.

    A repeated capture continues with the journal as it is then.

    Args:
        captured: The outcome so far, to be continued; None or empty to begin again.
    """

    def __init__(self, captured: CaptureOutcome | None = None) -> None:
        super().__init__("hardwon forget came between")
        self.captured = captured


@attrs.frozen(kw_only=True)
class Capture:
    """
    Cut a session by topic and write new chunks to files.

    Write-ahead and idempotent: chunks are recorded in the journal before they are written, so that
    the run after an interrupted one writes the same chunks again.

    Attributes:
        forgotten: Texts that are not captured again.
        session_of: Returns the session of a known note, by its id; None for an unknown one.
        replaced: Sections that a capture from the beginning replaces. The journal is not written
            until it is complete.
        is_awaited: Whether `hardwon forget` waits for the capture to give way; called for every
            exchange.
    """

    chunker: Chunker
    files: ConversationFiles
    journal: CaptureJournal
    workplace: Workplace
    forgotten: ForgottenTexts
    session_of: Callable[[str], str | None] = lambda _: None
    replaced: tuple[SectionOfSession, ...] = ()
    is_awaited: Callable[[], bool] = lambda: False

    def add(
        self,
        buffer: SessionBuffer,
        transcript: Iterable[TranscribedExchange],
        *,
        progress: Progress = lambda _: None,
    ) -> CaptureOutcome:
        """
        Add the exchanges of *transcript* to *buffer*, and write all unwritten chunks.

        Raises:
            CaptureInterruptedError: `hardwon forget` waits; no exchange that was read is lost.
        """
        captured = self._write(CaptureOutcome(buffer=buffer))  # unwritten by an earlier run
        remaining = with_repairs(self._worth_keeping(dated_apart(transcript, buffer)), buffer)
        while batch := self._batch(remaining):
            captured = self._write(self._with_batch(captured, batch))
            progress(captured.exchanges)
            if self.is_awaited():
                raise CaptureInterruptedError(
                    CaptureOutcome(buffer=buffer) if self.replaced else captured
                )
        self._store(captured.buffer)
        return captured

    def add_repairs(
        self, buffer: SessionBuffer, transcript: Iterable[TranscribedExchange]
    ) -> CaptureOutcome:
        """
        Find the repairs in the whole *transcript* of a captured session.

        Its chunks and known notes stay.

        Raises:
            CaptureInterruptedError: `hardwon forget` waits; nothing was changed.
        """
        read = with_repairs(self._worth_keeping(dated_apart(transcript, buffer)), buffer)
        found, before = list[Repair](), buffer.actions
        for new, actions, repairs in read:
            before = actions if new.begins_at == buffer.position else before
            found += filter(partial(self._is_unknown, buffer), repairs)
            if self.is_awaited():
                raise CaptureInterruptedError
        known = attrs.evolve(buffer, actions=before, reading=READING).with_repairs(found)
        self._store(known)
        captured = self._write(CaptureOutcome(buffer=known))
        self._store(captured.buffer)
        return captured

    def learned(self, buffer: SessionBuffer, handled: int = 0) -> None:
        """Record that files are indexed, and events handled."""
        self._store(attrs.evolve(buffer, unlearned=()), handled)

    def for_good(self, buffer: SessionBuffer) -> CaptureOutcome:
        """
        Make all buffered exchanges of a session permanent, and close it.

        Raises:
            UnreadableFileError: a file can't be written; nothing is lost.
        """
        permanent = buffer.kept_for_good()
        self._store(permanent)
        captured = self._write(CaptureOutcome(buffer=permanent))
        self._store(captured.buffer)
        return captured

    def _worth_keeping(
        self, transcript: Iterable[TranscribedExchange]
    ) -> Iterator[TranscribedExchange]:
        """Yield what is neither forgotten nor noise."""
        for new in transcript:
            # a turn with actions is work, whatever the prompt
            is_idle = not new.actions and is_noise(new.exchange, self.chunker.boundaries)
            if not is_idle and not self.forgotten.holds([new.exchange.text]):
                actions = [
                    action for action in new.actions if not self.forgotten.holds(texts_of(action))
                ]
                yield new._replace(actions=actions)

    def _batch(self, remaining: Iterator[PairedExchange]) -> list[PairedExchange]:
        """
        Return the next exchanges, none at the end.

        There are fewer where the capture is to give way.
        """
        batch = list[PairedExchange]()
        for new in remaining:
            batch.append(new)
            if len(batch) == BUFFERED or self.is_awaited():
                break
        return batch

    def _with_batch(
        self, captured: CaptureOutcome, batch: Sequence[PairedExchange]
    ) -> CaptureOutcome:
        """
        Add *batch* to the buffer and record its chunks in the journal.

        Known exchanges change nothing.
        """
        buffer, count = captured.buffer, captured.exchanges
        for new, before, repairs in batch:
            if buffer.position and new.begins_at < buffer.position:  # the transcript was replaced
                buffer = attrs.evolve(buffer, position=None)
            if not buffer.has(new.exchange, new.begins_at):
                drafts = self.chunker.add(buffer.drafts, new.exchange)
                if len(drafts) > len(buffer.drafts):
                    drafts = (*drafts[:-1], attrs.evolve(drafts[-1], branch=new.branch))
                drafts = (*drafts[:-1], _inheriting(drafts[-1], self.replaced))
                buffer = attrs.evolve(buffer, drafts=drafts, position=new.begins_at, actions=before)
                count += 1
            elif new.exchange == buffer.exchanges[-1]:
                buffer = attrs.evolve(buffer, position=new.begins_at, actions=before)
            buffer = buffer.with_repairs(repairs)
        self._store(buffer)
        return attrs.evolve(captured, buffer=buffer, exchanges=count)

    def _write(self, captured: CaptureOutcome) -> CaptureOutcome:
        buffer = captured.buffer
        settled = self._settled(buffer)
        causes = [repair.cause for repair in settled if repair.cause]
        chunks = [
            self._described(place, buffer).without_gotchas(causes)
            for place, draft in enumerate(buffer.drafts)
            if draft.unwritten
        ]
        notes = [*map(partial(self.note_of, buffer), settled)]
        files = self.files.put([*chunks, *filter(self._is_new, notes)])
        written = buffer.all_written(files.values()).with_decided(settled)
        return CaptureOutcome(
            buffer=written,
            exchanges=captured.exchanges,
            chunks=_latest((*captured.chunks, *chunks)),
            notes=_distinct((*captured.notes, *notes)),
            files=written.unlearned,
            section_ids=captured.section_ids.union(files, (note.note_id for note in notes)),
        )

    def _settled(self, buffer: SessionBuffer) -> list[Repair]:
        """Return the repairs whose cause was said, or whose error another session had."""
        if all(repair.cause for repair in buffer.repairs):
            return [*buffer.repairs]
        elsewhere = {
            repair.signature
            for other in self.journal.buffers()
            if other.session_id != buffer.session_id and other.project_root == buffer.project_root
            for repair in other.repairs
        }
        return [
            repair for repair in buffer.repairs if repair.cause or repair.signature in elsewhere
        ]

    def note_of(self, buffer: SessionBuffer, repair: Repair) -> RepairNote:
        """Return *repair* as the note of a session."""
        return RepairNote(repair, self.workplace.label, buffer.session_id or None)

    def _is_unknown(self, buffer: SessionBuffer, repair: Repair) -> bool:
        return self.session_of(self.note_of(buffer, repair).note_id) is None

    def _is_new(self, note: RepairNote) -> bool:
        """
        Return whether *note* is to be written.

        Only a capture of the same session writes it again: the user may have changed it.
        """
        known = self.session_of(note.note_id)
        return (known is None or known == note.session_id) and not self.forgotten.holds(
            note.repair.texts
        )

    def _described(self, place: int, buffer: SessionBuffer) -> Chunk:
        here = self.workplace
        return described(
            buffer.drafts[place],
            here.label,
            session_id=buffer.session_id or None,
            branch=here.branch,
            siblings=here.siblings,
            before=[known for draft in buffer.drafts[:place] for known in draft.exchanges],
        )

    def _store(self, buffer: SessionBuffer, handled: int = 0) -> None:
        if (
            buffer.session_id and not self.replaced
        ):  # text without a session, and a capture from the beginning, are written in one run
            self.journal.keep(buffer, handled=handled)


def _inheriting(draft: DraftChunk, replaced: Iterable[SectionOfSession]) -> DraftChunk:
    """Return *draft*, permanent if it overlaps a permanent section of *replaced*."""
    first, last = draft.exchanges[0].at, draft.exchanges[-1].at
    if draft.permanent or not any(
        section.permanent and first <= section.ends_at and section.starts_at <= last
        for section in replaced
    ):
        return draft
    return attrs.evolve(draft, permanent=True, written=0)


def _latest(chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    return tuple({chunk.chunk_id: chunk for chunk in chunks}.values())


def _distinct(notes: Iterable[RepairNote]) -> tuple[RepairNote, ...]:
    return tuple({note.note_id: note for note in notes}.values())


@attrs.frozen
class CaptureIndexOutcome:
    """
    The outcome of indexing captured files.

    Attributes:
        embedded: The number of new vectors.
        problems: Failures, one line each. The files are written; `hardwon index` indexes them.
        is_known: Whether there was a store to index them in.
    """

    embedded: int = 0
    problems: tuple[str, ...] = ()
    is_known: bool = True


Learn: TypeAlias = Callable[[Sequence[str]], CaptureIndexOutcome]
"""Indexes files of the project in the store."""


def capture_session(
    capture: Capture,
    buffer: SessionBuffer,
    transcript: Iterable[TranscribedExchange],
    *,
    progress: Progress = lambda _: None,
) -> CaptureOutcome:
    """
    Capture the *transcript* of a session, or more of it.

    With an empty buffer, the sections of the session are replaced in the files. Chunks may differ
    from earlier ones, after other settings or with an embedder. Permanent exchanges stay permanent.
    Sections of other times are unchanged.

    Raises:
        UnreadableFileError: a file can't be written; a retry completes the capture.
        CaptureInterruptedError: `hardwon forget` waits; a retry completes the capture.
    """
    begins = bool(buffer.session_id) and not buffer.exchanges
    replaced = tuple(capture.files.of_session(buffer.session_id)) if begins else ()
    captured = attrs.evolve(capture, replaced=replaced).add(buffer, transcript, progress=progress)
    if not (replaced and captured.chunks):
        return captured
    files = capture.files.remove([section.section_id for section in _outdated(replaced, captured)])
    known = attrs.evolve(
        captured.buffer, unlearned=tuple(sorted({*captured.buffer.unlearned, *files}))
    )
    capture.journal.keep(known)
    return attrs.evolve(captured, buffer=known, files=known.unlearned)


def _outdated(
    sections: Iterable[SectionOfSession], captured: CaptureOutcome
) -> list[SectionOfSession]:
    """Return the sections whose exchanges were all rewritten under other ids."""
    chunks = sorted(captured.chunks, key=lambda chunk: chunk.starts_at)
    begins = [chunk.starts_at for chunk in chunks]
    last = max(chunk.ends_at for chunk in chunks)

    def is_covered(section: SectionOfSession) -> bool:
        place = bisect_right(begins, section.starts_at)
        return (
            place > 0 and section.starts_at <= chunks[place - 1].ends_at and section.ends_at <= last
        )

    written = captured.section_ids
    return [
        section for section in sections if section.section_id not in written and is_covered(section)
    ]


@attrs.frozen(kw_only=True)
class CaptureEvents:
    """
    Capture the unhandled events of a session of one project.

    Only one process at a time may do so.

    Attributes:
        clean: Applied to the texts of events, as to the transcript.
        warn: Called with one line for each problem.
        observe: Records the outcomes of a captured session.
    """

    capture: Capture
    transcripts: Transcripts
    learn: Learn
    clean: Cleaning
    clock: Clock
    warn: Callable[[str], None]
    observe: Callable[[SessionBuffer], None]

    def capture_waiting(self, session_id: str) -> None:
        """
        Capture the unhandled events of that session.

        They are deleted from the journal once the store has their exchanges: an interrupted run is
        repeated as a whole.

        Raises:
            UnreadableFileError: a file of the project can't be written; nothing is lost.
            StorageError: the journal or the store can't be used now; nothing is lost.
            CaptureInterruptedError: `hardwon forget` waits; nothing is lost.
        """
        journal = self.capture.journal
        if not (events := journal.events(session_id)):
            return
        unread = merge_transcript(
            self.transcripts,
            journal.buffer(session_id),
            events=events,
            now=self.clock.now(),
            clean=self.clean,
        )
        if unread.problem:
            self.warn(
                f"session {session_id}: {unread.problem}; keeping what the hooks were told instead"
            )
        with contextlib.closing(unread.exchanges):
            captured = capture_session(self.capture, unread.buffer, unread.exchanges)
        learned = self.learn(captured.files)
        for problem in learned.problems:
            self.warn(problem)
        if learned.is_known:
            self.capture.learned(captured.buffer, unread.handled)
        self.observe(captured.buffer)
