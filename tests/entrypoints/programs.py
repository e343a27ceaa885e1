"""The console scripts, run in a world, also at a terminal."""

import contextlib
import json
import os
import pty
import select
import subprocess
from collections.abc import Iterator
from typing import NamedTuple

from hardwon.adapters.sqlite.database import SqliteDatabase
from hardwon.adapters.sqlite.store import SqliteStore
from hardwon.domain.model.entry import Entry, redact_entry
from hardwon.domain.use_cases.store_entry import Origin, StoreEntry
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.writer import entry_from_json
from tests.entrypoints.forking import Forked, Piped, can_fork
from tests.entrypoints.hook_process import BIN, World
from tests.fakes.doors import Ran, can_run_here, run_here
from tests.machine import LONGEST_WAIT

LONGEST_RUN = LONGEST_WAIT
VALID = {
    "name": "Name the unit",
    "description": "A number without its unit is misread.",
    "category": "heuristics",
}
COMPLETE = {
    "keywords": ["unit", "number", "reading"],
    "reasoning": "A reading of a number without its unit.",
    "references": ["feature 7"],
}


Process = subprocess.Popen[bytes] | Piped


def start(world: World, program: str, *arguments: str, redirections: str = "") -> Process:
    """
    Start an installed program in the world's project: forked where that makes no difference, else
    as a new process.

    Its streams are redirected as a shell would; end it yourself.
    """
    command = [str(BIN / program), *arguments]
    if not redirections and world.may_fork and can_fork(program, world.variables):
        return Piped(command, world.project, world.variables)
    if redirections:
        command = ["/bin/sh", "-c", f'exec "$0" "$@" {redirections}', *command]
    return start_process(world, *command)


def start_process(world: World, *command: str) -> Process:
    """Start a new process in the world's project, for the caller to end."""
    return subprocess.Popen(
        command,
        cwd=world.project,
        env=world.variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def finish(process: Process, stdin: bytes = b"") -> Ran:
    """Return what a started program said."""
    stdout, stderr = process.communicate(stdin, LONGEST_RUN)
    return Ran(process.wait(), stdout.decode(), stderr.decode())


def run(
    world: World, program: str, *arguments: str, stdin: bytes = b"", redirections: str = ""
) -> Ran:
    """Run a program in the world's project: in this process where that makes no difference, else in one of its own."""
    if redirections or not world.may_run_here or not can_run_here(program, world.variables):
        return finish(start(world, program, *arguments, redirections=redirections), stdin)
    return run_here(
        program,
        arguments,
        stdin=stdin,
        env=world.variables,
        folder=world.project,
        reached=world.reached,
    )


def hardwon(world: World, *arguments: str) -> Ran:
    """Run a command of `hardwon`."""
    return run(world, "hardwon", *arguments)


def write(world: World, *arguments: str, **fields: object) -> Ran:
    """Run the writer on a valid and complete entry with *fields*."""
    return run(world, "hardwon-writer", *upsert(**fields), *arguments)


def keep(world: World, **fields: object) -> Entry:
    """Store a valid and complete entry with *fields*, without a process or a vector."""
    with world.opened() as memory:
        text = json.dumps({**VALID, **COMPLETE, **fields})
        return (
            StoreEntry.on(
                memory.store,
                Origin(read_workplace(memory, str(world.project)), "writer", "everywhere"),
            )
            .keep(
                redact_entry(
                    entry_from_json(text, project=world.project.name, now=memory.clock.now())
                )
            )
            .entry
        )


def upsert(**fields: object) -> tuple[str, ...]:
    """Return the writer's arguments for a valid and complete entry with *fields*."""
    return ("--action", "upsert", "--entry-json", json.dumps({**VALID, **COMPLETE, **fields}))


def bank(*names: str, count: int = 1) -> str:
    """Return a knowledge-bank file with an entry for each of *names*."""
    return "".join(f"### {name}\nAbout {name}.\n- Observation count: {count}\n\n" for name in names)


@contextlib.contextmanager
def held_by_another(world: World) -> Iterator[None]:
    """Keep the store to another connection, reading included."""
    connection = world.connect()
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    yield
    connection.close()


QUESTION = b"[y/N]"


class Talk(NamedTuple):
    """
    The dialogue at a terminal.

    Attributes:
        code: How the command ended.
        shown: All that the terminal showed, the typed answer included.

    """

    code: int
    shown: str


def answer(world: World, typed: bytes, *arguments: str, question: bytes = QUESTION) -> Talk:
    """Run a command of `hardwon` that asks a question, and type an answer."""
    ours, theirs = pty.openpty()
    command = [str(BIN / "hardwon"), *arguments]
    process: Forked | subprocess.Popen[bytes]
    if world.may_fork and can_fork("hardwon", world.variables):
        process = Forked(command, world.project, world.variables, [theirs] * 3)
    else:
        process = subprocess.Popen(
            command,
            cwd=world.project,
            env=world.variables,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
    os.close(theirs)
    shown = _until_asked(ours, question)
    os.write(ours, typed)
    shown += _until_end(ours)
    os.close(ours)
    return Talk(process.wait(LONGEST_RUN), shown.decode())


def _until_asked(terminal: int, question: bytes) -> bytes:
    shown = b""
    while question not in shown:
        shown += _read(terminal)
    return shown


def _until_end(terminal: int) -> bytes:
    shown = b""
    with contextlib.suppress(
        OSError
    ):  # Linux says so at the end, and TimeoutError is one: the wait fails then
        while chunk := _read(terminal):
            shown += chunk
    return shown


def _read(terminal: int) -> bytes:
    ready, _, _ = select.select([terminal], [], [], LONGEST_RUN)
    if not ready:
        raise TimeoutError("the command neither asks nor ends")
    return os.read(terminal, 4_096)


def database_of(memory: Memory) -> SqliteDatabase:
    """Return the connection to the file of *memory*."""
    assert isinstance(memory.store, SqliteStore)
    return memory.store.database
