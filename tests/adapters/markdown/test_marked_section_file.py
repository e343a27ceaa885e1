"""A user's file with one managed section."""

import os
import stat
from pathlib import Path

import pytest

from hardwon.adapters.markdown import marked_section
from hardwon.adapters.markdown.marked_section import BEGIN, END, MAX_BYTES, MarkedFile, with_section
from hardwon.domain.model.errors import InvalidSectionError, UnreadableFileError

OURS = f"{BEGIN}\nx\n{END}\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "CLAUDE.md"


def test_a_file_is_made_changed_and_then_left_unchanged(path: Path) -> None:
    assert MarkedFile(str(path)).put("x")
    assert path.read_text() == OURS
    os.utime(path, ns=(1, 1))
    before = path.stat()

    assert not MarkedFile(str(path)).put("x")
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, 1)
    assert MarkedFile(str(path)).put("")
    assert path.read_text() == f"{BEGIN}\n{END}\n"


def test_nothing_to_say_makes_no_file(path: Path) -> None:
    assert not MarkedFile(str(path)).put("")
    assert not path.exists()


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_bytes_around_and_the_mode_stay(path: Path, mode: int) -> None:
    path.write_bytes(f"\ufeff# Mine\r\n\r\n{BEGIN}\r\nold\r\n{END}\r\nno end é".encode())
    path.chmod(mode)
    MarkedFile(str(path)).put("x\ny")

    assert (
        path.read_bytes() == f"\ufeff# Mine\r\n\r\n{BEGIN}\r\nx\r\ny\r\n{END}\r\nno end é".encode()
    )
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_what_it_points_to_changes(path: Path, *, exists: bool) -> None:
    target = path.parent / "AGENTS.md"
    if exists:
        target.write_text("# Mine\n")
    path.symlink_to(target.name)
    MarkedFile(str(path)).put("x")

    assert path.is_symlink()
    assert target.read_text() == (f"# Mine\n\n{OURS}" if exists else OURS)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe\x00", "not a text file"),
        (b"a\xe9", "not UTF-8 text at byte 1"),
        (b"a" * (MAX_BYTES + 1), "larger than 16 MB"),
    ],
    ids=["binary", "latin-1", "huge"],
)
def test_content_that_is_no_text_is_refused_and_not_touched(
    path: Path, content: bytes, reason: str
) -> None:
    path.write_bytes(content)

    with pytest.raises(UnreadableFileError, match=f"CLAUDE.md: {reason}"):
        MarkedFile(str(path)).put("x")
    assert path.read_bytes() == content


def test_a_path_that_is_no_file_is_refused(path: Path) -> None:
    os.mkfifo(path)
    for folder in (str(path.parent), str(path.parent / "nowhere" / "CLAUDE.md"), str(path)):
        with pytest.raises(UnreadableFileError, match=r"directory|No such file|not a regular file"):
            MarkedFile(folder).put("x")


def test_a_read_only_file_is_refused_and_not_touched(path: Path) -> None:
    path.write_text("# Mine\n")
    path.chmod(0o444)

    with pytest.raises(UnreadableFileError, match=r"CLAUDE\.md: read-only: allow writing"):
        MarkedFile(str(path)).put("x")
    assert path.read_text() == "# Mine\n"


def test_a_read_only_file_that_needs_no_change_is_fine(path: Path) -> None:
    path.write_text(OURS)
    path.chmod(0o444)

    assert not MarkedFile(str(path)).put("x")


def test_one_marker_alone_is_refused_and_nothing_is_written(path: Path) -> None:
    path.write_text(f"# Mine\n{BEGIN}\n")

    with pytest.raises(InvalidSectionError, match=r"CLAUDE\.md: it has 1 lines .* and 0 lines"):
        MarkedFile(str(path)).put("x")
    assert path.read_text() == f"# Mine\n{BEGIN}\n"


def test_a_file_that_could_not_be_replaced_leaves_nothing_beside_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_text("# Mine\n")

    def full(*_: str, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UnreadableFileError, match="No space left on device"):
        MarkedFile(str(path)).put("x")
    assert path.read_text() == "# Mine\n"
    assert os.listdir(path.parent) == [path.name]


def test_a_concurrent_change_is_not_lost(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_text("# Mine\n")

    def meanwhile(document: str, text: str) -> str:
        path.write_text("# Mine, longer\n")
        return with_section(document, text)

    monkeypatch.setattr(marked_section, "with_section", meanwhile)
    with pytest.raises(UnreadableFileError, match="another process changed it meanwhile"):
        MarkedFile(str(path)).put("x")
    assert path.read_text() == "# Mine, longer\n"
