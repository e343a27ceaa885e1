"""
A program's `main`, called in this process as the program would call it.

Streams, environment, working folder, arguments, signal handlers, timers, umask, caches and warnings
are the program's while it runs, and this process's afterwards. Only what makes a process is
missing: a start, an exit and a death.
"""

import contextlib
import functools
import gc
import io
import json
import os
import signal
import sqlite3
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, NoReturn
from unittest import mock

import typer.main

from hardwon.adapters.agents import wants
from hardwon.adapters.minilm import embedder as minilm
from hardwon.adapters.providers import http
from hardwon.adapters.sqlite import drift, opening, schema, unreadable
from hardwon.entrypoints import bootstrap_retrieval, context, embed_after_write, writer
from hardwon.entrypoints.cli import main as cli
from hardwon.entrypoints.hook import main, process
from hardwon.entrypoints.mcp import threads
from tests.machine import LONGEST_WAIT

MAINS: dict[str, Callable[[], None]] = {
    "hardwon": cli.main,
    "hardwon-hook": main.main,
    "hardwon-writer": writer.main,
}
"""The console scripts that may run here."""

READ_ONCE = (
    "PYTHON",
    "LANG",
    "LC_",
    "COLUMNS",
    "LINES",
    "TERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "OPENBLAS_",
    "OMP_",
    "MKL_",
)
"""How the names of variables begin that an interpreter or a library reads once."""

STREAMS = (
    ("stdin", "r", "surrogateescape"),
    ("stdout", "w", "surrogateescape"),
    ("stderr", "w", "backslashreplace"),
)
"""The names of the standard streams by descriptor; how they are opened, and take what is no UTF-8, in the POSIX locale."""

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
PURE = "hardwon.domain."
"""How the names of modules begin whose caches depend on their arguments alone."""

SERVER_SECONDS = 0.5
"""How long the server takes to start, as far as commands measure it here: really starting it takes a second each time."""

SILENT_WARNINGS = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
"""Those that Python ignores unless it is told otherwise; all others are errors in tests."""


class Ran(NamedTuple):
    """
    A run of a program.

    Attributes:
        code: Its exit code.
        stdout: Its standard output.
        stderr: Its standard error.

    """

    code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.stdout)

    @property
    def items(self) -> Any:
        """The list that was printed as JSON."""
        return self.document["items"]


class _Left(BaseException):
    """Stands for `os._exit` in the main thread."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def can_run_here(program: str, env: Mapping[str, str]) -> bool:
    """Return whether *program* behaves the same in this process, with this environment; threads have none to themselves."""
    is_alone = threading.current_thread() is threading.main_thread()
    return is_alone and program in MAINS and not any(name.startswith(READ_ONCE) for name in env)


def run_here(
    program: str,
    arguments: Sequence[str],
    *,
    stdin: bytes | None,
    env: Mapping[str, str],
    folder: Path,
    reached: Collection[str] = (),
) -> Ran:
    """
    Run a console script in this process.

    Args:
        program: Its name.
        arguments: Its arguments, without its name.
        stdin: All of its standard input, which comes by a pipe; None for the system's empty file.
        env: The whole environment.
        folder: The working folder.
        reached: Names of time limits that it reaches. All others are lifted.

    """
    _forget_results()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with (
            lifted(reached),
            _process_state(env, folder),
            _streams(stdin, out, err),
            _connections(),
            _threads(),
        ):
            sys.argv = [program, *arguments]
            code = _code_of(MAINS[program])
        return Ran(code, _all_of(out), _all_of(err))


def _code_of(main: Callable[[], None]) -> int:
    try:
        main()
    except SystemExit as leaving:
        if leaving.code is None or isinstance(leaving.code, int):
            return leaving.code or 0
        sys.stderr.write(f"{leaving.code}\n")
        return 1
    except _Left as left:
        return left.code
    return 0


@contextlib.contextmanager
def _process_state(env: Mapping[str, str], folder: Path) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, env, clear=True))
        stack.enter_context(mock.patch.object(sys, "argv", sys.argv))
        stack.enter_context(mock.patch.object(process, "process_start", time.monotonic))
        stack.enter_context(mock.patch.object(wants, "start_seconds", return_value=SERVER_SECONDS))
        stack.enter_context(warnings.catch_warnings())
        for category in SILENT_WARNINGS:
            warnings.simplefilter("ignore", category)
        stack.callback(os.chdir, os.getcwd())
        os.chdir(folder)
        stack.callback(os.umask, mask := os.umask(0))
        os.umask(mask)
        for number in SIGNALS:
            stack.callback(signal.signal, number, signal.getsignal(number))
        stack.callback(signal.setitimer, signal.ITIMER_REAL, 0)
        stack.callback(gc.enable)
        stack.callback(gc.set_threshold, *gc.get_threshold())
        stack.enter_context(
            mock.patch.object(tempfile, "tempdir", None)
        )  # or it would stay what it was
        yield


@contextlib.contextmanager
def _streams(stdin: bytes | None, out: BinaryIO, err: BinaryIO) -> Iterator[None]:
    """Put a pipe and two files in the place of the three standard streams: descriptors and objects of `sys`."""
    with contextlib.ExitStack() as stack:
        reading = (
            os.open(os.devnull, os.O_RDONLY)
            if stdin is None
            else stack.enter_context(_pipe_of(stdin))
        )
        for number, descriptor in enumerate((reading, out.fileno(), err.fileno())):
            stack.callback(_put_back, number, os.dup(number))
            os.dup2(descriptor, number)
        os.close(reading)
        for number, (name, mode, errors) in enumerate(STREAMS):
            raw = open(number, f"{mode}b", closefd=False)  # noqa: SIM115  # closed below
            stream = io.TextIOWrapper(raw, "utf-8", errors, line_buffering=name == "stderr")
            stack.callback(_flush_and_close, stream)
            stack.enter_context(mock.patch.object(sys, name, stream))
        yield


@contextlib.contextmanager
def _pipe_of(stdin: bytes) -> Iterator[int]:
    """Yield the end of a pipe from which *stdin* comes, as far as anyone reads it."""
    reading, writing = os.pipe()

    def feed() -> None:
        with contextlib.suppress(BrokenPipeError), open(writing, "wb") as pipe:
            pipe.write(stdin)

    feeder = threading.Thread(target=feed)
    feeder.start()
    yield reading
    feeder.join()


def _put_back(number: int, saved: int) -> None:
    os.dup2(saved, number)
    os.close(saved)


def _flush_and_close(stream: IO[str]) -> None:
    with contextlib.suppress(OSError, ValueError):
        stream.close()


def _lose_what_was_not_flushed() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)


def _quiet(run: Callable[[], None]) -> Callable[[], None]:
    """Return *run* with a way to end: pytest, unlike Python, complains of a thread that does so by `SystemExit`."""

    def run_to_the_end() -> None:
        with contextlib.suppress(SystemExit):
            run()

    return run_to_the_end


@contextlib.contextmanager
def _threads() -> Iterator[None]:
    """Let threads end before this returns: those that wait for the end of the process, end it, or still work."""
    main, ended, start = threading.current_thread(), threading.Event(), threading.Thread.start
    family = {main}

    def start_and_know(thread: threading.Thread) -> None:
        if threading.current_thread() in family:
            family.add(thread)
            thread.run = _quiet(thread.run)  # type: ignore[method-assign]
        start(thread)

    def leave(code: int) -> NoReturn:
        if threading.current_thread() is main:
            _lose_what_was_not_flushed()
            raise _Left(code)
        sys.exit(code)

    def watch(_: float) -> None:
        ended.wait()
        sys.exit()

    with (
        mock.patch.object(threading.Thread, "start", start_and_know),
        mock.patch.object(os, "_exit", leave),
        mock.patch("hardwon.entrypoints.hook.process._sleep_until", watch),
    ):
        try:
            yield
        finally:
            ended.set()
            for thread in family - {main}:
                if isinstance(thread, threading.Timer):
                    thread.cancel()
                thread.join(LONGEST_WAIT)
                is_abandoned = thread.daemon and thread.name.endswith(
                    "(_run)"
                )  # an exchange with a provider, by design
                assert is_abandoned or not thread.is_alive(), f"{thread} outlives its program"


def _forget_results() -> None:
    for cache in _caches(len(sys.modules)):
        cache.cache_clear()


@contextlib.contextmanager
def _connections() -> Iterator[None]:
    """Close the databases that are still open when the program ends, as the end of a process does."""
    connect = sqlite3.connect
    opened = list[sqlite3.Connection]()

    def connect_and_know(*arguments: Any, **named: Any) -> sqlite3.Connection:
        opened.append(connect(*arguments, **named))
        return opened[-1]

    with mock.patch.object(sqlite3, "connect", connect_and_know):
        try:
            yield
        finally:
            for connection in opened:
                with contextlib.suppress(sqlite3.ProgrammingError):  # another thread's, which ended
                    connection.close()
            _forget_results()  # a closed connection may be among them


@contextlib.contextmanager
def one_process() -> Iterator[None]:
    """
    Load the model, read signatures of commands and run migrations once.

    That takes longer than most tests.
    """
    _new_store()  # before a program, whose connections are closed when it ends
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(opening, "migrate", _migrate))
        for owner, name, function in ONCE:
            stack.enter_context(mock.patch.object(owner, name, function))
        yield


FOR_EVER = 60
"""The factor of time limits that nothing reaches."""

LIMITS = {
    (module, name): getattr(module, name)
    for module, name in (
        (context, "GIT_SECONDS"),
        (context, "ASK_SECONDS"),
        (embed_after_write, "WRITE_SECONDS"),
        (bootstrap_retrieval, "ASKED_EMBED_SECONDS"),
        (http, "MAX_REQUEST_SECONDS"),
        (threads, "EMBED_SECONDS"),
    )
}
"""Where programs do less once time is over, in seconds."""


@contextlib.contextmanager
def lifted(reached: Collection[str]) -> Iterator[None]:
    """Lift these limits, but those that are *reached*."""
    with contextlib.ExitStack() as stack:
        for (module, name), seconds in LIMITS.items():
            if name not in reached:
                stack.enter_context(mock.patch.object(module, name, seconds * FOR_EVER))
        yield


class EachTextOnce:
    """Encodes a text that it has encoded before from memory: the same text gives the same vector."""

    def __init__(self, path: str) -> None:
        self._encoder = _LOAD_ENCODER(path)
        self._rows: dict[tuple[int, ...], Any] = {}

    def encode(
        self, token_ids: Sequence[Sequence[int]], *, in_two_threads: bool = False
    ) -> list[Any]:
        """Return the vectors of texts by their tokens."""
        texts = [*map(tuple, token_ids)]
        missing = [*dict.fromkeys(text for text in texts if text not in self._rows)]
        if missing:
            encoded = self._encoder.encode(missing, in_two_threads=in_two_threads)
            self._rows.update(zip(missing, encoded, strict=True))
        return [self._rows[text] for text in texts]


_LOAD_ENCODER = minilm._load_encoder  # replaced while programs share a process

_MODEL_OF = drift.model_of


@functools.cache
def _bytes_of_model(version: int) -> bytes:
    with contextlib.closing(_MODEL_OF(version)) as model:
        return model.serialize()


def copy_of_model(version: int) -> sqlite3.Connection:
    """Return a copy of the one model of *version*: its migrations take twenty times as long."""
    model = sqlite3.connect(":memory:", isolation_level=None)
    model.deserialize(_bytes_of_model(version))
    return model


ONCE = [
    (minilm, "_load_encoder", functools.cache(EachTextOnce)),
    (drift, "model_of", copy_of_model),
    (unreadable, "model_of", copy_of_model),
    *(
        (owner, name, functools.cache(getattr(owner, name)))
        for owner, name in (
            (minilm, "load_wordpiece"),
            (minilm, "verify_sha256"),
            (drift, "_shapes"),
            (typer.main, "get_params_from_function"),
        )
    ),
]


_MIGRATE = schema.migrate


@functools.cache
def _new_store() -> sqlite3.Connection:
    store = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    _MIGRATE(store)
    return store


def _migrate(connection: sqlite3.Connection, *keep_copy: Callable[[int], None]) -> None:
    """Fill an empty store with a new one's pages, and migrate others."""
    if _is_empty(connection):
        connection.execute("BEGIN IMMEDIATE")  # wait for another process that makes it
        connection.execute("ROLLBACK")
    if _is_empty(connection):
        _new_store().backup(connection)
    else:
        _MIGRATE(connection, *keep_copy)


def _is_empty(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT 1 FROM sqlite_master").fetchone()


@functools.lru_cache(maxsize=1)
def _caches(_: int) -> "list[functools._lru_cache_wrapper[object]]":
    """Return our caches but those of pure rules and those that programs share; with more modules there may be others."""
    modules = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith("hardwon.") and not name.startswith(PURE)
    ]
    values = [value for module in modules for value in vars(module).values()]
    shared = {id(function) for _, _, function in ONCE}
    return list(
        {
            id(value): value
            for value in values
            if isinstance(value, functools._lru_cache_wrapper) and id(value) not in shared
        }.values()
    )


def _all_of(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode()
