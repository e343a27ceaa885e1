"""A session start on a store that an earlier hardwon wrote."""

import pytest

from hardwon.adapters.sqlite.schema import NEWEST
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.hook import prompt, session_start
from tests.adapters.sqlite.earlier_stores import STORES, unpack
from tests.entrypoints.hook_process import World
from tests.entrypoints.sessions import lesson

OLD = next(store for store in STORES if store.stem == "4-c600121")


@pytest.fixture
def old_world(empty_world: World) -> World:
    """Return a world with a store of version 4 as it was while that version was written, and with a bank."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    empty_world.write_bank("patterns", lesson("Pattern: In the bank"))
    unpack(OLD, empty_world.store)
    empty_world.query("UPDATE entry SET project = NULL")  # what has a label waits for its project
    return empty_world


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Settings, str]]:
    """Return the arguments by which the worker would have been started."""
    calls = list[tuple[Settings, str]]()
    monkeypatch.setattr(session_start, "wake", lambda *arguments: calls.append(arguments))
    return calls


def version(world: World) -> str:
    [(value,)] = world.query("SELECT value FROM _metadata WHERE key = 'schema_version'")
    return str(value)


def test_a_small_store_is_copied_and_migrated_and_counts_what_is_shown(
    old_world: World, woken: list[tuple[Settings, str]]
) -> None:
    run = old_world.hook()

    assert "### Pattern: Backoff" in run.stdout or "### Backoff" in run.stdout
    assert (run.log, woken, version(old_world)) == ((), [], str(NEWEST))
    assert (old_world.store / "memory.db.v4").is_file()
    assert old_world.query("SELECT recall_count FROM recall WHERE entry_seq = 5") == [(8,)]
    assert old_world.query("SELECT count(*) FROM receipt") == [(2,)]


def test_a_large_store_is_left_to_the_worker_and_the_bank_is_shown(
    old_world: World, woken: list[tuple[Settings, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_start, "LARGEST_UPGRADE", old_world.database.stat().st_size - 1)
    run = old_world.hook()

    assert "### Pattern: In the bank" in run.stdout
    assert "markdown only: OlderSchemaError: " in run.log[0]
    assert [(settings.global_store, root) for settings, root in woken] == [
        (str(old_world.store), str(old_world.project))
    ]
    assert version(old_world) == "4"
    assert not list(old_world.store.glob("memory.db.v*"))


@pytest.mark.parametrize(("spare", "expected"), [(-1, "4"), (0, str(NEWEST))])
def test_a_prompt_leaves_a_large_store_to_the_worker(
    old_world: World, monkeypatch: pytest.MonkeyPatch, spare: int, expected: str
) -> None:
    monkeypatch.setattr(prompt, "LARGEST_UPGRADE", old_world.database.stat().st_size + spare)
    payload = old_world.session_start() | {
        "hook_event_name": "UserPromptSubmit",
        "prompt": "How should the client retry with a backoff when the server is busy?",
    }
    run = old_world.hook(payload=payload)

    assert run.code == 0
    assert version(old_world) == expected
