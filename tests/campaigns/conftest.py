"""The figures of all campaigns of a run, printed when it has ended."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.campaigns.campaign import Figures, summary
from tests.entrypoints.hook_process import World

_reported = list[tuple[str, str, int]]()


@pytest.fixture
def empty_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Return an empty project in which conversations are captured and nothing is embedded."""
    monkeypatch.setenv("HARDWON_EMBEDDING_PROVIDER", "off")
    with contextlib.ExitStack() as cleanup:
        world = World(tmp_path / "world", cleanup)
        world.variables |= {"HARDWON_EMBEDDING_PROVIDER": "off", "HARDWON_KEYWORD_PROVIDER": "off"}
        world.variables |= {"HARDWON_CAPTURE_ENABLED": "true", "HARDWON_CAPTURE_INTERVAL": "1"}
        yield world


@pytest.fixture
def figures(record_property: Callable[[str, object], None]) -> Iterator[Figures]:
    """Return where a campaign counts; what it counted is printed at the end of the run, also when it failed."""
    figures = Figures()
    yield figures
    for name, count in figures.items():
        record_property(name, count)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown":
        campaign = report.nodeid.partition("test_")[2].partition(".py")[0]
        _reported.extend(
            (campaign, name, int(str(count))) for name, count in report.user_properties
        )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in summary(_reported):
        terminalreporter.write_line(line)
