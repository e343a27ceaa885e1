"""Which prompts seek help, and which only ask for a fact or another task."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.model.prompt_intent import (
    asks_for_a_fact,
    goes_on_to_another_task,
    is_worth_asking,
    seeks_help,
)


@pytest.mark.parametrize(
    "prompt",
    [
        "which helm version is installed?",
        "please print the version with kcli --version",
        "how many rows does the audit table have?",
        "what's the retention of the metrics bucket",
        "ok, list the owners of all repositories",
        "is versioning switched on for the state bucket?",
        "welche Postgres-Version läuft auf dem Server?",
        "zeig mir den Lag der Consumer Group",
        "wie groß ist das Image der API?",
        "in welchem Ordner liegen die Migrationen?",
    ],
)
def test_questions_for_a_fact_are_not_searched_with(prompt: str) -> None:
    assert asks_for_a_fact(prompt)
    assert not is_worth_asking(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "which helm version should we install on the new cluster?",
        "what do we do with blank cells in the price column?",
        "which library did we choose for parsing dates?",
        "is it safe to rerun the migration of the orders table?",
        "how do I read the log of the payment gateway?",
        "does the importer hang on the second file for you, too?",
        "print the totals; they are wrong since the last release",
        "why is the state bucket versioned?",
        "add an index to the orders table",
        "der Container hängt beim Start auf dem neuen Server",
        "soll die Bibliothek nach oben begrenzt werden?",
        "welche Version muss auf den Server?",
    ],
)
def test_prompts_that_seek_help_or_tell_a_symptom_are_searched_with(prompt: str) -> None:
    assert not asks_for_a_fact(prompt)
    assert is_worth_asking(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "The retry has a jitter now. Please add a diagram of it to the manual.",
        "We've switched the parser to utf-8. Compare the counts of both runs in a table.",
        "I've repaired the race in the sync test. Could you move it back to the normal suite?",
        "Der Cache läuft mit der neuen Frist. Schreib bitte noch eine Seite für das Wiki dazu.",
        "Der Export ist behoben. Kannst du die letzten zehn Dateien auflisten?",
    ],
)
def test_a_task_after_a_settled_matter_is_not_searched_with(prompt: str) -> None:
    assert goes_on_to_another_task(prompt)
    assert not is_worth_asking(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "Please add a jitter to the retry of the importer.",
        "Since Monday the export is empty. Please find out why.",
        "Please add a diagram of the retry. It has a jitter now.",
        "Seit dem Update hängt der Cache. Schreib bitte einen Test dafür.",
        "The parser works on my machine and fails in CI. Compare both.",
    ],
)
def test_a_task_without_a_settled_matter_before_it_is_searched_with(prompt: str) -> None:
    assert not goes_on_to_another_task(prompt)
    assert is_worth_asking(prompt)


@given(st.text(max_size=200))
def test_a_symptom_beside_it_makes_any_prompt_worth_a_search(prompt: str) -> None:
    assert not asks_for_a_fact(f"{prompt} and it fails")


@pytest.mark.parametrize(
    "part",
    ["a", " ", "which ", "please ", "how ", "do we ", "?", "\n", "which is it? ", "it works now. "],
)
def test_a_huge_prompt_is_read_at_once(part: str) -> None:
    assert seeks_help(part * (40_000 // len(part))) in {True, False}
