"""Every writer, while another process swaps folders of the project for links: what is outside gets nothing."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from hardwon.adapters.agents.user_files import DiskUserFiles
from hardwon.adapters.git.exclude import InfoExclude
from hardwon.adapters.markdown.bank_edit import MarkdownBanks
from hardwon.adapters.markdown.bank_files import MarkdownBankFiles
from hardwon.adapters.markdown.conversation_files import MarkdownConversationFiles
from hardwon.adapters.markdown.marked_section import MarkedFile
from hardwon.adapters.markdown.readable_export import written_folder
from hardwon.adapters.sqlite.opening import open_store
from hardwon.adapters.sqlite.snapshots import SqliteSnapshots
from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.retro.bank_edit import BankPlace
from tests.conversations import talk

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders can't be held open there")

QUICK, LONG = 60, 1500
"""Writes of each writer."""

SWAPPER = """
import os, shutil, sys
folder, outside, aside = sys.argv[1:]

def put(change, source):
    while True:
        try: return change(source, folder)
        except OSError: shutil.rmtree(folder, ignore_errors=True)  # a writer has made it meanwhile

print("ready", flush=True)
while True:
    os.rename(folder, aside); put(os.symlink, outside)
    for _ in range(50): os.lstat(folder)
    os.unlink(folder); put(os.rename, aside)
    for _ in range(200): os.lstat(folder)
"""


class Writer(NamedTuple):
    """
    A way to write, and the folder that is swapped meanwhile.

    Attributes:
        below: The folders that the one outside has too, so that each path leads on.

    """

    folder: str
    below: tuple[str, ...]
    write: Callable[[Path, int], object]


def _conversation(project: Path, number: int) -> None:
    files = MarkdownConversationFiles(str(project))
    files.put([talk(f"Which encoding number {number}?", f"topic{number % 7}", minute=number % 60)])
    files.remove([talk(f"Which encoding number {number}?", minute=number % 60).chunk_id])


def _bank(project: Path, number: int) -> None:
    files = MarkdownBankFiles(str(project), str(project.parent / "own"))
    with files.held() as banks:
        files.write(
            MarkdownBanks(
                {**banks.texts, BankPlace("local", "patterns"): f"# Patterns\n\n{number}\n"}
            )
        )


def _exclude(project: Path, number: int) -> None:
    (InfoExclude().exclude if number % 2 else InfoExclude().include)(str(project))


def _settings(project: Path, number: int) -> None:
    path = str(project / ".claude" / "commands" / f"{number % 5}.md")
    DiskUserFiles().write(path, f"{number}", str(project))
    DiskUserFiles().remove(path, str(project))


def _checked(project: Path, name: str) -> str:
    """Return where a file of the project leads, as a door does that refuses one outside."""
    real = os.path.realpath(project / name)
    if not real.startswith(f"{project}{os.sep}"):
        raise OSError("leads out")
    return real


def _section(project: Path, number: int) -> None:
    MarkedFile("notes", _checked(project, "notes/AGENTS.md")).put(f"{number}")


def _export(project: Path, number: int) -> None:
    with written_folder(_checked(project, "out/export"), replace=True) as folder:
        (Path(folder) / "a.md").write_text(f"{number}")


def _backup(project: Path, number: int) -> None:
    with contextlib.closing(open_store(str(project.parent / "own"))) as database:
        SqliteSnapshots(database).back_up(_checked(project, f"out/{number % 3}.db"), replace=True)


WRITERS: Mapping[str, Writer] = {
    "conversations": Writer("memory/conversations", (), _conversation),
    "decisions, by their folder": Writer("memory", ("conversations", "decisions"), _conversation),
    "a bank": Writer("docs/knowledge-bank", (), _bank),
    "a bank, by the folder above": Writer("docs", ("knowledge-bank",), _bank),
    "what git ignores": Writer(".git/info", (), _exclude),
    "settings of an agent": Writer(".claude", ("commands",), _settings),
    "a marked section": Writer("notes", (), _section),
    "an export": Writer("out", ("export",), _export),
    "a backup": Writer("out", (), _backup),
}


@contextlib.contextmanager
def swapping(project: Path, folder: str, outside: Path) -> Iterator[None]:
    """Let another process swap *folder* for a link, again and again."""
    command = [
        sys.executable,
        "-c",
        SWAPPER,
        str(project / folder),
        str(outside),
        str(project / "aside"),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield
            assert process.poll() is None, process.stderr and process.stderr.read()
        finally:
            process.kill()


def campaign(tmp_path: Path, writer: Writer, times: int) -> tuple[int, list[str]]:
    """Return how many writes went well, and what lies outside after it."""
    home = Path(os.path.realpath(tmp_path))
    project, outside = home / "project", home / "outside"
    for below in ("", *writer.below):
        (project / writer.folder / below).mkdir(parents=True, exist_ok=True)
        (outside / below).mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    (home / "own").mkdir()
    done = 0
    with swapping(project, writer.folder, outside):
        for number in range(times):
            with contextlib.suppress(OSError, HardwonError):
                writer.write(project, number)
                done += 1
    return done, [
        str(path.relative_to(outside)) for path in outside.rglob("*") if not path.is_dir()
    ]


@pytest.mark.parametrize("writer", WRITERS)
def test_a_folder_that_is_swapped_for_a_link_gets_nothing(tmp_path: Path, writer: str) -> None:
    _, outside = campaign(tmp_path, WRITERS[writer], QUICK)

    assert outside == [], outside


@pytest.mark.soak
@pytest.mark.parametrize("writer", WRITERS)
def test_a_folder_that_is_swapped_thousands_of_times_gets_nothing(
    tmp_path: Path, writer: str
) -> None:
    done, outside = campaign(tmp_path, WRITERS[writer], LONG)

    assert outside == [], outside
    assert done, "no write ever went well"
