"""Every door to the memory, as it is called on a small world: in a forked child, so that what binds a process ends with it."""

import contextlib
import functools
import gc
import json
import os
import shutil
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from hardwon.adapters.sqlite import hook_events
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints import bootstrap
from hardwon.entrypoints.mcp import main as mcp
from hardwon.entrypoints.mcp import server
from hardwon.entrypoints.mcp.server import MemoryServer
from hardwon.entrypoints.mcp.threads import MemoryWorker
from tests.doors.states import put
from tests.entrypoints.hook_process import World, broken_by
from tests.entrypoints.mcp.conftest import RawClient
from tests.entrypoints.programs import COMPLETE, VALID, finish, hardwon
from tests.entrypoints.programs import start as start_program
from tests.entrypoints.sessions import rest
from tests.fakes import doors as here

BANK = "### Name the unit\nA number without its unit is misread by its reader.\n- Observation count: 3\n\n"
MEMORY_FILE = "---\ntitle: Locks of the store\ntier: important\n---\n\n# Locks of the store\n\nWriters of the store wait for its lock.\n"
LESSON = {
    **VALID,
    **COMPLETE,
    "name": "Close the feed",
    "description": "A feed that stays open holds its lock.",
}
QUESTION = "number without its unit"
BUSY_SECONDS = 0.1
LONGEST_SECONDS = 60


class Output(NamedTuple):
    """Standard output before standard error, and the exit code."""

    code: int
    text: str


def _payload(world: World, event: str, **fields: object) -> bytes:
    return json.dumps({**world.session_start(), "hook_event_name": event, **fields}).encode()


class Door(NamedTuple):
    """A program, its arguments, and its standard input."""

    program: str
    arguments: tuple[str, ...] = ()
    stdin: Callable[[World], bytes] = lambda _: b""


DOORS: Mapping[str, Door] = {
    "session start": Door("hardwon-hook", (), lambda world: _payload(world, "SessionStart")),
    "prompt": Door(
        "hardwon-hook",
        (),
        lambda world: _payload(world, "UserPromptSubmit", prompt=f"why is a {QUESTION} misread?"),
    ),
    "stop": Door(
        "hardwon-hook",
        (),
        lambda world: _payload(world, "Stop", last_assistant_message="Named the unit."),
    ),
    "writer": Door("hardwon-writer", ("--action", "upsert", "--entry-json", json.dumps(LESSON))),
    "MCP": Door("hardwon-mcp"),
    "list": Door("hardwon", ("list",)),
    "recall": Door("hardwon", ("recall", QUESTION)),
    "doctor": Door("hardwon", ("doctor",)),
}


class OneCall:
    """A transport whose client calls one tool and prints the answer; the wire would take longer than the tool."""

    async def serve(self, server: MemoryServer) -> None:
        """Serve that client."""
        async with server.open():
            result = await server.call_tool("memory_search", {"query": QUESTION})
        word = "refused" if result["isError"] else "answered"
        sys.stdout.write(f"{word}: {result['content'][0]['text']}\n")

    def stop(self) -> None:
        """Never called."""


@functools.cache
def _server() -> tuple[MemoryServer, MemoryWorker]:
    """Return a server, whose tools take a tenth of a second to make, and its worker."""
    worker = MemoryWorker(Settings(global_store=""), os.curdir, lambda _: None)
    return MemoryServer(worker), worker


def _known_server(worker: MemoryWorker, *, mark: object = None) -> MemoryServer:
    """Return that server, with the state of *worker* for its own."""
    assert mark is None
    known, own = _server()
    vars(own).update(vars(worker))
    return known


def _serve_one_call() -> None:
    sys.exit(mcp._serve(mcp._parse(["--no-scan"]), OneCall))


class Template:
    """
    A world with a lesson of a bank, a memory file, settings, a log, a waiting event, and a lesson
    that is in the write-ahead log only.

    Attributes:
        world: Where every cell runs, made new for each.

    """

    def __init__(self, folder: Path) -> None:
        self._kept = folder / "kept"
        self.world = World(folder / "world", contextlib.ExitStack())
        self.world.variables |= {
            "HARDWON_EMBEDDING_PROVIDER": "off",
            "HARDWON_KEYWORD_PROVIDER": "off",
        }
        self.world.variables["HARDWON_CAPTURE_ENABLED"] = "true"
        self.world.write_bank("heuristics", BANK)
        self.world.configure(injection_limit="7")
        memory = self.world.project / "memory"
        memory.mkdir()
        (memory / "locks.md").write_text(MEMORY_FILE)
        self.world.import_bank()
        assert hardwon(self.world, "index").code == 0
        assert self.world.hook(payload=b"no JSON").log
        gone = folder / "gone"  # events of such a project wake no worker
        gone.mkdir()
        self.world.hook(
            payload=_payload(
                self.world, "UserPromptSubmit", prompt="what about feeds?", cwd=str(gone)
            )
        )
        gone.rmdir()
        with contextlib.closing(
            sqlite3.connect(self.world.database, isolation_level=None)
        ) as reader:
            reader.execute("BEGIN").execute(
                "SELECT * FROM entry"
            ).fetchall()  # it keeps the log from being written back
            self._store_lesson()
            shutil.copytree(self.world.store, folder / "killed")
        self._killed = folder / "killed"
        shutil.copytree(self.world.folder, self._kept)
        assert not (self._kept / "store" / "memory.db-wal").exists()
        for door in DOORS.values():  # children find all modules imported
            self._run(door, "", "")
        rest(self.world)
        here._caches(len(sys.modules))
        gc.freeze()  # a child that collects what it shares would copy it
        self.world.folder.rename(
            folder / "warm"
        )  # SQLite knows its files by their inodes, which must not be used again

    def _store_lesson(self) -> None:
        door = DOORS["writer"]
        fields = json.dumps(
            {**VALID, "name": "Flush the log", "description": "What is not flushed is lost."}
        )
        arguments = (*door.arguments[:-1], fields)
        done = here.run_here(
            door.program, arguments, stdin=b"", env=self.world.variables, folder=self.world.project
        )
        assert done.code == 0, done.stderr

    def ask(self, door: str, file: str = "", state: str = "", *, in_process: bool = True) -> Output:
        """Return the output of *door* on a world whose *file* is in that *state*, or on a healthy one; called or started."""
        run = self._run if in_process else self._start
        shutil.rmtree(self.world.folder, ignore_errors=True)
        shutil.copytree(self._kept, self.world.folder)
        if file == "WAL":
            shutil.rmtree(self.world.store)
            shutil.copytree(self._killed, self.world.store)
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            signal.alarm(LONGEST_SECONDS)
            _answer(writing, lambda: run(DOORS[door], file, state))
        os.close(writing)
        with open(reading, "rb") as answer:
            output = answer.read()
        os.waitpid(child, 0)
        if door == "stop":
            rest(self.world)  # the next start is prepared meanwhile
        for path in (self.world.store, *self.world.folder.rglob("*")):
            path.chmod(0o700)
        return Output(*json.loads(output))

    def _run(self, door: Door, file: str, state: str) -> Output:
        with contextlib.ExitStack() as stack:
            stack.enter_context(
                mock.patch.dict(bootstrap.open_memory.__kwdefaults__, busy_seconds=BUSY_SECONDS)
            )
            stack.enter_context(mock.patch.object(hook_events, "NOTING_SECONDS", BUSY_SECONDS))
            stack.enter_context(mock.patch.dict(here.MAINS, {"hardwon-mcp": _serve_one_call}))
            stack.enter_context(mock.patch.object(server, "MemoryServer", _known_server))
            stack.enter_context(broken_by([]))
            if state:
                stack.enter_context(put(self.world, file, state))
            stdin = door.stdin(self.world)
            done = here.run_here(
                door.program,
                door.arguments,
                stdin=stdin,
                env=self.world.variables,
                folder=self.world.project,
            )
        return Output(done.code, done.stdout + done.stderr)

    def _start(self, door: Door, file: str, state: str) -> Output:
        with put(self.world, file, state) if state else contextlib.nullcontext():
            if door.program == "hardwon-mcp":
                return _asked_over_the_wire(self.world)
            done = finish(
                start_program(self.world, door.program, *door.arguments), door.stdin(self.world)
            )
        return Output(done.code, done.stdout + done.stderr)


def _asked_over_the_wire(world: World) -> Output:
    try:
        client = RawClient(world, "--no-scan")
        client.initialize()
        answer = client.call("memory_search", query=QUESTION)
        done = client.end()
    except AssertionError as left:  # the server ended before it answered
        done = left.args[0]
        return Output(done.code, done.stdout + done.stderr)
    word = "refused" if answer["isError"] else "answered"
    return Output(done.code, f"{word}: {answer['content'][0]['text']}\n{done.stderr}")


def _answer(writing: int, ask: Callable[[], Output]) -> None:
    """Send what *ask* returns to the parent, and end this process."""
    try:
        output = ask()
    except BaseException:  # noqa: BLE001
        output = Output(-1, traceback.format_exc())
    with open(writing, "w", encoding="utf-8") as answer:
        json.dump(output, answer)
    os._exit(0)
