import contextlib
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.adapters.markdown.bank_edit import with_lesson
from hardwon.adapters.markdown.file_text import UNKNOWN, decode_file, has_conflict, without_conflict
from hardwon.adapters.markdown.knowledge_bank import entries_of
from hardwon.domain.model.retro.bank_edit import BankLesson
from tests.texts import conflict

WINDOWS = "it is read as Windows-1252, as it is not UTF-8: save it as UTF-8"
BEGINS_A_MARK = ("\0", "\ufeff")
UTF_16 = "it is read as UTF-16: save it as UTF-8"


@given(
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=50).filter(
        lambda text: text[:1] not in BEGINS_A_MARK
    )
)
def test_utf_8_is_read_without_a_word_and_utf_16_with_one(text: str) -> None:
    assert decode_file(text.encode()) == decode_file(text.encode("utf-8-sig")) == (text, "")
    assert decode_file(text.encode("utf-16")) == (text, UTF_16)


@given(data=st.binary(max_size=50))
def test_no_byte_is_replaced_without_a_word(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        text, note = decode_file(data)
        assert note or text.encode() == data.removeprefix(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    "text",
    [
        "Die Prüfsumme der Bürgerbüros",
        "“Zitat” für 50 €",
        "Gruß“ für alle",
        "L'été à la plage",
        "señor",
        "Ærø\r\n\tÅs",
    ],
)
def test_windows_1252_is_read_with_a_word(text: str) -> None:
    assert decode_file(text.encode("cp1252")) == (text, WINDOWS)


def test_stray_bytes_in_utf_8_cost_nothing_else() -> None:
    note = "2 bytes of it, no UTF-8, read as Windows-1252: save it as UTF-8"

    assert decode_file("Grüße für ".encode() + b"\xfc und \xe4") == ("Grüße für ü und ä", note)


@pytest.mark.parametrize(
    "data",
    [
        "проверка кириллицы".encode("cp1251"),
        "日本語のテスト".encode("shift-jis"),
        b"a\x81b",
        b"\xff\xfea",
        "a".encode("utf-32"),
        b"\x89PNG\r\n\x1a\n\x01\x02",
    ],
    ids=ascii,
)
def test_other_encodings_are_named(data: bytes) -> None:
    with pytest.raises(ValueError, match=UNKNOWN):
        decode_file(data)


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
