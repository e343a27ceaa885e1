"""The dry run of the injection beside a prompt."""

from hardwon.domain.model.injection.receipt import SHOWN_ALREADY, TOO_WEAK
from hardwon.domain.model.likelihood import GATE_THRESHOLD
from hardwon.domain.use_cases.inject_beside_prompt import (
    InjectBesidePrompt,
    Prompt,
    PromptDryRun,
    TryPrompt,
)
from tests.domain.use_cases.test_inject_beside_prompt import ASKED, LESSON
from tests.fakes.projects import working_in
from tests.fakes.session import InMemorySession, store
from tests.strategies import lesson

SESSION = InMemorySession(store(lesson(LESSON, name="Columns")))


def dry_run(text: str, session: InMemorySession = SESSION) -> PromptDryRun:
    return TryPrompt(InjectBesidePrompt(session.weigh)).dry_run(
        Prompt(text, "one", working_in("here")), session.clock.deadline()
    )


def test_a_dry_run_reports_entries_with_their_probability_and_leaves_no_receipt() -> None:
    for _ in range(2):
        tried = dry_run(ASKED)
        best = tried.entries[0]

        assert LESSON in tried.text
        assert (best.name, best.kept_out) == ("Columns", "")
        assert best.probability >= GATE_THRESHOLD


def test_a_dry_run_reports_weak_and_known_entries_too() -> None:
    weak = dry_run("is there a filler for the old car")
    assert (weak.text, weak.worth_asking) == ("", True)
    assert {entry.kept_out for entry in weak.entries} == {TOO_WEAK}
    assert all(entry.probability < GATE_THRESHOLD for entry in weak.entries)

    session = InMemorySession(SESSION.state)
    session.ask(ASKED)
    known = dry_run(ASKED, session)
    assert (known.text, known.entries[0].kept_out) == ("", SHOWN_ALREADY)


def test_a_prompt_that_says_too_little_is_not_searched_with() -> None:
    assert dry_run("go on") == PromptDryRun("", (), worth_asking=False)
    assert dry_run("quite unknown vocabulary everywhere") == PromptDryRun("", (), worth_asking=True)
