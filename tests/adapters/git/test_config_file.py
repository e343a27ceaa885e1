import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hardwon.adapters.git.config_file import values

NAME = "core.worktree"

PARTS = (
    *'[]"\\;#=\n\t a.x-',
    "[core]",
    "[CORE]\n",
    '[core "a"]',
    "worktree",
    "WorkTree = ",
    "worktree = a b  ; c\n",
    'worktree = " a;b "\n',
    "worktree = a\\\nb\n",
    "\\t",
    "\r\n",
    "\ufeff",
    "é",
)


def by_git(file: Path) -> list[str] | None:
    """Return what git reads from *file*; None where it refuses it."""
    done = subprocess.run(
        ["git", "config", "--file", file, "-z", "--get-all", NAME], capture_output=True, check=False
    )
    return (
        None
        if done.returncode not in {0, 1}
        else done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[core]\nworktree = ../a\n", ["../a"]),
        ("[Core] WorkTree=../a", ["../a"]),
        (
            "[core]\n\tworktree = one\n[user]\nworktree = other\n[core]\nworktree = two # three\n",
            ["one", "two"],
        ),
        ('[core]\nworktree = "a # b" \\"c\\" \\\n d\n', ['a # b "c"  d']),
        ("# [core]\n; worktree = a\n[core]\nbare = false\n", []),
        ("[core]\nworktree = a\n[core\nworktree = b\n", ["a"]),
        ("[core]\nworktree = a\nworktree = \\q\n", ["a"]),
        ("[include]\npath = other\n", []),
        ("", []),
    ],
)
def test_the_values_of_a_setting_are_read(text: str, expected: list[str]) -> None:
    assert values(text, NAME) == expected


def test_subsections_keep_their_case() -> None:
    text = '[remote "origin"]\nurl = a\n[remote "Origin"]\nurl = b\n[remote.origin]\nurl = c\n'

    assert values(text, "remote.origin.url") == ["a", "c"]
    assert values(text, "remote.Origin.url") == ["b"]


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
@example('[core]worktree="" a')
@example("[core]worktree=a \\\n b")
@example("[core]worktree")
@settings(max_examples=settings().max_examples // 2, deadline=None)
def test_files_are_read_as_git_reads_them(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    file = tmp_path_factory.getbasetemp() / "config"
    file.write_bytes(text.encode())
    ours, theirs = values(text, NAME), by_git(file)

    assert theirs is None or _comparable(ours) == _comparable(theirs)


def _comparable(found: list[str]) -> list[str]:
    # Git lists a key without "=" as empty, and before 2.45 made a space of each white space inside
    # a value.
    return [value.replace("\t", " ") for value in found if value]


@given(st.text())
def test_no_text_raises(text: str) -> None:
    assert isinstance(values(text, NAME), list)
