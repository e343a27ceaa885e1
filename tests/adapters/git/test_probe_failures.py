import os
import select
import sys
from pathlib import Path

import pytest

from tests.adapters.git.repository import PATIENCE, ask, fake_git, open_pipes, repository
from tests.machine import LONGEST_WAIT

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the scripts here are for a POSIX shell"
)


@pytest.mark.parametrize("root", ["a\0b", "\ud800"], ids=["zero byte", "surrogate"])
def test_a_root_that_is_no_path_is_a_warning(warnings: list[str], root: str) -> None:
    before = open_pipes()

    assert ask(root, warnings) == ()
    assert len(warnings) == 1
    assert open_pipes() == before


def test_a_missing_git_is_a_warning(
    tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    before = open_pipes()

    assert ask(tmp_path / "project", warnings) == ()
    assert len(warnings) == 1
    assert "git" in warnings[0]
    assert "\n" not in warnings[0]
    assert open_pipes() == before


def test_a_git_that_may_not_be_run_is_a_warning(
    tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text("not a program", "utf-8")
    monkeypatch.setenv("PATH", str(folder))

    assert ask(tmp_path / "project", warnings) == ()
    assert len(warnings) == 1


@pytest.mark.parametrize("script", ["exit 127", "kill -SEGV $$"], ids=["not there", "crash"])
def test_a_git_that_breaks_is_a_warning(
    tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    fake_git(tmp_path / "bin", script, monkeypatch)

    assert ask(tmp_path / "project", warnings) == ()
    assert len(warnings) == 1


@pytest.mark.parametrize(
    "script",
    ["sleep 1000", "printf 'half a na'; sleep 1000", "exec >&-; sleep 1000", "sleep 1000 & exit 0"],
    ids=["silent", "half an answer", "closed its output", "left a child"],
)
def test_a_hung_git_is_killed_with_its_children(
    tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    alive, pid_file = tmp_path / "alive", tmp_path / "pid"
    os.mkfifo(alive)
    fake_git(
        tmp_path / "bin",
        f"exec 9>'{alive}'; echo $$ >'{pid_file}'; sleep 1000 9>&9 & {script}",
        monkeypatch,
    )
    watch = os.open(alive, os.O_RDONLY | os.O_NONBLOCK)
    before = open_pipes()

    assert ask(tmp_path / "project", warnings, seconds=0.5) == ()
    assert warnings == ["git did not answer in time; going on without its answer"]
    assert open_pipes() == before
    with pytest.raises(ChildProcessError):
        os.waitpid(int(pid_file.read_text("utf-8")), os.WNOHANG)
    poller = select.poll()
    poller.register(watch, 0)
    assert poller.poll(LONGEST_WAIT * 1000), "a process of the hung git still runs"
    os.close(watch)


def test_endless_output_is_cut(
    tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(tmp_path / "bin", "exec yes", monkeypatch)

    assert ask(tmp_path / "project", warnings) == ()
    assert warnings == []


def test_nothing_is_started_when_no_time_is_left(
    tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_git(tmp_path / "bin", f"touch '{tmp_path}/started'", monkeypatch)

    assert ask(tmp_path / "project", warnings, seconds=0) == ()
    assert not (tmp_path / "started").exists()
    assert warnings == []


class TestWithoutPosixSpawn:
    """As on Windows."""

    @pytest.fixture(autouse=True)
    def _no_posix_spawn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(os, "posix_spawnp")

    @pytest.mark.parametrize("seconds", [PATIENCE, float("inf")])
    def test_the_answer_is_the_same(
        self, tmp_path: Path, warnings: list[str], seconds: float
    ) -> None:
        root = repository(tmp_path, ("first",), ("naïve.py",))

        assert ask(root, warnings, seconds) == ("naïve.py",)
        assert warnings == []

    def test_a_hung_git_is_left(
        self, tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fake_git(tmp_path / "bin", "exec sleep 1000", monkeypatch)

        assert ask(tmp_path / "project", warnings, seconds=0.2) == ()
        assert len(warnings) == 1

    def test_a_missing_git_is_a_warning(
        self, tmp_path: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))

        assert ask(tmp_path / "project", warnings) == ()
        assert len(warnings) == 1
