"""Injection beside a developer's own words on the sample project, by keyword search alone."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TypeAlias

import pytest

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.filters import EVERYTHING, NOWHERE
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.inject_beside_prompt import InjectBesidePrompt, Prompt
from hardwon.domain.use_cases.weigh_entries import WeighEntries
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_files import build_import_knowledge
from hardwon.entrypoints.bootstrap_retrieval import build_recall
from hardwon.examples.make_sample import SAMPLE
from tests.fakes.activity import InMemoryContextWindows, InMemoryReceipts
from tests.fakes.documents import InMemoryInstructions
from tests.strategies import lesson

STANDING_STILL = Deadline(lambda: 0.0)

Ask: TypeAlias = Callable[[str], str]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Yield what asks one store of the whole sample project."""
    memory = open_memory(Settings(global_store=str(tmp_path_factory.mktemp("store"))), print)
    with closing(memory):
        build_import_knowledge(memory, str(SAMPLE), NOWHERE).everything()
        assert len(memory.repository.matching(EVERYTHING, limit=100)) == 76
        suggest = InjectBesidePrompt(
            WeighEntries(
                build_recall(memory),
                InMemoryContextWindows(InMemoryReceipts()),
                InMemoryInstructions,
            )
        )
        yield lambda text: suggest.text_for(Prompt(text), STANDING_STILL).text


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("our import worker is killed by the OOM killer on a 6 GB file", "Reading all of it"),
        ("timestamps from the partner have no time zone", "A timestamp without a zone"),
        ("the csv has quoted commas", "Splitting CSV lines on commas"),
        (
            'pytest passes locally but mock.patch("billing.clock.now") does nothing',
            "Patching a name",
        ),
        (
            'errors="ignore" made the exception disappear together with the umlauts',
            "Dropping undecodable bytes",
        ),
        (
            "a partner sends JSON with single quotes. Make the reader accept that as well.",
            "Leniency becomes",
        ),
    ],
)
def test_a_developers_own_words_find_the_entry_that_fits(ask: Ask, prompt: str, name: str) -> None:
    assert name in ask(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "export the report as csv with a semicolon instead of a comma",
        "write a migration that adds an index on orders.created_at",
        "show the timestamp of the last login in the profile",
        "the parser module has no docstring",
        "please review my changes before I push",
    ],
)
def test_a_prompt_that_shares_words_but_no_subject_finds_nothing(ask: Ask, prompt: str) -> None:
    assert ask(prompt) == ""


FIVE = (
    "Lock file out of date: CI stops with ERR_PNPM_OUTDATED_LOCKFILE until pnpm install has been run and committed.",
    "Vite reads its environment once: a changed VITE_API_URL in .env is ignored until the dev server is restarted.",
    "Snapshots of the chart library differ between machines: pin the font package before comparing pictures.",
    "The payment sandbox drops idle sockets after ninety seconds: reconnect before each batch of refunds.",
    "Postgres enums can't be extended inside a transaction: run ALTER TYPE in a migration of its own.",
)


@pytest.fixture(scope="module")
def ask_five(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Yield what asks a store of five entries."""
    memory = open_memory(Settings(global_store=str(tmp_path_factory.mktemp("small"))), print)
    with closing(memory):
        with memory.repository.transaction():
            for text in FIVE:
                memory.repository.put(lesson(text))
        suggest = InjectBesidePrompt(
            WeighEntries(
                build_recall(memory),
                InMemoryContextWindows(InMemoryReceipts()),
                InMemoryInstructions,
            )
        )
        yield lambda text: suggest.text_for(Prompt(text), STANDING_STILL).text


@pytest.mark.parametrize(
    ("prompt", "at"),
    [
        ("CI fails with ERR_PNPM_OUTDATED_LOCKFILE", 0),
        ("I changed VITE_API_URL in .env but the app still uses the old one", 1),
        ("VITE_API_URL change is ignored", 1),
        ("hm, VITE_API_URL change is ignored by the app", 1),
        ("can I extend a postgres enum in the same migration?", 4),
    ],
)
def test_a_small_store_speaks_when_most_telling_words_are_shared(
    ask_five: Ask, prompt: str, at: int
) -> None:
    assert FIVE[at] in ask_five(prompt)


@pytest.mark.parametrize(
    "prompt", ["please review my changes before I push", "add a font picker to the editor"]
)
def test_a_small_store_is_silent_otherwise(ask_five: Ask, prompt: str) -> None:
    assert ask_five(prompt) == ""
