"""The mark of an answering server, as a shell command reads it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hardwon.adapters.server_mark import PREFIX, ServerMark, guard


def is_answered(store: Path) -> bool:
    """Return whether the guarded command of a hook ends before its program."""
    command = f"{guard(str(store))}echo ran || exit 0"
    ran = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    return ran.stdout == ""


@pytest.fixture(params=["store", 'a store\'s "$HOME" folder'])
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path / str(request.param)
    folder.mkdir()
    return folder


def test_a_process_answers_until_the_server_of_its_client_does(store: Path) -> None:
    mine, other = ServerMark(str(store), os.getpid()), ServerMark(str(store), 1)
    before = is_answered(store)
    other.set()
    beside = is_answered(store)
    mine.set()
    mine.set()
    marked = is_answered(store)
    mine.remove()
    mine.remove()

    assert (before, beside, marked, is_answered(store)) == (False, False, True, False)


@pytest.mark.parametrize("text", ["", "0x", "999999999\n", "x y z\n", "\x00\xff"])
def test_a_mark_of_a_dead_server_is_none(store: Path, text: str) -> None:
    (store / f"{PREFIX}{os.getpid()}").write_text(text, encoding="latin-1")

    assert not is_answered(store)


def test_marks_of_dead_clients_go_and_others_stay(store: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-S", "-c", ""])
    ended.wait()
    for client in (1, ended.pid, 10**30):
        ServerMark(str(store), client).set()
    (store / f"{PREFIX}notes.md").write_text("mine")
    mark = ServerMark(str(store), os.getpid())
    mark.set()
    mark.remove_dead()

    assert sorted(os.listdir(store)) == [f"{PREFIX}1", f"{PREFIX}notes.md"]


def test_without_a_store_there_is_no_mark(tmp_path: Path) -> None:
    mark = ServerMark(str(tmp_path / "gone"), os.getpid())
    for step in (mark.set, mark.remove, mark.remove_dead):
        step()

    assert not is_answered(tmp_path / "gone")
    assert not [*tmp_path.iterdir()]
