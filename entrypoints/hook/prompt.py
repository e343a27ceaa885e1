"""Injection beside a prompt or at a moment: search, print, and keep the receipt."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.injection.receipt import ContextWindow
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.ask_for_lesson import AskForLesson
from hardwon.domain.use_cases.inject_beside_prompt import InjectBesidePrompt, Prompt
from hardwon.domain.use_cases.record_injection import RecordInjection
from hardwon.domain.use_cases.weigh_entries import Actor, Injection, WeighEntries
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_retrieval import Memory, build_recall, build_weigh_entries
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.hook.process import Output
from hardwon.entrypoints.hook.request import HookRequest

if TYPE_CHECKING:
    from hardwon.domain.model.conversation.session_actions import RepeatedFailure
    from hardwon.domain.model.moment import Moment
    from hardwon.domain.use_cases.recall import Recall

SEARCH_SECONDS = 0.8
"""Search time within the second a prompt waits. The rest is reading, printing, leaving."""

BUSY_SECONDS = 0.1
LARGEST_UPGRADE = 4_000_000  # bytes: a sixth of a second


OpenStore: TypeAlias = Callable[[Settings, Callable[[str], None]], Memory]


def open_quickly(settings: Settings, warn: Callable[[str], None]) -> Memory:
    """Open a store for one answer within a second."""
    return open_memory(
        settings,
        warn,
        busy_seconds=BUSY_SECONDS,
        repair_index=False,
        create=False,
        largest_upgrade=LARGEST_UPGRADE,
        durable=False,
    )


class PromptStart:
    """
    One prompt or moment on an open store.

    Args:
        settings: The resolved settings.
        request: The prompt or moment, and where it was.
        started: When the hook began, by `time.monotonic`.
        warn: Gets one line per problem.
        open_store: Opens the store.
        recall: Returns the search of the opened store that is reused, None for a new one.
        slowdown: Elapsed seconds for a second of computing; 0 in a process that stays.
    """

    def __init__(
        self,
        settings: Settings,
        request: HookRequest,
        started: float,
        warn: Callable[[str], None],
        open_store: OpenStore = open_quickly,
        *,
        recall: "Callable[[], Recall | None]" = lambda: None,
        slowdown: float = 0.0,
    ) -> None:
        self._memory = open_store(settings, warn)
        self._recall = recall()
        self._slowdown = slowdown
        self._request = request
        self._warn = warn
        self._deadline = Deadline(time.monotonic, started + SEARCH_SECONDS)

    def print_block(self, output: Output) -> None:
        """Print entries for the prompt, then record the injection."""
        request = self._request
        prompt = Prompt(
            request.prompt, request.session_id, read_workplace(self._memory, request.project_root)
        )
        beside_prompt = InjectBesidePrompt(self._weigh)
        self._print(beside_prompt.text_for(prompt, self._deadline), output)

    def print_at_moment(self, moment: "Moment", output: Output) -> None:
        """Print the entry that helps at *moment*, if any, then record the injection."""
        from hardwon.domain.use_cases.inject_at_moment import InjectAtMoment  # compiles patterns

        at_moment = InjectAtMoment(self._weigh)
        self._print(at_moment.text_for(moment, self._actor, self._deadline), output)

    def print_question(self, failure: "RepeatedFailure", output: Output) -> None:
        """Print the question about a command that passes at last, then record it."""
        ask = AskForLesson.on(self._memory.store, self._memory.clock)
        self._print(ask.text_for(failure, self._actor), output)

    @property
    def _weigh(self) -> WeighEntries:
        recall = self._recall or build_recall(self._memory)
        retrieve = recall.retrieve._replace(embed_seconds=SEARCH_SECONDS, slowdown=self._slowdown)
        return build_weigh_entries(
            self._memory, self._request.project_root, recall._replace(retrieve=retrieve)
        )

    @property
    def _actor(self) -> Actor:
        request = self._request
        return Actor(
            ContextWindow(request.session_id, request.agent),
            read_workplace(self._memory, request.project_root),
        )

    def _print(self, injection: Injection, output: Output) -> None:
        record, lost = RecordInjection.on(self._memory.store).record, tuple[str, ...]()
        if injection.receipt and output.write(injection.text):
            receipt = injection.receipt._replace(delivery=self._request.delivery)
            lost = record(receipt, injection.numbers)
        if injection.withheld:
            lost += record(injection.withheld, ())
        for line in (*lost, *injection.degradations):
            self._warn(line)
