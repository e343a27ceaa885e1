"""`hardwon capture --from`."""

import contextlib
import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from hardwon.adapters.clock import SystemClock
from hardwon.adapters.sqlite.capture_journal import CaptureLock, SqliteCaptureJournal
from hardwon.adapters.sqlite.hook_events import note
from hardwon.domain.model.conversation.hook_event import HookEvent
from hardwon.domain.model.conversation.session import Exchange
from hardwon.domain.model.errors import StorageError
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.capture import capture_lock
from tests.conversations import DATABASE, DEEP_TALK, FRONTEND, MINUTE, dialogue
from tests.entrypoints.hook_process import World
from tests.entrypoints.programs import hardwon, run
from tests.fakes.doors import Ran
from tests.strategies import NOW
from tests.transcripts import (
    HOME,
    NEVER_KEPT,
    PROJECT_ROOT,
    SESSION,
    MadeTranscript,
    make_transcript,
)

METADATA = {
    "projects",
    "files",
    "commands",
    "decisions",
    "gotchas",
    "preferences",
    "areas",
    "phases",
}
CHUNK = {"id", "name", "title", "summary", "topic", "startTime", "endTime", "exchanges", "metadata"}
EXCHANGES = (
    '{"user": "Which encoding do we try first?", "assistant": "We decided on UTF-8.", "timestamp": "2026-11-21T09:00:00Z"}\n'
    '{"user": "/tlc:plan the parser", "assistant": "The plan: one pass.", "timestamp": "2026-11-21T09:05:00.250Z"}\n'
)


@pytest.fixture
def world(empty_world: World) -> World:
    """Return a world without vectors."""
    empty_world.variables["HARDWON_EMBEDDING_PROVIDER"] = "off"
    return empty_world


def written(world: World, lines: int) -> tuple[Path, MadeTranscript]:
    """Write a transcript of a session in the world's project."""
    made = make_transcript(lines)
    return rewritten(world, made.text), made


def rewritten(world: World, text: str) -> Path:
    file = world.folder / "transcript.jsonl"
    file.write_text(
        text.replace(PROJECT_ROOT, str(world.project)).replace(HOME, world.variables["HOME"])
    )
    return file


def capture(world: World, *arguments: object) -> Ran:
    return hardwon(world, "capture", *map(str, arguments))


def kept(world: World) -> dict[str, str]:
    """Return what the project's memory holds."""
    memory = world.project / "memory"
    return {
        str(file.relative_to(world.project)): file.read_text()
        for file in sorted(memory.rglob("*.md"))
    }


def test_a_real_sized_transcript_becomes_files_without_what_is_never_kept(world: World) -> None:
    file, made = written(world, 2_000)

    done = capture(world, "--from", file)

    assert (done.code, done.stderr) == (0, "")
    first, *names = done.stdout.splitlines()
    assert re.fullmatch(
        rf"Captured: {len(made.exchanges)} exchanges in \d+ chunks, {len(names)} files", first
    )
    files = kept(world)
    assert sorted(name.strip() for name in names) == sorted(files)
    assert any(name.startswith("memory/conversations/") for name in files)
    text = "\n".join(files.values())
    assert all(
        f"({turn})" in text
        for turn, utterance in enumerate(made.exchanges)
        if utterance.user.endswith(f"({turn})")
    )
    traces = [*NEVER_KEPT, str(world.project)]
    ours = [
        path
        for folder in (world.project, world.store)
        for path in folder.rglob("*")
        if path.is_file()
    ]
    assert not [
        (part, path) for path in ours for part in NEVER_KEPT if part.encode() in path.read_bytes()
    ]
    assert not [part for part in traces if part in text]
    buffer = SqliteCaptureJournal(str(world.store), SystemClock().now).buffer(SESSION)
    assert buffer is not None
    assert (len(buffer.exchanges) <= 20, buffer.unwritten) == (True, 0)


def test_a_captured_conversation_is_in_the_store_at_once(world: World) -> None:
    file, _ = written(world, 40)
    capture(world, "--from", file)

    listed = hardwon(world, "recall", "feed parser encoding", "--in", "conversations", "--json")

    assert (listed.code, "feed parser" in listed.stdout) == (0, True)


def test_a_session_that_went_on_is_captured_from_where_it_was_left(world: World) -> None:
    file, made = written(world, 200)
    whole = file.read_text()
    at_first = "\n".join(whole.splitlines()[:100]) + "\n"
    file.write_text(at_first)

    before = capture(world, "--from", file)
    unchanged = kept(world)
    repeated = capture(world, "--from", file)
    file.write_text(whole)
    after = capture(world, "--from", file)

    assert [done.code for done in (before, repeated, after)] == [0, 0, 0]
    assert repeated.stdout == "Nothing to capture.\n"
    first, more = (int(re.findall(r"\d+", done.stdout)[0]) for done in (before, after))
    assert (
        len(made.exchanges) <= first + more <= len(made.exchanges) + 1
    )  # the last one may have grown
    text = "\n".join(kept(world).values())
    assert all(
        f"({turn})" in text
        for turn, utterance in enumerate(made.exchanges)
        if utterance.user.endswith(f"({turn})")
    )
    assert set(unchanged) <= set(kept(world))


def test_a_session_that_another_project_captures_is_left_to_it(world: World) -> None:
    file, made = written(world, 40)
    other = world.folder / "other"
    other.mkdir()
    capture(world, "--from", file)
    journal = SqliteCaptureJournal(str(world.store), SystemClock().now)
    before = journal.buffer(SESSION)

    done = capture(world, "--from", file, "--project-root", other)

    assert done.stdout.startswith(f"Captured: {len(made.exchanges)} exchanges ")
    assert (other / "memory" / "conversations").is_dir()
    assert journal.buffer(SESSION) == before


def test_captured_again_the_same_files_hold_the_same(world: World) -> None:
    file, made = written(world, 100)
    capture(world, "--from", file)
    before = kept(world)

    done = capture(world, "--from", file, "--force")

    assert done.stdout.startswith(f"Captured: {len(made.exchanges)} exchanges ")
    assert kept(world) == before


def test_a_question_that_was_asked_by_a_tool_is_kept_with_its_answer(world: World) -> None:
    file, _ = written(world, 60)

    done = capture(world, "--from", file, "--json")

    asked = [
        utterance["answers"]
        for chunk in done.items
        for utterance in chunk["exchanges"]
        if "answers" in utterance
    ]
    way, other = "guess the encoding from the first bytes", "read it from the header"
    assert asked[0] == [
        {"question": "Which way for the feed parser?", "answer": way, "options": [way, other]}
    ]
    text = "\n".join(kept(world).values())
    assert re.search(rf"Which way for the feed parser\?.{{0,200}}{way}", text, re.DOTALL)


@pytest.mark.parametrize("source", [(), ("--from", "-")])
def test_a_dry_run_prints_the_chunks_of_plain_exchanges_and_writes_nothing(
    world: World, source: tuple[str, ...]
) -> None:
    done = run(
        world, "hardwon", "capture", *source, "--dry-run", "--json", stdin=EXCHANGES.encode()
    )

    assert (done.code, done.stderr) == (0, "")
    first, second = done.items
    assert set(first) == set(second) == CHUNK
    assert set(first["metadata"]) == METADATA
    assert all(isinstance(values, list) for values in first["metadata"].values())
    assert first["exchanges"] == [json.loads(EXCHANGES.splitlines()[0])]
    assert (second["startTime"], second["endTime"]) == (
        "2026-11-21T09:05:00.250Z",
        "2026-11-21T09:05:00.250Z",
    )
    assert re.fullmatch("[0-9a-f]{16}", first["id"])
    assert (world.store.exists(), kept(world)) == (False, {})


def cut(world: World, exchanges: Iterable[Exchange]) -> list[tuple[str, int]]:
    """Return the topic and the number of exchanges of each chunk that a dry run prints."""
    lines = (
        {
            "user": exchange.user,
            "assistant": exchange.assistant,
            "timestamp": exchange.at.isoformat(),
        }
        for exchange in exchanges
    )
    done = run(
        world,
        "hardwon",
        "capture",
        "--dry-run",
        "--json",
        stdin="\n".join(map(json.dumps, lines)).encode(),
    )
    return [(chunk["topic"], len(chunk["exchanges"])) for chunk in done.items]


def test_a_conversation_is_cut_where_its_subject_changes(world: World) -> None:
    assert cut(world, dialogue(*DATABASE, *FRONTEND)) == [
        ("design postgres schema orders", 4),
        ("button animation stutters safari", 4),
    ]


def test_one_subject_is_cut_for_length_only_and_keeps_its_name(world: World) -> None:
    first, second = cut(world, dialogue(*DEEP_TALK, *DEEP_TALK[:5]))

    assert (first[1], second[1]) == (6, 6)
    assert first[0] == second[0]


def test_a_dry_run_for_people_names_the_chunks(world: World) -> None:
    file, made = written(world, 40)

    done = capture(world, "--from", file, "--dry-run")

    first, *titles = done.stdout.splitlines()
    assert first == f"Would capture: {len(made.exchanges)} exchanges in {len(titles)} chunks"
    assert (world.store.exists(), kept(world)) == (False, {})


def test_a_piped_transcript_can_be_captured_twice(world: World) -> None:
    for _ in range(2):
        done = run(world, "hardwon", "capture", stdin=EXCHANGES.encode())
        assert (done.code, done.stdout.splitlines()[0][:31]) == (
            0,
            "Captured: 2 exchanges in 2 chun",
        )

    text = "\n".join(kept(world).values())
    assert "We decided on UTF-8." in text
    assert text.count("<!-- ANCHOR:") == len(
        set(re.findall("<!-- ANCHOR:([0-9a-f]{16}) -->", text))
    )


NO_TRANSCRIPT = (
    "no line of it is a record of a transcript; hardwon import reads the exports of chats"
)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (None, "No such file or directory"),
        (b"\x7fELF\0\0\xff", NO_TRANSCRIPT),
        (b'{"a": 1}\n{"b": {"kind": "user"}}\n', NO_TRANSCRIPT),
        (b'{"a": 1}', NO_TRANSCRIPT),
        (b'[\n  {\n    "type": "user"\n  }\n]\n', NO_TRANSCRIPT),
        (b'{"user": "x", "assistant": "y"}\n', "none of its exchanges has a timestamp, such as"),
    ],
    ids=["missing", "binary", "other JSON", "without a newline", "one JSON document", "undated"],
)
def test_a_transcript_that_cannot_be_used_is_refused(
    world: World, data: bytes | None, why: str
) -> None:
    file = world.folder / "transcript.jsonl"
    if data is not None:
        file.write_bytes(data)

    done = capture(world, "--from", file)

    assert (done.code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"nothing can be captured from {str(file)!r}: {why}" in done.stderr
    assert kept(world) == {}


def test_a_folder_is_refused_and_so_is_nothing_at_all(world: World) -> None:
    folder = capture(world, "--from", world.project)
    closed = run(world, "hardwon", "capture", redirections="<&-")

    assert (folder.code, folder.stdout, "Is a directory" in folder.stderr) == (1, "", True)
    assert (closed.code, closed.stdout) == (1, "")
    assert "name a TRANSCRIPT, or pipe one to standard input" in closed.stderr


def test_a_transcript_without_utterances_is_no_error(world: World) -> None:
    empty = capture(world, "--from", rewritten(world, ""))
    bookkeeping = capture(
        world, "--from", rewritten(world, '{"type": "mode", "mode": "normal"}\n'), "--json"
    )

    assert (empty.code, empty.stdout, empty.stderr) == (0, "Nothing to capture.\n", "")
    assert (bookkeeping.code, bookkeeping.document) == (0, {"items": []})


def test_asked_for_by_name_it_works_though_capturing_is_switched_off(world: World) -> None:
    world.variables["HARDWON_CAPTURE_ENABLED"] = "false"

    done = run(world, "hardwon", "capture", stdin=EXCHANGES.encode())

    assert (done.code, bool(kept(world))) == (0, True)


def test_without_an_embedder_the_text_is_kept_and_found(empty_world: World) -> None:
    empty_world.variables |= {
        "HARDWON_EMBEDDING_PROVIDER": "ollama",
        "OLLAMA_HOST": "http://127.0.0.1:9",
    }

    done = run(empty_world, "hardwon", "capture", stdin=EXCHANGES.encode())

    assert (done.code, done.stderr.count("\n")) == (0, 1)
    assert done.stderr.startswith("Warning: the text is kept all the same: ")
    assert "UTF-8" in "\n".join(kept(empty_world).values())
    assert "UTF-8" in hardwon(empty_world, "recall", "encoding", "--in", "conversations").stdout


def test_where_nothing_can_be_written_the_next_run_writes_it(world: World) -> None:
    file, made = written(world, 40)
    obstacle = world.project / "memory"
    obstacle.write_text("in the way")

    refused = capture(world, "--from", file)
    obstacle.unlink()
    done = capture(world, "--from", file)

    assert (refused.code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert done.code == 0
    text = "\n".join(kept(world).values())
    assert all(
        f"({turn})" in text
        for turn, utterance in enumerate(made.exchanges)
        if utterance.user.endswith(f"({turn})")
    )


def test_two_captures_at_once_are_one_after_the_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardwon.entrypoints.capture.PATIENCE_SECONDS", 0.0)
    settings = Settings(
        global_store=str(world.store), embedding_provider="off", capture_enabled=False
    )
    memory = open_memory(settings, pytest.fail)
    other = CaptureLock(str(world.store))
    with contextlib.closing(memory):
        assert other.acquire(0.0)
        with (
            pytest.raises(StorageError, match="another capture has been going on"),
            capture_lock(memory.settings, memory.warn, "."),
        ):
            pytest.fail("it is not alone")
        other.release()
        with capture_lock(memory.settings, memory.warn, "."):
            assert not other.acquire(0.0)
        assert other.acquire(0.0)
    other.release()


def test_a_worker_that_gave_up_meanwhile_is_started_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken = list[str]()
    monkeypatch.setattr("hardwon.entrypoints.capture.wake", lambda _, root: woken.append(root))
    with world.opened(embedding_provider="off", warn=pytest.fail) as memory:
        with capture_lock(memory.settings, memory.warn, str(world.project)):
            pass
        assert woken == []
        with capture_lock(memory.settings, memory.warn, str(world.project)):
            note(str(world.store), HookEvent("one", "end", NOW.isoformat(), str(world.project)))

    assert woken == [str(world.project)]


def test_captured_again_what_was_remembered_is_there_once_and_for_good(world: World) -> None:
    lines = make_transcript(60).text.splitlines(keepends=True)
    capture(world, "--from", rewritten(world, "".join(lines[:30])))
    hardwon(world, "remember")
    capture(world, "--from", rewritten(world, "".join(lines)))
    done = capture(world, "--from", rewritten(world, "".join(lines)), "--force")

    text = "\n".join(conversations(world))
    assert done.code == 0
    utterance = [
        exchange.user.splitlines()[0] for exchange in make_transcript(60).exchanges if exchange.user
    ]
    assert {prompt: text.count(f"> {prompt}") for prompt in utterance} == dict.fromkeys(
        utterance, 1
    )
    assert "[PERMANENT]" in text
    listed = hardwon(world, "list", "--in", "conversations", "--json").items
    assert sum(entry["kind"] == "conversation" for entry in listed) == text.count("<!-- ANCHOR:")


def test_paths_of_a_project_that_is_reached_by_a_link_are_not_kept(world: World) -> None:
    link = world.folder / "link"
    link.symlink_to(world.project)
    utterance = json.dumps({"user": f"see {link}/src/a.py", "timestamp": "2026-11-21T09:00:00Z"})
    run(world, "hardwon", "capture", "--project-root", str(link), stdin=utterance.encode())

    text = "\n".join(conversations(world))
    assert ("see src/a.py" in text, str(link) in text) == (True, False)


def conversations(world: World) -> list[str]:
    return [text for name, text in kept(world).items() if name.startswith("memory/conversations/")]


def spoken_file(world: World, *turns: tuple[str, str]) -> Path:
    """Write exchanges as JSON lines."""
    file = world.folder / "exchanges.jsonl"
    lines = (
        {"user": user, "assistant": assistant, "timestamp": (NOW + number * MINUTE).isoformat()}
        for number, (user, assistant) in enumerate(turns)
    )
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


@pytest.mark.parametrize("count", [9, 10, 17, 25, 26])
def test_a_subject_is_cut_into_chunks_of_three_to_eight(world: World, count: int) -> None:
    turns = [
        (f"Tell me more about the feed parser, part {number}.", f"Part {number} of it.")
        for number in range(count)
    ]
    done = capture(world, "--from", spoken_file(world, *turns), "--dry-run", "--json")
    sizes = [len(chunk["exchanges"]) for chunk in done.document["items"]]

    assert sum(sizes) == count
    assert all(3 <= size <= 8 for size in sizes)
    assert capture(world, "--from", spoken_file(world, *turns)).code == 0
    text = "\n".join(kept(world).values())
    assert [text.count(f"> Part {number} of it.") for number in range(count)] == [1] * count


def test_known_siblings_and_named_projects_are_mentioned(world: World) -> None:
    for name in ("config-service", "billing", "parser"):
        sibling = world.project.parent / name
        sibling.mkdir()
        assert hardwon(world, "remember", "Keep it.", "--project-root", str(sibling)).code == 0
    file = spoken_file(
        world,
        (
            "Retry as config-service does, not as the zebra project.",
            "Done, as in billing; the parser is fixed.",
        ),
    )
    [chunk] = capture(world, "--from", file, "--dry-run", "--json").document["items"]

    assert chunk["metadata"]["projects"] == ["project", "config-service", "zebra", "billing"]


def test_a_decision_takes_phases_and_files_from_its_own_exchanges(world: World) -> None:
    file = spoken_file(
        world,
        ("/tlc:discuss phase 7: tidy docs/old.md of the feed", "Tidied, as phase 7 says."),
        ("We decided to use Postgres for src/db.py in phase 71.", "Good."),
        ("Then rename src/late.py of phase 8.", "Renamed."),
    )
    assert capture(world, "--from", file).code == 0
    files = kept(world)
    [decision] = [text for name, text in files.items() if name.startswith("memory/decisions/")]
    [conversation] = [
        text for name, text in files.items() if name.startswith("memory/conversations/")
    ]

    assert re.findall(r"\[Phase (\d+)\]", decision) == ["71"]
    assert (
        decision.rstrip().rpartition("### Related files\n\n")[2].splitlines()[0] == "- `src/db.py`"
    )
    assert re.findall(r"\[Phase (\d+)\]", conversation) == ["7", "71", "8"]
    assert all(name in conversation for name in ("docs/old.md", "src/db.py", "src/late.py"))
