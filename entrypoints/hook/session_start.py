"""A session start on an open store: signals, import, search, counters."""

import time
from collections.abc import Callable

from hardwon.domain.model.context import ContextQuery
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import CorruptStoreError, OlderSchemaError, StorageError
from hardwon.domain.model.filters import Workplace
from hardwon.domain.model.injection.receipt import NOTHING, ContextWindow, HeldMemory
from hardwon.domain.model.settings import RecallOccasion, ResolvedSettings
from hardwon.domain.use_cases.inject_at_start import RecordInjection, StartInjection
from hardwon.entrypoints.bootstrap import Memory, open_memory
from hardwon.entrypoints.bootstrap_capture import has_events, read_history, wake
from hardwon.entrypoints.bootstrap_files import (
    build_import_knowledge,
    build_versions,
    change_probe,
    has_changed_banks,
)
from hardwon.entrypoints.bootstrap_retrieval import LOCAL, build_inject
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
    """

    def __init__(
        self,
        resolved: ResolvedSettings,
        project_root: str,
        started: float,
        slowdown: float,
        warn: Callable[[str], None],
    ) -> None:
        self._settings = resolved.settings
        self._refused = resolved.refused
        self._project_root = project_root
        self._warn = warn
        self.notice = ""
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
        retrieve = inject.retrieve._replace(semantic_seconds=SEMANTIC_CPU_SECONDS * self._slowdown)
        held = self._held(request)
        standing = self._standing_notice() if request.framed and not held.has_block else ""
        notice = ". ".join(filter(None, (self._first_notice(), standing)))
        inject = inject._replace(retrieve=retrieve, notice=notice, refused=self._refused, held=held)
        self.notice = f"{standing}\n" if standing else ""
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
        from hardwon.domain.use_cases.inject_at_start import receipt_of_start  # after the output

        now, project = self._memory.clock.now(), self._workplace.project
        receipt = receipt_of_start(
            injection, session_id=request.session_id, project=project, at=now
        )
        receipt = receipt._replace(delivery=request.delivery)
        for line in RecordInjection.on(self._memory.store).record(receipt, injection.numbers):
            self._warn(line)

    def wake_worker(self, injection: StartInjection) -> None:
        """
        Wake the worker if anything waits for it.

        Local embeddings, git probes, entries of others, outdated keywords, journaled events.
        """
        is_local = self._memory.spaces.provider == LOCAL
        try:
            is_waiting = (
                is_local and injection.pending
            ) or self._place.project.is_repository_to_ask
            is_waiting = is_waiting or count_at_home(self._memory.repository, self._workplace)
            is_waiting = is_waiting or self._memory.store.upkeep.has_outdated_keywords()
            if is_waiting or has_events(self._settings.global_store):
                wake(self._settings, self._project_root)
        except (StorageError, OSError) as error:
            self._warn(f"the worker was not started: {error}")

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
        return notice_for_first_session(
            self._memory.store, self._memory.registry(), self._workplace
        )

    def _import(self) -> str:
        if not has_changed_banks(self._memory, self._project_root):
            return ""
        try:
            versions = build_versions(self._memory, asks_git=False)
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
