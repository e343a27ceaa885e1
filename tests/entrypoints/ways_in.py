"""Every way by which a text comes into the memory, and a search of every byte that hardwon keeps for it."""

import contextlib
import itertools
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from hardwon.entrypoints.worker import Worker
from tests.entrypoints.cli.test_transfer_older_index import NEW, ROW, V10, V11, older
from tests.entrypoints.folders import one
from tests.entrypoints.hook_process import World
from tests.entrypoints.mcp.conftest import LESSON, Visitor
from tests.entrypoints.programs import VALID, hardwon, keep, run
from tests.entrypoints.sessions import Conversation
from tests.fakes.doors import Ran
from tests.tool_transcripts import Recording, repaired

MEMORY_FOLDERS = ("conversations", "decisions", "gotchas", "preferences", "sessions")
BANK = "## Observed Patterns\n\n### Pattern: The order of deploys\n{text}\n\n- Observation count: 2\n- Confidence: high\n"

Way: TypeAlias = Callable[[World, Visitor, str], object]


_numbers = itertools.count(1)


def other_lesson() -> str:
    """Return another lesson each time."""
    return f"Deploy canary {next(_numbers)} before everything else."


def store_by_writer(world: World, visit: Visitor, text: str) -> Ran:
    lesson = json.dumps({**VALID, "description": text, "reasoning": f"Because {text}"})
    return run(
        world,
        "hardwon-writer",
        "--action",
        "upsert",
        "--global-store",
        str(world.store),
        "--entry-json",
        lesson,
    )


def store_by_mcp(world: World, visit: Visitor, text: str) -> object:
    return visit.call("store_memory", **{**LESSON, "description": text})


def update_by_mcp(world: World, visit: Visitor, text: str) -> object:
    stored = visit.store(description=other_lesson())
    return visit.call(
        "memory_update", id=stored["entryId"], title=text[:100], triggerPhrases=[text[:60]]
    )


def save_by_mcp(world: World, visit: Visitor, text: str) -> object:
    return visit.call(
        "memory_save", filePath=str(document(world, "specs/049-auth/memory/plan.md", text))
    )


def checkpoint_by_mcp(world: World, visit: Visitor, text: str) -> object:
    return visit.call(
        "checkpoint_create", name=f"before {text[:40]}", description=text, scope="all"
    )


def add(world: World, visit: Visitor, text: str) -> Ran:
    return hardwon(world, "add", text, "--category", "patterns", "--reasoning", f"Said so: {text}")


def remember(world: World, visit: Visitor, text: str) -> Ran:
    return hardwon(world, "remember", text)


def wait_for_a_server(world: World, visit: Visitor, text: str) -> Ran:
    """Store a lesson while the server of this machine is away, in the folder of the present store."""
    own = world.variables
    world.variables = {**own, "HARDWON_STORE": "postgresql://ann@127.0.0.1:1/memory"}
    done = add(world, visit, text)
    world.variables = own
    for outbox in (world.folder / "home" / ".claude" / "iflow" / "memory").glob("outbox-*"):
        shutil.move(outbox, world.store / outbox.name)
    return done


def save(world: World, visit: Visitor, text: str) -> Ran:
    return hardwon(
        world, "save", "--description", text, "--tag", text.split()[1], "--keyword", text.split()[2]
    )


def index(world: World, visit: Visitor, text: str) -> Ran:
    document(world, "memory/notes.md", f"<!-- ANCHOR:one -->\n{text}\n<!-- /ANCHOR:one -->")
    return hardwon(world, "index")


def index_of_a_name(world: World, visit: Visitor, text: str) -> Ran:
    document(world, f"memory/{'-'.join(text.split()[1:3])}.md", "The reader is fast.")
    return hardwon(world, "index")


def import_a_bank(world: World, visit: Visitor, text: str) -> Ran:
    world.write_bank("patterns", BANK.format(text=text))
    return hardwon(world, "import", "--no-embed")


def import_the_own_bank(world: World, visit: Visitor, text: str) -> Ran:
    world.write_bank("patterns", BANK.format(text=text), of_all_projects=True)
    return hardwon(world, "import", "--no-embed")


def import_a_memory_index(world: World, visit: Visitor, text: str) -> Ran:
    path = document(world, "memory/sessions/memory-20250304-050607.md", text)
    memories = {
        str(path): {
            "filename": path.name,
            "description": text,
            "tags": [text.split()[1]],
            "descriptionKeywords": [],
        }
    }
    brought = document(world, "brought.json", "")
    brought.write_text(json.dumps(memories), encoding="utf-8")
    return hardwon(world, "import", str(brought))


def import_an_older_index(world: World, visit: Visitor, text: str) -> Ran:
    (world.project / "memory-index.sqlite").unlink(missing_ok=True)
    path = older(
        world,
        V10 + V11,
        ROW | NEW | {"content": f"# OAuth\n\n{text}", "trigger_phrases": json.dumps([text[:60]])},
    )
    return hardwon(world, "import", str(path))


def import_a_chat(world: World, visit: Visitor, text: str) -> Ran:
    at = "2026-01-05T10:00:00Z"
    messages = [{"sender": "human", "text": text, "created_at": at}]
    return _imported(
        world, "conversations.json", json.dumps([{"name": text, "chat_messages": messages}])
    )


def import_notes(world: World, visit: Visitor, text: str) -> Ran:
    return _imported(world, "notes/a.md", f"---\ntitle: a\npermalink: a\n---\n- [fact] {text}\n")


def _imported(world: World, name: str, text: str) -> Ran:
    """Import a file of another program, from a folder that is gone afterwards."""
    folder = world.folder / "brought"
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    named = path if name.endswith(".json") else path.parent
    done = hardwon(world, "import", str(named), "--yes", "--no-embed")
    shutil.rmtree(folder)
    return done


def write_a_retrospective(world: World, visit: Visitor, text: str) -> Ran:
    return run(world, "hardwon", "retro", "write", "-", stdin=json.dumps(one(text)).encode())


def capture_by_hooks(world: World, visit: Visitor, text: str) -> None:
    conversation = Conversation(world, "by-hooks", has_transcript=False)
    conversation.say(f"Remember for the release: {text}", f"We decided: {text}")
    conversation.note("end")
    Worker(str(world.store), str(world.project)).run()


def note_by_hooks(world: World, visit: Visitor, text: str) -> None:
    """Leave an event in the journal that no worker has handled."""
    Conversation(world, "waiting", has_transcript=False).note(
        "prompt", f"Remember for the release: {text}"
    )


def capture_a_transcript(world: World, visit: Visitor, text: str) -> Ran:
    conversation = Conversation(world, "by-transcript")
    conversation.write("What is the plan of the release?", "We deploy on Friday.")
    conversation.write(f"And the order: {text}", f"Agreed, the order is this: {text}")
    return hardwon(world, "capture", "--from", str(conversation.transcript))


def repair_a_command(world: World, visit: Visitor, text: str) -> Ran:
    """Let a command fail with the text, and pass later."""
    recording = repaired(Recording(root=str(world.project)), output=f"Error: {text} is not there")
    path = world.folder / "repaired.jsonl"
    path.write_text(recording.text, encoding="utf-8")
    return hardwon(world, "capture", "--from", str(path))


def fail_in_a_session(world: World, visit: Visitor, text: str) -> Ran:
    """Let a command fail with the text, and stay so."""
    recording = Recording(root=str(world.project)).asks("Run the tests.")
    recording.runs("make sync", f"Error: {text} is not there", 1).replies("It fails.").asks(
        "Later then."
    ).replies("Yes.")
    path = world.folder / "failing.jsonl"
    path.write_text(recording.text, encoding="utf-8")
    return hardwon(world, "capture", "--from", str(path))


def update_a_trigger(world: World, visit: Visitor, text: str) -> Ran:
    entry_id = keep(world, description=other_lesson()).entry_id
    options = ("--trigger", text[:60], "--keyword", text.split()[1], "--tag", text.split()[2])
    return hardwon(world, "update", entry_id, *options)


def start_in_a_feature(world: World, visit: Visitor, text: str) -> object:
    """Let a receipt keep the query of a session start."""
    keep(world, description=other_lesson())
    world.write_feature(
        f"004-{next(_numbers)}",
        {"slug": "release", "status": "active"},
        spec=f"# Release\n\n{text}\n",
    )
    return world.hook()


def log_a_failure(world: World, visit: Visitor, text: str) -> object:
    payload = {**world.session_start(), "cwd": f"/nowhere/{text}"}
    world.hook(payload=payload)
    world.log.parent.mkdir(parents=True, exist_ok=True)
    return world.log.write_text(
        f"2026-11-23T08:00:00+00:00 it failed: {text}\n2026-11-23T08:00:01+00:00 kept\n",
        encoding="utf-8",
    )


def name_a_project(world: World, visit: Visitor, text: str) -> Ran:
    named = world.project.parent / "-".join(text.split()[1:3])
    world.project.rename(named)
    world.project = named
    return hardwon(
        world, "add", "Deploy the canary before everything else.", "--category", "patterns"
    )


def document(world: World, name: str, text: str) -> Path:
    """Write a document of the user."""
    path = world.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# Notes\n\n{text}\n", encoding="utf-8")
    return path


WAYS: Mapping[str, Way] = {
    "writer": store_by_writer,
    "store_memory": store_by_mcp,
    "memory_update": update_by_mcp,
    "memory_save": save_by_mcp,
    "checkpoint_create": checkpoint_by_mcp,
    "add": add,
    "remember": remember,
    "outbox": wait_for_a_server,
    "save": save,
    "index": index,
    "file name": index_of_a_name,
    "import of a bank": import_a_bank,
    "import of the user's own bank": import_the_own_bank,
    "import of a memory index": import_a_memory_index,
    "import of an older index": import_an_older_index,
    "import of an exported chat": import_a_chat,
    "import of another program's notes": import_notes,
    "retrospective": write_a_retrospective,
    "capture by hooks": capture_by_hooks,
    "journal": note_by_hooks,
    "capture of a transcript": capture_a_transcript,
    "repair": repair_a_command,
    "failure": fail_in_a_session,
    "trigger phrase": update_a_trigger,
    "query": start_in_a_feature,
    "log": log_a_failure,
    "project name": name_a_project,
}


def places_with(world: World, *words: str, banks: bool = True) -> list[str]:
    """Return the files of the store, and those that hardwon writes in the project, with any of *words* in name or bytes."""
    folders = [world.store, *(world.project / "memory" / name for name in MEMORY_FOLDERS)]
    folders += [world.project / "docs" / "knowledge-bank"] if banks else []
    with contextlib.suppress(
        FileNotFoundError
    ):  # a process that ended just now took its write-ahead log with it
        return _places_in(folders, world.folder, words)
    return _places_in(folders, world.folder, words)


def _places_in(folders: Sequence[Path], root: Path, words: tuple[str, ...]) -> list[str]:
    files = (
        path
        for folder in folders
        if folder.exists()
        for path in folder.rglob("*")
        if path.is_file()
    )
    return sorted(str(path.relative_to(root)) for path in files if _holds(path, words))


def _holds(path: Path, words: tuple[str, ...]) -> bool:
    data = path.read_bytes().lower() + path.name.lower().encode()
    forms = (
        form for word in words for form in (word.lower().encode(), word.lower().encode("utf-16-le"))
    )
    return any(form in data for form in forms)
