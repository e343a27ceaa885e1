"""Progress bars escape control characters in names."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from rich.progress import Progress

from hardwon.domain.model.filters import NOWHERE
from hardwon.domain.use_cases.import_knowledge import ImportOutcome
from hardwon.domain.use_cases.index_files import IndexOutcome
from hardwon.entrypoints.cli import evaluate, files, transfer

NAME = "/x/\x1b]0;owned\x07\n.md"
SHOWN = r"/x/\x1b]0;owned\x07\n.md"


@pytest.fixture
def bar(monkeypatch: pytest.MonkeyPatch) -> Progress:
    """Return the bar that commands use."""
    bar = Progress(disable=True)
    for command in (transfer, files):
        monkeypatch.setattr(command, "progress", lambda: bar)
    return bar


def test_a_file_that_is_indexed_cannot_steer_the_terminal(
    bar: Progress, capsys: pytest.CaptureFixture[str]
) -> None:
    def index_files(progress: Callable[[int, int, str], None]) -> IndexOutcome:
        progress(1, 1, NAME)
        return IndexOutcome()

    files._index_with_progress(index_files, verbose=True)

    assert [task.description for task in bar.tasks] == [SHOWN]
    assert capsys.readouterr().err == f"1 of 1: {SHOWN}\n"


def test_a_bank_that_is_imported_cannot_steer_the_terminal(
    bar: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    def everything(progress: Callable[[object], None]) -> ImportOutcome:
        progress(SimpleNamespace(path=NAME))
        return ImportOutcome()

    monkeypatch.setattr(
        transfer, "build_import_knowledge", lambda *_: SimpleNamespace(everything=everything)
    )
    monkeypatch.setattr(transfer, "read_workplace", lambda *_: NOWHERE)
    memory: Any = None
    transfer.import_with_progress(memory, "/x")

    assert [task.description for task in bar.tasks] == [SHOWN]


def test_a_set_that_is_measured_cannot_steer_the_terminal(bar: Progress) -> None:
    evaluate._Stages(bar, NAME)("asking", 1, 2)

    assert [task.description for task in bar.tasks] == [f"{SHOWN}: asking"]
