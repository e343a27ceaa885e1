import os
from pathlib import Path

import pytest

from hardwon.adapters.git.objects import has_object
from tests.adapters.git.repository import git, output_of

MANY = 300


def first_commit(folder: Path) -> str:
    return output_of(folder, "rev-list", "--max-parents=0", "HEAD").strip()


@pytest.fixture
def app(tmp_path: Path) -> Path:
    folder = tmp_path / "app"
    git(tmp_path, "init", "--quiet", str(folder))
    for number in range(3):
        git(folder, "commit", "--quiet", "--allow-empty", "-m", str(number))
    return folder


@pytest.mark.parametrize("packed", [False, True])
def test_a_commit_is_found_loose_and_in_a_pack(app: Path, packed: bool) -> None:  # noqa: FBT001
    commits = output_of(app, "rev-list", "HEAD").split()
    if packed:
        git(app, "gc", "--quiet", "--prune=now")
        assert not (app / ".git/objects" / commits[0][:2]).exists()

    assert [has_object(str(app / ".git"), commit) for commit in commits] == [True] * 3
    assert not has_object(str(app / ".git"), "0" * 40)
    assert not has_object(str(app / ".git"), "f" * 40)


def test_every_object_of_a_pack_is_found_and_no_neighbour_of_one(app: Path) -> None:
    for number in range(MANY):
        (app / str(number)).write_text(str(number))
    git(app, "add", "--all")
    git(app, "commit", "--quiet", "-m", "many")
    git(app, "gc", "--quiet", "--prune=now")
    names = output_of(app, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()

    assert len(names) > MANY
    assert all(has_object(str(app / ".git"), name) for name in names)
    neighbours = {f"{(int(name, 16) + 1) % (1 << 160):040x}" for name in names} - {*names}
    assert not any(has_object(str(app / ".git"), name) for name in neighbours)


def test_a_repository_with_longer_names_is_read(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--object-format=sha256")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "-m", "x")
    git(tmp_path, "gc", "--quiet", "--prune=now")
    name = first_commit(tmp_path)

    assert len(name) == 64
    assert has_object(str(tmp_path / ".git"), name)


@pytest.mark.parametrize("name", ["", "not hexadecimal", "ab", "../config"])
def test_a_name_of_another_form_is_not_found(app: Path, name: str) -> None:
    assert not has_object(str(app / ".git"), name)


@pytest.mark.parametrize(
    "content", [b"", b"\xfftOc", b"\xfftOc\0\0\0\2" + b"\xff" * 1024, b"\xfftOc\0\0\0\2" + b"\0" * 3]
)
def test_a_damaged_index_has_nothing(app: Path, content: bytes) -> None:
    pack = app / ".git/objects/pack"
    (pack / "pack-x.idx").write_bytes(content)
    os.mkfifo(pack / "pack-y.idx")

    assert not has_object(str(app / ".git"), "f" * 40)
    assert has_object(str(app / ".git"), first_commit(app))
