import subprocess
import time
from pathlib import Path

import pytest

from hardwon.adapters.markdown.bank_edit import with_lesson
from hardwon.adapters.markdown.conflict import has_conflict, without_conflict
from hardwon.adapters.markdown.knowledge_bank import entries_of
from hardwon.domain.model.retro.bank_edit import BankLesson
from tests.texts import conflict

HEADINGS = "A title\n=======\n\nIts text.\n\nAnother\n=======\n"


def merged(folder: Path, style: str, ours: bytes, base: bytes, theirs: bytes) -> str:
    """Return the file that git leaves when both branches changed it."""

    def git(*arguments: str) -> None:
        command = [
            "git",
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.invalid",
            "-c",
            "core.autocrlf=false",
        ]
        subprocess.run(
            [*command, *arguments], cwd=folder, check="merge" not in arguments, capture_output=True
        )

    def commit(text: bytes) -> None:
        (folder / "a.md").write_bytes(text)
        git("add", "a.md")
        git("commit", "-m", "x")

    git("init", "--initial-branch=main")
    commit(base)
    git("checkout", "-b", "theirs")
    commit(theirs)
    git("checkout", "main")
    commit(ours)
    git("-c", f"merge.conflictStyle={style}", "merge", "theirs")
    return (folder / "a.md").read_bytes().decode()


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_two_branches_merged_by_git_are_a_conflict(tmp_path: Path, style: str, end: str) -> None:
    ours, base, theirs = (
        f"# Title{end}{end}{line}{end}".encode() for line in ("Ours.", "Base.", "Theirs.")
    )

    assert has_conflict(merged(tmp_path, style, ours, base, theirs))
    assert not has_conflict(ours.decode())


@pytest.mark.parametrize(
    "text",
    [
        conflict("ours", "theirs"),
        conflict("ours", "theirs", base="base"),
        conflict("", "theirs"),
        conflict("ours", "theirs", end="\r\n"),
        conflict("```py\na\n```", "```python\nb\n```"),
        conflict("```py", "```python") + "code\n```\n",
        "```py\n" + conflict("a\n```\nText.", "b\n```\nOther text."),
        conflict("Title\n=======\nours", "theirs"),
        "```\n" + conflict("an", "example") + "```\n\n" + conflict("ours", "theirs"),
        conflict("```\n" + conflict("an", "example") + "```", "theirs"),
        conflict(conflict("inner", "conflict"), "theirs"),
        conflict("ours", "theirs")
        .replace("<" * 7, "<" * 15)
        .replace("=" * 7, "=" * 15)
        .replace(">" * 7, ">" * 15),
        HEADINGS + conflict("ours", "theirs").removesuffix("\n"),
    ],
)
def test_a_set_of_markers_is_a_conflict_whatever_is_around_it(text: str) -> None:
    assert has_conflict(text)
    assert not has_conflict(without_conflict(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEADINGS,
        "```\n" + conflict("an", "example") + "```\n",
        "~~~ diff\n" + conflict("an", "example") + "~~~\n" + HEADINGS,
        "<!--\n" + conflict("an", "example") + "-->\n",
        "    " + conflict("an", "example").replace("\n", "\n    "),
        "> " + conflict("a", "quote").replace("\n", "\n> "),
        "<<<<<<< HEAD\n" + HEADINGS,
        HEADINGS + ">>>>>>> a quote in a quote in a quote\n",
        ">>>>>>> x\n=======\n<<<<<<< HEAD\n",
        "Search for <<<<<<< HEAD,\n=======\nand >>>>>>> feature.\n",
        conflict("no", "labels").replace(" HEAD", "").replace(" feature/parser", ""),
        "<<<<<< HEAD\n======\n>>>>>> x\n",
    ],
)
def test_a_text_that_only_shows_markers_is_no_conflict(text: str) -> None:
    assert not has_conflict(text)
    assert without_conflict(text) == text


def test_a_hostile_file_costs_no_more_than_its_length() -> None:
    started = time.process_time()
    for line in ("<<<<<<< x\n", "<<<<<<< x\n=======\n", "```\n<<<<<<< x\n", "=======\n>>>>>>> x\n"):
        assert not has_conflict(line * 100_000)

    assert time.process_time() - started < 5


def test_a_lesson_about_conflicts_does_not_make_its_file_one() -> None:
    text = "Solve all of it:\n" + conflict("ours", "theirs") + "Then test."
    lesson = BankLesson(
        category="patterns",
        name="Conflicts",
        description=text,
        observed_in="",
        observation_count=1,
        confidence="high",
        day="2026-01-01",
    )

    after = with_lesson("", lesson)

    assert not has_conflict(after)
    [entry] = entries_of(after, "patterns")
    assert entry.text.split() == text.split()
