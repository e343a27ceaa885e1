"""Norms: how things are to be done, for good."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.conversation.norms import norm_in
from hardwon.domain.model.conversation.statements import decides, prefers

NORMS = (
    "and please always squash before you push",
    "in general: no new dependencies without an issue",
    "In general, never edit a released migration.",
    "table driven, that's how all tests in this repo look",
    "that's how we name branches here",
    "we never commit generated files",
    "we don't mock the database in this project",
    "we use pnpm here, not npm",
    "use pnpm here, not npm",
    "keep diffs small in this repo",
    "our convention is snake_case for columns",
    "house rule: no force push",
    "plan only, and never touch prod",
    "fixtures must never hit the network",
    "secrets never go into the repo",
    "tests go next to the code here, not into a folder",
    "when you touch a package run only its tests",
    "whenever you change the schema, update the docs",
    "ask me before you touch the schema",
    "next time ask before you delete something",
    "no emojis in commit messages, ever",
    "don't push to main without asking",
    "i hate mocks, use fakes",
    "commit messages bitte immer auf englisch",
    "feature flags wollen wir hier grundsätzlich nicht",
    "Kommentare schreiben wir immer auf Deutsch",
    "Tests gehören bei uns neben den Code",
    "grundsätzlich: keine neuen Abhängigkeiten ohne Ticket",
    "Nächstes Mal bitte vorher fragen.",
    "note for all documentation here: british spelling",
    "les messages de commit toujours en anglais stp",
    "nunca uses --unsafe-fixes en este repo",
)
NO_NORMS = (
    "la prueba nunca funciona",
    "la page est toujours en rouge",
    "run all tests",
    "rename it everywhere",
    "put the helper here",
    "we always get a 500 when the cart is empty",
    "we never saw that before the deploy",
    "it always fails on CI",
    "the cache is always empty in this project",
    "the button never shows up here",
    "in general, it is slow since yesterday",
    "that's how all users look in the export, broken",
    "when you are done run the tests",
    "when you have a minute, use the staging db",
    "when you add the flag the build breaks",
    "we don't use that any more",
    "we only use it in one place",
    "use the staging db for this one",
    "should we always do that?",
    "never mind",
    "das wollen wir nicht vergessen",
    "immer noch rot",
    "nie gesehen",
)


@pytest.mark.parametrize("sentence", NORMS)
def test_a_norm_is_a_preference(sentence: str) -> None:
    assert prefers(sentence)
    assert not decides(sentence)


@pytest.mark.parametrize("sentence", NO_NORMS)
def test_a_task_or_a_report_is_no_norm(sentence: str) -> None:
    assert not prefers(sentence)


@given(st.sampled_from(NORMS), st.sampled_from(["it is broken", "it was slow", "da fehlt etwas"]))
def test_a_report_of_a_fault_states_no_norm(norm: str, report: str) -> None:
    assert norm_in(f"{norm.lower()}, {report}") is None


@pytest.mark.parametrize(
    "text",
    ["we ", "when you a ", "that's how we ", "always ", "x" * 5, " ", "is always a ", ", never "],
)
def test_a_long_line_takes_no_longer_than_its_length(text: str) -> None:
    begun = time.process_time()
    prefers(text * (40_000 // len(text)))

    assert time.process_time() - begun < 1
