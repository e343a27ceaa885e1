"""Capture of conversations from hooks' events, transcripts or given texts."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from typing import NamedTuple, TypeVar

import attrs

from hardwon.domain.model.conversation.hook_event import NotedProject
from hardwon.domain.model.conversation.session import Exchange, SessionBuffer
from hardwon.domain.model.errors import InvalidEntryError, StorageError, UnreadableFileError
from hardwon.domain.model.project import Registry
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.capture import (
    CaptureEvents,
    CaptureIndexOutcome,
    CaptureInterruptedError,
    CaptureOutcome,
    Learn,
    Progress,
    capture_session,
)
from hardwon.domain.use_cases.embed_pending import BATCH
from hardwon.domain.use_cases.forget import ErasureOutcome, ForgetForGood
from hardwon.domain.use_cases.keep_repairs import KeepRepairs
from hardwon.domain.use_cases.observe_outcomes import ObserveOutcomes
from hardwon.domain.use_cases.remember import (
    Remember,
    RememberOutcome,
    known_sessions,
    session_meant,
)
from hardwon.entrypoints.bootstrap import host_session
from hardwon.entrypoints.bootstrap_capture import (
    actions_of_session,
    build_capture,
    cleaning_for,
    has_events,
    open_forget_lock,
    open_journal,
    open_lock,
    open_transcripts,
    wake,
)
from hardwon.entrypoints.bootstrap_files import (
    build_index_files,
    folder_of_files,
    identify_folder,
    work_tree_of,
)
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.embed_after_write import fill_spaces
from hardwon.ports.documents import Captured, SectionOfSession
from hardwon.ports.store import Store, Warn
from hardwon.ports.transcripts import STANDARD_INPUT, CaptureJournal, TranscribedExchange

PATIENCE_SECONDS = 10.0
"""Longest wait for another capture, whose lock ends with its process."""

FORGET_SECONDS = 60.0
"""Longest wait for `hardwon forget`, for which captures give way."""

LOCK_SECONDS = 30.0
"""How long `hardwon forget` waits for a capture to give way."""

Result = TypeVar("Result")


def capturing(
    settings: Settings, warn: Warn, project_root: str, work: Callable[[], Result]
) -> Result:
    """Run *work* under the capture lock, again after interruptions."""
    while True:
        with (
            contextlib.suppress(CaptureInterruptedError),
            capture_lock(settings, warn, project_root),
        ):
            return work()


@contextlib.contextmanager
def capture_lock(settings: Settings, warn: Warn, project_root: str) -> Iterator[None]:
    """Hold the capture lock, then start the worker for new events."""
    if open_forget_lock(settings.global_store).is_taken(FORGET_SECONDS):
        raise StorageError(
            f"hardwon forget has been going on for {FORGET_SECONDS:.0f} s: try again later"
        )
    lock = open_lock(settings.global_store)
    if not lock.acquire(PATIENCE_SECONDS):
        raise StorageError(
            f"another capture has been going on for {PATIENCE_SECONDS:.0f} s: try again later"
        )
    try:
        yield
    finally:
        lock.release()
        _wake_for_what_came(settings, warn, project_root)


def while_nothing_is_captured(store: str, work: Callable[[], Result]) -> Result:
    """Run *work* while captures give way."""
    if not os.path.isdir(store):
        return work()
    with (
        open_forget_lock(store).held(
            LOCK_SECONDS, "hardwon forget is at work already: try again when it is done"
        ),
        open_lock(store).held(
            LOCK_SECONDS, "conversations are being captured now: try again when it is done"
        ),
    ):
        return work()


def complete_interrupted(store: str, forgetting: ForgetForGood) -> ErasureOutcome | None:
    """Complete an interrupted run of `hardwon forget`, None without one."""
    if forgetting.journal.unfinished() is None:
        return None
    return while_nothing_is_captured(store, forgetting.resume)


def _wake_for_what_came(settings: Settings, warn: Warn, project_root: str) -> None:
    if settings.capture_enabled is False or not settings.semantic_enabled:
        return
    try:
        if has_events(settings.global_store):
            wake(settings, os.path.abspath(project_root))
    except (StorageError, OSError) as error:
        warn(f"the worker was not started: {error}")


def build_capture_events(memory: Memory, project_root: str, *, embed: bool = True) -> CaptureEvents:
    """Build the capture of journaled events, with vectors if *embed*."""
    capture = build_capture(memory, project_root)
    return CaptureEvents(
        capture=capture,
        transcripts=open_transcripts(memory.settings, project_root),
        learn=build_learn(memory, project_root, embed=embed, is_awaited=capture.is_awaited),
        clean=cleaning_for(project_root),
        clock=memory.clock,
        warn=memory.warn,
        observe=partial(observe_outcomes, memory.store, memory.settings.global_store),
    )


def observe_outcomes(store: Store, folder: str, session: SessionBuffer) -> None:
    """Record the outcomes of a captured session, by its transcript."""
    if session.session_id and session.transcript_path:
        ObserveOutcomes(store.receipts).observe(
            session.session_id,
            actions_of_session(folder, session.session_id, session.transcript_path),
        )


def build_learn(
    memory: Memory,
    project_root: str,
    *,
    embed: bool = True,
    is_awaited: Callable[[], bool] = lambda: False,
) -> Learn:
    """
    Return a function that indexes files, with vectors if *embed*.

    It raises CaptureInterruptedError if *is_awaited* returns true before a file or the vectors.
    """
    return partial(
        _learn, memory, os.path.realpath(project_root), embed=embed, is_awaited=is_awaited
    )


def folder_of_session(
    session_id: str, project_root: str, journal: CaptureJournal, registry: Callable[[], Registry]
) -> str:
    """
    Return the existing folder of a session, by `folder_now`.

    Args:
        session_id: The session.
        project_root: Its folder, empty if the host named none.
        journal: Has the project noted for that folder.
        registry: As in `folder_now`.
    """
    folder = folder_now(project_root, journal.noted_project(project_root), registry)
    if not os.path.isdir(folder):
        raise UnreadableFileError(
            f"session {session_id!r}: its project {project_root!r} is no folder: its events"
            f" wait for it; hardwon capture --discard {session_id!r} drops them"
        )
    return folder


def folder_now(folder: str, noted: NotedProject | None, registry: Callable[[], Registry]) -> str:
    """
    Return where the conversations of *folder* belong now.

    Those of a removed work tree, or of a folder in one, go to the main one; those of a moved
    project to its new folder. It is *folder* itself if that exists or nothing better is known.

    Args:
        folder: Where the conversation took place.
        noted: The folder's project at that time.
        registry: Returns the store's projects; called only for a project not in its old place.

    """
    if os.path.isdir(folder) or noted is None:
        return folder
    top = _top_now(noted.key, noted.inode)
    if top is None and (project := registry().with_id(noted.project_id)):
        top = _top_now(project.identity.key, project.identity.inode)
    if top is None:
        return folder
    relative = os.path.relpath(os.path.realpath(folder), noted.root)
    below = os.path.normpath(os.path.join(top, relative))
    return below if os.path.isdir(below) and not relative.startswith(os.pardir) else top


def _top_now(key: str, inode: int) -> str | None:
    found = identify_folder(key)
    if (found.key, found.inode) != (key, inode):
        return None
    return work_tree_of(key) if found.is_repository else key


def _learn(
    memory: Memory,
    project_root: str,
    files: Sequence[str],
    *,
    embed: bool,
    is_awaited: Callable[[], bool],
) -> CaptureIndexOutcome:
    if not files:
        return CaptureIndexOutcome()
    try:
        index_files = build_index_files(
            memory, folder_of_files(project_root), read_workplace(memory, project_root)
        )
        indexed = index_files.index(files, wanted=lambda: not is_awaited())
        if is_awaited():
            raise CaptureInterruptedError
        filled = fill_spaces(memory.spaces, BATCH) if embed else None
    except StorageError as error:
        return CaptureIndexOutcome(problems=(f"written but not indexed: {error}",), is_known=False)
    return CaptureIndexOutcome(
        filled.made if filled else 0, (*indexed.skipped, *(filled.problems if filled else ()))
    )


@attrs.frozen(kw_only=True)
class Remembering:
    """Keeps texts and sessions for good, in files and store."""

    memory: Memory
    project_root: str
    embed: bool = True

    def text(self, text: str) -> RememberOutcome:
        """Keep *text*, without its secrets."""
        clean = cleaning_for(self.project_root)(text)
        if not clean:
            raise InvalidEntryError(
                "there is nothing to remember: the text is blank, or private as a whole"
            )
        exchange = Exchange(clean, "", self.memory.clock.now())
        return self._remember(self.project_root).text(exchange, self.project_root)

    def session(self, environ: Mapping[str, str]) -> RememberOutcome:
        """
        Keep the current session's exchanges, else the project's last session's.

        They are kept in the folder where the session began.
        """
        return capturing(
            self.memory.settings,
            self.memory.warn,
            project_root=self.project_root,
            work=partial(self._session, environ),
        )

    def _session(self, environ: Mapping[str, str]) -> RememberOutcome:
        journal = open_journal(self.memory.settings.global_store)
        sessions = known_sessions(journal.buffers(), journal.waiting())
        session_id, root = session_meant(sessions, host_session(environ), self._is_of_project)[:2]
        root = folder_of_session(session_id, root, journal=journal, registry=self.memory.registry)
        capture_events = build_capture_events(self.memory, root, embed=self.embed)
        return self._remember(root).session(session_id, capture_events)

    def _remember(self, project_root: str) -> Remember:
        learn = build_learn(self.memory, project_root, embed=self.embed)
        return Remember(capture=build_capture(self.memory, project_root), learn=learn)

    def _is_of_project(self, project_root: str) -> bool:
        return bool(project_root) and os.path.realpath(project_root) == os.path.realpath(
            self.project_root
        )


def build_keep_repairs(memory: Memory, project_root: str, *, embed: bool = True) -> KeepRepairs:
    """Build decisions on the project's repairs."""
    key_of = cache(lambda folder: identify_folder(folder).key)
    return KeepRepairs(
        capture=build_capture(memory, project_root),
        learn=build_learn(memory, project_root, embed=embed),
        is_here=lambda folder: bool(folder) and key_of(folder) == key_of(project_root),
        clock=memory.clock,
    )


class RepairDecision(NamedTuple):
    """
    The outcome of a decision on a repair.

    Attributes:
        line: What was done, in a line.
        problems: Failures of indexing, one line each.
    """

    line: str
    problems: tuple[str, ...] = ()


def decide_repair(
    memory: Memory, project_root: str, note_id: str, *, wanted: bool
) -> RepairDecision:
    """
    Keep or drop a repair, while no session is captured.

    Raises:
        InvalidEntryError: none waits by that id, or several do.
    """
    deciding = build_keep_repairs(memory, project_root)
    note = deciding.candidate(note_id)

    def work() -> RepairDecision:
        if not wanted:
            deciding.drop(note)
            return RepairDecision(f"Dropped: {note.title}")
        return RepairDecision(f"Kept: {note.title}", deciding.keep(note).problems)

    return capturing(memory.settings, memory.warn, project_root=project_root, work=work)


class _Nowhere:
    """Conversation files of a dry run, which writes nothing."""

    def put(self, captured: Sequence[Captured]) -> Mapping[str, str]:
        del captured
        return {}

    def remove(self, section_ids: Sequence[str]) -> tuple[str, ...]:
        del section_ids
        return ()

    def of_session(self, session_id: str) -> Sequence[SectionOfSession]:
        del session_id
        return ()


class TranscriptCapture:
    """
    Captures the transcript at *path*.

    Args:
        memory: The store that indexes it.
        root: The project's folder.
        path: The transcript's real path, `-` for standard input.
        embed: Whether the embedder may be used; without it, words alone set the boundaries.
        session_id: The session, given for an earlier one, whose transcript need not name it.
        only_repairs: Whether the session is captured, and only its repairs are not.

    """

    def __init__(
        self,
        memory: Memory,
        project_root: str,
        path: str,
        *,
        embed: bool = True,
        session_id: str = "",
        only_repairs: bool = False,
    ) -> None:
        self._session_id = session_id
        self._only_repairs = only_repairs
        self.root = os.path.realpath(project_root)
        self._memory = memory
        self._path = path
        self._transcripts = open_transcripts(memory.settings, project_root)
        self._embed = embed
        self._capture = build_capture(
            memory if embed else memory._replace(spaces=memory.spaces.first(0)), self.root
        )
        self._captured = CaptureOutcome(buffer=self._new_buffer(""))
        self._unread: Iterator[TranscribedExchange] | None = None

    def preview(self, progress: Progress) -> CaptureOutcome:
        """Return what capturing the whole transcript would keep: a dry run."""
        dry_run = attrs.evolve(self._capture, files=_Nowhere())
        unknown = SessionBuffer(session_id="", project_root=self.root)
        if self._only_repairs:
            return dry_run.add_repairs(unknown, self._read())
        return dry_run.add(unknown, self._read(), progress=progress)

    def capture(self, progress: Progress, *, force: bool) -> CaptureOutcome:
        """Capture additions since the last capture, everything with *force*."""
        if self._only_repairs:
            known = self._capture.journal.buffer(self._session_id)
            buffer = known or self._new_buffer(self._session_id)
            return self._capture.add_repairs(buffer, self._read())
        transcript = self._unread or self._read()
        if (first := next(transcript, None)) is None:
            return CaptureOutcome(buffer=self._new_buffer(""))
        session_id = first.session_id or self._session_id
        known = self._capture.journal.buffer(session_id) if session_id else None
        if known and self._is_of_this(known) and not force:
            return capture_session(
                self._capture, known, self._read(known.position or 0), progress=progress
            )
        buffer = self._begun(session_id, known, force=force)
        if not buffer.session_id:  # the journal does not say where to go on
            buffer, self._unread = self._so_far(), transcript
        return capture_session(self._capture, buffer, chain([first], transcript), progress=progress)

    def keep(
        self, progress: Progress, *, force: bool
    ) -> tuple[CaptureOutcome, CaptureIndexOutcome]:
        """
        Run, and index the written files.

        After an interruption another call continues with both.
        """
        try:
            captured = self.capture(progress, force=force and not self._captured.exchanges)
        except CaptureInterruptedError as interrupted:
            if interrupted.captured:
                self._captured = self._captured.followed_by(interrupted.captured)
            raise
        self._captured = self._captured.followed_by(captured)
        return self._captured, self._learn(self._captured)

    def _learn(self, captured: CaptureOutcome) -> CaptureIndexOutcome:
        learn = build_learn(
            self._memory, self.root, embed=self._embed, is_awaited=self._capture.is_awaited
        )
        learned = learn(captured.files)
        if learned.is_known and captured.files:
            self._capture.learned(captured.buffer)
        observe_outcomes(self._memory.store, self._memory.settings.global_store, captured.buffer)
        return learned

    def _so_far(self) -> SessionBuffer:
        buffer = self._captured.buffer
        is_forgotten = self._capture.forgotten.holds(exchange.text for exchange in buffer.exchanges)
        return self._new_buffer("") if is_forgotten else buffer

    def _begun(self, session_id: str, known: SessionBuffer | None, *, force: bool) -> SessionBuffer:
        """
        Return an empty buffer for the session.

        It has no session if another file or project captures that.
        """
        if known is None:
            return self._new_buffer(session_id)
        if self._is_of_this(known) or (force and os.path.realpath(known.project_root) == self.root):
            return attrs.evolve(self._new_buffer(session_id), unlearned=known.unlearned)
        return self._new_buffer("")

    def _new_buffer(self, session_id: str) -> SessionBuffer:
        """
        Return an empty buffer, without a session for standard input.

        A piped transcript can't be continued later.
        """
        if self._path == STANDARD_INPUT:
            return SessionBuffer(session_id="", project_root=self.root)
        return SessionBuffer(
            session_id=session_id,
            project_root=self.root,
            transcript_path=self._path,
            is_past=bool(self._session_id) and not self._only_repairs,
        )

    def _is_of_this(self, buffer: SessionBuffer) -> bool:
        places = (os.path.realpath(buffer.project_root), os.path.realpath(buffer.transcript_path))
        return buffer.source == "transcript" and places == (self.root, self._path)

    def _read(self, position: int = 0) -> Iterator[TranscribedExchange]:
        try:
            yield from self._transcripts.read(self._path, position)
        except UnreadableFileError as error:
            raise InvalidEntryError(f"nothing can be captured from {error}") from error
