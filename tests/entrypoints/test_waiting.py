"""Waits have an end, and a working folder that was removed is one line."""

import os
import subprocess

import pytest

from hardwon.domain.model.filters import EVERYTHING
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.embed_pending import BATCH_IN_TIME
from hardwon.entrypoints import embed_after_write
from hardwon.entrypoints.bootstrap import open_memory
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.sessions import entry


def test_a_write_leaves_to_the_worker_what_it_has_no_time_to_embed(
    world_by_word: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world_by_word.remember(*(entry(f"Lesson {number}") for number in range(BATCH_IN_TIME + 3)))
    woken = list[tuple[str, str]]()
    monkeypatch.setattr(
        embed_after_write,
        "wake",
        lambda settings, root: woken.append((settings.global_store, root)),
    )
    memory = open_memory(Settings(global_store=str(world_by_word.store)), lambda _: None)
    monkeypatch.setattr(embed_after_write, "WRITE_SECONDS", 0.0)
    [problem] = embed_after_write.embed_now(memory.spaces)

    assert problem.startswith("its vector follows, until then keyword search finds it: ")
    assert woken == [(str(world_by_word.store), os.curdir)]

    monkeypatch.setattr(embed_after_write, "WRITE_SECONDS", 60.0)

    assert embed_after_write.embed_now(memory.spaces) == []
    assert memory.spaces.count_pending(EVERYTHING) == 0
    assert len(woken) == 1
    memory.close()


COMMANDS = {
    "list": ("hardwon", "list"),
    "recall": ("hardwon", "recall", "anything"),
    "add": ("hardwon", "add", "A lesson.", "--category", "patterns"),
    "doctor": ("hardwon", "doctor"),
    "index": ("hardwon", "index"),
    "writer": ("hardwon-writer", "--action", "upsert", "--entry-json", "{}"),
    "server": ("hardwon-mcp",),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_working_folder_that_was_removed_is_one_line(empty_world: World, name: str) -> None:
    gone = empty_world.folder / "gone"
    gone.mkdir()
    program, *arguments = COMMANDS[name]
    done = subprocess.run(
        ["sh", "-c", 'rmdir "$PWD" && exec "$0" "$@"', str(BIN / program), *arguments],
        cwd=gone,
        env=empty_world.variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 1
    assert (
        done.stderr
        == f"{program}: the working folder is gone: change into one that is there{os.linesep}"
    )
