import os
import sys
from pathlib import Path

import pytest

from hardwon.adapters.markdown.knowledge_bank import LARGEST_FILE, read_bank, read_banks
from tests.machine import without_root

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="pipes and modes of POSIX")


def read(path: Path) -> tuple[str | None, list[str]]:
    warnings: list[str] = []
    return read_bank(str(path), warnings.append), warnings


def assert_left_out_with_one_line(path: Path) -> None:
    text, warnings = read(path)

    assert text is None
    assert len(warnings) == 1
    assert repr(str(path)) in warnings[0]
    assert "\n" not in warnings[0]


def test_the_six_files_come_in_order_local_before_global(tmp_path: Path) -> None:
    local = tmp_path / "project" / "docs" / "knowledge-bank"
    store = tmp_path / "store"
    for folder in (local, store):
        folder.mkdir(parents=True)
        for category in ("patterns", "heuristics", "anti-patterns", "others"):
            (folder / f"{category}.md").write_text(f"{folder.name} {category}")

    banks = list(read_banks(str(tmp_path / "project"), str(store), pytest.fail))

    assert [(bank.source, bank.category, bank.text) for bank in banks] == [
        ("local", "anti-patterns", "knowledge-bank anti-patterns"),
        ("local", "patterns", "knowledge-bank patterns"),
        ("local", "heuristics", "knowledge-bank heuristics"),
        ("global", "anti-patterns", "store anti-patterns"),
        ("global", "patterns", "store patterns"),
        ("global", "heuristics", "store heuristics"),
    ]
    assert banks[0].path == str(local / "anti-patterns.md")


def test_an_empty_root_is_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("patterns.md").write_text("here")

    assert [bank.text for bank in read_banks("", "", pytest.fail)] == ["here"]


def test_line_ends_are_universal_and_bad_bytes_replaced(tmp_path: Path) -> None:
    path = tmp_path / "patterns.md"
    path.write_bytes(b"a\r\nb\rc\n\r\n\xe2\x82 \xff\x00")

    assert read(path) == ("a\nb\nc\n\n\ufffd \ufffd\x00", [])


def test_a_byte_order_mark_is_text_as_in_any_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "patterns.md"
    path.write_bytes(b"\xef\xbb\xbf# Title")

    assert read(path) == ("\ufeff# Title", [])


def test_a_missing_file_is_no_news(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert read(tmp_path / "patterns.md") == (None, [])
    assert read(tmp_path / "file" / "patterns.md") == (None, [])


def test_a_folder_in_place_of_a_file_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "patterns.md"
    path.mkdir()

    assert_left_out_with_one_line(path)


@posix_only
def test_a_pipe_in_place_of_a_file_is_left_out_without_waiting(tmp_path: Path) -> None:
    path = tmp_path / "patterns.md"
    os.mkfifo(path)

    assert_left_out_with_one_line(path)


@posix_only
def test_a_file_that_cannot_be_opened_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "line\nend.md"
    path.symlink_to(path)

    assert_left_out_with_one_line(path)


@posix_only
def test_a_file_without_permission_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "patterns.md"
    path.touch(mode=0)

    with without_root():
        assert_left_out_with_one_line(path)


@pytest.mark.parametrize("name", ["with\0nul", "with\ud800surrogate"])
def test_a_path_no_file_system_knows_is_left_out(tmp_path: Path, name: str) -> None:
    assert_left_out_with_one_line(tmp_path / name)


def test_an_enormous_file_is_read_up_to_a_bound(tmp_path: Path) -> None:
    path = tmp_path / "patterns.md"
    path.write_bytes(b"### Pattern: x")
    os.truncate(path, 100 * 1024 * 1024)

    text, warnings = read(path)

    assert text is not None
    assert len(text) == LARGEST_FILE
    assert text.startswith("### Pattern: x\0")
    assert len(warnings) == 1


def test_a_file_of_just_the_bound_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "patterns.md"
    path.touch()
    os.truncate(path, LARGEST_FILE)

    text, warnings = read(path)

    assert text is not None
    assert len(text) == LARGEST_FILE
    assert warnings == []


@posix_only
@pytest.mark.parametrize(
    "linked", ["docs", "docs/knowledge-bank", "docs/knowledge-bank/patterns.md"]
)
def test_a_bank_that_a_link_leads_to_is_read_inside_the_project_only(
    tmp_path: Path, linked: str
) -> None:
    for place, read_texts in (("project/elsewhere", ["It"]), ("outside", [])):
        project = tmp_path / place.replace("/", "-") / "project"
        target = tmp_path / place.replace("/", "-") / place
        for folder in (project, target, target / "knowledge-bank"):
            folder.mkdir(parents=True, exist_ok=True)
        for folder in (target, target / "knowledge-bank"):
            (folder / "patterns.md").write_text("It")
        link = project / linked
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target / "patterns.md" if linked.endswith(".md") else target)
        lines = list[str]()

        assert [
            bank.text for bank in read_banks(str(project), str(tmp_path), lines.append)
        ] == read_texts
        assert [line.endswith("a link leads out of the project") for line in lines] == [True] * (
            1 - len(read_texts)
        )
