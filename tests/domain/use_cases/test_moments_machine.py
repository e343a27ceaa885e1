"""Sequences of events: no entry comes twice to one agent, and at most four at moments."""

import attrs
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from hardwon.domain.model.edit import Edit
from hardwon.domain.model.failure import Failure
from hardwon.domain.model.injection.receipt import (
    MOMENTS,
    ContextWindow,
    Receipt,
    ReceiptEntry,
)
from hardwon.domain.model.moment import Moment, OpenedFile, Task
from hardwon.domain.use_cases.inject_at_moment import MOST, InjectAtMoment
from hardwon.domain.use_cases.inject_beside_prompt import InjectBesidePrompt, Prompt
from hardwon.domain.use_cases.weigh_entries import Actor, Injection
from tests.fakes.projects import working_in
from tests.fakes.session import InMemorySession, store
from tests.strategies import lesson

NAMES = [f"frobnicator{number}x" for number in range(7)]
LESSONS = [
    attrs.evolve(
        lesson(f"`ConfigError: {name} key missing` means: set {name} in app.toml."),
        references=(f"conf/{name}.toml",),
    )
    for name in NAMES
]
numbers = st.integers(0, len(NAMES) - 1)
windows = st.builds(ContextWindow, st.sampled_from(["one", "two"]), st.sampled_from(["", "agent"]))


class Sessions(RuleBasedStateMachine):
    """Two sessions with a subagent each, which share a store."""

    @initialize()
    def begin(self) -> None:
        session = InMemorySession(store(*LESSONS))
        self.receipts, self.windows = session.receipts, session.windows
        self.weigh = session.weigh
        self.deadline = session.clock.deadline()
        self.now = session.clock.now()
        self.held = dict[ContextWindow, set[str]]()
        self.moments = dict[ContextWindow, int]()

    @rule(number=numbers, window=windows)
    def a_command_fails(self, number: int, window: ContextWindow) -> None:
        failure = Failure("serve", f"Traceback:\nConfigError: {NAMES[number]} key missing")
        self._at_moment(number, window, failure)

    @rule(number=numbers, window=windows)
    def a_file_is_edited(self, number: int, window: ContextWindow) -> None:
        edit = Edit(
            "app.toml", "", f"ConfigError: {NAMES[number]} key missing\nset {NAMES[number]}"
        )
        self._at_moment(number, window, edit)

    @rule(number=numbers, window=windows)
    def a_file_is_opened(self, number: int, window: ContextWindow) -> None:
        self._at_moment(number, window, OpenedFile(f"conf/{NAMES[number]}.toml"))

    @rule(number=numbers, session=st.sampled_from(["one", "two"]))
    def a_subagent_starts(self, number: int, session: str) -> None:
        task = Task(f"Find out why serve says ConfigError: {NAMES[number]} key missing.")
        self._at_moment(number, ContextWindow(session, "agent"), task)

    @rule(number=numbers, session=st.sampled_from(["one", "two"]))
    def a_prompt_comes(self, number: int, session: str) -> None:
        asked = f"why does serve say ConfigError: {NAMES[number]} key missing?"
        prompt = Prompt(asked, session, working_in("here"))
        printed = InjectBesidePrompt(self.weigh).text_for(prompt, self.deadline)
        self._record(printed, ContextWindow(session))

    @rule(number=numbers, window=windows)
    def a_session_starts(self, number: int, window: ContextWindow) -> None:
        entry = ReceiptEntry(LESSONS[number].entry_id, "lesson", "d")
        self._keep(window, [entry.entry_id])
        self.receipts.record(
            Receipt(
                session_id=window.session_id,
                event="start",
                at=self.now,
                project="here",
                query=None,
                space=None,
                policy="hybrid",
                digest="d",
                frame=("", ""),
                shown=(entry,),
                agent=window.agent,
            )
        )

    @rule(window=windows)
    def the_host_compacts(self, window: ContextWindow) -> None:
        self.windows.empty(window)
        self.held.pop(window, None)
        self.moments.pop(window, None)

    def _at_moment(self, number: int, window: ContextWindow, moment: Moment) -> None:
        actor = Actor(window, working_in("here"))
        printed = InjectAtMoment(self.weigh).text_for(moment, actor, self.deadline)
        is_known = LESSONS[number].entry_id in self.held.get(window, set())
        is_full = self.moments.get(window, 0) >= MOST
        if is_known or is_full:
            assert LESSONS[number].description not in printed.text
            assert not (is_full and printed.text)
        if isinstance(moment, Failure) and not (is_known or is_full):
            assert LESSONS[number].description in printed.text
        if printed.text:
            self.moments[window] = self.moments.get(window, 0) + 1
        self._record(printed, window)

    def _record(self, printed: Injection, window: ContextWindow) -> None:
        if printed.receipt:
            self._keep(window, [shown.entry_id for shown in printed.receipt.shown])
            most = 2 if printed.receipt.event in {"prompt", "subagent"} else 1
            assert len(printed.receipt.shown) <= most
            self.receipts.record(printed.receipt)

    def _keep(self, window: ContextWindow, entry_ids: list[str]) -> None:
        self.held.setdefault(window, set()).update(entry_ids)

    @invariant()
    def nothing_comes_twice(self) -> None:
        for window in getattr(self, "held", {}):
            of_window = [
                receipt
                for receipt in self.receipts.newest(session_id=window.session_id, limit=1_000)
                if receipt.agent == window.agent and receipt.number not in self.windows.dropped
            ]
            shown = [
                entry.entry_id
                for receipt in of_window
                if receipt.event != "start"
                for entry in receipt.shown
            ]
            assert len(shown) == len(set(shown))
            assert sum(receipt.event in MOMENTS for receipt in of_window) <= MOST


TestSessions = Sessions.TestCase
TestSessions.settings = settings(
    max_examples=max(1, settings().max_examples // 3), stateful_step_count=20
)
