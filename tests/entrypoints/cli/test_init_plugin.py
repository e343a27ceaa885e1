"""`hardwon init --plugin FOLDER`: the plugin of the installed programs, without a clone."""

import json
import os
from pathlib import Path

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon
from tests.machine import ROOT, files_below


def test_the_plugin_and_its_marketplace_are_written_as_in_a_clone(empty_world: World) -> None:
    folder = empty_world.folder / "my plugin"

    done = hardwon(empty_world, "init", "--plugin", str(folder))

    assert (done.code, done.stderr) == (0, "")
    assert f"claude plugin marketplace add '{folder}'" in done.stdout
    assert "claude plugin install hardwon@hardwon" in done.stdout
    assert files_below(folder / "plugin") == files_below(ROOT / "plugin")
    marketplace = json.loads((folder / ".claude-plugin/marketplace.json").read_bytes())
    [plugin] = marketplace["plugins"]
    assert (folder / plugin["source"] / ".claude-plugin/plugin.json").is_file()
    assert all(os.access(folder / "plugin" / name, os.X_OK) for name in ("launch", "setup"))
    assert not empty_world.store.exists()


def test_a_folder_that_holds_something_is_left_as_it_is(empty_world: World) -> None:
    kept = Path(empty_world.folder, "kept")
    kept.mkdir()
    (kept / "mine.txt").write_text("mine")

    done = hardwon(empty_world, "init", "--plugin", str(kept))

    assert (done.code, done.stdout, files_below(kept)) == (1, "", {"mine.txt": b"mine"})
    assert "is not empty" in done.stderr


def test_a_folder_that_can_not_be_made_is_one_line(empty_world: World) -> None:
    file = Path(empty_world.folder, "file")
    file.touch()

    done = hardwon(empty_world, "init", "--plugin", str(file / "below"), "--json")

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
