"""The state of files that lessons cite, in real repositories and folders."""

import os
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from hardwon.adapters.git.work_tree import GitWorkTree
from hardwon.domain.model.citations import MAX_CITATIONS
from hardwon.domain.model.cited_place import cited_places, warning_of
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry import Entry
from hardwon.domain.use_cases.check_citations import LARGEST_FILE, CheckCitations
from hardwon.entrypoints.presenters.entries import complaints_of_citations
from tests.adapters.git.repository import copy_of_repository, fake_git, output_of
from tests.strategies import lesson

POOL = """\
\"\"\"Connections.\"\"\"

import socket


def connect(host: str, port: int) -> socket.socket:
    connection = socket.create_connection((host, port))
    connection.settimeout(3.0)
    return connection


def close(connection: socket.socket) -> None:
    connection.shutdown(socket.SHUT_RDWR)
    connection.close()


def reconnect(connection: socket.socket) -> socket.socket:
    host, port = connection.getpeername()
    close(connection)
    return connect(host, port)


def is_open(connection: socket.socket) -> bool:
    return connection.fileno() >= 0
"""
CLOSE = "    connection.shutdown(socket.SHUT_RDWR)\n"
OF_CLOSE = (
    "src/pool.py:13",
    "src/pool.py:12-14",
    "src/pool.py#L12-L14",
    "src/pool.py::close",
    "pool.py:13",
    "src\\pool.py:12-14",
)
WHOLE = ("src/pool.py", "pool.py", "./src/pool.py")


class Copy:
    """A repository with a module, and the lessons that cite it."""

    def __init__(self, root: Path, text: str = POOL, name: str = "src/pool.py") -> None:
        self.root = root
        self.entry: Entry = lesson("Shut it down before closing.")
        copy_of_repository(root, ((name, text), ("README.md", "Nothing to see.\n")), branch="main")

    def git(self, *arguments: str) -> str:
        return output_of(self.root, *arguments)

    def write(self, text: str, name: str = "src/pool.py") -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def commit(self, message: str = "change") -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)

    def switch(self, branch: str, *options: str) -> None:
        self.git("checkout", "--quiet", *options, branch)

    def cite(self, *references: str) -> list[str]:
        self.entry = attrs.evolve(self.entry, references=references, citations=())
        return self.states()

    def states(self, seconds: float = 60.0) -> list[str]:
        """Check the citations as the worker does, and return their states."""
        files = GitWorkTree(str(self.root), Deadline.after(seconds, time.monotonic))
        places = [*CheckCitations(files).places(self.entry)]
        self.entry = attrs.evolve(self.entry, citations=tuple(place.stored for place in places))
        return [place.state for place in places]

    @property
    def paths(self) -> list[str]:
        return [place.path for place in cited_places(self.entry.citations)]

    @property
    def warning(self) -> str:
        return warning_of(self.entry.citations)


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path / "project")


of_close = pytest.mark.parametrize("reference", OF_CLOSE)
of_any = pytest.mark.parametrize("reference", [*OF_CLOSE, *WHOLE])


@of_any
def test_a_cited_file_that_is_as_it_was_is_unchanged(copy: Copy, reference: str) -> None:
    assert copy.cite(reference) == ["unchanged"]
    assert copy.states() == ["unchanged"]
    assert (copy.warning, copy.paths) == ("", ["src/pool.py"])


@of_close
@pytest.mark.parametrize(
    "edited",
    [
        "    connection.shutdown(socket.SHUT_WR)\n",
        "",
        f"{CLOSE}    wait()\n" * 2,
        "    with suppress(OSError):\n        connection.shutdown(socket.SHUT_RD)\n",
        "    connection.shutdown()\n",
    ],
)
def test_an_edit_of_what_is_cited_is_a_change_until_it_is_reverted(
    copy: Copy, reference: str, edited: str
) -> None:
    copy.cite(reference)
    copy.write(POOL.replace(CLOSE, edited))
    if reference.endswith(":13") and CLOSE in edited:
        assert copy.states() == ["unchanged"]  # the line is still there, after its neighbour
        return
    assert copy.states() == ["changed"]
    assert copy.warning == "(src/pool.py changed since: check)"
    copy.write(POOL)
    assert (copy.states(), copy.warning) == (["unchanged"], "")


@of_any
@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("import socket\n", "import socket\nimport ssl\nimport time\n"),
        lambda text: text.replace("    return connection.fileno() >= 0\n", "    return True\n"),
        lambda text: text.replace('"""Connections."""', '"""Sockets."""'),
        lambda text: f"# Licence: MIT\n{text}# The end\n",
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("def connect", "def _connect"),
    ],
)
def test_an_edit_elsewhere_in_the_file_is_no_change(
    copy: Copy, reference: str, edit: Callable[[str], str]
) -> None:
    copy.cite(reference)
    (copy.root / "src/pool.py").write_bytes(edit(POOL).encode())

    assert (copy.states(), copy.warning) == (["unchanged"], "")


def test_lines_that_moved_within_the_file_are_unchanged(copy: Copy) -> None:
    copy.cite("src/pool.py:12-14", "src/pool.py::close")
    begin, end = POOL.index("def close"), POOL.index("def reconnect")
    copy.write(POOL[:begin] + POOL[end:] + "\n\n" + POOL[begin:end])

    assert copy.states() == ["unchanged", "unchanged"]


def test_a_common_line_that_was_edited_is_not_found_elsewhere(copy: Copy) -> None:
    text = "def a():\n    x()\n    return None\n\ndef b():\n    y()\n    return None\n"
    copy.write(text)
    copy.cite("src/pool.py:7")
    copy.write(text.replace("y()\n    return None", "y()\n    return 0"))

    assert copy.states() == ["changed"]


@pytest.mark.parametrize("reference", WHOLE)
def test_a_whole_file_has_changed_once_a_fifth_of_its_lines_is_gone(
    copy: Copy, reference: str
) -> None:
    lines = [f"line {number}\n" for number in range(20)]
    copy.write("".join(lines))
    copy.cite(reference)
    copy.write("".join(["other\n"] * 3 + lines[3:]))
    assert copy.states() == ["unchanged"]
    copy.write("".join(["other\n"] * 4 + lines[4:]))
    assert copy.states() == ["changed"]


@of_any
@pytest.mark.parametrize(
    "target", ["src/net/pool.py", "lib/pool.py", "src/connections.py", "pool.py", "src/a b.py"]
)
@pytest.mark.parametrize("committed", [True, False])
def test_a_renamed_file_is_followed(
    copy: Copy, reference: str, target: str, *, committed: bool
) -> None:
    copy.cite(reference)
    (copy.root / target).parent.mkdir(exist_ok=True)
    (copy.root / "src/pool.py").rename(copy.root / target)
    if committed:
        copy.commit()

    still_names_it = reference.startswith("pool.py") and Path(target).name == "pool.py"
    assert copy.states() == ["unchanged" if still_names_it else "moved"]
    assert (copy.paths, copy.warning) == ([target], "")
    copy.states()
    assert (copy.paths, copy.warning) == ([target], "")


@of_close
def test_a_renamed_file_may_have_been_edited(copy: Copy, reference: str) -> None:
    copy.cite(reference)
    copy.git("mv", "src/pool.py", "src/sockets.py")
    copy.write(POOL.replace("3.0", "5.0"), "src/sockets.py")
    assert (copy.states(), copy.paths) == (["moved"], ["src/sockets.py"])
    copy.write(POOL.replace(CLOSE, ""), "src/sockets.py")

    assert copy.states() == ["changed"]
    assert copy.warning == "(src/sockets.py changed since: check)"


@of_any
def test_a_rename_that_is_reverted_is_forgotten(copy: Copy, reference: str) -> None:
    copy.cite(reference)
    copy.git("mv", "src/pool.py", "src/sockets.py")
    copy.states()
    copy.git("mv", "src/sockets.py", "src/pool.py")

    assert copy.states() == ["unchanged"]


@of_any
def test_a_deleted_file_is_gone_until_it_is_restored(copy: Copy, reference: str) -> None:
    copy.cite(reference)
    copy.git("rm", "--quiet", "src/pool.py")
    assert copy.states() == ["gone"]
    copy.commit()
    assert (copy.states(), copy.entry.is_gone) == (["gone"], True)
    assert copy.warning == "(src/pool.py is gone: check)"
    copy.git("revert", "--no-edit", "HEAD")
    assert copy.states() == ["unchanged"]


@of_any
def test_a_file_that_another_branch_has_is_not_gone(copy: Copy, reference: str) -> None:
    copy.switch("topic", "-b")
    copy.git("mv", "src/pool.py", "src/other.txt")
    copy.write("", "src/other.txt")
    copy.commit()
    copy.switch("main")
    copy.cite(reference)
    copy.switch("topic")
    assert (copy.states(), copy.warning) == (["elsewhere"], "")
    copy.switch("main")
    assert copy.states() == ["unchanged"]


@of_any
def test_a_file_of_a_topic_branch_is_not_gone_on_the_default_branch(
    tmp_path: Path, reference: str
) -> None:
    copy = Copy(tmp_path / "project", name="docs/a.md")
    copy.switch("topic", "-b")
    copy.write(POOL.replace("close", "shut"))
    copy.git("rm", "--quiet", "docs/a.md")
    copy.commit()
    copy.cite(reference.replace("::close", "::shut"))
    copy.switch("main")
    copy.write("Other text, so that nothing is alike.\n", "docs/a.md")
    assert copy.states() == ["elsewhere"]
    copy.git("branch", "--quiet", "-D", "topic")
    assert copy.states() == ["gone"]


def test_a_file_that_was_deleted_on_the_default_branch_is_gone_though_an_old_branch_has_it(
    copy: Copy,
) -> None:
    copy.git("branch", "stale")
    copy.cite("src/pool.py:13")
    copy.git("rm", "--quiet", "src/pool.py")
    copy.commit()

    assert copy.states() == ["gone"]


@of_any
def test_a_squashed_or_rebased_history_changes_nothing(copy: Copy, reference: str) -> None:
    copy.switch("topic", "-b")
    copy.cite(reference)
    for number in range(3):
        copy.write(f"{POOL}# {number}\n")
        copy.commit(f"step {number}")
    copy.switch("main")
    copy.write("More.\n", "docs/more.md")
    copy.commit()
    copy.switch("topic")
    copy.git("rebase", "--quiet", "main")
    assert copy.states() == ["unchanged"]
    copy.switch("main")
    copy.git("merge", "--quiet", "--squash", "topic")
    copy.commit("squashed")
    copy.git("branch", "--quiet", "-D", "topic")
    assert copy.states() == ["unchanged"]


def test_nothing_is_compared_while_a_rebase_or_merge_is_unfinished(copy: Copy) -> None:
    copy.switch("topic", "-b")
    copy.write(POOL.replace("3.0", "4.0"))
    copy.commit()
    copy.switch("main")
    copy.write(POOL.replace("3.0", "5.0"))
    copy.commit()
    files = GitWorkTree(str(copy.root), Deadline(time.monotonic))
    assert files.is_settled()
    with pytest.raises(Exception, match="merge"):
        copy.git("merge", "topic")

    assert not files.is_settled()


def test_a_file_of_a_submodule_is_read_and_is_not_gone_without_the_submodule(
    copy: Copy, tmp_path: Path
) -> None:
    inner = Copy(tmp_path / "inner")
    allowed = ("-c", "protocol.file.allow=always", "submodule", "--quiet")
    copy.git(*allowed, "add", str(inner.root), "lib/inner")
    copy.commit()
    assert copy.cite("lib/inner/src/pool.py:13") == ["unchanged"]
    copy.write(POOL.replace(CLOSE, ""), "lib/inner/src/pool.py")
    assert copy.states() == ["changed"]
    copy.git("submodule", "--quiet", "deinit", "--force", "lib/inner")
    copy.git("rm", "--quiet", "--cached", "src/pool.py")
    (copy.root / "src/pool.py").unlink()
    copy.commit()
    assert copy.states() == ["elsewhere"]
    copy.git(*allowed, "update", "--init")
    assert copy.states() == ["unchanged"]


def test_files_outside_of_a_sparse_checkout_are_not_gone(copy: Copy) -> None:
    copy.cite("src/pool.py:13")
    copy.git("update-index", "--refresh")  # a copied file is not removed until git has looked at it
    copy.git("sparse-checkout", "set", "docs")

    assert copy.states() == ["elsewhere"]


@pytest.mark.parametrize(
    ("reference", "names"),
    [
        ("src/", ["src/pool.py"]),
        ("src/net", ["src/net/a.c"]),
        ("docs/", ["docs/a/b.md"]),
        ("web\\pages\\", ["web/pages/x.ts"]),
        ("caf\u00e9/men\u00fc/", ["caf\u00e9/men\u00fc/a.md"]),
        ("**/*.sql", ["db/a.sql"]),
        ("tools/*.py", ["tools/a.py"]),
        ("*.{ts,tsx}", ["web/a.tsx"]),
        ("src/**", ["src/deep/a.rs"]),
        ("app/[id]/*.tsx", ["app/[id]/page.tsx"]),
    ],
)
def test_folders_and_patterns_hold_as_long_as_a_file_is_there(
    tmp_path: Path, reference: str, names: list[str]
) -> None:
    copy = Copy(tmp_path / "project", name="x.txt")
    assert copy.cite(reference) == ["unknown"]
    for name in names:
        copy.write("text", name)
    copy.commit()
    assert copy.states() == ["unchanged"]
    for name in names:
        copy.git("rm", "--quiet", "-r", name.split("/")[0].replace("[", "\\["))
    copy.commit()
    assert copy.states() == ["gone"]


@pytest.mark.parametrize(
    "name",
    [
        "docs/a long name.md",
        "docs/Größe.md",
        unicodedata.normalize("NFD", "docs/Größe.md"),
        "src/日本語.py",
        "docs/it's (new).md",
        "Straße/Maß.txt",
        "Makefile",
        ".github/workflows/ci.yml",
    ],
)
def test_odd_names_are_found_in_either_composition(tmp_path: Path, name: str) -> None:
    copy = Copy(tmp_path / "project", name=name)
    for form in ("NFC", "NFD"):
        assert copy.cite(unicodedata.normalize(form, name)) == ["unchanged"]
    copy.write("Nothing.\n", name)
    assert copy.states() == ["changed"]


@pytest.mark.parametrize(
    "url",
    [
        "https://sqlite.org/wal.html",
        "http://host.example/a.py",
        "ssh://git@host.example/a/b.git",
        "https://host.example/a/b#L3-L4",
        "file:///etc/passwd",
    ],
)
def test_an_address_is_kept_and_not_read(copy: Copy, url: str) -> None:
    assert copy.cite(url) == ["unread"]
    assert complaints_of_citations(copy.entry) == []


@pytest.mark.parametrize(
    ("reference", "complaint"),
    [
        ("src/pol.py", "no such file here: src/pol.py"),
        ("src/pool.py/", "no such file here: src/pool.py/"),
        ("lib/", "no such file here: lib/"),
        ("**/*.rb", "no such file here: **/*.rb"),
        ("pool.js:4", "no such file here: pool.js:4"),
        ("src/pool.py:400", "no such line or symbol here: src/pool.py:400"),
        ("src/pool.py::shutdown_all", "no such line or symbol here: src/pool.py::shutdown_all"),
    ],
)
def test_an_unknown_reference_is_kept_and_named(copy: Copy, reference: str, complaint: str) -> None:
    state = copy.cite(reference)
    if reference == "src/pool.py/":
        assert state == ["unchanged"]  # a file may be cited with a slash too many
        return
    assert state == ["unknown"]
    assert complaints_of_citations(copy.entry) == [complaint]
    assert not copy.entry.is_gone


def test_an_unknown_file_is_resolved_once_it_is_there(copy: Copy) -> None:
    copy.cite("src/new.py:1")
    copy.write("first\n", "src/new.py")
    assert copy.states() == ["unchanged"]
    copy.write("second\n", "src/new.py")
    assert copy.states() == ["changed"]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """Return a file outside of the project."""
    path = tmp_path / "elsewhere" / "secret.py"
    path.parent.mkdir()
    path.write_text(POOL, "utf-8")
    return path


def test_a_path_that_leads_out_of_the_project_is_never_read(copy: Copy, secret: Path) -> None:
    (copy.root / "link.py").symlink_to(secret)
    (copy.root / "linked").symlink_to(secret.parent)
    (copy.root / "up").symlink_to("..")
    outside = (
        str(secret),
        "link.py:3",
        "linked/secret.py::close",
        "linked/",
        "up/elsewhere/secret.py",
    )

    assert copy.cite(*outside, "../elsewhere/secret.py") == ["outside"] * len(outside)
    assert complaints_of_citations(copy.entry) == [
        "outside of the project, so never read: "
        + ", ".join((f"{secret}", *outside[1:], "../elsewhere/secret.py"))
    ]
    assert all(not any(place.mark) for place in cited_places(copy.entry.citations))


def test_links_within_the_project_and_absolute_paths_below_it_are_read(copy: Copy) -> None:
    (copy.root / "link.py").symlink_to("src/pool.py")

    assert copy.cite("link.py:13", f"{copy.root}/src/pool.py:13") == ["unchanged", "unchanged"]
    copy.write(POOL.replace(CLOSE, ""))
    assert copy.states() == ["changed", "changed"]


def test_pipes_and_devices_are_no_files(copy: Copy) -> None:
    os.mkfifo(copy.root / "pipe.py")

    assert copy.cite("pipe.py") == ["unknown"]


def test_a_binary_file_changes_as_a_whole(copy: Copy) -> None:
    (copy.root / "logo.png").write_bytes(bytes(range(256)) * 10)
    assert copy.cite("logo.png", "logo.png:3") == ["unchanged", "unchanged"]
    (copy.root / "logo.png").rename(copy.root / "icon.png")
    assert copy.states() == ["moved", "moved"]
    (copy.root / "icon.png").write_bytes(bytes(range(256)) * 9)
    assert copy.states() == ["changed", "changed"]


def test_of_a_very_large_file_only_its_existence_is_checked(copy: Copy) -> None:
    large = copy.root / "dump.sql"
    with large.open("wb") as file:
        file.truncate(200 << 20)
    assert large.stat().st_size > LARGEST_FILE
    assert copy.cite("dump.sql:3") == ["unchanged"]
    with large.open("wb") as file:
        file.truncate(300 << 20)
    assert copy.states() == ["unchanged"]
    large.unlink()
    assert copy.states() == ["gone"]


def test_ten_thousand_references_are_kept_and_the_first_are_checked(copy: Copy) -> None:
    references = [f"src/file{number}.py" for number in range(10_000)]

    assert copy.cite("src/pool.py", *references) == [
        "unchanged",
        *["unknown"] * (MAX_CITATIONS - 1),
    ]
    assert len(copy.entry.references) == 10_001


def test_without_git_files_are_compared_all_the_same(
    copy: Copy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (copy.root / ".git").rename(tmp_path / "kept")
    _play_without_history(copy)
    (tmp_path / "kept").rename(copy.root / ".git")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert copy.cite("src/pool.py:13") == ["unchanged"]
    copy.write(POOL.replace(CLOSE, ""))
    assert copy.states() == ["changed"]
    (copy.root / "src/pool.py").unlink()
    assert copy.states() == ["changed"]  # whether another branch has it, nothing says


def _play_without_history(copy: Copy) -> None:
    assert copy.cite("src/pool.py:13", "pool.py") == ["unchanged", "unchanged"]
    (copy.root / "src/pool.py").rename(copy.root / "src/net.py")
    assert copy.states() == ["moved", "moved"]
    (copy.root / "src/net.py").unlink()
    assert copy.states() == ["gone", "gone"]
    copy.write(POOL)
    assert copy.states() == ["unchanged", "unchanged"]


def test_a_git_that_hangs_or_fails_decides_nothing(
    copy: Copy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy.cite("src/pool.py:13")
    (copy.root / "src/pool.py").unlink()
    fake_git(tmp_path / "bin", "sleep 60", monkeypatch)

    assert copy.states(seconds=0.2) == ["unchanged"]
