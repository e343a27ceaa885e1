import os
import stat
from pathlib import Path

import pytest

from hardwon.adapters.agents.user_files import MAX_BYTES, DiskUserFiles, JsonSetupRecord
from hardwon.adapters.durable import only_writer
from hardwon.domain.model.errors import StorageError, UneditableFileError
from hardwon.ports.agents import SetupRecord, SetupWrite, UserFiles
from tests.fakes.agents import InMemorySetupRecord, InMemoryUserFiles

FILES = DiskUserFiles()


def test_written_text_is_read_back_and_folders_are_created(tmp_path: Path) -> None:
    path = str(tmp_path / "a" / "b" / "c.json")

    assert FILES.read(path, str(tmp_path)) is None
    assert FILES.missing_folders(path) == [str(tmp_path / "a"), str(tmp_path / "a" / "b")]
    FILES.write(path, "é\r\n", str(tmp_path))
    assert FILES.read(path, str(tmp_path)) == "é\r\n"
    assert os.listdir(tmp_path / "a" / "b") == ["c.json"]

    FILES.remove_empty_folder(str(tmp_path / "a"))
    FILES.remove(path, str(tmp_path))
    FILES.remove(path, str(tmp_path))
    FILES.remove_empty_folder(str(tmp_path / "a" / "b"))
    FILES.remove_empty_folder(str(tmp_path / "a"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "x"
    path.write_text("a")
    path.chmod(mode)
    FILES.write(str(path), "b", str(tmp_path))

    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_link_inside_is_written_through_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles" / "real").write_text("a")
    (tmp_path / "x").symlink_to(tmp_path / "dotfiles" / "real")
    FILES.write(str(tmp_path / "x"), "b", str(tmp_path))

    assert (tmp_path / "x").is_symlink()
    assert (tmp_path / "dotfiles" / "real").read_text() == "b"


@pytest.mark.parametrize(
    "link", ["project/.claude", "project/.claude/commands", "project/.claude/commands/recall.md"]
)
def test_a_link_that_leads_out_is_refused_for_reading_writing_and_removing(
    tmp_path: Path, link: str
) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "project-elsewhere"
    (elsewhere / "commands").mkdir(parents=True)
    (elsewhere / "recall.md").write_text("theirs")
    (elsewhere / "commands" / "recall.md").write_text("theirs")
    (tmp_path / link).parent.mkdir(parents=True)
    (tmp_path / link).symlink_to(elsewhere / "recall.md" if link.endswith(".md") else elsewhere)
    path = str(project / ".claude" / "commands" / "recall.md")

    with pytest.raises(UneditableFileError, match="leads out"):
        FILES.read(path, str(project))
    with pytest.raises(UneditableFileError, match="leads out"):
        FILES.remove(path, str(project))
    with pytest.raises(UneditableFileError, match="leads out"):
        FILES.write(path, "ours", str(project))
    assert (
        (elsewhere / "recall.md").read_text()
        == (elsewhere / "commands" / "recall.md").read_text()
        == "theirs"
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"\xff{}", "not UTF-8 text at byte 0"), (b" " * (MAX_BYTES + 1), "larger than 4 MB")],
)
def test_binary_or_oversized_content_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(UneditableFileError, match=message):
        FILES.read(str(tmp_path / "x"), str(tmp_path))


def test_a_path_that_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("x")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name in ("pipe", ".", "file/below", "loop", "nul\0"):
        with pytest.raises(UneditableFileError):
            FILES.read(os.path.join(tmp_path, "sub", "..", name), str(tmp_path.parent))


def test_a_read_only_file_is_left_unchanged(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("a")
    (tmp_path / "x").chmod(0o444)
    path, root = str(tmp_path / "x"), str(tmp_path)

    assert FILES.read(path, root) == "a"
    for change in (
        FILES.ensure_writable,
        FILES.remove,
        lambda path, root: FILES.write(path, "b", root),
    ):
        with pytest.raises(UneditableFileError, match="read-only"):
            change(path, root)
    FILES.ensure_writable(str(tmp_path / "none"), root)
    assert FILES.read(path, root) == "a"


def test_a_record_is_kept_for_the_user_alone(tmp_path: Path) -> None:
    store = tmp_path / "a" / "store"
    record = JsonSetupRecord(str(store))
    assert not store.exists()
    assert record.is_empty
    written = SetupWrite("0" * 64, was_there=True, is_made=False, original="é")
    record.put("/x", written)
    record.add_folders(["/f", "/g"])
    record.add_folders(["/g"])
    record.add_project("/p")

    reopened = JsonSetupRecord(str(store))
    assert (reopened.last_write("/x"), reopened.last_write("/y")) == (written, None)
    assert not reopened.is_empty
    assert (reopened.folders(), reopened.projects()) == (["/f", "/g"], ["/p"])
    assert stat.S_IMODE((store / "setup.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(store.stat().st_mode) == 0o700

    assert reopened.paths() == ["/x"]
    reopened.drop("/x")
    reopened.drop_project("/p")
    for folder in ("/f", "/g", "/g"):
        reopened.drop_folder(folder)
    assert list(store.iterdir()) == []


def test_two_set_ups_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    store, written = tmp_path / "store", SetupWrite("0" * 64, was_there=True, is_made=False)
    first, second = JsonSetupRecord(str(store)), JsonSetupRecord(str(store))
    first.add_project("/p")
    second.add_project("/q")
    first.put("/x", written)
    second.drop("/x")
    second.add_folders(["/f"])
    first.drop_project("/p")

    kept = JsonSetupRecord(str(store))
    assert (kept.projects(), kept.paths(), kept.folders()) == (["/q"], ["/x"], ["/f"])


def test_a_record_that_is_held_is_read_again_and_closed_to_others(tmp_path: Path) -> None:
    first, second = JsonSetupRecord(str(tmp_path)), JsonSetupRecord(str(tmp_path))
    second.add_project("/q")

    with first.held():
        assert first.projects() == ["/q"]
        first.add_project("/p")
        with pytest.raises(TimeoutError), only_writer(str(tmp_path), 0):
            pass
    with only_writer(str(tmp_path), 0):
        assert JsonSetupRecord(str(tmp_path)).projects() == ["/q", "/p"]


def test_a_record_that_cannot_be_written_is_reported_in_one_line_and_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    record = JsonSetupRecord(str(tmp_path))
    (tmp_path / "setup.json").mkdir()
    with pytest.raises(StorageError, match=r"setup\.json can't be read: .*Is a directory"):
        record.add_project("/p")
    assert [path.name for path in tmp_path.iterdir()] == ["setup.json"]


def test_a_record_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "setup.json").symlink_to("/dev/zero")
    with pytest.raises(StorageError, match="larger than 64 MB"):
        JsonSetupRecord(str(tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"files": []}',
        '{"files": {"x": 1}, "folders": [], "projects": []}',
        "[" * 99_999,
    ],
)
def test_a_record_that_cannot_be_read_is_no_record(tmp_path: Path, text: str) -> None:
    (tmp_path / "setup.json").write_text(text)
    with pytest.raises(StorageError, match="move it away"):
        JsonSetupRecord(str(tmp_path))


def test_the_fakes_fit_their_ports_too(tmp_path: Path) -> None:
    files: list[UserFiles] = [FILES, InMemoryUserFiles()]
    records: list[SetupRecord] = [JsonSetupRecord(str(tmp_path)), InMemorySetupRecord()]

    assert files
    assert records
