import os
import re
import sys
from pathlib import Path

import pytest

from hardwon.adapters.markdown.source_files import MarkdownFiles
from hardwon.domain.model.errors import UnreadableFileError

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")


def put(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with two spec folders that have memory."""
    return put(
        tmp_path / "app",
        "memory/a.md",
        "specs/005-memory/memory/b.md",
        "specs/005-memory/memory/deep/c.MD",
        "specs/005-memory/spec.md",
        "specs/049-auth/memory/d.md",
        "specs/.hidden/memory/e.md",
        "specs/f.md",
        "docs/g.md",
    )


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Return a folder of documents without `specs`."""
    return put(tmp_path / "other", "h.md", "049-auth/memory/i.md", "j.txt")


def names(root: Path, files: tuple[str, ...]) -> list[str]:
    return [os.path.relpath(file, root.parent) for file in files]


def test_the_memory_of_spec_folders_is_the_projects(root: Path) -> None:
    found = MarkdownFiles(str(root)).of_project()

    assert names(root, found.files) == [
        "app/memory/a.md",
        "app/specs/005-memory/memory/b.md",
        "app/specs/005-memory/memory/deep/c.MD",
        "app/specs/049-auth/memory/d.md",
    ]
    assert found.skipped == ()


def test_another_root_gives_its_spec_folders_or_all_it_has(root: Path, other: Path) -> None:
    whole = MarkdownFiles(str(root), [str(other)]).of_project()
    specs = MarkdownFiles(str(other), [str(root)]).of_project()

    assert names(root, whole.files)[-2:] == ["other/049-auth/memory/i.md", "other/h.md"]
    assert whole.prefixes[-2:] == (f"{root}/specs/", f"{other}/")
    assert names(root, specs.files) == names(root, MarkdownFiles(str(root)).of_project().files[1:])
    assert specs.prefixes[-2:] == (f"{other}/specs/", f"{root}/specs/")


def test_of_a_root_that_is_not_there_nothing_is_gone(root: Path, tmp_path: Path) -> None:
    files = MarkdownFiles(str(root), [str(tmp_path / "unmounted")])

    for found in (files.of_project(), files.of_spec_folder("049-auth")):
        assert not any("unmounted" in prefix for prefix in found.prefixes)
        assert [line.split(" ")[0] for line in found.skipped] == [repr(f"{tmp_path}/unmounted")]


def test_one_spec_folder_is_listed_from_every_root(root: Path, other: Path) -> None:
    files = MarkdownFiles(str(root), [str(other)])

    found = files.of_spec_folder("049-auth")
    assert names(root, found.files) == [
        "app/specs/049-auth/memory/d.md",
        "other/049-auth/memory/i.md",
    ]
    assert found.prefixes == (f"{root}/specs/049-auth/memory/", f"{other}/049-auth/memory/")
    assert files.of_spec_folder("app").files == (f"{root}/memory/a.md",)
    assert files.of_spec_folder("050-gone").files == ()


@pytest.mark.parametrize("name", ["", " ", ".", "..", "../app", "a/b", "a\\b", "a\0b", "\ud800"])
def test_a_path_in_place_of_a_folder_name_is_refused(root: Path, name: str) -> None:
    with pytest.raises(UnreadableFileError, match="is no spec folder"):
        MarkdownFiles(str(root)).of_spec_folder(name)


@posix_only
def test_a_spec_folder_that_leads_out_is_reported_and_not_followed(root: Path, other: Path) -> None:
    (root / "specs" / "out").symlink_to(other / "049-auth")

    found = MarkdownFiles(str(root)).of_project()
    assert len(found.files) == 4
    assert [line.split(":")[0] for line in found.skipped] == [f"'{root}/specs/out/memory'"]
    assert MarkdownFiles(str(root), [str(other)]).of_project().skipped == ()


@posix_only
def test_a_file_inside_a_root_is_named_by_its_real_path(root: Path, other: Path) -> None:
    (root / "link.md").symlink_to(other / "h.md")
    files = MarkdownFiles(str(root), [str(other)])

    for path in (
        root / "docs" / "g.md",
        other / "h.md",
        root / "specs/005-memory/memory/deep/c.MD",
    ):
        assert files.ensure_inside(str(path)) == str(path)
    assert files.ensure_inside(f"{root}/link.md") == str(other / "h.md")
    assert files.ensure_inside(f"{root}/docs/../memory/a.md") == f"{root}/memory/a.md"


@posix_only
@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("memory/a.md", "not absolute"),
        ("", "not absolute"),
        ("{root}/missing.md", "No such file"),
        ("{root}/memory/a.md/b.md", "Not a directory"),
        ("{root}/docs", "it is a folder"),
        ("{root}", "it is a folder"),
        ("{root}/folder.md", "it is a folder"),
        ("{root}/pipe.md", "no regular file"),
        ("{root}/notes.txt", "no regular file"),
        ("{root}/text.md", "no regular file"),
        ("{root}/round.md", "symbolic links"),
        ("{root}/nul\0.md", "null"),
        ("{root}/out.md", "outside"),
        ("{root}/folder.md/../../other/h.md", "outside"),
        ("{root}-beside/a.md", "outside"),
        ("{root}/away/h.md", "outside"),
        ("/etc/passwd", "outside"),
        ("/etc/missing.md", "outside"),
    ],
)
def test_a_path_that_is_no_markdown_file_inside_is_refused_in_one_line(
    root: Path, other: Path, path: str, why: str
) -> None:
    put(root, "notes.txt")
    put(root.parent / "app-beside", "a.md")
    (root / "folder.md").mkdir()
    os.mkfifo(root / "pipe.md")
    for name, target in {
        "out.md": "../other/h.md",
        "away": str(other),
        "round.md": "round.md",
        "text.md": "notes.txt",
    }.items():
        (root / name).symlink_to(target)

    with pytest.raises(UnreadableFileError, match=why) as caught:
        MarkdownFiles(str(root)).ensure_inside(path.format(root=root))
    assert str(caught.value).endswith(f"; name a markdown file inside '{root}'")
    assert "\n" not in str(caught.value)
    assert re.match(r"'.*': \S", str(caught.value))


@posix_only
def test_a_spec_folder_reports_no_problem_of_another(
    root: Path, other: Path, tmp_path: Path
) -> None:
    (root / "specs" / "out").symlink_to(other / "049-auth")
    (root / "specs/049-auth/memory/away.md").symlink_to(tmp_path / "away.md")
    (tmp_path / "away.md").touch()
    files = MarkdownFiles(str(root), [str(tmp_path / "unmounted")])

    skipped = {
        name: len(files.of_spec_folder(name).skipped) for name in ("005-memory", "049-auth", "out")
    }
    assert skipped == {"005-memory": 1, "049-auth": 2, "out": 2}
    assert len(files.of_project().skipped) == 3
