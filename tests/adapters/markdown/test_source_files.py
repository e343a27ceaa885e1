import hashlib
import os
import re
import sys
from pathlib import Path

import pytest

from hardwon.adapters.markdown.conversation_files import MarkdownSessionFiles
from hardwon.adapters.markdown.document_format import Markdown
from hardwon.adapters.markdown.instructions import folder_name, host_memory_folder
from hardwon.adapters.markdown.source_files import (
    LARGEST_FILE,
    HostMemoryFiles,
    MarkdownFiles,
    read_fact,
)
from hardwon.adapters.markdown.whole_files import create_file
from hardwon.domain.model.entry import Entry
from hardwon.domain.model.errors import InvalidEntryError, UnreadableFileError
from tests.machine import without_root
from tests.strategies import NOW

AT = NOW
NAME = "memory-20260301-123000"
SESSION = Entry(
    kind="session",
    name="It",
    description="About it.",
    tags=("a",),
    source="manual",
    file_path="/a.md",
    created_at=NOW,
    updated_at=NOW,
)

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and modes of POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with some memory."""
    for name in (
        "memory/decisions/a.md",
        "memory/deep/er/B.MD",
        "memory/long.markdown",
        "memory/c.txt",
        "memory/.git/d.md",
        "memory-e.md",
        "memory-g.Markdown",
        "f.md",
    ):
        (tmp_path / "app" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "app" / name).write_text(name)
    return tmp_path / "app"


def names(root: Path, files: tuple[str, ...]) -> list[str]:
    return [os.path.relpath(file, root) for file in files]


def test_the_projects_memory_is_its_folder_and_what_lies_beside_it(root: Path) -> None:
    found = MarkdownFiles(str(root)).of_project()

    assert names(root, found.files) == [
        "memory-e.md",
        "memory-g.Markdown",
        "memory/decisions/a.md",
        "memory/deep/er/B.MD",
        "memory/long.markdown",
    ]
    assert found.prefixes == (f"{root}/memory/", f"{root}/memory-", f"{root}/specs/")
    assert found.skipped == ()


def test_a_project_without_memory_has_no_files(tmp_path: Path) -> None:
    assert MarkdownFiles(str(tmp_path)).of_project().files == ()


def test_a_path_is_a_file_or_all_below_a_folder(root: Path) -> None:
    files = MarkdownFiles("/elsewhere")

    assert names(root, files.at(str(root)).files) == [
        "f.md",
        "memory-e.md",
        "memory-g.Markdown",
        "memory/decisions/a.md",
        "memory/deep/er/B.MD",
        "memory/long.markdown",
    ]
    assert names(root, files.at(str(root / "memory" / "c.txt")).files) == ["memory/c.txt"]
    assert files.at(str(root / "nowhere")).files == ()


@posix_only
def test_links_that_lead_out_are_not_followed(root: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("x")
    (root / "memory" / "folder").symlink_to(outside)
    (root / "memory" / "file.md").symlink_to(outside / "secret.md")
    (root / "memory" / "again.md").symlink_to("decisions/a.md")
    (root / "memory" / "loop").symlink_to(root / "memory")
    (root / "memory" / "round.md").symlink_to("round.md")

    found = MarkdownFiles(str(root)).at(str(root / "memory"))

    assert names(root, found.files) == [
        "memory/decisions/a.md",
        "memory/deep/er/B.MD",
        "memory/long.markdown",
        "memory/round.md",
    ]
    assert [line.split(":")[0] for line in found.skipped] == [
        f"'{root}/memory/file.md'",
        f"'{root}/memory/folder'",
    ]
    assert MarkdownFiles(str(root)).at(str(root / "memory" / "file.md")).files == (
        str(outside / "secret.md"),
    )


@posix_only
@posix_only
@pytest.mark.parametrize("swapped", ["memory", "memory/decisions", "memory/decisions/a.md"])
def test_a_link_that_takes_the_place_of_a_file_or_folder_after_the_check_is_not_read(
    root: Path, swapped: str
) -> None:
    outside = root.parent / "outside"
    (outside / "decisions").mkdir(parents=True)
    for path in (outside / "a.md", outside / "decisions" / "a.md"):
        path.write_text("Not ours.")
    files = MarkdownFiles(str(root))
    checked = files.ensure_inside(str(root / "memory" / "decisions" / "a.md"))
    (root / swapped).rename(root / "aside")
    (root / swapped).symlink_to(outside / "a.md" if swapped.endswith(".md") else outside)

    with pytest.raises(UnreadableFileError):
        files.read(checked)


@posix_only
def test_a_file_with_a_second_name_is_read(root: Path) -> None:
    # Backups by links and programs that merge equal files give every file of a project a second
    # name.
    os.link(root / "memory" / "decisions" / "a.md", root.parent / "backup.md")

    assert (
        MarkdownFiles(str(root))
        .read(str(root / "memory" / "decisions" / "a.md"))
        .path.endswith("a.md")
    )


def test_a_memory_folder_that_is_a_link_out_of_the_project_is_not_followed(root: Path) -> None:
    (root / "memory").rename(root.parent / "outside")
    (root / "memory").symlink_to(root.parent / "outside")

    found = MarkdownFiles(str(root)).of_project()

    assert (names(root, found.files), len(found.skipped)) == (
        ["memory-e.md", "memory-g.Markdown"],
        1,
    )


@posix_only
def test_an_unreadable_folder_is_reported_and_its_files_are_not_gone(root: Path) -> None:
    folder = root / "memory" / "decisions"
    folder.chmod(0)
    root.parent.chmod(0o755)
    try:
        with without_root():
            found = MarkdownFiles(str(root)).of_project()
            is_gone = MarkdownFiles(str(root)).is_gone(str(folder / "a.md"))
    finally:
        folder.chmod(0o755)

    assert len(found.skipped) == 1
    assert not is_gone


def test_a_missing_path_is_gone(root: Path) -> None:
    files = MarkdownFiles(str(root))

    assert not files.is_gone(str(root / "f.md"))
    for name in ("g.md", "f.md/g.md", "with\0nul"):
        assert files.is_gone(f"{root}/{name}")


ONE_BYTE = "one byte of it, no UTF-8, read as Windows-1252: save it as UTF-8"


def test_a_file_is_read_with_its_time_and_hash(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"\xef\xbb\xbf---\r\ntitle: x\r\n---\r\nb\xff\r\n")
    os.utime(path, ns=(0, 1_770_000_000_999_999_999))

    file = MarkdownFiles(str(tmp_path)).read(str(path))

    assert file.markdown == Markdown({"title": "x"}, "bÿ\n", (ONE_BYTE,))
    assert file.mtime == 1_770_000_000
    assert file.file_hash == hashlib.sha256(path.read_bytes()).hexdigest()


def make(sort: str, path: Path) -> None:
    match sort:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "binary":
            path.write_bytes(b"a\0b")
        case "long":
            path.write_bytes(b"x" * (LARGEST_FILE + 1))
        case "closed":
            path.touch(mode=0)
        case "round":
            path.symlink_to(path)


@posix_only
@pytest.mark.parametrize("sort", ["missing", "folder", "pipe", "binary", "long", "closed", "round"])
def test_unreadable_text_is_refused_in_one_line(tmp_path: Path, sort: str) -> None:
    path = tmp_path / f"{sort}.md"
    make(sort, path)

    with (
        without_root(),
        pytest.raises(UnreadableFileError, match=re.escape(repr(str(path)))) as caught,
    ):
        MarkdownFiles(str(tmp_path)).read(str(path))
    assert "\n" not in str(caught.value)


@posix_only
def test_a_name_that_is_not_utf_8_is_reported(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/\xff.md", "wb"):
        pass

    found = MarkdownFiles(str(tmp_path)).at(str(tmp_path))

    assert (found.files, len(found.skipped)) == ((), 1)
    with pytest.raises(UnreadableFileError, match="not UTF-8, rename it"):
        MarkdownFiles(str(tmp_path)).read(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md"))


@posix_only
def test_a_folder_whose_name_is_not_utf_8_has_nothing_to_store(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/\xff"
    os.makedirs(folder + b"/memory")
    for name in (b"a.md", b"b.md"):
        with open(folder + b"/memory/" + name, "wb"):
            pass

    files = MarkdownFiles(os.fsdecode(folder))
    for found in (files.of_project(), files.at(os.fsdecode(folder))):
        assert (found.files, found.prefixes) == ((), ())
        assert [line.rpartition(": ")[2] for line in found.skipped] == [
            "its name is not UTF-8, rename it"
        ] * 2


def test_a_session_gets_a_free_name(tmp_path: Path) -> None:
    sessions = MarkdownSessionFiles(str(tmp_path))

    paths = [sessions.create(f"---\nown: x\n---\n{number}\n", SESSION, AT) for number in range(3)]

    folder = tmp_path / "memory" / "sessions"
    assert paths == [str(folder / name) for name in (f"{NAME}.md", f"{NAME}-2.md", f"{NAME}-3.md")]
    assert [Path(path).read_text() for path in paths] == [
        f'---\nown: x\ndescription: About it.\ntags: [a]\nkeywords: []\ndate: "2026-03-01T12:30:00+00:00"\n---\n{number}\n'
        for number in range(3)
    ]
    assert len(list(folder.iterdir())) == 3


def test_a_session_that_cannot_be_kept_leaves_nothing(tmp_path: Path) -> None:
    sessions = MarkdownSessionFiles(str(tmp_path))

    for body in ("x" * LARGEST_FILE, "\ud800"):
        with pytest.raises(InvalidEntryError):
            sessions.create(body, SESSION, AT)
    assert list(tmp_path.iterdir()) == []

    (tmp_path / "memory").write_text("in the way")
    with pytest.raises(UnreadableFileError, match="memory/sessions"):
        sessions.create("x", SESSION, AT)


@pytest.mark.parametrize("linked", ["memory", "memory/sessions"])
def test_a_session_is_not_kept_where_a_link_leads_out(tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = tmp_path / "project" / linked
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)

    with pytest.raises(UnreadableFileError, match="leads out"):
        MarkdownSessionFiles(str(tmp_path / "project")).create("A body.", SESSION, AT)
    assert list(outside.iterdir()) == []


def test_without_hard_links_a_file_is_still_created_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    create_file(str(tmp_path / "a.md"), "one")

    with pytest.raises(FileExistsError):
        create_file(str(tmp_path / "a.md"), "two")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["one"]


FACT = """---
name: use-uv-not-pip
description: Packages come by uv
metadata:
  node_type: memory
  type: feedback
---
Install with uv.

**Why:** the lock file.
"""


def test_a_fact_keeps_its_name_as_a_title_and_its_type_becomes_a_kind() -> None:
    markdown = read_fact(FACT)

    assert markdown.front_matter["title"] == "use uv not pip"
    assert markdown.front_matter["type"] == "preference"
    assert markdown.front_matter["description"] == "Packages come by uv"
    assert markdown.body.startswith("Install with uv.")
    assert markdown.complaints == ()


@pytest.mark.parametrize(
    ("kind", "becomes"),
    [
        ("user", "preference"),
        ("feedback", "preference"),
        ("project", "document"),
        ("reference", "document"),
        ("x", "document"),
    ],
)
def test_types_are_kept_as_kinds_whether_nested_or_not(kind: str, becomes: str) -> None:
    for text in (FACT.replace("feedback", kind), f"---\ntype: {kind}\nname: x\n---\nbody\n"):
        assert read_fact(text).front_matter["type"] == becomes


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no head\nmetadata:\n  type: user\n",
        "---\nmetadata:\n---\nx",
        "---\nmetadata:\n  ]\n---\n",
        "---\n",
    ],
)
def test_a_fact_without_a_usual_head_is_a_document(text: str) -> None:
    assert read_fact(text).front_matter["type"] == "document"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/srv/p/my_proj.x y-\u00fc", "-srv-p-my-proj-x-y--"),
        ("/srv/p/qu\u0308q", "-srv-p-qu-q"),
        ("/srv/p/e\U0001d11ex", "-srv-p-e--x"),
        (f"/srv/p/{'l' * 120}/{'m' * 120}", f"-srv-p-{'l' * 120}-{'m' * 72}-q6wt61"),
        (
            "/srv/p/" + "\u00fc\U0001d11e" * 20 + "/" + "m" * 160,
            f"-srv-p-{'-' * 60}-{'m' * 132}-gaxxzr",
        ),
        ("", ""),
    ],
)
def test_the_folder_is_named_as_claude_code_2_1_330_was_seen_to_name_it(
    path: str, name: str
) -> None:
    assert folder_name(path) == name


def test_links_make_no_other_memory(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").symlink_to(tmp_path / "one")
    expected = f"/config/projects/{folder_name(str(tmp_path.resolve() / 'one'))}/memory"

    assert {host_memory_folder("/config", str(tmp_path / name)) for name in ("one", "two")} == {
        expected
    }


def test_the_index_of_facts_is_no_fact(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- [x](x.md)")
    (tmp_path / "x.md").write_text(FACT)
    files = HostMemoryFiles(str(tmp_path))

    assert files.at(str(tmp_path)).files == (str(tmp_path.resolve() / "x.md"),)
    assert files.read(str(tmp_path / "x.md")).markdown.front_matter["type"] == "preference"
