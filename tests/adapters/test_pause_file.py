"""The file of pauses: what is appended reads back, whatever else the file holds."""

import datetime as dt
import json
from pathlib import Path

import pytest

from hardwon.adapters.pause_file import FILE_NAME, PauseFile
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.pause import UNREADABLE, Pause

NOON = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
GOOD = json.dumps({"pause": "a", "from": NOON.isoformat(), "until": None}).encode()


def test_pauses_read_back_as_they_were_added(tmp_path: Path) -> None:
    file = PauseFile(str(tmp_path / "new" / "store"))
    pauses = (Pause("", NOON), Pause("se\nssion \ud800", NOON, NOON + HOUR))
    for pause in pauses:
        file.add(pause)

    assert file.read() == pauses
    assert (tmp_path / "new" / "store" / FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "new" / "store").stat().st_mode & 0o777 == 0o700


def test_without_a_file_nothing_is_paused_and_nothing_is_made(tmp_path: Path) -> None:
    assert PauseFile(str(tmp_path / "store")).read() == ()
    assert PauseFile(str(tmp_path / ("x" * 5_000))).read() == ()
    assert PauseFile("a\0b").read() == ()
    assert list(tmp_path.iterdir()) == []


def test_a_resume_keeps_the_span(tmp_path: Path) -> None:
    file = PauseFile(str(tmp_path))
    file.add(Pause("a", NOON))
    file.resume("a", NOON + HOUR)

    assert file.read() == (Pause("a", NOON, NOON + HOUR),)


@pytest.mark.parametrize(
    "line",
    [
        *(
            b"{",
            b"[]",
            b"3",
            b"\xff",
            b"{}",
            b'{"pause": "a", "from": 3, "until": null}',
            b"[" * 100_000,
        ),
        *(
            b'{"pause": "a", "from": "soon", "until": null}',
            b'{"pause": "a", "from": "2026-11-21T12:00:00+00:00"}',
        ),
        GOOD[:-9],
    ],
    ids=lambda line: repr(line[:40]),
)
def test_a_damaged_line_is_a_pause_of_all_until_the_next_resume(
    tmp_path: Path, line: bytes
) -> None:
    (tmp_path / FILE_NAME).write_bytes(GOOD + b"\n" + line)
    file = PauseFile(str(tmp_path))

    assert file.read() == (Pause("a", NOON), UNREADABLE)
    file.resume("b", NOON + HOUR)
    assert file.read() == (Pause("a", NOON), UNREADABLE._replace(ends_at=NOON + HOUR))


def test_a_file_that_can_not_be_read_pauses_all_and_can_not_be_written(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    file = PauseFile(str(tmp_path))

    assert file.read() == (UNREADABLE,)
    with pytest.raises(StorageError, match=FILE_NAME):
        file.add(Pause("", NOON))
