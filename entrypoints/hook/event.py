"""
The events of a session, handled by `Event.take`.

A session start: query → candidates → ranking policy → category balancer → text → stdout → counters.

Pauses are read before settings, log or store are touched. Expensive modules are imported where
needed: a switched-off hook runs on the standard library.
"""

import datetime as dt
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.pause import Pause, holding, last_end, pause_of
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.text import one_line
from hardwon.entrypoints.bootstrap import (
    host_folder,
    host_process,
    host_session,
    now,
    open_log,
    open_pauses,
    open_server_mark,
    read_settings,
    store_of,
)
from hardwon.entrypoints.hook.process import Output, complain, leave_by
from hardwon.entrypoints.hook.request import MOMENTS, NOTED, SESSION_START, HookRequest

if TYPE_CHECKING:
    from hardwon.domain.model.conversation.session_actions import ReadRecent
    from hardwon.domain.use_cases.recall import Recall
    from hardwon.entrypoints.hook.prompt import OpenStore, PromptStart

LONGEST_TURN = dt.timedelta(days=1)
"""Longest turn assumed, and how long a session start mentions another session's pause."""


RECENT = 20
"""Lines of the log that are not repeated."""


class SessionPauses(NamedTuple):
    """The pauses of a store, seen from the session of one request."""

    pauses: tuple[Pause, ...]
    session_id: str
    store: str
    now: dt.datetime

    @property
    def present(self) -> Pause | None:
        """The pause that holds for this session now."""
        return pause_of(self.session_id, self.pauses, self.now)

    @property
    def notice(self) -> str:
        """
        Line for a session start beside another, paused session.

        Empty otherwise.
        """
        lately = [
            pause
            for pause in holding(self.pauses, self.now)
            if self.now - pause.begins_at < LONGEST_TURN
        ]
        if not lately:
            return ""
        from hardwon.entrypoints.presenters.pauses import other_session_line  # compiles patterns

        return f"{other_session_line(lately[-1])}\n"

    def began_off_record(self) -> bool:
        """
        Return whether the current turn answers a paused prompt.

        Judged by the capture journal.
        """
        ended_at = last_end(self.pauses, self.session_id)
        if ended_at is None or self.now - ended_at > LONGEST_TURN:
            return False
        from hardwon.entrypoints.bootstrap_capture import has_prompt_since  # brings sqlite3

        return not has_prompt_since(self.store, self.session_id, ended_at)


def pauses_of(request: HookRequest) -> SessionPauses:
    """
    Read the pauses that concern *request*.

    Costs one failed `open` if there are none.
    """
    store = store_of(request.flags)
    session_id = request.session_id or host_session()
    return SessionPauses(
        pauses=open_pauses(store).read(), session_id=session_id, store=store, now=now()
    )


PROMPT_SECONDS = 0.95
"""After this the user's prompt goes on, with or without an injection."""


class Arrival:
    """
    How an event came to this program, and what it may cost there.

    Attributes:
        started: When the host began to wait, by `time.monotonic`.
        slowdown: Elapsed seconds per CPU second, at least 1; 0 in a process that stays.
        leave_by: Ends the wait of the host at a deadline.
        open_store: Opens the store for an answer within a second; None for a store of its own.
        recall: Returns the search of the opened store that is reused, None for a new one.
        recent: The reader of transcripts that is reused, None for a new one.
    """

    def __init__(
        self,
        started: float,
        slowdown: float = 0.0,
        *,
        leave_by: Callable[[float], None] = leave_by,
        open_store: "OpenStore | None" = None,
        recall: "Callable[[], Recall | None]" = lambda: None,
        recent: "ReadRecent | None" = None,
    ) -> None:
        self.started = started
        self.slowdown = slowdown
        self.leave_by = leave_by
        self.open_store = open_store
        self.recall = recall
        self.recent = recent


class Event:
    """
    One event of a host's session that is not paused.

    Attributes:
        is_noting: Whether the utterance is still to be journaled.
    """

    def __init__(
        self, request: HookRequest, output: Output, arrival: Arrival, pauses: SessionPauses
    ) -> None:
        self._request = request
        self._output = output
        self._arrival = arrival
        self._pauses = pauses
        self._resolved = read_settings(request.project_root, request.flags, asks_git=False)
        self._settings = self._resolved.settings
        self._log = open_log(self._settings.global_store)
        self.is_noting = self._captures and request.event in NOTED
        self._has_woken = False

    def take(self) -> None:
        """Handle the event, or ignore an unknown one."""
        for complaint in (*self._request.complaints, *self._resolved.warnings):
            self.warn(complaint)
        match self._request.event:
            case "SessionStart":
                self._print_block()
            case "UserPromptSubmit":
                self._attempt("capture", self._note)
                self._attempt("nothing is said beside the prompt", self._answer_prompt)
            case event if event in MOMENTS:
                self._attempt("nothing is said at this moment", self._answer_moment)
            case "Stop" if not self._pauses.began_off_record():
                self._attempt("capture", self._note)
                self._attempt("use not counted", self._notice_use)
                self._attempt("recall not counted", self._confirm_delivery)
                self._attempt("hooks are not answered", self._notice_silence)
                self._attempt("the next start is not prepared", self._prepare_next)
            case "PreCompact":
                self._attempt("capture", self._note)
            case "SessionEnd":
                self._attempt("capture", self._note)
                self._attempt("recall not counted", self._confirm_delivery)
            case _:
                pass

    def fall_back(self, reason: str) -> bool:
        """
        Print the markdown-only block and log *reason*.

        Returns whether anything was printed: a block may not be wanted, or be empty.
        """
        printed = self._wants_block and self._print_markdown()
        if printed:
            self.warn(f"markdown only: {reason}")
        return printed

    def warn(self, event: str) -> None:
        """Log a non-fatal failure, and print it on standard error."""
        self._log(event)
        complain(one_line(f"Warning: {event}"))

    def _attempt(self, lost: str, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:  # noqa: BLE001  # the session goes on, whatever is broken here
            self.warn(f"{lost}: {type(error).__name__}: {error}")

    def _print_block(self) -> None:
        if not self._wants_block:
            self._attempt("lessons are not shown again", self._empty_window)
        elif self._settings.semantic_enabled:
            self._inject()
        else:
            self._print_markdown()

    def _empty_window(self) -> None:
        if self._injects and self._request.session_id and self._request.beginning == "emptied":
            from hardwon.domain.model.injection.receipt import ContextWindow
            from hardwon.entrypoints.bootstrap_capture import activity_in

            with activity_in(self._settings) as activity:
                if activity:
                    activity.windows.empty(ContextWindow(self._request.session_id))

    def _note(self) -> None:
        if self._captures:
            from hardwon.entrypoints.hook.capture import note_event  # brings sqlite3

            try:
                self._has_woken = note_event(self._request, self._settings, self.warn)
            finally:
                self.is_noting = False

    def _notice_use(self) -> None:
        if self._injects:
            notice_use(self._request, self._settings, self.warn)

    def _confirm_delivery(self) -> None:
        if self._injects:
            from hardwon.entrypoints.hook.capture import confirm_delivery  # brings sqlite3

            confirm_delivery(self._request, self._settings)

    def _notice_silence(self) -> None:
        """Let processes answer from now on, if the running server did not."""
        from hardwon.entrypoints.bootstrap_capture import last_events, read_unanswered_call

        if why := read_unanswered_call(self._request.transcript_path):
            store = self._settings.global_store
            open_server_mark(store, host_process()).remove()
            line = f"{why}: hardwon-hook answers until it does"
            if not any(event.endswith(line) for event in last_events(store, RECENT)):
                self.warn(line)

    def _prepare_next(self) -> None:
        """Let a background process make the block of the next start."""
        if not (self._captures and self._injects) or self._has_woken:
            return
        from hardwon.entrypoints.bootstrap_capture import PREPARER, has_store, wake

        folder = host_folder(self._request.project_root)
        if os.path.isdir(folder) and has_store(self._settings):
            wake(self._settings, folder, measure=self._request.measure, module=PREPARER)

    def _answer_prompt(self) -> None:
        if self._answers_prompt:
            self._start().print_block(self._output)  # not earlier: what was said is noted by now

    def _answer_moment(self) -> None:
        settings = self._settings
        if not (self._injects and (settings.moments_enabled or settings.ask_enabled)):
            return
        from hardwon.entrypoints.moments import moment_of, with_outcome  # compiles patterns

        payload = with_outcome(self._request.payload, self._request.transcript_path)
        if settings.moments_enabled and self._request.session_id:
            self._attempt("outcome not observed", self._observe)
        moment = moment_of(payload, self._request.project_root)
        if moment and settings.moments_enabled:
            self._start().print_at_moment(moment, self._output)
        elif not moment and settings.ask_enabled and self._request.transcript_path:
            self._ask(payload)

    def _observe(self) -> None:
        """Note how the action ended, where no transcript will show it."""
        from hardwon.entrypoints.moments import action_of

        request = self._request
        action = None if request.has_transcript else action_of(request.payload)
        if action:
            from hardwon.entrypoints.hook.capture import observe_action  # brings sqlite3

            observe_action(request, action, self._settings)

    def _ask(self, payload: Mapping[str, object]) -> None:
        """Ask about a command that passes after it failed several times."""
        from hardwon.entrypoints.bootstrap_capture import open_recent_actions
        from hardwon.entrypoints.moments import passed_run

        request = self._request
        begun = None if request.agent else passed_run(payload, reads_output=False)
        recent = self._arrival.recent or open_recent_actions()
        actions = begun and recent(request.transcript_path, begun)
        if not (begun and actions and actions.repeated_failure(begun)):
            return  # most often: no output is read
        run = passed_run(payload, reads_output=True)
        failure = run and actions.repeated_failure(run)
        if failure:
            self._start().print_question(failure, self._output)

    def _start(self) -> "PromptStart":
        """Open the store, for an answer within a second."""
        self._arrival.leave_by(self._arrival.started + PROMPT_SECONDS)
        from hardwon.entrypoints.hook.prompt import PromptStart, open_quickly

        return PromptStart(
            self._settings,
            self._request,
            started=self._arrival.started,
            warn=self.warn,
            open_store=self._arrival.open_store or open_quickly,
            recall=self._arrival.recall,
            slowdown=self._arrival.slowdown,
        )

    def _inject(self) -> None:
        if not self._print_prepared():
            self._make_block()
        elif self._captures:
            self._attempt("the worker was not started", self._wake_for_events)

    def _print_prepared(self) -> bool:
        """Print the block that was made beforehand, unless it is void."""
        if not self._request.framed:
            return False
        from hardwon.entrypoints.hook.prepared_start import PreparedBlock

        prepared = PreparedBlock(self._resolved, self._request, self.warn)
        return prepared.print(self._output, self._pauses.notice)

    def _wake_for_events(self) -> None:
        from hardwon.entrypoints.bootstrap_capture import has_events, wake

        if has_events(self._settings.global_store):
            wake(self._settings, self._request.project_root, measure=self._request.measure)

    def _make_block(self) -> None:
        from hardwon.entrypoints.hook.session_start import SessionStart

        request = self._request
        start = SessionStart(
            self._resolved,
            request.project_root,
            started=self._arrival.started,
            slowdown=self._arrival.slowdown,
            warn=self.warn,
        )
        injection = start.inject(request)
        text = self._pauses.notice + (injection.text or start.notice)
        if text and self._output.write(text) and injection.text:
            start.record(injection, request)
        if self._captures:
            start.wake_worker(injection, request)

    def _print_markdown(self) -> bool:
        text = self._pauses.notice + self._markdown()
        return bool(text) and self._output.write(text)

    def _markdown(self) -> str:
        from hardwon.domain.model.injection.neutral_text import (
            defused,  # compiles patterns, for a block only
            framed,
        )
        from hardwon.entrypoints.hook.markdown_pipeline import markdown_block  # brings OpenSSL

        store, limit = self._settings.global_store, self._settings.injection_limit
        text = markdown_block(
            self._request.project_root, store, limit=limit, now=now(), warn=self.warn
        )
        text = framed(defused(text)) if text and self._request.framed else text
        return "" if self._is_held(text) else text

    def _is_held(self, text: str) -> bool:
        if not text or self._request.beginning != "continued":
            return False
        from hardwon.entrypoints.bootstrap_capture import read_history

        texts = read_history(self._request.transcript_path, self._request.last_response) or ()
        return any(text.strip() in given.text for given in texts)

    @property
    def _wants_block(self) -> bool:
        settings = self._settings
        return (
            self._request.event == SESSION_START
            and settings.injection_enabled
            and settings.injection_limit > 0
        )

    @property
    def _answers_prompt(self) -> bool:
        if not (self._injects and self._settings.prompt_enabled) or self._request.is_of_the_host:
            return False
        from hardwon.domain.model.keywords import has_enough_terms  # compiles patterns

        if not has_enough_terms(self._request.prompt):
            return False
        from hardwon.domain.model.prompt_intent import is_worth_asking  # for longer ones only

        return is_worth_asking(self._request.prompt)

    @property
    def _injects(self) -> bool:
        return self._settings.injection_enabled and self._settings.semantic_enabled

    @property
    def _captures(self) -> bool:
        return self._settings.capture_enabled is not False and self._settings.semantic_enabled


def notice_use(request: HookRequest, settings: Settings, warn: Callable[[str], None]) -> None:
    """
    Count which injected entries the agent visibly used.

    A busy store loses the count. Without a text to search, or a store, nothing is opened.
    """
    has_transcript = os.path.isfile(request.transcript_path)
    if not (request.session_id and (request.reply or has_transcript)):
        return
    if not (settings.server or os.path.isdir(settings.global_store)):
        return
    from hardwon.domain.model.errors import StorageError
    from hardwon.domain.use_cases.track_usage import NoticeUse
    from hardwon.entrypoints.bootstrap import system_clock
    from hardwon.entrypoints.bootstrap_capture import activity_in, read_turn  # brings sqlite3

    try:
        with activity_in(settings) as activity:
            if activity:
                NoticeUse(activity.influences, system_clock()).notice(
                    request.session_id,
                    lambda: read_turn(request.transcript_path)._replace(answer=request.reply),
                )
    except StorageError as error:
        warn(f"use not counted: {error}")


class PausedEvent:
    """An event during a pause, of which nothing is written."""

    is_noting = False

    def __init__(self, request: HookRequest, output: Output, pause: Pause) -> None:
        self._request = request
        self._output = output
        self._pause = pause

    def take(self) -> None:
        """Print the line at a session start."""
        self._print()

    def fall_back(self, reason: str) -> bool:
        """Print the same line, and return whether it was printed."""
        del reason
        return self._print()

    def warn(self, event: str) -> None:
        """Write nothing."""

    def _print(self) -> bool:
        if self._request.event != SESSION_START:
            return False
        from hardwon.entrypoints.presenters.pauses import pause_line  # compiles patterns

        return self._output.write(f"{pause_line(self._pause, self._pause.session_id)}\n")
