"""
The hooks. Session start: `payload → ContextQuery → candidates → RankingPolicy → CategoryBalancer → text → stdout → counters`.

Whatever is broken, it prints a block or nothing, in time. While the session goes on, what is said is
noted, and the worker does the rest; beside a prompt stands what clearly bears on it. Modules with a price are imported where they are needed: a
switched-off hook runs on the standard library.
"""

import datetime as dt
import os
import sys
import time

from hardwon.adapters.config.reader import read_settings
from hardwon.adapters.hook_log import HookLog, one_line
from hardwon.domain.model.block.frame import framed
from hardwon.domain.model.block.neutral import without_tags
from hardwon.entrypoints.hook_output import Output, complain, leave_by, start_watchdog
from hardwon.entrypoints.hook_request import (
    HELP,
    USAGE,
    HookRequest,
    UsageError,
    from_arguments,
    from_payload,
    read_payload,
)
from hardwon.entrypoints.hosts import named_host, understood

PROMPT_SECONDS = 0.95
"""After so much the user's prompt goes on, with or without what memory has to say."""


def main() -> None:
    """Run the hook and leave at once: threads that hang are left behind."""
    os._exit(Hook(Output(), time.monotonic()).run(sys.argv[1:]))


class Hook:
    """One process of the hook, watched from its first moment."""

    def __init__(self, output: Output, started: float) -> None:
        self._output = output
        self._started = started
        self._request = from_payload(b"")

    def run(self, arguments: list[str]) -> int:
        """Answer one request and return the exit code."""
        if arguments in HELP:
            self._output.write(f"{USAGE}\n")
            return 0
        start_watchdog(self._started, self._speak_at_last)
        try:
            self._request = self._requested(arguments)
            Session(self._request).run(self._output, self._started)
        except UsageError as error:
            complain(f"hardwon-hook: {one_line(str(error))}")
            return 1
        except Exception as error:  # noqa: BLE001  # the user's session must start, whatever is broken here
            self._fall_back(f"{type(error).__name__}: {error}")
        return 0

    def _requested(self, arguments: list[str]) -> HookRequest:
        host, others = named_host(arguments)
        if others:
            return from_arguments(others)
        self._output.answer = understood(host, b"").answer  # reading may take all the time there is
        payload, self._output.answer = understood(host, read_payload())
        return from_payload(payload)

    def _speak_at_last(self) -> bool:
        return not self._output.taken and self._fall_back("no block in time")

    def _fall_back(self, reason: str) -> bool:
        try:
            return Session(self._request).fall_back(self._output, reason)
        except Exception as error:  # noqa: BLE001  # there is nothing left to fall back to
            complain(one_line(f"Warning: {reason}; and no markdown: {type(error).__name__}: {error}"))
            return False


class Session:
    """One session start: its request, its settings, its log."""

    def __init__(self, request: HookRequest) -> None:
        self._request = request
        self._resolved = read_settings(request.project_root, os.environ, request.flags)
        self._settings = self._resolved.settings
        self._log = HookLog(self._settings.global_store, _now)

    def run(self, output: Output, started: float) -> None:
        """Print the block, if one is wanted, and count what it recalled."""
        for complaint in (*self._request.complaints, *self._resolved.warnings):
            self._warn(complaint)
        if self._request.told:
            self._capture()
            self._notice_use()
        if self._answers_prompt:
            self._speak_up(output, started)
        if not self._wants_block:
            return
        if self._settings.semantic_enabled:
            self._inject(output, started)
        else:
            output.write(self._markdown())

    def fall_back(self, output: Output, reason: str) -> bool:
        """Print the block of the markdown-only pipeline and log *reason*; return whether this was printed."""
        if self._request.told and self._captures:
            self._warn(f"capture: {reason}")
        if not self._wants_block:
            return False
        printed = output.write(self._markdown())
        self._warn(f"markdown only: {reason}" if printed else reason)
        return printed

    @property
    def _wants_block(self) -> bool:
        settings = self._settings
        return self._request.wanted and settings.injection_enabled and settings.injection_limit > 0

    @property
    def _answers_prompt(self) -> bool:
        settings = self._settings
        is_on = settings.prompt_enabled and settings.injection_enabled and settings.semantic_enabled
        if not (is_on and self._request.prompt) or self._request.told.get("source") == "system":
            return False
        from hardwon.domain.model.prompting.gate import is_worth_asking  # compiles patterns, for a prompt only

        return is_worth_asking(self._request.prompt)

    @property
    def _captures(self) -> bool:
        return self._settings.capture_enabled and self._settings.semantic_enabled

    def _capture(self) -> None:
        if self._captures:
            from hardwon.entrypoints.capturing.noting import note_payload  # brings sqlite3

            note_payload(self._request.told, self._settings, self._warn)

    def _notice_use(self) -> None:
        settings, answered = self._settings, self._request.told.get("hook_event_name") == "Stop"
        if answered and settings.semantic_enabled and settings.injection_enabled:
            from hardwon.entrypoints.noticing import notice_use

            notice_use(self._request, settings.global_store, self._warn)

    def _speak_up(self, output: Output, started: float) -> None:
        """Print what clearly bears on the prompt; a trouble is one line, and costs the prompt nothing."""
        leave_by(started + PROMPT_SECONDS)  # not earlier: what was said is noted by now
        try:
            from hardwon.entrypoints.prompt_start import PromptStart  # brings sqlite3, which most prompts don't need

            PromptStart(self._settings, self._request, started, self._warn).speak_up(output)
        except Exception as error:  # noqa: BLE001  # the prompt must go through, whatever is broken here
            self._warn(f"nothing is said beside the prompt: {type(error).__name__}: {error}")

    def _inject(self, output: Output, started: float) -> None:
        from hardwon.entrypoints.session_start import SessionStart

        start = SessionStart(self._settings, self._request.project_root, started, self._warn)
        injection = start.inject(framed=self._request.framed, compacted=self._request.compacted)
        if injection.text and output.write(injection.text):
            start.record(injection, self._request.session_id)
        if self._captures:
            start.wake_worker(injection)

    def _markdown(self) -> str:
        from hardwon.entrypoints.markdown_pipeline import markdown_block  # brings hashlib, and OpenSSL with it

        settings = self._settings
        text = markdown_block(
            self._request.project_root, settings.global_store, settings.injection_limit, _now(), self._warn
        )
        return framed(without_tags(text)) if text and self._request.framed else text

    def _warn(self, event: str) -> None:
        self._log.write(event)
        complain(one_line(f"Warning: {event}"))


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
