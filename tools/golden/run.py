"""
The golden run: what the installed programs answer on the sample project, byte for byte.

    python tools/golden/run.py [--venv .venv] --write    freeze it in tools/golden/expected
    python tools/golden/run.py [--venv .venv]            compare with that; a difference is a diff and exit code 1
    python tools/golden/run.py --only hooks              run all, compare only the parts whose name holds the word

It knows the programs `hardwon`, `hardwon-hook`, `hardwon-mcp` and `hardwon-writer` and their store, and no module of the
product. Everything happens below one folder of /tmp, which is each run's own (a mount namespace, for root); without that
one run at a time goes on a machine. `frozen.c` stops the clock. Standard library, a C compiler, git, Linux.
"""

import argparse
import ctypes
import difflib
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NoReturn, cast

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
EXPECTED = HERE / "expected"
BASE = Path("/tmp/golden-hardwon")  # noqa: S108  # fixed, as paths are part of what is compared
FIRST_TIMESTAMP = 1795165200  # 2026-11-20T09:00:00Z: after the last commit and before the end of the sample
STEP_SECONDS = 60
LONGEST_STEP_SECONDS = 120
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 1 << 18
SESSION = "4e1079b4-1075-4398-9c17-024ebe214a8d"
SHORTEST_SHOWN = 200
AGENTS = ("claude", "codex", "gemini", "opencode")

COMMANDS = (
    *("recall", "search", "add", "remember", "list", "show", "why", "update", "validate", "delete", "save", "capture"),
    *("index", "watch", "import", "export", "stats", "doctor", "embed", "label", "eval", "backup", "restore"),
    *("checkpoint", "init", "context", "retro", "demo"),
)
SUBCOMMANDS = {
    "checkpoint": ("create", "list", "restore", "delete"),
    "retro": ("write", "review", "confirm", "promote"),
}


def settle(name: str) -> None:
    """Choose the world of this process: a folder of that name."""
    global ROOT, HOME, PROJECT, OTHER, STORE  # noqa: PLW0603  # once in a process
    ROOT = BASE / name
    HOME, PROJECT, OTHER = ROOT / "home", ROOT / "work" / "parser-project", ROOT / "work" / "other-project"
    STORE = HOME / ".claude" / "iflow" / "memory"


class Golden:
    """
    One run: processes one after the other in a world of their own, and what they left behind.

    Attributes:
        parts: The text of each part so far, by name.

    """

    def __init__(self, venv: Path) -> None:
        self._venv = venv
        self._steps = 0
        self._lines: list[str] = []
        self._started = int(time.time()) - 1
        self._extra: dict[str, str] = {}
        self.parts: dict[str, str] = {}

    def set_up(self) -> None:
        """Make the world: programs, home, the sample project with its history."""
        programs = ROOT / "programs"
        for folder in (HOME, ROOT / "tmp", ROOT / "work", programs, OTHER):
            folder.mkdir(parents=True)
        for name in AGENTS:
            (programs / name).write_text("#!/bin/sh\nexit 1\n")
            (programs / name).chmod(0o755)
        (ROOT / "venv").symlink_to(self._venv)
        library = [os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-w", "-o", str(ROOT / "frozen.so")]
        subprocess.run([*library, str(HERE / "frozen.c"), "-ldl"], check=True)
        make_sample = REPOSITORY / "examples" / "make_sample.py"
        subprocess.run([sys.executable, str(make_sample), str(PROJECT)], check=True, stdout=subprocess.DEVNULL)
        for path in PROJECT.rglob("*"):
            if ".git" not in path.parts:
                os.utime(path, (FIRST_TIMESTAMP - 86400,) * 2)
        self._started = int(time.time())

    def part(self, name: str) -> None:
        """Begin a part: what was recorded so far belongs to the one before."""
        self._lines = []
        self.parts[name] = ""
        self._name = name

    def hardwon(self, *arguments: object, stdin: str | bytes = b"", **environ: str) -> str:
        """Run `hardwon` in the project."""
        return self.run("hardwon", *arguments, stdin=stdin, **environ)

    def hook(self, *arguments: object, payload: object = None, **environ: str) -> str:
        """Run `hardwon-hook` with a payload: an object as JSON, text as it is."""
        text = payload if isinstance(payload, str) else json.dumps(payload) if payload is not None else ""
        return self.run("hardwon-hook", *arguments, stdin=text, **environ)

    def writer(self, *arguments: object, stdin: str | bytes = b"", **environ: str) -> str:
        """Run `hardwon-writer`."""
        return self.run("hardwon-writer", *arguments, stdin=stdin, **environ)

    def run(
        self, program: str, *arguments: object, stdin: str | bytes = b"", cwd: Path | None = None, **environ: str
    ) -> str:
        """Run a program, wait for all that it started, record it, and return its standard output."""
        argv, cwd = [program, *map(str, arguments)], cwd or PROJECT
        process = self._start(argv, cwd, environ)
        data = stdin.encode() if isinstance(stdin, str) else stdin
        out, err = process.communicate(data, LONGEST_STEP_SECONDS)
        self._reap()
        self._record(argv, environ, data, process.returncode, out, err, cwd)
        return out.decode("utf-8", "replace")

    def talk(self, *arguments: object, messages: Sequence[object], **environ: str) -> list[str]:
        """Run `hardwon-mcp`, send each message when the one before is answered, and return the answers."""
        argv = ["hardwon-mcp", *map(str, arguments)]
        environ = {
            "HARDWON_KEYWORD_PROVIDER": "off",
            **environ,
        }  # labels come in the background, unless the server ends
        process = self._start(argv, PROJECT, environ)
        stdin, stdout = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        spoken, answers = [], []
        for message in messages:
            line = message if isinstance(message, str) else json.dumps(message)
            stdin.write(line.encode() + b"\n")
            stdin.flush()
            spoken.append(f"> {line}\n")
            if isinstance(message, str) or "id" in message:
                answers.append(stdout.readline().decode())
                spoken.append(f"< {answers[-1]}")
        out, err = process.communicate(timeout=LONGEST_STEP_SECONDS)
        self._reap()
        self._record(argv, environ, b"", process.returncode, "".join(spoken).encode() + out, err, PROJECT)
        return answers

    def note(self, text: str) -> None:
        """Record a line of our own."""
        self._write(f"{text}\n")

    def write(self, path: Path, text: str | bytes) -> Path:
        """Write a file of the user's."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def set(self, **environ: str) -> None:
        """Set variables of all processes from now on."""
        self._extra |= environ

    def entry(self, name: str, **environ: str) -> str:
        """Return the id of the entry with that name or heading; not recorded."""
        out = subprocess.run(
            [str(ROOT / "venv/bin/hardwon"), "list", "--json", "--limit", "1000"],
            cwd=PROJECT,
            env=self._environ(environ),
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        items = json.loads(out)["items"]
        return next(str(item["id"]) for item in items if name in (item.get("name") or item.get("title") or ""))

    def _start(self, argv: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> "subprocess.Popen[bytes]":
        self._steps += 1
        for path in _files(ROOT / "work", HOME):
            if path.lstat().st_mtime >= self._started and not path.name.endswith((".db", "-wal", "-shm")):
                os.utime(path, (self._timestamp - STEP_SECONDS,) * 2, follow_symlinks=False)
        command = [str(ROOT / "venv" / "bin" / argv[0]), *argv[1:]]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=cwd, env=self._environ(environ), stdin=pipe, stdout=pipe, stderr=pipe)

    @property
    def _timestamp(self) -> int:
        return FIRST_TIMESTAMP + self._steps * STEP_SECONDS

    def _environ(self, environ: Mapping[str, str]) -> dict[str, str]:
        return {
            "HOME": str(HOME),
            "PATH": f"{ROOT}/venv/bin:{ROOT}/programs:/usr/local/bin:/usr/bin:/bin",
            "TMPDIR": str(ROOT / "tmp"),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "TERM": "dumb",
            "USER": "golden",
            "PYTHONHASHSEED": "0",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "OLLAMA_HOST": "127.0.0.1:9",
            "LD_PRELOAD": str(ROOT / "frozen.so"),
            "GOLDEN_NOW": str(self._timestamp),
            "GOLDEN_START": str(self._started),
            "GOLDEN_PID": str(os.getpid()),
            **self._extra,
            **environ,
        }

    def _reap(self) -> None:
        """Wait for the workers in the background: as orphans they are our children."""
        signal.alarm(LONGEST_STEP_SECONDS)
        try:
            while True:
                os.waitpid(-1, 0)
        except ChildProcessError:
            signal.alarm(0)

    def _record(  # noqa: PLR0917  # all of a process
        self,
        argv: Sequence[str],
        environ: Mapping[str, str],
        stdin: bytes,
        code: int,
        out: bytes,
        err: bytes,
        cwd: Path,
    ) -> None:
        variables = "".join(f"{key}={value} " for key, value in environ.items())
        where = "" if cwd == PROJECT else f"   (in {cwd})"
        self._write(f"{'=' * 100}\n$ {variables}{' '.join(map(_quoted, argv))}{where}\n")
        for title, data in (("stdin", stdin), ("stdout", out), ("stderr", err)):
            if data:
                self._write(f"--- {title}\n{_text(data)}")
        self._write(f"--- exit {code}\n")

    def _write(self, text: str) -> None:
        self._lines.append(self.normalised(text))
        self.parts[self._name] = "".join(self._lines)

    def normalised(self, text: str) -> str:
        """Return *text* without what can't be held still."""
        for path, name in ((self._venv, f"{ROOT}/venv"), (REPOSITORY, "REPOSITORY"), (sys.base_prefix, "PYTHON")):
            text = text.replace(str(path), name)
        for pattern, name in NORMALISED:
            text = re.sub(pattern, name, text)
        return text


NORMALISED = (
    (r"\bpython3\.\d+\b", "python3.N"),
    (r"\b([Pp]ython\s+)3\.\d+\.\d+", r"\g<1>3.N.N"),
    (r"\b\d+\.\d s\b", "N.N s"),
    (r'("p(?:50|95)_ms": )[\d.e+-]+', r"\g<1>N"),
    (r'(?m)(?:^ +File ".*", line .*\n(?: {4}.*\n)*)+', "  (frames)\n"),
    (r'(key="content_version" \| value=)"\d+"', r'\g<1>"N"'),
    (r"\bpid \d+", "pid N"),
)


def _files(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        for place, names, files in os.walk(folder):
            names[:] = [name for name in names if name != ".git"]
            yield from (Path(place) / name for name in files)


def _quoted(argument: str) -> str:
    return argument if re.fullmatch(r"[\w./:=@%+,-]+", argument) else "'" + argument.replace("'", "'\\''") + "'"


def _text(data: bytes) -> str:
    text = data.decode("utf-8", "backslashreplace").replace("\r", "\\r")
    return text if text.endswith("\n") else f"{text}\\ no newline at the end\n"


# -- what is left behind ----------------------------------------------------------------------------------------------


def dump_files(golden: Golden, *folders: Path) -> None:
    """Record every file below the folders: mode, path, and text; of what is no text, its digest."""
    for path in sorted(path for folder in folders for path in _files(folder)):
        if path.is_symlink():
            golden.note(f"@@ link {path} -> {os.readlink(path)}")
            continue
        data, mode = path.read_bytes(), path.stat().st_mode & 0o777
        if data.startswith(b"SQLite format 3") or path.name.endswith(("-wal", "-shm")):
            golden.note(f"@@ {mode:o} {path}: SQLite")
            continue
        try:
            golden.note(f"@@ {mode:o} {path}\n{_text(data)}".rstrip("\n") if data.decode() else f"@@ {mode:o} {path}")
        except UnicodeDecodeError:
            golden.note(f"@@ {mode:o} {path}: {len(data)} bytes, {hashlib.sha256(data).hexdigest()[:16]}")


def dump_store(golden: Golden, path: Path, *, rows_shown: bool) -> None:
    """Record a database: its schema and all rows, sorted, or their digest; of a value that is no text, its digest."""
    golden.note(f"@@ database {path}")
    copy = ROOT / "tmp" / "copy.db"
    with sqlite3.connect(path) as connection, sqlite3.connect(copy) as target:
        connection.backup(target)
        for pragma in ("user_version", "application_id", "journal_mode", "page_size", "auto_vacuum", "encoding"):
            golden.note(f"pragma {pragma} = {connection.execute(f'PRAGMA {pragma}').fetchone()[0]}")
    schema = target.execute("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").fetchall()
    for kind, name, sql in schema:
        golden.note(f"-- {kind} {name}\n{sql}")
    virtual = [name for _, name, sql in schema if sql and sql.startswith("CREATE VIRTUAL")]
    for kind, name, _ in schema:
        shadow = any(name != other and name.startswith(f"{other}_") for other in virtual)
        if kind != "table" or name in virtual or shadow:
            continue
        columns = [row[1] for row in target.execute(f"PRAGMA table_info('{name}')")]
        rows = [tuple(map(_value, row)) for row in target.execute(f"SELECT * FROM '{name}'")]
        pairs = [
            [f"{key}={value}" for key, value in zip(columns, row, strict=True) if value != "NULL"]
            for row in sorted(rows)
        ]
        text = golden.normalised("\n".join(" | ".join(row) for row in pairs))
        digest = "" if rows_shown else f", {hashlib.sha256(text.encode()).hexdigest()[:16]}"
        golden.note(f"-- rows of {name}: {len(rows)}{digest}")
        if rows_shown and text:
            golden.note(text)
    target.close()
    copy.unlink()


def _value(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"<{len(value)} bytes {hashlib.sha256(value).hexdigest()[:16]}>"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


# -- the story --------------------------------------------------------------------------------------------------------


def help_texts(golden: Golden) -> None:
    """Every help text, versions, and what is no command."""
    golden.part("01-help")
    golden.hardwon("--help")
    golden.hardwon("--version")
    golden.hardwon()
    for command in COMMANDS:
        golden.hardwon(command, "--help")
        for name in SUBCOMMANDS.get(command, ()):
            golden.hardwon(command, name, "--help")
    golden.hook("--help")
    golden.writer("--help")
    golden.run("hardwon-mcp", "--help")
    golden.run("hardwon-mcp", "--version")
    golden.hardwon("recal", "encoding")
    golden.hardwon("--no-such-option")
    golden.hardwon("list", "--limit", "many")
    golden.hardwon("list", "--in", "nowhere")
    golden.hardwon("checkpoint", "forget")
    golden.hook("--nonsense")
    golden.hook("--project-root", "/no/such/folder")
    golden.hook("--limit")
    golden.writer()
    golden.writer("--action", "delete", "--entry-json", "{}")
    golden.run("hardwon-mcp", "--port", "70000")
    golden.run("hardwon-mcp", "--http")
    golden.run("hardwon-mcp", "--nonsense")


def nothing_there(golden: Golden) -> None:
    """Commands on a store that is not there."""
    golden.part("02-nothing")
    for arguments in (
        ("stats",), ("list",), ("list", "--json"), ("recall", "encoding"), ("show", "1"), ("doctor",), ("why",),
        ("capture", "--status"), ("checkpoint", "list"), ("export", "--format", "memory-index"), ("eval", "--self"),
        ("retro", "review"), ("index", "--dry-run"), ("context",),
    ):  # fmt: skip
        golden.hardwon(*arguments)
    golden.hook("--project-root", OTHER)
    dump_files(golden, HOME, OTHER)


LESSON = {
    "name": "Name the column in the error",
    "description": "A message about bad input names line, column and what was found, so that the sender can mend it.",
    "category": "patterns",
    "keywords": ["error-message", "bad-input", "column"],
    "reasoning": "It ended most support tickets.",
    "references": ["src/errors.py"],
}


def keeping(golden: Golden) -> None:
    """Import, index, add, write."""
    golden.part("03-keeping")
    shutil.copytree(REPOSITORY / "examples" / "global-memory", STORE, dirs_exist_ok=True)
    golden.hardwon("import", "--no-embed")
    golden.hardwon("import", "--json")
    golden.hardwon("index", "--dry-run", "--json")
    golden.hardwon("index", "--progress")
    golden.hardwon("index")
    golden.hardwon("index", "README.md", "src", "--json")
    golden.hardwon("index", "no-such-file.md")
    golden.hardwon("embed", "--json")
    golden.hardwon("add", "Decode chunks incrementally: a character can straddle two reads", "--category", "patterns")
    golden.hardwon("add", "Never drop bytes\nsilently, key AKIAIOSFODNN7EXAMPLE", "--name", "Bytes", "--keyword", "encoding,bytes",
                   "--keyword", "loss", "--reasoning", "two customers became one", "--reference", "src/decoding.py",
                   "--confidence", "high", "--universal", "--json")  # fmt: skip
    golden.hardwon("add", "-", "--no-embed", stdin="A lesson from standard input <private>not this</private>\n")
    golden.hardwon("add", "-", stdin="")
    golden.hardwon("add", "   ")
    golden.hardwon("add", "text", "--category", "nonsense")
    golden.writer("--action", "upsert", "--entry-json", json.dumps(LESSON))
    golden.writer(
        "--action", "upsert", "--entry-json", json.dumps({**LESSON, "description": LESSON["description"].upper()})
    )
    golden.writer("--action", "upsert", "--entry-file", "-", stdin=json.dumps({**LESSON, "name": "One more", "description": "One more thing was learned about quoted fields.", "keywords": ["code", "quoted"], "confidence": "low", "source": "retro", "source_project": None}))  # fmt: skip
    golden.writer("--action", "upsert", "--entry-file", golden.write(ROOT / "work" / "lesson.json", json.dumps({"name": "Short", "description": "Too short.", "category": "heuristics"})))  # fmt: skip
    for text in (
        "",
        "{",
        "[1]",
        "{}",
        '{"name": 3}',
        json.dumps({**LESSON, "category": "x"}),
        json.dumps({**LESSON, "colour": "red"}),
    ):
        golden.writer("--action", "upsert", "--entry-json", text)
    golden.writer("--action", "upsert", "--entry-file", "no-such.json")
    golden.writer("--action", "upsert", "--entry-file", "-", stdin=b"\xff\xfe")
    golden.writer("--action", "upsert", "--entry-json", json.dumps(LESSON), HARDWON_SEMANTIC_ENABLED="false")
    golden.writer("--action", "upsert", "--entry-json", json.dumps(LESSON), "--global-store", "/dev/null/store")
    golden.hardwon(
        "save", "README.md", "--description", "Wrote down how partners send feeds", "--tag", "partners,feeds", "--json"
    )
    golden.hardwon(
        "save",
        "--description",
        "Looked for the lost byte order mark",
        "--keyword",
        "bom",
        "--permanent",
        stdin="We looked for the mark.\n",
    )
    golden.hardwon("save", "no-such.md")
    golden.hardwon("save", "--description", "nothing", stdin="")
    golden.hardwon("remember", "The partner's staging feed is one day behind.")
    golden.hardwon("remember", "--typed", "--json", stdin="release images are signed by 'the second' key --no-embed")
    golden.hardwon("remember")
    golden.hardwon("label")
    golden.hardwon("label", "--limit", "1", "--json", HARDWON_KEYWORD_PROVIDER="off")
    golden.hardwon("label", HARDWON_KEYWORD_PROVIDER="haiku")
    golden.hardwon("embed")
    golden.hardwon("embed", "--provider", "gemini")
    golden.hardwon("embed", "--provider", "nonsense")


def asking(golden: Golden) -> None:
    """Recall in every form, lists, figures."""
    golden.part("04-asking")
    for arguments in (
        ("recall", "which", "encoding", "do", "we", "try", "first,", "and", "why"),
        ("search", "broken records", "--in", "conversations", "--explain"),
        ("recall", "errors with line and column", "--in", "sessions", "--min-score", "0.3"),
        ("recall", "byte order mark", "--tag", "encoding", "--json"),
        ("recall", "which column is wrong", "--in", "documents", "--explain"),
        ("recall", "unclosed quote", "--in", "learnings", "--limit", "3", "--explain", "--json"),
        ("recall", "unclosed quote", "--explain"),
        ("recall", "partner feed", "--scope", "project", "--type", "decision", "--json"),
        ("recall", "partner feed", "--scope", "workspace", "--permanent"),
        ("recall", "partner feed", "--scope", "global", "--type", "all", "--limit", "50"),
        ("recall", "recipes for apple pie with cinnamon"),
        ("recall", "recipes for apple pie with cinnamon", "--json"),
        ("recall", ""),
        ("recall", "x", "--min-score", "7"),
        ("recall", "x", "--limit", "0"),
        ("recall", "x", "--type", "nonsense"),
        ("recall", "x", "--policy", "nonsense"),
        ("recall", "encoding", "--project-root", "/no/such"),
    ):
        golden.hardwon(*arguments)
    for policy, collection in (
        ("adaptive", "all"), ("hybrid", "learnings"), ("cosine", "sessions"), ("affinity", "sessions"), ("context", "conversations"),
        ("fused", "documents"), ("keyword", "all"), ("rrf", "all"), ("weighted", "all"), ("context", "documents"),
    ):  # fmt: skip
        golden.hardwon(
            "recall", "malformed record quote", "--policy", policy, "--in", collection, "--explain", "--json"
        )
    golden.hardwon("recall", "--typed", stdin="why sqlite --type decision --limit 1")
    golden.hardwon("recall", "--typed", stdin="")
    golden.hardwon("recall", "byte order mark", HARDWON_KEYWORD_SEARCH="false")
    golden.hardwon("recall", "byte order mark", HARDWON_EMBEDDING_PROVIDER="off")
    golden.hardwon("recall", "byte order mark", HARDWON_EMBEDDING_PROVIDER="ollama")
    golden.hardwon("recall", "byte order mark", HARDWON_SEMANTIC_ENABLED="false")
    for arguments in (
        ("list",), ("list", "--category", "patterns", "--limit", "5", "--json"), ("list", "--in", "documents"),
        ("list", "--tag", "encoding"), ("list", "--tier", "important"), ("list", "--type", "gotcha", "--json"),
        ("list", "--spec-folder", "014-file-parser"), ("list", "--permanent"), ("list", "--offset", "80", "--limit", "3"),
        ("list", "--project", "nobody"), ("list", "--workspace", "work", "--limit", "2"), ("stats",), ("stats", "--json"),
        ("stats", "--in", "learnings"), ("stats", "--project", "nobody", "--json"),
    ):  # fmt: skip
        golden.hardwon(*arguments)
    quoted = golden.entry("Name the column")
    golden.hardwon("show", quoted)
    golden.hardwon("show", quoted, "--json")
    golden.hardwon("show", quoted, "--history")
    golden.hardwon("show", "0123456789abcdef")
    golden.hardwon("show", "nonsense")
    for arguments in (
        ("context",), ("context", "--json"), ("context", "--limit", "2", "--explain"), ("context", "--limit", "2", "--explain", "--json"),
        ("context", "--in", "conversations"), ("context", "--in", "conversations", "--explain", "--token-budget", "100"),
        ("context", "--write", "CLAUDE.md"), ("context", "--write", "CLAUDE.md"), ("context", "--write", "/no/such/folder/x.md"),
    ):  # fmt: skip
        golden.hardwon(*arguments)


def changing(golden: Golden) -> None:
    """Update, validate, delete, checkpoints, backups, exports, evaluation, retrospectives."""
    golden.part("05-changing")
    column, quote = golden.entry("Name the column"), golden.entry("One more")
    golden.hardwon("update", column, "--tier", "important", "--trigger", "name the column", "--json")
    golden.hardwon("update", column, "--title", "Name the column, always", "--weight", "0.9", "--confidence", "high",
                   "--reasoning", "It ended all tickets.", "--keyword", "columns", "--tag", "mine", "--permanent")  # fmt: skip
    golden.hardwon("update", column, "--tag", "", "--trigger", "", "--no-permanent")
    golden.hardwon("update", column)
    golden.hardwon("update", column, "--weight", "3")
    golden.hardwon("update", "4711", "--tier", "normal")
    golden.hardwon("update", golden.entry("Short"), "--tier", "temporary")
    golden.hardwon("update", golden.entry("Bytes"), "--tier", "constitutional")
    for _ in range(5):
        golden.hardwon("validate", column, "--useful")
    golden.hardwon("validate", column, "--not-useful", "--json")
    golden.hardwon("validate", column)
    golden.hardwon("validate", "4711", "--useful")
    golden.hardwon("show", column, "--history", "--json")
    golden.hardwon("checkpoint", "create", "before", "--description", "before it all", "--scope", "all")
    golden.hardwon("checkpoint", "create", "documents", "--json")
    golden.hardwon("checkpoint", "create", "before")
    golden.hardwon("checkpoint", "create", "")
    golden.hardwon("delete", quote)
    golden.hardwon("delete", quote, "--yes")
    golden.hardwon("delete", quote, "4711", "-y", "--json")
    golden.hardwon("delete", "--spec-folder", "014-file-parser", "--yes")
    golden.hardwon("delete", "--spec-folder", "nonsense", "--yes")
    golden.hardwon("delete")
    golden.hardwon("index")
    golden.hardwon("index", "--force")
    golden.hardwon("checkpoint", "list")
    golden.hardwon("checkpoint", "list", "--json")
    golden.hardwon("checkpoint", "restore", "before")
    golden.hardwon("checkpoint", "restore", "before", "--yes")
    golden.hardwon("checkpoint", "restore", "documents", "--scope", "documents", "--yes", "--json")
    golden.hardwon("checkpoint", "restore", "nonsense", "--yes")
    golden.hardwon("checkpoint", "delete", "documents", "--yes")
    golden.hardwon("checkpoint", "delete", "nonsense", "--yes")
    golden.hardwon("checkpoint", "list", "--json")
    backup = ROOT / "work" / "backup.db"
    golden.hardwon("backup", backup)
    golden.hardwon("backup", backup)
    golden.hardwon("backup", backup, "--force", "--json")
    golden.hardwon("add", "A lesson that the restore takes away", "--no-embed")
    golden.hardwon("restore", backup)
    golden.hardwon("restore", backup, "--yes")
    golden.hardwon("restore", backup, "--yes", "--json")
    golden.hardwon("restore", "README.md", "--yes")
    golden.hardwon("restore", "no-such.db", "--yes")
    golden.hardwon("export", "--format", "memory-index")
    golden.hardwon("export", "--format", "memory-index", "--output", ROOT / "work" / "index.json")
    golden.hardwon("export", "--format", "csv")
    golden.hardwon("import", ROOT / "work" / "index.json")
    old = {
        "tags": ["k8s"],
        "descriptionKeywords": ["pod"],
        "mtime": 1_770_000_000,
        "basename": "config",
        "filename": "memory-20260212-134206.md",
    }
    index = {
        str(PROJECT / "memory" / "sessions" / "memory-20260212-134206.md"): {
            **old,
            "description": "Fixed the config service.",
        }
    }
    golden.hardwon("import", golden.write(ROOT / "work" / "old.json", json.dumps(index)), "--json")
    golden.hardwon("import", golden.write(ROOT / "work" / "bad.json", "{"))
    golden.hardwon("import", "no-such.json")
    golden.hardwon("import", "README.md")
    sets = ROOT / "work" / "notes"
    notes = {
        "sockets": "Close every socket in a finally block.",
        "quotes": "A quote that is never closed swallows the file.",
        "units": "Name the unit in the variable.",
    }
    golden.write(
        sets / "docs.jsonl", "".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in notes.items())
    )
    golden.write(sets / "queries.jsonl", "".join(json.dumps({"id": f"q-{key}", "text": key}) + "\n" for key in notes))
    golden.write(sets / "qrels.tsv", "query-id\tcorpus-id\tscore\n" + "".join(f"q-{key}\t{key}\t1\n" for key in notes))
    figures = golden.hardwon("eval", sets, "--json")
    golden.hardwon("eval", sets, "--policy", "adaptive", "--json")
    golden.hardwon(
        "eval",
        sets,
        "--compare",
        golden.write(ROOT / "work" / "figures.json", figures),
        "--fail-on-regression",
        "--json",
    )
    golden.hardwon("eval", sets, "--per-query", "--json")
    golden.hardwon("eval", "--self", "--policy", "adaptive", "--json")
    golden.hardwon("eval", "no-such-set")
    golden.hardwon("eval", sets, "--policy", "nonsense")
    golden.hardwon("eval")
    golden.hardwon("embed", "--all")
    golden.hardwon("index", "--rebuild", "--rebuild-fts", "--json")
    golden.hardwon("retro", "write", "-", "--dry-run", stdin=ANSWER)
    golden.hardwon("retro", "write", "-", stdin=ANSWER)
    golden.hardwon("retro", "write", "-", "--json", stdin=ANSWER)
    golden.hardwon("retro", "write", "-", stdin='{"act": {"patterns": [{"text": "a"}]}}')
    golden.hardwon("retro", "write", "-", stdin="no JSON at all")
    golden.hardwon("retro", "write", "no-such.json")
    golden.hardwon("retro", "review")
    golden.hardwon("retro", "review", "--limit", "2", "--json")
    stream = golden.entry("Stream feeds row by row")
    golden.hardwon("retro", "confirm", stream)
    golden.hardwon("retro", "promote", stream)
    golden.hardwon("retro", "promote", stream, "--json")
    golden.hardwon("retro", "confirm", "4711")


ANSWER = """Here it is:
```json
{"act": {"patterns": [{"name": "Stream feeds row by row", "text": "Read partner feeds row by row and yield each record. Memory stays flat and the first bad record is known by its line number.", "provenance": "Feature 014-file-parser, src/reader.py", "confidence": "high", "keywords": ["csv-reader", "row-streaming", "partner-feeds"], "reasoning": "The first version loaded 2 GB at once and was killed by the kernel in the night."}],
 "anti_patterns": [{"text": "Splitting a row with line.split(',') breaks quoted commas; use the csv module also for one column.", "provenance": "src/tokens.py", "confidence": "medium", "keywords": ["quoted-commas", "csv-module", "row-splitting"], "reasoning": "Quoted commas shifted prices by one column in production.", "colour": "red"}],
 "heuristics": [{"name": "Say the line number", "text": "A complaint about a file without its line number costs the reader more time than the mistake.", "provenance": "src/errors.py", "confidence": "low", "keywords": ["line-number", "complaint", "reader-time"], "reasoning": "Partners answered complaints with a line number within the hour.", "universal": true}]}}
```
"""


def hooks(golden: Golden) -> None:
    """Sessions of every host, and what they leave."""
    golden.part("06-hooks")
    transcript = golden.write(ROOT / "work" / "transcripts" / f"{SESSION}.jsonl", "")

    def event(name: str, session: str = SESSION, **fields: object) -> dict[str, object]:
        path = str(transcript) if session == SESSION else ""
        return {"session_id": session, "transcript_path": path, "cwd": str(PROJECT), "hook_event_name": name, **fields}

    golden.hook(payload=event("SessionStart", source="startup"))
    golden.hardwon("why")
    golden.hardwon("why", "--json")
    golden.hardwon("why", "--verify")
    turns = (
        ("decode() fails in the middle of a chunk, which way do we read the bytes?", "We decided to use an incremental decoder instead of decoding each chunk, because a character can straddle two reads."),
        ("Which column does the error name when a quote is never closed?", "Name the column in the error: the one where the quote opens. Watch out: the line is that of the opening quote."),
        ("ok", "Done."),
        ("/tlc:plan the release of the parser", "The plan: sign the image once and promote the digest."),
        ("I prefer tabs in the parser's own files, remember that. My key is AKIAIOSFODNN7EXAMPLE.", "Noted: tabs in src/reader.py."),
        ("Who signs the image, and with which key?", "We chose the second key, as the first has expired; src/release.py knows it."),
    )  # fmt: skip
    lines: list[str] = []
    for number, (prompt, reply) in enumerate(turns):
        golden.hook(payload=event("UserPromptSubmit", prompt=prompt))
        for kind, content in (("user", prompt), ("assistant", [{"type": "text", "text": reply}])):
            message = {"role": kind, "content": content}
            lines.append(json.dumps({"type": kind, "uuid": f"u{number}{kind}", "sessionId": SESSION, "cwd": str(PROJECT), "isSidechain": False, "timestamp": f"2026-11-21T09:{number:02}:{len(lines):02}.000Z", "gitBranch": "main", "message": message}))  # fmt: skip
        transcript.write_text("".join(f"{line}\n" for line in lines))
        golden.hook(payload=event("Stop", stop_hook_active=False, last_assistant_message=reply))
    golden.hardwon("capture", "--status")
    golden.hardwon("capture", "--status", "--json")
    golden.hook(payload=event("PreCompact", trigger="manual"))
    golden.hook(payload=event("SessionStart", source="compact"))
    golden.hook(payload=event("SessionStart", source="resume"))
    golden.hook(
        payload=event(
            "UserPromptSubmit", prompt="Read feeds row by row or all at once, what about memory and the line number?"
        )
    )
    golden.hook(
        payload=event(
            "Stop",
            last_assistant_message="As 'Stream feeds row by row' says: read partner feeds row by row and yield each record.",
        )
    )
    golden.hook(payload=event("SessionEnd", reason="exit"))
    golden.hardwon("why", SESSION[:8])
    golden.hardwon("why", SESSION, "--verify", "--json")
    golden.hardwon("why", "--limit", "1", "--json")
    golden.hardwon("why", golden.entry("Stream feeds row by row"))
    golden.hardwon("why", "nonsense")
    golden.hardwon("why", "--prompt", "decode() fails in the middle of a chunk, which way do we read the bytes?")
    golden.hardwon("why", "--prompt", "-", "--json", stdin="what should the error message say about the column?")
    golden.hardwon("why", "--typed", stdin="--verify")
    golden.hardwon("show", golden.entry("Stream feeds row by row"))
    golden.hook("--project-root", PROJECT, "--limit", "6")
    golden.hook("--project-root", PROJECT, "--limit=0")
    golden.hook("--project-root", PROJECT, "--limit", "many")
    golden.hook()
    for name in (
        "HARDWON_INJECTION_ENABLED",
        "HARDWON_SEMANTIC_ENABLED",
        "HARDWON_PROMPT_ENABLED",
        "HARDWON_KEYWORD_SEARCH",
    ):
        golden.hook("--project-root", PROJECT, "--limit", "3", **{name: "false"})
    golden.hook("--project-root", PROJECT, "--limit", "3", HARDWON_EMBEDDING_PROVIDER="off")
    golden.hook("--project-root", PROJECT, "--limit", "3", HARDWON_EMBEDDING_PROVIDER="ollama")
    golden.hook("--project-root", PROJECT, "--limit", "3", HARDWON_VECTOR_WEIGHT="lots")
    golden.hook("--project-root", OTHER)
    for payload in (
        "",
        "{",
        "[]",
        '"x"',
        '{"hook_event_name": 3}',
        '{"hook_event_name": "Nonsense"}',
        '{"cwd": "/no/such"}',
    ):
        golden.hook(payload=payload)
    golden.hook(payload={**event("Stop"), "session_id": ""})
    golden.hook(
        payload={**event("UserPromptSubmit", prompt="subagent, which encoding do we try first?"), "agent_id": "a1"}
    )
    golden.hook(payload={**event("UserPromptSubmit", prompt="which encoding do we try first?"), "source": "system"})
    codex = {"model": "gpt-5", "permission_mode": "default", "turn_id": "t1"}
    golden.hook(payload=event("SessionStart", "codex-1", source="startup", **codex))
    golden.hook(
        payload=event(
            "UserPromptSubmit", "codex-1", prompt="Which encoding do we try first with a new partner?", **codex
        )
    )
    golden.hook(payload=event("Stop", "codex-1", last_assistant_message="UTF-8, strictly.", **codex))
    golden.hook(payload=event("SessionEnd", "codex-1", **codex))
    for name, fields in (
        ("SessionStart", {"source": "startup"}),
        ("BeforeAgent", {"prompt": "<hook_context>x</hook_context>Where does the reader go on after a malformed record?"}),
        ("AfterAgent", {"prompt": "x", "prompt_response": "We decided that it goes on at the next line with the right number of columns."}),
        ("PreCompress", {}), ("SessionEnd", {"reason": "exit"}),
    ):  # fmt: skip
        golden.hook(
            "--host",
            "gemini",
            payload={
                **event(name, "gemini-1", **fields),
                "transcript_path": "/chats/g1.json",
                "timestamp": "2026-11-21T10:00:00Z",
            },
        )
    golden.hook("--host", "gemini", payload="{")
    golden.hook("--host", "nonsense", payload=event("SessionStart", source="startup"))
    golden.hook("--host", "gemini", "--limit", "3")
    for name, fields in (
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": "Is the fixture small enough to be read at once?"}),
        ("Stop", {"stop_hook_active": False, "last_assistant_message": "Read it in chunks, also in tests."}),
    ):
        golden.hook(payload={"session_id": "opencode-1", "cwd": str(PROJECT), "hook_event_name": name, **fields})
    golden.hardwon("remember", CLAUDE_CODE_SESSION_ID="opencode-1")
    pool = "Replicas times pool size must stay below max_connections: with surge pods, what about the migration itself?"
    for session, prompt in (
        ("prompt-1", pool),
        ("prompt-1", pool),
        ("prompt-1", "timestamps from the partner have no time zone"),
        ("prompt-2", "our import worker is killed by the OOM killer on a 6 GB file"),
        ("prompt-2", "please review my changes before I push"),
    ):
        golden.hook(payload=event("UserPromptSubmit", session, prompt=prompt))
    golden.hook("--host", "gemini", payload=event("BeforeAgent", "gemini-2", prompt=pool))
    golden.hook(payload=event("UserPromptSubmit", "prompt-3", prompt=pool), HARDWON_PROMPT_ENABLED="false")
    golden.hook(payload=event("UserPromptSubmit", "prompt-3", prompt=pool), HARDWON_EMBEDDING_PROVIDER="off")
    golden.hardwon("why", "prompt-1")
    golden.hardwon("why", "prompt-1", "--verify")
    golden.hardwon("why", "--prompt", pool, "--json")
    golden.hardwon("capture", "--from", "docs/session.jsonl", "--dry-run")
    golden.hardwon("capture", "--from", "docs/session.jsonl", "--dry-run", "--json")
    golden.hardwon("capture", "--from", "docs/session.jsonl", "--no-embed")
    golden.hardwon("capture", "--from", "docs/session.jsonl", "--force", "--json")
    golden.hardwon("capture", "--from", "docs/session.jsonl")
    golden.hardwon(
        "capture",
        stdin='{"user": "Which encoding do we try first?", "assistant": "We decided on UTF-8.", "timestamp": "2026-11-21T09:00:00Z"}\n',
    )
    golden.hardwon("capture", "--from", "no-such.jsonl")
    golden.hardwon("capture", "--from", "README.md")
    golden.hardwon("capture", stdin="")
    golden.hardwon("capture", "--status")
    golden.hardwon("recall", "who signs the image", "--in", "conversations", "--explain", "--json")
    golden.hardwon("index")


def servers(golden: Golden) -> None:
    """MCP: every tool, resource and prompt, and every kind of error."""
    golden.part("07-mcp")
    number = iter(range(1, 1000))

    def request(method: str, **params: object) -> dict[str, object]:
        return {"jsonrpc": "2.0", "id": next(number), "method": method, "params": params}

    def call(name: str, /, **arguments: object) -> dict[str, object]:
        return request("tools/call", name=name, arguments=arguments)

    start = (
        request(
            "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "golden", "version": "1"}
        ),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    )
    column, bytes_ = golden.entry("Name the column"), golden.entry("Bytes")
    golden.talk("--no-scan", messages=(
        *start,
        request("ping"), request("tools/list"), request("resources/list"), request("resources/templates/list"), request("prompts/list"),
        request("resources/read", uri="memory://stats"), request("resources/read", uri=f"memory://{column}"),
        request("resources/read", uri="memory://nonsense"), request("resources/read", uri="other://x"),
        request("prompts/get", name="recall", arguments={"topic": "encodings"}), request("prompts/get", name="recall"),
        request("prompts/get", name="remember", arguments={"lesson": "Name the column"}), request("prompts/get", name="remember"),
        request("prompts/get", name="retrospective", arguments={"work": "014"}), request("prompts/get", name="retrospective"),
        request("prompts/get", name="nonsense"),
        request("nonsense/method"), "{", "[1]", '{"jsonrpc": "2.0", "id": 900}',
    ))  # fmt: skip
    golden.talk("--no-scan", messages=(
        *start,
        call("store_memory", name="Close what you open", description="A reader that opens a file closes it, also when a record is malformed.",
             reasoning="The nightly import ran out of file handles.", category="patterns", keywords=["file-handle", "closing", "reader"], references=["src/reader.py"]),
        call("store_memory", name="Close what you open", description="A reader that opens a file closes it, also when a record is malformed.", reasoning="again", category="patterns"),
        call("store_memory", name="x", description="y", reasoning="z", category="nonsense"),
        call("store_memory"),
        call("memory_search", query="which column is wrong"),
        call("memory_search", query="unclosed quote", collection="all", limit=5, explain=True),
        call("memory_search", query="unclosed quote", collection="learnings", scope="project", limit=3),
        call("memory_search", query="encoding", collection="conversations", explain=True),
        call("memory_search", query="partner", collection="sessions"),
        call("memory_search", concepts=["line", "column"], specFolder="014-file-parser", useDecay=False, includeConstitutional=False, explain=True),
        call("memory_search", query="errors", tier="important", contextType="decision"),
        call("memory_search"), call("memory_search", concepts=["one"]), call("memory_search", query="x", limit=1000),
        call("memory_load", specFolder="014-file-parser"), call("memory_load", specFolder="014-file-parser", limit=1),
        call("memory_load", specFolder="014-file-parser", anchorId="nonsense"), call("memory_load", id=column), call("memory_load"),
        call("memory_load", id=4711),
        call("memory_match_triggers", prompt="please name the column and errors with line and column"),
        call("memory_match_triggers", prompt=""),
        call("memory_list", limit=2), call("memory_list", sortBy="importance_weight", tier="important", collection="learnings"),
        call("memory_list", specFolder="014-file-parser", offset=1), call("memory_list", limit=0),
        call("memory_stats"),
        call("memory_update", id=column, title="Name the column", importanceTier="critical", importanceWeight=0.7, triggerPhrases=["which column"]),
        call("memory_update", id=column), call("memory_update", id="nonsense", title="x"), call("memory_update", id=column, importanceTier="x"),
        call("memory_validate", id=column, wasUseful=True), call("memory_validate", id=bytes_, wasUseful=False), call("memory_validate", id=4711, wasUseful=True),
        call("memory_save", filePath="specs/014-file-parser/memory/16-11-26_11-30__resume-after-record.md"),
        call("memory_save", filePath="specs/014-file-parser/memory/16-11-26_11-30__resume-after-record.md", force=True),
        call("memory_save", filePath="/etc/passwd"), call("memory_save", filePath="no/such.md"),
        call("memory_index_scan"), call("memory_index_scan", specFolder="014-file-parser", force=True), call("memory_index_scan", specFolder="../x"),
        call("checkpoint_create", name="by-mcp", description="by a client", scope="project"), call("checkpoint_create", name="by-mcp"),
        call("checkpoint_list"),
        call("memory_delete", id=bytes_), call("memory_delete", id=bytes_, confirm=True), call("memory_delete", id=bytes_),
        call("memory_delete", specFolder="014-file-parser"), call("memory_delete", specFolder="014-file-parser", confirm=True), call("memory_delete"),
        call("checkpoint_restore", name="by-mcp"), call("checkpoint_restore", name="nonsense"),
        call("checkpoint_delete", name="by-mcp"), call("checkpoint_delete", name="by-mcp"), call("checkpoint_list"),
        call("nonsense_tool"), request("tools/call"), request("tools/call", name="memory_stats", arguments=[1]),
    ))  # fmt: skip
    golden.talk(messages=(*start, call("memory_index_scan"), call("memory_stats")))
    golden.talk(
        "--no-scan",
        messages=(
            *start,
            call("memory_search", query="encoding"),
            call("memory_stats"),
            request("resources/read", uri="memory://stats"),
        ),
        HARDWON_SEMANTIC_ENABLED="false",
    )
    golden.talk(
        "--no-scan",
        messages=(
            *start,
            call("memory_search", query="encoding", collection="all"),
            call(
                "store_memory", name="By word", description="Found by word alone.", reasoning="r", category="patterns"
            ),
        ),
        HARDWON_EMBEDDING_PROVIDER="ollama",
    )
    golden.run("hardwon-mcp", "--global-store", "/dev/null/store")
    golden.hardwon("doctor")
    golden.hardwon("stats", "--json")


def configurations(golden: Golden) -> None:
    """Settings: good ones, odd ones, broken ones; a broken store."""
    golden.part("08-settings")
    golden.hardwon("import")
    golden.hardwon("index")
    golden.hardwon("backup", ROOT / "work" / "backup.db")
    local = PROJECT / ".claude" / "iflow-dev.local.md"
    golden.write(
        local, "---\nmemory_injection_limit: 4\nmemory_vector_weight: 0.9\nmemory_keyword_provider: off\n---\n"
    )
    golden.hardwon("stats", "--json")
    golden.hardwon("doctor")
    golden.hardwon("doctor", "--json")
    golden.hook("--project-root", PROJECT)
    golden.write(
        local,
        "memory_injection_limit: many\nmemory_nonsense: 3\nmemory_decay_mode: x\nmemory_capture_interval: 99\n\xff",
    )
    golden.write(PROJECT / ".tlc.json", "{")
    golden.write(PROJECT / "config.jsonc", '{"semantic": {"indexPath": "old.sqlite"}, // comment\n "memory": 3}')
    golden.hardwon("stats")
    golden.hardwon("doctor")
    golden.hardwon("import")
    golden.hook("--project-root", PROJECT, "--limit", "3")
    golden.writer("--action", "upsert", "--entry-json", json.dumps(LESSON))
    for path in (local, PROJECT / ".tlc.json", PROJECT / "config.jsonc"):
        path.unlink()
    broken = ROOT / "work" / "broken"
    golden.write(broken / "memory.db", b"this is no database" * 100)
    for arguments in (("stats",), ("recall", "x"), ("doctor",), ("list", "--json")):
        golden.hardwon(*arguments, "--global-store", broken)
    golden.hook("--project-root", PROJECT, "--limit", "2", "--global-store", broken)
    golden.writer("--action", "upsert", "--entry-json", json.dumps(LESSON), "--global-store", broken)
    golden.talk("--no-scan", "--global-store", broken, messages=())
    golden.hardwon("doctor", "--repair", "--global-store", broken)
    newer = ROOT / "work" / "newer"
    newer.mkdir()
    shutil.copy(ROOT / "work" / "backup.db", newer / "memory.db")
    with sqlite3.connect(newer / "memory.db") as connection:
        connection.execute("UPDATE _metadata SET value = '999' WHERE key = 'schema_version'")
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    golden.hardwon("stats", "--global-store", newer)
    golden.hook("--project-root", PROJECT, "--limit", "2", "--global-store", newer)


def setups(golden: Golden) -> None:
    """Setting up agents, in every mode, and undoing it."""
    golden.part("09-init")
    for folder in (".claude/projects", ".codex", ".gemini", ".config/opencode"):
        (HOME / folder).mkdir(parents=True, exist_ok=True)
    golden.write(
        HOME / ".claude" / "settings.json",
        '{\n  "theme": "dark",\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}\n}\n',
    )
    golden.write(HOME / ".codex" / "config.toml", '# mine\nmodel = "gpt-5"\n')
    memory = HOME / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(PROJECT)) / "memory"
    golden.write(memory / "MEMORY.md", "# Notes\n\n- [Partners](partners.md): how partners send feeds\n")
    golden.write(
        memory / "partners.md",
        "---\nname: partners\ndescription: how partners send feeds\ntype: project\n---\nPartners send feeds at night.\n",
    )

    def left() -> None:
        dump_files(golden, HOME, PROJECT / ".claude", PROJECT / ".codex", PROJECT / ".gemini", PROJECT / ".opencode")
        for name in (".mcp.json", "AGENTS.md", "GEMINI.md", ".gitignore"):
            if (PROJECT / name).is_file():
                golden.note(f"@@ {PROJECT / name}\n{(PROJECT / name).read_text()}")

    golden.hardwon("init", "--dry-run")
    golden.hardwon("init", "--mcp-json", "--dry-run", "--json")
    golden.hardwon("init")
    golden.hardwon("init", stdin="n\n")
    golden.hardwon("init", "--agent", "claude-code", "--yes")
    golden.hardwon("init", "--agent", "nonsense", "--yes")
    golden.hardwon("init", "--mcp-json", "--yes", "--import")
    left()
    golden.hardwon("init", "--mcp-json", "--yes")
    golden.hardwon("init", "--dry-run", "--no-import", "--json")
    golden.run("hardwon", "init", "--yes", "--json", "--agent", "codex", "--agent", "opencode", cwd=OTHER)
    golden.hardwon("doctor")
    golden.hardwon("doctor", "--json")
    golden.hardwon("init", "--remove", "--dry-run")
    golden.hardwon("init", "--remove")
    golden.hardwon("init", "--remove", "--yes")
    golden.hardwon("init", "--remove", "--yes", "--json")
    left()
    golden.write(HOME / ".claude" / "settings.json", "{ broken")
    golden.hardwon("init", "--yes", "--json")
    golden.run("hardwon", "demo", cwd=OTHER)


def what_is_left(golden: Golden) -> None:
    """The stores, and every file; of checkpoints and backups only digests of their tables."""
    golden.part(f"{ROOT.name}-store")
    for path in sorted(path for path in _files(ROOT / "work", HOME) if path.read_bytes()[:15] == b"SQLite format 3"):
        dump_store(golden, path, rows_shown=path.parent == STORE)
    golden.part(f"{ROOT.name}-files")
    dump_files(golden, ROOT / "work", HOME, ROOT / "tmp")


Story = tuple[Callable[[Golden], None], ...]
STORIES: Mapping[str, Story] = {
    "work": (keeping, asking, changing, hooks, servers, what_is_left),
    "setup": (help_texts, nothing_there, configurations, setups, what_is_left),
}


# -- freezing and comparing -------------------------------------------------------------------------------------------


def run(venv: Path) -> dict[str, str]:
    """Run the stories beside each other and return all parts."""
    BASE.mkdir(exist_ok=True)
    with open(f"{BASE}.lock", "a") as lock:
        if not _get_private_folder():
            fcntl.flock(lock, fcntl.LOCK_EX)
        _empty()
        runners = {os.fork() or _run_story(venv, name): name for name in STORIES}
        failed = [runners[pid] for pid, status in (os.waitpid(pid, 0) for pid in runners) if status]
        if failed:
            sys.exit(f"golden: failed: {', '.join(failed)}")
        parts = {key: text for name in STORIES for key, text in json.loads((BASE / f"{name}.json").read_text()).items()}
        _empty()
        return dict(sorted(parts.items()))


def _get_private_folder() -> bool:
    """Mount a file system in memory on `BASE` that only this process and its children see, if that is allowed."""
    system = ctypes.CDLL(None)
    return (
        system.unshare(CLONE_NEWNS) == 0
        and system.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) == 0
        and system.mount(b"none", bytes(BASE), b"tmpfs", 0, None) == 0
    )


def _empty() -> None:
    for path in BASE.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _run_story(venv: Path, name: str) -> NoReturn:
    """Run one story in this process, which ends with it."""
    code = 1
    try:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        os.umask(0o022)
        settle(name)
        golden = Golden(venv)
        golden.set_up()
        for chapter in STORIES[name]:
            started = time.monotonic()
            chapter(golden)
            print(f"golden: {chapter.__name__} {time.monotonic() - started:.1f} s", file=sys.stderr, flush=True)
        (BASE / f"{name}.json").write_text(json.dumps(golden.parts))
        code = 0
    except BaseException:  # noqa: BLE001  # the parent tells
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def freeze(parts: Mapping[str, str]) -> None:
    """Write the parts to `expected`."""
    shutil.rmtree(EXPECTED, ignore_errors=True)
    EXPECTED.mkdir()
    for name, text in parts.items():
        (EXPECTED / f"{name}.txt").write_text(text)


def compare(parts: Mapping[str, str], only: str) -> int:
    """Print how the parts differ from `expected`; return the number of parts that do."""
    expected = {path.stem: path.read_text() for path in sorted(EXPECTED.glob("*.txt"))}
    names = [name for name in dict.fromkeys((*expected, *parts)) if only in name]
    different = [name for name in names if expected.get(name) != parts.get(name)]
    for name in different:
        was, now = (text.get(name, "").splitlines() for text in (expected, parts))
        lines = list(difflib.unified_diff(was, now, f"expected/{name}.txt", f"this run/{name}", n=2, lineterm=""))
        print("\n".join(_shortened(lines)))
    print(f"golden: {len(different)} of {len(names)} parts differ{': ' if different else ''}{', '.join(different)}")
    return len(different)


def _shortened(lines: Sequence[str]) -> Iterator[str]:
    """Show of long lines what is around the first difference to their counterpart."""
    removed: list[str] = []
    for line in lines:
        if line.startswith("-"):
            removed.append(line)
            yield from ()
            continue
        if line.startswith("+") and removed:
            before = removed.pop(0)
            at = next((i for i, (a, b) in enumerate(zip(before[1:], line[1:], strict=False), 1) if a != b), 0)
            begin = max(1, at - SHORTEST_SHOWN // 2)
            yield _window(before, begin)
            yield _window(line, begin)
            continue
        yield from (_window(old_line, 1) for old_line in removed)
        removed.clear()
        yield _window(line, 1)
    yield from (_window(old_line, 1) for old_line in removed)


def _window(line: str, begin: int) -> str:
    if len(line) <= 2 * SHORTEST_SHOWN:
        return line
    end = begin + 2 * SHORTEST_SHOWN
    return f"{line[0]}{'…' if begin > 1 else ''}{line[begin:end]}{'…' if end < len(line) else ''}"


def main() -> int:
    """Freeze or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--venv", type=Path, default=REPOSITORY / ".venv", help="the environment with the programs")
    parser.add_argument("--write", action="store_true", help="freeze instead of comparing")
    parser.add_argument("--only", default="", help="compare only parts whose name holds this")
    options = parser.parse_args()
    parts = run(options.venv.absolute())
    if options.write:
        freeze(parts)
        return 0
    return bool(compare(parts, options.only))


if __name__ == "__main__":
    sys.exit(main())
