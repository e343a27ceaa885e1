"""
The session-start hook: `payload → ContextQuery → candidates → RankingPolicy → CategoryBalancer → text → stdout → counters`.

Whatever is broken, it prints a block or nothing, in time. Modules with a price are
imported where they are needed: a switched-off hook runs on the standard library.
"""

import datetime as dt
import os
import sys
import time

from hardwon.adapters.config.reader import read_settings
from hardwon.adapters.hook_log import HookLog
from hardwon.domain.model.block.frame import framed
from hardwon.entrypoints.hook_output import Output, start_watchdog
from hardwon.entrypoints.hook_request import HookRequest, UsageError, from_arguments, from_payload
from hardwon.entrypoints.markdown_pipeline import markdown_block

LARGEST_PAYLOAD = 4 * 1024 * 1024


def main() -> None:
    """Run the hook and leave at once: threads that hang are left behind."""
    code = Hook(Output(), time.monotonic()).run(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)


class Hook:
    """One process of the hook, watched from its first moment."""

    def __init__(self, output: Output, started: float) -> None:
        self._output = output
        self._started = started
        self._request = from_payload("")

    def run(self, arguments: list[str]) -> int:
        """Answer one request and return the exit code."""
        start_watchdog(self._output, self._started, self._last_words)
        try:
            self._request = from_arguments(arguments) if arguments else from_payload(_read_stdin())
        except UsageError as error:
            print(f"hardwon-hook: {error}", file=sys.stderr)
            return 1
        Session(self._request).run(self._output, self._started)
        return 0

    def _last_words(self) -> str:
        session = Session(self._request)
        return session.fallback("no block in time") if session.wants_block else ""


class Session:
    """One session start: its request, its settings, its log."""

    def __init__(self, request: HookRequest) -> None:
        self._request = request
        self._resolved = read_settings(request.project_root, os.environ, request.flags)
        self._settings = self._resolved.settings
        self._log = HookLog(self._settings.global_store, _now)

    @property
    def wants_block(self) -> bool:
        """Whether anything is to be printed at all."""
        settings = self._settings
        return self._request.wanted and settings.injection_enabled and settings.injection_limit > 0

    def run(self, output: Output, started: float) -> None:
        """Print the block, if one is wanted, and count what it recalled."""
        for complaint in (*self._request.complaints, *self._resolved.warnings):
            self._warn(complaint)
        if not self.wants_block:
            return
        if not self._settings.semantic_enabled:
            output.write(self._markdown())
            return
        try:
            self._inject(output, started)
        except Exception as error:  # noqa: BLE001  # the user's session must start, whatever is broken here
            output.write(self.fallback(" ".join(f"{type(error).__name__}: {error}".split())))

    def fallback(self, reason: str) -> str:
        """Log *reason* and return the block of the markdown-only pipeline."""
        self._warn(f"markdown only: {reason}")
        return self._markdown()

    def _inject(self, output: Output, started: float) -> None:
        from hardwon.entrypoints.session_start import SessionStart

        start = SessionStart(self._settings, self._request.project_root, started, self._warn)
        injection = start.inject(framed=self._request.framed)
        if injection.text and output.write(injection.text):
            start.count_recall(injection)

    def _markdown(self) -> str:
        settings = self._settings
        text = markdown_block(
            self._request.project_root, settings.global_store, settings.injection_limit, _now(), self._warn
        )
        return framed(text) if text and self._request.framed else text

    def _warn(self, event: str) -> None:
        print(f"Warning: {event}", file=sys.stderr)
        self._log.write(event)


def _read_stdin() -> str:
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    return sys.stdin.buffer.read(LARGEST_PAYLOAD).decode("utf-8", "replace")


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
