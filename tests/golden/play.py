"""A world at a fixed place and time, in which programs run; what they print, and what they leave in the store, as text."""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from hardwon.adapters.minilm.embedder import MiniLmEmbedder
from tests.entrypoints.hook_process import BIN, World
from tests.entrypoints.sessions import rest
from tests.fakes.doors import Ran, run_here
from tests.fakes.models import embed_by_words
from tests.golden import still
from tests.machine import LONGEST_WAIT

STILL = Path(still.__file__)
ROOT = STILL.parents[2]
ABOVE = "/tmp"  # noqa: S108  # of all users, but its own folder is of one

OF_MACHINE = re.compile(r"(^|_)(mtime|inode|device)(_|$)|stamp|^vec$")
"""Columns that tell of the machine and its files, or are random."""

RANDOM = {"content_version", "forgetting_secret", "label_cursor", "citation_cursor"}
"""Rows of `_metadata` whose values are, or depend on how far the server came beside its calls."""

NARROW = (
    (re.compile(r'(python: |"detail": ")3\.\d+\.\d+'), r"\1<version>"),
    (re.compile(r"\b\d{19}-(\d+)\b"), r"<mtime>-\1"),
    (re.compile(r'("file_mtime": |"fileMtime": )\d+'), r"\1<mtime>"),
    (re.compile(r'("(?:\w*_)?(?:bytes|size)": |\bbytes {2,})\d+'), r"\1<size>"),
    (re.compile(r"\b\d+ bytes\b"), "<size> bytes"),
    (re.compile(r"\b\d+\.\d s\b"), "<time> s"),
    (re.compile(r'("p\d\d_ms": )[\d.]+'), r"\1<time>"),
    (re.compile(r"( \d\.\d{4})(?: +\d+\.\d){2}$", re.MULTILINE), r"\1  <time>"),
)
"""The rest of what differs from run to run and from machine to machine."""

LAST_DIGITS = re.compile(r"(?<!:\d)(\d\.\d{5})\d+")
"""Of scores with vectors: processors add in different orders."""


class Play:
    """
    Runs programs, one a second, and notes what they say.

    Attributes:
        world: Where they run, by word only and without labels, unless its variables are changed.
        folder: The working folder, in the beginning the project.

    """

    def __init__(self, folder: Path, cleanup: contextlib.ExitStack) -> None:
        self.world = World(folder, cleanup)
        self.folder = self.world.project
        self._notes = list[str]()
        self._seconds = 0
        self._spawned = list[list[str]]()
        programs = folder / "bin"
        programs.mkdir()
        for name in ("hardwon", "hardwon-hook", "hardwon-mcp", "hardwon-writer"):
            (programs / name).symlink_to(BIN / name)
        (programs / "git").symlink_to(shutil.which("git") or "git")
        self.world.variables |= {
            "PATH": str(programs),
            "HARDWON_EMBEDDING_PROVIDER": "off",
            "HARDWON_KEYWORD_PROVIDER": "off",
            "HARDWON_MACHINE": "golden",
        }
        cleanup.enter_context(mock.patch.object(os, "posix_spawn", self._note_spawned))
        cleanup.enter_context(mock.patch.object(MiniLmEmbedder, "embed", embed_by_words))

    def run(
        self, program: str, *arguments: object, stdin: str | bytes = b"", real: bool = False
    ) -> Ran:
        """Run a program in this process, or in one of its own; note what it said."""
        self._seconds += 1
        words = [str(argument) for argument in arguments]
        entered = stdin.encode() if isinstance(stdin, str) else stdin
        done = (
            self._in_process(program, words, entered)
            if real
            else self._here(program, words, entered)
        )
        self._note_run(program, words, done)
        return done

    def hardwon(self, *arguments: object, stdin: str | bytes = b"", real: bool = False) -> Ran:
        """Run `hardwon`."""
        return self.run("hardwon", *arguments, stdin=stdin, real=real)

    def hook(self, event: object, *arguments: object, real: bool = False, **fields: object) -> Ran:
        """Run the hook on an event of a host, or on bytes as they are."""
        common = {
            "session_id": "4e1079b4-1075-4398-9c17-024ebe214a8d",
            "cwd": str(self.world.project),
        }
        payload = (
            event
            if isinstance(event, bytes)
            else json.dumps({**common, "hook_event_name": event, **fields}).encode()
        )
        self.note(f"<<< {self._plain(payload.decode(errors='replace'))[:200]}")
        return self.run("hardwon-hook", *arguments, stdin=payload, real=real)

    def workers(self) -> None:
        """Run the workers that hooks would have left to themselves, each in a process of its own."""
        while self._spawned:
            command = self._spawned.pop(0)
            self._seconds += 1
            self._note_run("python", command, self._started(command, b""))
        rest(self.world)  # a worker leaves the next start to another process

    def speak(self, *messages: object) -> None:
        """Run the MCP server on messages, each after the answer to the one before it; note the answers."""
        self._seconds += 1
        command = [sys.executable, str(STILL), str(self._seconds), str(BIN / "hardwon-mcp")]
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.world.variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as server:
            assert server.stdin
            assert server.stdout
            for message in messages:
                line = message if isinstance(message, bytes) else json.dumps(message).encode()
                server.stdin.write(line + b"\n")
                server.stdin.flush()
                self.note(f">>> {self._plain(line.decode(errors='replace'))}")
                if isinstance(message, bytes) or "id" in message:  # type: ignore[operator]
                    self.note(self._plain(_indented(server.stdout.readline())))
            out, err = server.communicate(timeout=LONGEST_WAIT)
            self._note_run("hardwon-mcp", [], Ran(server.returncode, out.decode(), err.decode()))

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file below the world's folder, of the time of now."""
        file = self.world.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        moment = still.START.timestamp() + self._seconds
        os.utime(file, (moment, moment))
        return file

    def read(self, *patterns: str) -> None:
        """Note the text of files below the world's folder."""
        for path in sorted(
            {path for pattern in patterns for path in self.world.folder.glob(pattern)}
        ):
            self.note(f"=== {self._plain(str(path))}")
            self.note(self._plain(path.read_text(encoding="utf-8")))

    def git(self, *arguments: str) -> None:
        """Run git in the project, at a fixed time."""
        moment = still.START.isoformat()
        identity = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "x"), ("EMAIL", "x@example.invalid"), ("DATE", moment))
        }
        subprocess.run(
            ["git", *arguments], cwd=self.folder, env=self.world.variables | identity, check=True
        )

    def note(self, text: str) -> None:
        """Note a line."""
        self._notes.append(text if text.endswith("\n") else f"{text}\n")

    def text(self) -> str:
        """Return all notes, and the rows of the stores."""
        for path in sorted(self.world.folder.rglob("*.db")):
            self.note(f"=== {self._plain(str(path))}")
            for line in sorted(map(self._plain, _rows(path))):
                self.note(line)
        return "".join(self._notes)

    def _here(self, program: str, arguments: list[str], stdin: bytes) -> Ran:
        with still.standing_still(self._seconds):
            return run_here(
                program, arguments, stdin=stdin, env=self.world.variables, folder=self.folder
            )

    def _in_process(self, program: str, arguments: list[str], stdin: bytes) -> Ran:
        return self._started([str(BIN / program), *arguments], stdin)

    def _started(self, words: list[str], stdin: bytes) -> Ran:
        command = [sys.executable, str(STILL), str(self._seconds), *words]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.world.variables,
            input=stdin,
            capture_output=True,
            timeout=LONGEST_WAIT,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def _note_spawned(self, _: str, command: list[str], *__: object, **___: object) -> int:
        self._spawned.append(command[command.index("-m") :])
        return 0

    def _note_run(self, program: str, arguments: list[str], done: Ran) -> None:
        self.note(f"$ {self._plain(shlex.join([program, *arguments]))}")
        for name, text in (("", done.stdout), ("!", done.stderr)):
            for line in self._plain(text).splitlines(keepends=True):
                self.note(f"{name}{line}" if line.endswith("\n") else f"{name}{line} <no newline>")
        self.note(f"[{done.code}]")

    def _plain(self, text: str) -> str:
        for path, name in (
            (self.world.folder, "$WORLD"),
            (BIN, "$BIN"),
            (ROOT, "$ROOT"),
            (sys.executable, "$PYTHON"),
        ):
            text = text.replace(str(path), name)
        for pattern, replacement in NARROW:
            text = pattern.sub(replacement, text)
        is_by_meaning = self.world.variables["HARDWON_EMBEDDING_PROVIDER"] != "off"
        return LAST_DIGITS.sub(r"\1…", text) if is_by_meaning else text


@contextlib.contextmanager
def playing(name: str) -> Iterator[Play]:
    """Yield a play in a world whose path is always the same: ids of files and projects are hashes of their paths."""
    with contextlib.ExitStack() as cleanup, _held(f"{ABOVE}/hardwon-golden-{name}") as above:
        yield Play(above / "world", cleanup)


@contextlib.contextmanager
def _held(path: str) -> Iterator[Path]:
    """Yield an empty folder that no other process has meanwhile; remove it."""
    while True:
        os.makedirs(path, mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.path.exists(path) and os.path.samestat(os.stat(path), os.fstat(descriptor)):
            break
        os.close(descriptor)  # the one that had it removed it
    try:
        shutil.rmtree(f"{path}/world", ignore_errors=True)  # of a process that was killed
        yield Path(path)
    finally:
        shutil.rmtree(path)
        os.close(descriptor)


def _indented(line: bytes) -> str:
    return json.dumps(json.loads(line), indent=1, ensure_ascii=False)


def _rows(path: Path) -> Iterable[str]:
    if path.read_bytes()[:6] != b"SQLite":
        return
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for (table,) in connection.execute(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ):
            names = [name for _, name, *_ in connection.execute(f'PRAGMA table_info("{table}")')]
            rows = (
                _row(table, dict(zip(names, row, strict=True)))
                for row in connection.execute(f'SELECT * FROM "{table}"')
            )
            yield from (f"{table} {json.dumps(row, ensure_ascii=False)}" for row in rows)


def _row(table: str, row: dict[str, Any]) -> dict[str, Any]:
    if table == "_metadata" and row["key"] in RANDOM:
        return {**row, "value": "<random>"}
    return {
        name: "<machine>"
        if value and (OF_MACHINE.search(name) or (table == "forgotten" and name != "at"))
        else _value(value)
        for name, value in row.items()
    }


def _value(value: object) -> object:
    return (
        f"blob of {len(value)}: {hashlib.sha256(value).hexdigest()[:12]}"
        if isinstance(value, bytes)
        else value
    )
