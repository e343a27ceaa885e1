import os
from pathlib import Path

from hardwon.adapters.markdown.instructions import LARGEST_FILE, MAX_FILES, NAMES, InstructionFiles


def texts(project: Path) -> dict[str, str]:
    return dict(InstructionFiles(str(project), str(project / "memory")).texts())


def test_the_projects_files_come_first_then_the_index_and_its_notes(tmp_path: Path) -> None:
    for name in (*NAMES, "memory/MEMORY.md", "memory/a.md", "memory/a.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"\ufeffthis is {name}", encoding="utf-8")

    assert list(texts(tmp_path)) == [*NAMES, "MEMORY.md", "a.md"]
    assert texts(tmp_path)["AGENTS.md"] == "this is AGENTS.md"


def test_without_files_there_are_no_instructions(tmp_path: Path) -> None:
    assert texts(tmp_path / "gone") == {}


def test_irregular_files_and_links_elsewhere_are_ignored(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "CLAUDE.md")
    (tmp_path / "AGENTS.md").mkdir()
    (tmp_path / "secret").write_text("elsewhere")
    (tmp_path / "GEMINI.md").symlink_to(tmp_path / "secret")
    (tmp_path / "CLAUDE.local.md").symlink_to("/dev/zero")
    (tmp_path / "memory").write_text("no folder")

    assert texts(tmp_path) == {}


def test_huge_and_binary_files_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("x" * (LARGEST_FILE + 1))
    (tmp_path / "AGENTS.md").write_bytes(b"\xff\x00\xfe")
    folder = tmp_path / "memory"
    folder.mkdir()
    for number in range(MAX_FILES + 5):
        (folder / f"{number}.md").write_text("y" * 30_000)
    found = texts(tmp_path)

    assert len(found["CLAUDE.md"]) == LARGEST_FILE
    assert "AGENTS.md" not in found
    assert sum(map(len, found.values())) <= 1024 * 1024
