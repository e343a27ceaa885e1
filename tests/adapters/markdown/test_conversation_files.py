"""Conversations as files on the disk: what is the user's own stays, and what can't be written says so."""

import datetime as dt
import os
import re
import stat
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hardwon.adapters.markdown.anchors import sections
from hardwon.adapters.markdown.conversation_files import MAX_TRIES, MarkdownConversationFiles
from hardwon.adapters.markdown.conversation_format import section_chunk
from hardwon.adapters.markdown.document import file_sections
from hardwon.adapters.markdown.memory_file import memory_file
from hardwon.adapters.markdown.source_files import MarkdownFiles
from hardwon.domain.model.conversation.session import Chunk, ChunkMetadata, Exchange
from hardwon.domain.model.errors import UnreadableFileError
from tests.conversations import talk
from tests.texts import conflict

FOLDER = "memory/conversations"
NAME = f"{FOLDER}/2026-03-01-encoding.md"

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and modes of POSIX")


def of_app(
    utterance: str = "Which encoding?", topic: str = "encoding", *, minute: int = 0, **more: Any
) -> Chunk:
    return talk(utterance, topic, minute=minute, project="app", branch="main", **more)


def text_of(chunk: Chunk) -> str:
    return file_sections(chunk, lambda _: None)[0].text


def written(files: MarkdownConversationFiles, *chunks: Chunk) -> list[str]:
    """Write *chunks*; return their files in order."""
    return sorted(set(files.put(chunks).values()))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path))


@pytest.fixture
def files(root: Path) -> MarkdownConversationFiles:
    return MarkdownConversationFiles(str(root))


def test_the_whole_file_reads_well_and_the_folder_is_made(
    root: Path, files: MarkdownConversationFiles
) -> None:
    assert written(files, of_app(permanent=True)) == [str(root / NAME)]
    assert (root / NAME).read_text() == (
        '---\ntitle: "[PERMANENT] Which encoding?"\ntype: conversation\ndate: "2026-03-01T12:30:00Z"\nproject: app\nbranch: main\n'
        "permanent: true\n---\n\n# [PERMANENT] Which encoding?\n\n"
        f"<!-- ANCHOR:{talk().chunk_id} -->\n{text_of(of_app(permanent=True))}\n<!-- /ANCHOR:{talk().chunk_id} -->\n"
    )


@pytest.mark.parametrize(
    ("topic", "slug"),
    [
        ("C:/temp \"quotes\" 'n' <tags> & 100%", "c-temp-quotes-n-tags-100"),
        ("../../etc/passwd", "etc-passwd"),
        ("émigré İstanbul", "emigre-istanbul"),
        ("🚀 launch 🚀", "launch"),
        ("🚀", r"topic-[0-9a-f]{8}"),
        ("кодировка", r"topic-[0-9a-f]{8}"),
        ("", r"topic-[0-9a-f]{8}"),
        ("---", r"topic-[0-9a-f]{8}"),
        ("x" * 300, "x" * 60),
        ("word " * 60, r"word(-word){11}"),
    ],
)
def test_any_topic_makes_a_name_that_is_safe_everywhere(
    root: Path, files: MarkdownConversationFiles, topic: str, slug: str
) -> None:
    title = 'A "title" / with <b> 🚀: yes'
    [path] = written(files, of_app(title, topic))

    assert re.fullmatch(rf"2026-03-01-{slug}\.md", os.path.basename(path))
    markdown = MarkdownFiles(str(root)).read(path).markdown
    assert (markdown.front_matter["title"], markdown.complaints) == (title, ())


def test_a_written_conversation_is_read_back_by_the_index(
    root: Path, files: MarkdownConversationFiles
) -> None:
    utterance = "```\n---\n<!-- ANCHOR:0123456789abcdef -->\n# Title\n\\u2028"
    chunk = talk(
        utterance,
        title="<!-- ```",
        metadata=ChunkMetadata(decisions=("<!-- ---",), files=("a b.py",)),
    )
    [path, _] = written(files, chunk)

    [section] = sections(MarkdownFiles(str(root)).read(path).markdown.body).found
    assert section_chunk(section.anchor_id, section.text) == chunk


def test_edits_of_the_user_survive_to_the_byte(
    root: Path, files: MarkdownConversationFiles
) -> None:
    files.put([of_app("One", minute=1), of_app("Three", minute=3)])
    edited = (
        (root / NAME)
        .read_text()
        .replace("# One", "# Mine\n\nProse. \t", 1)
        .replace("> UTF-8 ", "> UTF-16 ", 1)
    )
    edited = (
        edited.replace("type: conv", "own: [a, b]\ntype: conv").replace("\n", "\r\n")
        + "\r\n```\r\nunclosed\n"
    )
    (root / NAME).write_bytes(edited.encode())
    files.put([of_app("Two", minute=2), of_app("Three", minute=3)])
    after = (root / NAME).read_bytes().decode()

    begin = after.index(f"<!-- ANCHOR:{of_app('Two', minute=2).chunk_id}")
    three = after.index("<!-- ANCHOR", begin + 1)
    was = edited.index(f"<!-- ANCHOR:{of_app('Three', minute=3).chunk_id}")
    end = f"<!-- /ANCHOR:{of_app('Three', minute=3).chunk_id} -->"
    assert after[:begin] == edited[:was]
    assert after[after.index(end) :] == edited[edited.index(end) :]
    assert after[begin:three].count("\n\n<!--") == 0
    assert "> UTF-16 " in after[:begin]


def test_a_file_that_would_not_change_is_not_touched(
    root: Path, files: MarkdownConversationFiles
) -> None:
    files.put([of_app()])
    os.utime(root / NAME, (1, 1))
    files.put([of_app()])

    assert (root / NAME).stat().st_mtime == 1
    assert os.listdir(root / FOLDER) == [os.path.basename(NAME)]


@posix_only
def test_a_file_keeps_its_mode_and_a_new_one_is_as_the_user_makes_files(
    root: Path, files: MarkdownConversationFiles
) -> None:
    before = os.umask(0o027)
    try:
        files.put([of_app("One")])
    finally:
        os.umask(before)
    assert stat.S_IMODE((root / NAME).stat().st_mode) == 0o640
    (root / NAME).chmod(0o600)
    files.put([of_app("Two", minute=1)])

    assert stat.S_IMODE((root / NAME).stat().st_mode) == 0o600


def test_a_file_of_the_users_own_is_left_unchanged(
    root: Path, files: MarkdownConversationFiles
) -> None:
    (root / FOLDER).mkdir(parents=True)
    (root / NAME).write_text("# Mine\n")

    assert written(files, of_app("One")) == written(files, of_app("Two", minute=1))
    assert sorted(os.listdir(root / FOLDER)) == [
        "2026-03-01-encoding-2.md",
        "2026-03-01-encoding.md",
    ]
    assert (root / NAME).read_text() == "# Mine\n"


@pytest.mark.parametrize("hiding", ["```\n", "<!-- \n"])
def test_a_file_that_hides_its_sections_takes_no_more(
    root: Path, files: MarkdownConversationFiles, hiding: str
) -> None:
    files.put([of_app("One")])
    (root / NAME).write_text((root / NAME).read_text() + hiding)
    before = (root / NAME).read_text()
    files.put([of_app("Two", minute=1)])

    assert (root / NAME).read_text().endswith(hiding)
    found = sections((root / NAME).read_text().replace(before, "")).found
    assert len(found) == len(sections((root / NAME).read_text()).found) == 2


def test_a_section_whose_end_is_gone_is_repaired_and_the_next_one_stays(
    root: Path, files: MarkdownConversationFiles
) -> None:
    files.put([of_app("One", minute=1), of_app("Two", minute=2)])
    whole = (root / NAME).read_text()
    (root / NAME).write_text(
        whole.replace(f"<!-- /ANCHOR:{of_app('One', minute=1).chunk_id} -->\n", "")
    )
    files.put([of_app("One", minute=1)])

    found = sections((root / NAME).read_text()).found
    assert [section.text for section in found] == [
        text_of(of_app("One", minute=1)),
        text_of(of_app("Two", minute=2)),
    ]


@pytest.mark.parametrize("utterance", ["permanent: false", "permanent: no idea", "title: only"])
def test_the_head_says_permanent_once(
    root: Path, files: MarkdownConversationFiles, utterance: str
) -> None:
    files.put([of_app("One")])
    (root / NAME).write_text(
        (root / NAME).read_text().replace("type: conversation", f"type: conversation\n{utterance}")
    )
    files.put([of_app("One", permanent=True)])

    assert re.findall("^permanent.*", (root / NAME).read_text(), re.MULTILINE) == [
        "permanent: true"
    ]


def is_folder(path: Path) -> None:
    path.mkdir()


def is_link(path: Path) -> None:
    path.with_suffix(".txt").write_text("elsewhere")
    path.symlink_to(path.with_suffix(".txt"))


def is_pipe(path: Path) -> None:
    os.mkfifo(path)


def is_binary(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\0")


def is_read_only(path: Path) -> None:
    path.write_text("text")
    path.chmod(0o444)


def identity(path: Path) -> tuple[int, ...]:
    """Return what stays the same of a file that is only read."""
    facts = os.lstat(path)
    return facts.st_ino, facts.st_mode, facts.st_nlink, facts.st_size, facts.st_mtime_ns


@posix_only
@pytest.mark.parametrize("make", [is_folder, is_link, is_pipe, is_binary, is_read_only])
def test_an_unusable_file_stays_and_the_next_file_takes_its_sections(
    root: Path, files: MarkdownConversationFiles, make: Callable[[Path], None]
) -> None:
    (root / FOLDER).mkdir(parents=True)
    make(root / NAME)
    before = identity(root / NAME)
    next_one = str(root / FOLDER / "2026-03-01-encoding-2.md")

    parser = str(root / FOLDER / "2026-03-01-parser.md")
    assert written(files, of_app("One"), of_app("Other", "parser")) == [next_one, parser]
    assert written(files, of_app("Two", minute=1)) == [next_one]
    assert identity(root / NAME) == before
    assert files.remove([of_app("One").chunk_id]) == (next_one,)


def in_conflict(path: Path) -> str:
    """Change the file as git does where two branches added to it; return its text."""
    path.write_text(path.read_text() + conflict("ours", "theirs"))
    return path.read_text()


def test_a_section_does_not_go_into_a_conflicted_file(
    root: Path, files: MarkdownConversationFiles
) -> None:
    written(files, of_app())
    text = in_conflict(root / NAME)

    assert written(files, of_app("And now?", minute=5)) == [
        str(root / FOLDER / "2026-03-01-encoding-2.md")
    ]
    assert (root / NAME).read_text() == text


def test_a_section_of_a_conflicted_file_is_written_once_the_conflict_is_solved(
    root: Path, files: MarkdownConversationFiles
) -> None:
    written(files, of_app())
    solved = (root / NAME).read_text()
    text = in_conflict(root / NAME)

    with pytest.raises(
        UnreadableFileError, match=re.escape(f"{str(root / NAME)!r} can't be written: git left")
    ):
        files.put([of_app(permanent=True)])
    assert files.remove([talk().chunk_id]) == ()
    assert {path.name: path.read_text() for path in (root / FOLDER).iterdir()} == {
        (root / NAME).name: text
    }

    (root / NAME).write_text(solved)
    assert written(files, of_app(permanent=True)) == [str(root / NAME)]


@pytest.mark.parametrize("name", ["my notes.md", "2026/2026-03-01-encoding.md", "2026/a b/mine.md"])
def test_a_section_in_a_file_that_the_user_renamed_or_moved_goes_on_there(
    root: Path, files: MarkdownConversationFiles, name: str
) -> None:
    files.put([of_app("One")])
    moved = root / FOLDER / name
    moved.parent.mkdir(parents=True, exist_ok=True)
    (root / NAME).rename(moved)

    assert written(files, of_app("One", permanent=True)) == [str(moved)]
    assert "permanent: true" in moved.read_text()
    assert not (root / NAME).exists()


@posix_only
def test_a_section_in_a_file_that_became_read_only_is_rewritten_beside_it(
    root: Path, files: MarkdownConversationFiles
) -> None:
    files.put([of_app("One", session_id="s-1")])
    (root / NAME).chmod(0o444)

    assert files.of_session("s-1") == []
    assert files.remove([of_app("One").chunk_id]) == ()
    assert written(files, of_app("One")) == [str(root / FOLDER / "2026-03-01-encoding-2.md")]


def saving(monkeypatch: pytest.MonkeyPatch, path: Path, times: int) -> list[str]:
    """Let the user save a file, a line longer each time, just before its next *times* replacements; return the lines."""
    saved = list[str]()
    chmod = os.chmod

    def save(temporary: str, mode: int, **within: Any) -> None:
        if len(saved) < times:
            saved.append(f"Mine {len(saved)}.\n")
            path.write_text(path.read_text() + saved[-1])
        chmod(temporary, mode, **within)

    monkeypatch.setattr(os, "chmod", save)
    return saved


def test_a_change_that_the_user_saves_between_reading_and_writing_is_not_lost(
    root: Path, files: MarkdownConversationFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.put([of_app("One", minute=1)])
    before = (root / NAME).read_text()
    saved = saving(monkeypatch, root / NAME, MAX_TRIES - 1)
    files.put([of_app("Two", minute=2)])
    after = (root / NAME).read_text()

    assert after.startswith(before.rstrip("\n"))
    assert after.endswith("".join(saved))
    assert re.findall("^## .*", after, re.MULTILINE) == ["## One", "## Two"]
    assert os.listdir(root / FOLDER) == [os.path.basename(NAME)]


def test_a_file_that_is_saved_again_and_again_is_left_to_the_user(
    root: Path, files: MarkdownConversationFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.put([of_app("One", minute=1)])
    before = (root / NAME).read_text()
    saved = saving(monkeypatch, root / NAME, 99)

    with pytest.raises(UnreadableFileError, match="another process changed it meanwhile"):
        files.put([of_app("Two", minute=2)])
    assert (root / NAME).read_text() == before + "".join(saved)
    assert len(saved) == MAX_TRIES


def test_a_file_that_appears_meanwhile_is_not_overwritten(
    root: Path, files: MarkdownConversationFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = os.link

    def appear(temporary: str, name: str, **within: Any) -> None:
        if name == os.path.basename(NAME):
            (root / NAME).write_text("# Mine\n")
        link(temporary, name, **within)

    monkeypatch.setattr(os, "link", appear)
    assert written(files, of_app()) == [str(root / FOLDER / "2026-03-01-encoding-2.md")]
    assert (root / NAME).read_text() == "# Mine\n"


def test_a_file_that_is_gone_meanwhile_is_rewritten(
    root: Path, files: MarkdownConversationFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.put([of_app("One")])
    chmod = os.chmod

    def vanish(temporary: str, mode: int, **within: Any) -> None:
        (root / NAME).unlink()
        chmod(temporary, mode, **within)

    monkeypatch.setattr(os, "chmod", vanish)
    assert written(files, of_app("Two", minute=1)) == [str(root / NAME)]
    assert re.findall("^## .*", (root / NAME).read_text(), re.MULTILINE) == ["## Two"]


@posix_only
@pytest.mark.parametrize("linked", ["memory", FOLDER])
def test_a_folder_that_leads_out_of_the_project_is_refused(
    tmp_path_factory: pytest.TempPathFactory,
    root: Path,
    files: MarkdownConversationFiles,
    linked: str,
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (root / linked).parent.mkdir(exist_ok=True)
    (root / linked).symlink_to(outside)

    with pytest.raises(UnreadableFileError, match="can't be written: it leads out"):
        files.put([of_app()])
    assert list(outside.rglob("*")) == []


@pytest.mark.parametrize("place", ["memory", FOLDER])
def test_a_file_in_place_of_the_folder_is_named(
    root: Path, files: MarkdownConversationFiles, place: str
) -> None:
    (root / place).parent.mkdir(exist_ok=True)
    (root / place).write_text("mine")

    with pytest.raises(UnreadableFileError, match="conversations' can't be written: "):
        files.put([of_app()])
    assert (root / place).read_text() == "mine"


@posix_only
@pytest.mark.parametrize("linked", ["memory", FOLDER])
def test_nothing_is_looked_for_out_of_the_project(
    tmp_path_factory: pytest.TempPathFactory,
    root: Path,
    files: MarkdownConversationFiles,
    linked: str,
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "conversations").mkdir()
    (root / linked).parent.mkdir(exist_ok=True)
    (root / linked).symlink_to(outside)

    for look in (lambda: files.remove(["0" * 16]), lambda: files.of_session("s-1")):
        with pytest.raises(UnreadableFileError, match="it leads out"):
            look()


def test_a_project_without_a_memory_holds_nothing(
    root: Path, files: MarkdownConversationFiles
) -> None:
    assert (files.of_session("s-1"), files.remove(["0" * 16])) == ([], ())
    assert os.listdir(root) == []


def test_a_file_is_parsed_once_however_many_sections_go_into_it(
    files: MarkdownConversationFiles,
) -> None:
    memory_file.cache_clear()
    for minutes in (range(30), range(30, 60)):
        files.put([of_app(f"At {minute}", minute=minute) for minute in minutes])

    assert memory_file.cache_info().misses == len(["as it begins", "after thirty", "after sixty"])


def test_a_file_that_no_section_would_go_into_is_not_parsed(
    files: MarkdownConversationFiles,
) -> None:
    files.put([of_app(f"At {minute}", f"topic{minute}", minute=minute) for minute in range(9)])
    memory_file.cache_clear()
    files.put([of_app("Other", "parser")])

    assert memory_file.cache_info().misses == len(["as it begins", "after one"])


def test_a_full_disk_leaves_the_file_as_it_was(
    root: Path, files: MarkdownConversationFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.put([of_app("One")])
    before = (root / NAME).read_text()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UnreadableFileError, match="can't be written: No space left on device"):
        files.put([of_app("Two", minute=1)])
    assert (root / NAME).read_text() == before
    assert os.listdir(root / FOLDER) == [os.path.basename(NAME)]


@posix_only
def test_writers_at_once_lose_nothing(root: Path) -> None:
    def write(minute: int) -> None:
        MarkdownConversationFiles(str(root)).put([of_app(f"At {minute}", minute=minute)])

    with ThreadPoolExecutor(8) as writers:
        list(writers.map(write, range(24)))

    titles = re.findall("^## .*", (root / NAME).read_text(), re.MULTILINE)
    assert titles == [f"## At {minute}" for minute in range(24)]


def test_the_day_is_that_of_utc(root: Path, files: MarkdownConversationFiles) -> None:
    late = talk(
        exchanges=(Exchange("Late", "", dt.datetime.fromisoformat("2026-03-01T23:30:00-05:00")),)
    )

    assert written(files, late) == [str(root / FOLDER / "2026-03-02-encoding.md")]
