"""Entries as markdown for people."""

import os
import stat
import tempfile
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.markdown.front_matter import read_markdown
from hardwon.adapters.markdown.knowledge_bank import entries_of, identity_of
from hardwon.adapters.markdown.readable_export import safe_name, write_entries, written_folder
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.vocabulary import CATEGORIES
from tests.strategies import NOW, all_entries, lesson, odd_entries, of_file

BANK = Path("docs", "knowledge-bank")
LABELS = {"here": "shop", "there": "Shop"}


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def written(folder: Path, *entries: Entry) -> list[str]:
    write_entries(str(folder), entries, LABELS, NOW)
    return files(folder)


def test_there_is_a_file_for_each_kind_below_a_folder_for_each_project(tmp_path: Path) -> None:
    assert written(
        tmp_path,
        attrs.evolve(lesson("One."), project="here"),
        attrs.evolve(lesson("Two.", category="heuristics"), project="there"),
        attrs.evolve(of_file("Three."), project="here"),
        of_file("Four.", kind="session"),
        of_file("Five.", kind="session", path="five.md"),
    ) == [
        "Shop-2/docs/knowledge-bank/heuristics.md",
        "no-project/sessions.md",
        "shop/decisions.md",
        "shop/docs/knowledge-bank/patterns.md",
    ]


def test_a_file_says_of_each_entry_what_is_known(tmp_path: Path) -> None:
    written(
        tmp_path,
        attrs.evolve(
            of_file("We use SQLite.", tags=("db", "é")), project="here", reasoning="One file."
        ),
    )

    text = (tmp_path / "shop" / "decisions.md").read_text()

    assert read_markdown(text).front_matter == {
        "kind": "decision",
        "project": "shop",
        "exported": "2026-03-01",
    }
    assert text.split("---\n", 2)[2] == (
        "\n## File\n\n- Id: d9d8b1cb2bf5e7cd\n- Tier: normal\n- Created: 2026-02-28\n- Changed: 2026-02-28\n"
        "- File: /memory/decision/one.md\n- Tags: db, é\n\nWe use SQLite.\n\nOne file.\n"
    ).replace("d9d8b1cb2bf5e7cd", of_file("We use SQLite.").entry_id)


@given(
    entries=st.lists(odd_entries | all_entries, max_size=8, unique_by=lambda entry: entry.entry_id)
)
def test_a_bank_is_read_back_with_every_lesson_that_it_holds(entries: list[Entry]) -> None:
    learnings = [attrs.evolve(entry, project=None) for entry in entries if entry.kind == "learning"]
    with tempfile.TemporaryDirectory() as folder:
        written(Path(folder), *learnings)
        home = Path(folder, "no-project")
        banks = [
            (path, category)
            for category in CATEGORIES
            if (path := home / BANK / f"{category}.md").exists()
        ]
        read = [
            entry
            for path, category in banks
            for entry in entries_of(path.read_bytes().decode(), category)
        ]
        rest = home / "learnings.md"
        left_out = rest.read_text().count("- Id: ") if rest.exists() else 0

    counts = {identity_of(entry.text): entry.observation_count for entry in read}
    assert len({(entry.category, entry.heading) for entry in read}) == len(read)
    assert (
        counts.items() <= {entry.entry_id: entry.observation_count for entry in learnings}.items()
    )
    assert len(counts) + left_out == len(learnings)


def test_comments_that_would_hide_other_lessons_are_kept_apart(tmp_path: Path) -> None:
    entries = [
        lesson("Open <!-- it."),
        lesson("Between.", name="B"),
        lesson("Close --> it.", name="C"),
    ]

    assert written(tmp_path, *entries) == [
        "no-project/docs/knowledge-bank/patterns.md",
        "no-project/learnings.md",
    ]
    text = (tmp_path / "no-project" / "learnings.md").read_text()
    assert "Open <!-- it." in text
    assert "Close --> it." in text


def test_lessons_of_one_name_get_headings_of_their_own(tmp_path: Path) -> None:
    written(tmp_path, lesson("One."), lesson("Two."))

    text = (tmp_path / "no-project" / BANK / "patterns.md").read_text()
    assert [entry.heading for entry in entries_of(text, "patterns")] == [
        "Pattern: Lesson",
        "Pattern: Lesson (2)",
    ]


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("shop", "shop"),
        ("a/b\\c:d", "a-b-c-d"),
        ("..", "project"),
        ("", "project"),
        ("CON", "CON-"),
        ("nul.txt", "nul.txt-"),
        ("trailing. ", "trailing"),
        ("Café Ω", "Café-Ω"),
        ("x" * 300, "x" * 60),
        ("<|?*>\n", "project"),
    ],
)
def test_a_folder_has_a_name_that_every_system_takes(label: str, name: str) -> None:
    assert safe_name(label) == name


@given(st.text())
def test_a_safe_name_is_one_part_of_a_path(label: str) -> None:
    name = safe_name(label)

    assert name == os.path.basename(name) not in {"", ".", ".."}
    assert len(os.fsencode(name)) <= 255
    assert not {*name} & {*'<>:"/\\|?*', "\0", " "}


def test_files_and_folders_are_for_the_user_alone(tmp_path: Path) -> None:
    with written_folder(str(tmp_path / "out"), replace=False) as folder:
        written(Path(folder), lesson("One."))

    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").rglob("*")}
    assert modes == {0o700, 0o600}


def test_a_folder_that_holds_something_is_refused_and_others_files_stay_where_it_is_replaced(
    tmp_path: Path,
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.md").write_text("mine")

    with pytest.raises(FileExistsError), written_folder(str(out), replace=False):
        pass
    with written_folder(str(out), replace=True) as folder:
        written(Path(folder), lesson("One."))

    assert files(tmp_path) == ["out/mine.md", "out/no-project/docs/knowledge-bank/patterns.md"]


def _fail_after_one_file(folder: Path) -> None:
    with written_folder(str(folder), replace=False) as temporary:
        written(Path(temporary), lesson("One."))
        raise LookupError


def test_a_failure_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(LookupError):
        _fail_after_one_file(tmp_path / "out")

    assert [*tmp_path.iterdir()] == []


def test_the_folder_of_a_killed_export_is_removed_by_a_later_one(tmp_path: Path) -> None:
    left, young, others = (
        tmp_path / f"{name}.{digit * 16}.tmp"
        for name, digit in (("out", "0"), ("out", "1"), ("b", "2"))
    )
    for folder in (left, young, others):
        (folder / "shop").mkdir(parents=True)
    for folder in (left, others):
        os.utime(folder, (0, 0))
    with written_folder(str(tmp_path / "out"), replace=False) as temporary:
        written(Path(temporary), lesson("One."))

    assert {*tmp_path.iterdir()} == {tmp_path / "out", young, others}
