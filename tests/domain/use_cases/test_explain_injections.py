"""Resolving the session or entry of a question about an injection."""

import pytest

from hardwon.domain.model.errors import InvalidQueryError
from hardwon.domain.model.injection.receipt import Receipt
from hardwon.domain.model.project import Identity, Project, Registry
from hardwon.domain.use_cases.explain_injections import ExplainInjections
from tests.fakes.activity import InMemoryInfluences, InMemoryReceipts
from tests.fakes.entries import InMemoryEntryRepository
from tests.fakes.state import State
from tests.strategies import NOW, lesson

ENTRY = lesson("Keep quotes.", name="Quotes")
REGISTRY = Registry((Project("here", "app", Identity("/src/app/.git", "/src/app")),))
BEGINNING = ENTRY.entry_id[:4]


def explain(*sessions: str) -> ExplainInjections:
    state, receipts = State(), InMemoryReceipts()
    repository = InMemoryEntryRepository(state)
    repository.put(ENTRY)
    for session_id in sessions:
        receipts.record(Receipt(session_id, "start", NOW, "here", None, None, "hybrid", "", ("",)))
    return ExplainInjections(receipts, repository, InMemoryInfluences(state, receipts), REGISTRY)


def test_an_ambiguous_prefix_names_five_candidates_at_most() -> None:
    with pytest.raises(InvalidQueryError) as raised:
        explain(f"{BEGINNING}-one").explain(BEGINNING)
    assert str(raised.value).endswith(
        f"more of it (session {BEGINNING}-one; entry {ENTRY.entry_id}, Quotes)"
    )

    with pytest.raises(InvalidQueryError) as raised:
        explain(*(f"{BEGINNING}-{number}" for number in range(9))).explain(BEGINNING)
    assert str(raised.value).endswith(f"; session {BEGINNING}-4; and more)")
    assert "-5" not in str(raised.value)


def test_a_whole_name_names_one_session_whatever_else_begins_so() -> None:
    answer = explain(BEGINNING, f"{BEGINNING}-one").explain(f"{BEGINNING}-one")

    assert [injection.receipt.session_id for injection in answer.injections] == [f"{BEGINNING}-one"]


def test_an_injection_has_the_label_of_its_project() -> None:
    [injection] = explain("one").newest("here", 1).injections

    assert (injection.receipt.project, injection.label) == ("here", "app")


def test_a_project_that_the_store_does_not_know_keeps_its_id_as_label() -> None:
    [injection] = explain("one")._replace(registry=Registry()).newest("here", 1).injections

    assert injection.label == "here"
