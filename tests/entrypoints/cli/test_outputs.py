"""An output that a person names must be a regular file, at every command that writes one."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon

COMMANDS = {
    "export": ("export", "--output"),
    "export --force": ("export", "--force", "--output"),
    "export of sessions": ("export", "--format", "memory-index", "--force", "--output"),
    "export as markdown": ("export", "--format", "markdown", "--force", "--output"),
    "backup": ("backup",),
    "backup --force": ("backup", "--force"),
    "context": ("context", "--write"),
    "plugin": ("init", "--plugin"),
}


def link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


def device(path: Path) -> None:
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))


KINDS: dict[str, Callable[[Path], None]] = {"a pipe": os.mkfifo, "a link to a pipe": link_to_pipe}
if os.geteuid() == 0:
    KINDS["a device"] = device


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_over_what_is_no_regular_file(
    world_by_word: World, command: str, kind: str
) -> None:
    hardwon(world_by_word, "add", "A lesson that is there.", "--category", "patterns")
    path = world_by_word.folder / "named"
    KINDS[kind](path)
    before = os.lstat(path)
    done = hardwon(world_by_word, *COMMANDS[command], str(path))

    assert done.code, done.stdout
    assert "Traceback" not in done.stderr
    assert "named" in done.stderr or "pipe" in done.stderr
    assert os.path.samestat(os.lstat(path), before)
    assert stat.S_IFMT(os.stat(path).st_mode) != stat.S_IFREG
    assert not [name for name in os.listdir(path.parent) if name.endswith((".tmp", ".partial"))]
