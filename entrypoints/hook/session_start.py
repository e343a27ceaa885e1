"""A session start on an open store: signals, import, search, counters."""

import datetime as dt
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from hardwon.domain.model.context import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import CorruptStoreError, OlderSchemaError, StorageError
from hardwon.domain.model.filters import RecallOccasion, Workplace
from hardwon.domain.model.injection.receipt import NOTHING, ContextWindow, HeldMemory, Receipt
from hardwon.domain.model.settings import ResolvedSettings
from hardwon.domain.use_cases.inject_at_start import StartInjection
from hardwon.domain.use_cases.record_injection import RecordInjection
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_capture import has_events, read_history, reason_to_keep, wake
from hardwon.entrypoints.bootstrap_files import (
    build_import_knowledge,
    build_versions,
    change_probe,
    has_changed_banks,
)
from hardwon.entrypoints.bootstrap_retrieval import LOCAL, Memory, build_inject
from hardwon.entrypoints.context import (
    GIT_SECONDS,
    count_at_home,
    others_notice,
    read_place,
    read_present_work,
    read_signals,
    with_uncommitted_files,
)
from hardwon.entrypoints.hook.request import HookRequest
from hardwon.entrypoints.notices import keeping_notice, notice_for_first_session, standing_notice

if TYPE_CHECKING:
    from hardwon.domain.model.injection.prepared_start import PreparedStart

SEARCH_SECONDS = 1.6
"""When the search has ended on an idle machine. Ranking and printing follow."""

LAST_PRINT_SECONDS = 1.8
"""By then the block is printed, or the watchdog prints a fallback."""

SEMANTIC_CPU_SECONDS = 0.15
FINISH_CPU_SECONDS = 0.035
"""CPU time of semantic search, and of ranking with printing: 10,000 entries, idle machine."""

IMPORT_SECONDS = 0.5
BUSY_SECONDS = 0.5
LEFT = "{} knowledge-bank files are left for next time, or run: hardwon import"
LARGEST_IMPORT = 250_000  # bytes: about 2,000 entries, which take half a second

LARGEST_UPGRADE = 16_000_000  # bytes: half a second; larger stores are migrated by the worker


class SessionStart:
    """
    One session start on an open store.

    Attributes:
        notice: The block's line for the user, to be printed if there is no block.
        has_notice: Whether the block has any line for the user.
        leaves_work: Whether the store had work for the worker when a start was prepared.
    """

    def __init__(
        self,
        resolved: ResolvedSettings,
        project_root: str,
        started: float,
        slowdown: float,
        warn: Callable[[str], None],
    ) -> None:
        self._resolved = resolved
        self._settings = resolved.settings
        self._refused = resolved.refused
        self._project_root = project_root
        self._warn = warn
        self.notice = ""
        self.has_notice = self.leaves_work = False
        self._slowdown = slowdown
        end = min(SEARCH_SECONDS, LAST_PRINT_SECONDS - FINISH_CPU_SECONDS * slowdown)
        self._deadline = Deadline(time.monotonic, started + end)
        self._memory = self._open()
        self._place = read_place(self._memory, project_root)
        self._workplace = self._place.workplace
        self._came_from_others = 0

    def inject(self, request: HookRequest) -> StartInjection:
        """
        Return the block for the user's context.

        After a compaction it includes what was said in the session.
        """
        read = read_present_work if request.framed else read_signals
        query = read(self._project_root, self._deadline.within(GIT_SECONDS), self._warn)
        missing = self._import()
        workplace = self._workplace
        inject = build_inject(self._memory, workplace, request.length)
        retrieve = inject.retrieve._replace(
            semantic_seconds=SEMANTIC_CPU_SECONDS * self._slowdown, slowdown=self._slowdown
        )
        held = self._held(request)
        standing = self._standing_notice() if request.framed and not held.has_block else ""
        notice = ". ".join(filter(None, (self._first_notice(), standing)))
        inject = inject._replace(retrieve=retrieve, notice=notice, refused=self._refused, held=held)
        self.notice, self.has_notice = f"{standing}\n" if standing else "", bool(notice)
        if inject.relate:
            workplace = self._with_touched_files(workplace, query)
        injection = inject.block_for(
            query,
            limit=self._settings.injection_limit,
            deadline=self._deadline,
            workplace=workplace,
            framed=request.framed,
            occasion=RecallOccasion(workplace, self._settings.context_tokens, request.compacted),
        )
        for line in injection.degradations:
            self._warn(line)
        if missing and not (injection.printed or injection.rules or held.has_block):
            raise StorageError(missing)
        if missing:
            self._warn(missing)
        return injection

    def _with_touched_files(self, workplace: Workplace, query: ContextQuery) -> Workplace:
        within = self._deadline.within(GIT_SECONDS)
        if query.branch is None:
            return with_uncommitted_files(
                workplace, self._project_root, deadline=within, warn=self._warn
            )
        committed = (
            ()
            if query.files
            else change_probe(self._project_root, self._warn).changed_files(within)
        )
        return workplace._replace(touched_files=committed)

    def record(self, injection: StartInjection, request: HookRequest) -> None:
        """Store and count the receipt, unless the store is busy."""
        receipt = self._receipt(injection, request, self._memory.clock.now())
        for line in RecordInjection.on(self._memory.store).record(receipt, injection.numbers):
            self._warn(line)

    def wake_worker(self, injection: StartInjection, request: HookRequest) -> None:
        """Wake the worker if anything waits for it."""
        try:
            if self._leaves_work(injection) or has_events(self._settings.global_store):
                wake(self._settings, self._project_root, measure=request.measure)
        except (StorageError, OSError) as error:
            self._warn(f"the worker was not started: {error}")

    def prepare(
        self, request: HookRequest, known: "PreparedStart | None"
    ) -> "PreparedStart | None":
        """
        Return the block that the next start would print, maybe *known*.

        Returns:
            None if a later start would differ: a notice is shown once, something waits for the
            worker, or the store or a file changed meanwhile.
        """
        if self._keeps_as_before():
            return None
        at = self._memory.clock.now()
        from hardwon.domain.model.injection.prepared_start import (
            PreparedStart,  # by the worker only
        )

        stamp = self._stamp(request, at)
        if known and stamp == known.stamp and self._is_as_before(known):
            return known
        injection = self.inject(request)
        self.leaves_work = self._leaves_work(injection)
        is_same = bool(stamp) and stamp == self._stamp(request, at)
        if self.has_notice or self.leaves_work or not is_same:
            return None
        receipt = self._receipt(injection, request, at)
        return PreparedStart(
            stamp=stamp, text=injection.text, receipt=receipt, numbers=tuple(injection.numbers)
        )

    def close(self) -> None:
        """Close the store."""
        self._memory.close()

    def _keeps_as_before(self) -> bool:
        """Return whether the next start has the notice, shown once, that conversations are kept."""
        settings, project = self._settings, self._place.project
        return (
            settings.capture_enabled is not False
            and not project.chosen
            and reason_to_keep(settings, self._project_root, None) == "earlier"
        )

    def _is_as_before(self, known: "PreparedStart") -> bool:
        """Return whether *known* fits the present work, without a harmful lesson."""
        from hardwon.domain.model.injection.credits import Credits  # not at a start

        query = read_present_work(
            self._project_root, self._deadline.within(GIT_SECONDS), self._warn
        )
        text, shown = query.public, {entry.entry_id for entry in known.receipt.shown}
        keyword_text = query.keyword_text if text else None
        return (text, keyword_text) == (known.receipt.query, known.receipt.keyword_text) and not (
            shown & Credits.of(self._memory.store.receipts.outcomes()).harmful
        )

    def _stamp(self, request: HookRequest, at: dt.datetime) -> str:
        from hardwon.entrypoints.hook.prepared_start import stamp_of  # not at a start

        state = self._memory.store.metadata.state_at(at)
        return stamp_of(self._resolved, request, state=state, at=at) if state else ""

    def _receipt(self, injection: StartInjection, request: HookRequest, at: dt.datetime) -> Receipt:
        from hardwon.domain.use_cases.inject_at_start import receipt_of_start  # after the output

        receipt = receipt_of_start(
            injection, session_id=request.session_id, project=self._workplace.project, at=at
        )
        return receipt._replace(delivery=request.delivery)

    def _leaves_work(self, injection: StartInjection) -> bool:
        """
        Return whether anything in the store waits for the worker.

        Local embeddings, git probes, entries of others, outdated keywords.
        """
        is_embedding = self._memory.spaces.provider == LOCAL and bool(injection.pending)
        return (
            is_embedding
            or self._place.project.is_repository_to_ask
            or bool(self._place.at_home or self._came_from_others)
            or self._memory.store.upkeep.has_outdated_keywords()
        )

    def _open(self) -> Memory:
        settings, warn = self._settings, self._warn
        try:
            return open_memory(
                settings,
                warn,
                busy_seconds=BUSY_SECONDS,
                repair_index=False,
                largest_upgrade=LARGEST_UPGRADE,
                durable=False,
            )
        except OlderSchemaError:
            wake(settings, self._project_root)
            raise

    def _held(self, request: HookRequest) -> HeldMemory:
        """Return what the agent was already given, nothing if unknown."""
        if request.beginning == "new":
            return NOTHING
        from hardwon.domain.use_cases.open_window import OpenWindow

        try:
            return OpenWindow.on(self._memory.store).held(
                ContextWindow(request.session_id),
                request.beginning,
                project=self._workplace.project,
                read=lambda agent: read_history(
                    request.transcript_path, request.last_response, agent
                ),
            )
        except StorageError as error:
            self._warn(f"what this session was given before is not known: {error}")
            return NOTHING

    def _standing_notice(self) -> str:
        kept = ""
        try:
            kept = keeping_notice(
                self._memory.store,
                self._memory.settings,
                place=self._place,
                project_root=self._project_root,
            )
        except StorageError as error:
            self._warn(f"whether conversations are kept here is not known: {error}")
        return ". ".join(
            filter(
                None,
                (
                    kept,
                    standing_notice(
                        self._memory.store, self._memory.settings.global_store, self._place.registry
                    ),
                ),
            )
        )

    def _first_notice(self) -> str:
        if self._came_from_others:
            return others_notice(self._came_from_others)
        return notice_for_first_session(self._memory.store, self._place.registry, self._workplace)

    def _import(self) -> str:
        if not has_changed_banks(self._memory, self._project_root):
            return ""
        try:
            versions = build_versions(self._memory.settings.trust, asks_git=False)
            imported = build_import_knowledge(
                self._memory, self._project_root, workplace=self._workplace, versions=versions
            ).changed(self._deadline.within(IMPORT_SECONDS), LARGEST_IMPORT)
        except CorruptStoreError:
            raise
        except StorageError as error:
            return f"import put off: {error}"
        self._came_from_others = (
            count_at_home(self._memory.repository, self._workplace) if imported.added else 0
        )
        for line in imported.skipped:
            self._warn(f"not imported: {line}")
        return LEFT.format(imported.left) if imported.left else ""
