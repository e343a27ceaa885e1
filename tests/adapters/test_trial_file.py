"""The file of trials."""

import datetime as dt
from pathlib import Path

import pytest

from hardwon.adapters.trial_file import FILE_NAME, TrialFile
from hardwon.domain.model.trial import Trial
from tests.strategies import DAY, NOW

LINE = '{"share": 0.1, "from": "2026-03-01T12:30:00+00:00"}'


def test_the_last_switch_holds(tmp_path: Path) -> None:
    file = TrialFile(str(tmp_path / "store"))
    assert file.read() is None

    file.write(Trial(0.1, NOW))
    file.write(Trial(0.5, NOW + DAY))
    assert file.read() == Trial(0.5, NOW + DAY)

    file.write(Trial(0.0, NOW - DAY))  # the clock went back
    assert file.read() is None
    assert (tmp_path / "store" / FILE_NAME).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "{",
        "[]",
        "null",
        "\0",
        LINE.replace("0.1", "0.9"),
        LINE.replace("0.1", "-0.1"),
        LINE.replace("0.1", "NaN"),
        LINE.replace("0.1", '"much"'),
        LINE.replace("2026-03-01", "9999-99-99"),
        '{"share": 0.1}',
        f"{LINE}\n{LINE[:20]}",
        "[" * 100_000,
    ],
)
def test_an_unreadable_last_line_is_no_trial(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)

    assert TrialFile(str(tmp_path)).read() is None


def test_a_readable_line_after_a_cut_one_holds(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(LINE[:20])
    TrialFile(str(tmp_path)).write(Trial(0.25, NOW))

    assert TrialFile(str(tmp_path)).read() == Trial(0.25, NOW.astimezone(dt.UTC))


def test_a_folder_in_its_place_is_no_trial(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()

    assert TrialFile(str(tmp_path)).read() is None
