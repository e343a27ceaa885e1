"""The hook in a world of its own (home, store, project, PATH): in the test's process, or in one of its own."""

import contextlib
import copy
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self
from unittest import mock

import attrs

from hardwon.domain.model.entry import Entry
from hardwon.domain.model.filters import Workplace
from hardwon.domain.model.settings import Settings
from hardwon.entrypoints.bootstrap import open_memory
from hardwon.entrypoints.bootstrap_files import build_import_knowledge
from hardwon.entrypoints.bootstrap_retrieval import Memory
from hardwon.entrypoints.context import read_workplace
from hardwon.entrypoints.embed_after_write import fill_spaces
from hardwon.ports.store import Warn
from tests.entrypoints.faults import launch
from tests.fakes.doors import can_run_here, run_here
from tests.machine import LONGEST_WAIT

GOLDEN = Path(__file__).parents[1] / "golden"
FAULTS = Path(__file__).parent / "faults"
BIN = Path(sys.executable).parent


class Run(NamedTuple):
    """
    The output of one run of the hook, and how it ended.

    Attributes:
        log: The lines it added to `hook.log`.

    """

    code: int
    stdout: str
    stderr: str
    log: tuple[str, ...]


class Launched(NamedTuple):
    """
    A run through `faults/launch.py`.

    Attributes:
        modules: All that the process had imported at its exit.

    """

    run: Run
    modules: frozenset[str]


@contextlib.contextmanager
def broken_by(faults: Sequence[str], reached: Collection[str] = ()) -> Iterator[None]:
    """Break what functions of `faults/launch.py` break, in this process; lift limits that are not *reached*."""
    with contextlib.ExitStack() as stack:

        def replace(owner: object, name: str, value: object) -> None:
            stack.enter_context(mock.patch.object(owner, name, value))

        replace(launch, "replace", replace)
        launch.wait_longer(reached)
        for fault in faults:
            getattr(launch, fault)()
        yield


def calm(run: Run) -> bool:
    """Return whether the hook ended by itself, and without frightening anyone."""
    return run.code in {0, 1} and "Traceback" not in run.stderr


def belonging(entry: Entry, here: Workplace) -> Entry:
    """
    Return *entry* as one of the project *here*, unless its label or project names another one.

    A workspace may be given by its folder's name. An entry that has one, and no label, is of the
    workspace and of no project.
    """
    label, folder = entry.source_project, here.workspace or ""
    workspace = folder if entry.workspace == os.path.basename(folder) else entry.workspace
    is_of_here = label == here.label or (
        label is None and entry.kind != "learning" and entry.workspace is None
    )
    return attrs.evolve(
        entry, project=entry.project or (here.project if is_of_here else label), workspace=workspace
    )


def ignore(_: str) -> None:
    """Take no notice of a warning."""


class World:
    """
    Everything a hook can see, below one folder.

    Attributes:
        project: Where the user works.
        store: Where `memory.db` is.
        variables: The whole environment of the hook.
        faults: Parts that `hook` and `launch` break, by names of functions in `faults/launch.py`.
        reached: Names of the time limits that programs reach, as something hangs. All others are
            lifted, as a busy machine would show less.
        bin: Where the installed programs are.
        may_fork: Whether programs may be forked from a process that has imported the libraries.
        may_run_here: Whether programs may run in the test's own process.

    """

    def __init__(self, folder: Path, cleanup: contextlib.ExitStack) -> None:
        self.folder = folder
        self.cleanup = cleanup
        self.project = folder / "project"
        self.store = folder / "store"
        self.faults = list[str]()
        self.reached: tuple[str, ...] = ()
        self.bin = BIN
        self.may_fork = True
        self.may_run_here = True
        home = folder / "home"
        for item in (home, self.project):
            item.mkdir(parents=True)
        self.variables = {
            "HOME": str(home),
            "HARDWON_STORE": str(self.store),
            # no server listens there: no test asks an Ollama of this machine
            "OLLAMA_HOST": "127.0.0.1:9",
            # or every session start would leave a worker to itself
            "HARDWON_CAPTURE_ENABLED": "false",
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def at(self, project: Path) -> Self:
        """Return the same world for a user who works in another project."""
        world = copy.copy(self)
        world.project = project
        return world

    @property
    def workspace(self) -> str:
        """The real path of the folder that holds the project."""
        return os.path.realpath(self.folder)

    @property
    def database(self) -> Path:
        """The store's one file."""
        return self.store / "memory.db"

    @property
    def log(self) -> Path:
        """The log of the hook."""
        return self.store / "hook.log"

    def hook(
        self,
        *arguments: str,
        payload: object = None,
        through: Sequence[str] = (),
        redirections: str = "",
        stdin: int | None = None,
        stdout: int = subprocess.PIPE,
    ) -> Run:
        """
        Run the console script; in this process, where that makes no difference, with `faults` in
        it.

        Args:
            arguments: The argument form; none for the JSON form.
            payload: Bytes as they are, anything else as JSON; None for a session start in
                `project`.
            through: A program that starts the hook.
            redirections: As a shell writes them, such as `>&-`.
            stdin: A file descriptor to read from instead of *payload*.
            stdout: A file descriptor to print to.

        """
        needs_process = (
            self.bin != BIN
            or through
            or redirections
            or stdin is not None
            or stdout != subprocess.PIPE
        )
        if self.may_run_here and not needs_process and can_run_here("hardwon-hook", self.variables):
            return self._run_here(arguments, payload)
        assert not self.faults, "only `launch` breaks a process"
        command = [*through, str(self.bin / "hardwon-hook"), *arguments]
        if redirections:
            command = ["/bin/sh", "-c", f'exec "$0" "$@" {redirections}', *command]
        return self._run(command, self.patient, payload, stdin, stdout)

    def argument_form(self, *arguments: str) -> Run:
        """Run the console script on `project`, with further arguments."""
        return self.hook("--project-root", str(self.project), *arguments)

    def launch(self, *arguments: str, payload: object = None) -> Launched:
        """Run the hook with `faults` in it, in a process of its own, whose imports are noted."""
        report = self.folder / "report"
        report.unlink(missing_ok=True)
        program = (str(self.bin / "python"), str(FAULTS / "launch.py"), str(report))
        command = [*program, ",".join(self.faults), ",".join(self.reached), *arguments]
        run = self._run(command, self.variables, payload)
        return Launched(run, frozenset(report.read_text().split("\n")))

    @property
    def patient(self) -> dict[str, str]:
        """The environment of installed scripts, in which the hook's limits are lifted."""
        path = filter(None, (str(FAULTS), self.variables.get("PYTHONPATH")))
        more = {"PYTHONPATH": os.pathsep.join(path), "LIMITS_REACHED": ",".join(self.reached)}
        return {**self.variables, **more}

    def statements(self) -> list[str]:
        """Return what SQLite ran in the last launch with the fault `statements_are_noted`, a line a statement."""
        return (self.folder / "report.statements").read_text(encoding="utf-8").splitlines()

    def _run(
        self,
        command: Sequence[str],
        variables: Mapping[str, str],
        payload: object,
        stdin: int | None = None,
        stdout: int = subprocess.PIPE,
    ) -> Run:
        known = self._logged()
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=variables,
            stdin=subprocess.PIPE if stdin is None else stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
        )
        out, err = process.communicate(
            self._bytes(payload) if stdin is None else None, LONGEST_WAIT
        )
        return Run(
            process.returncode,
            (out or b"").decode(),
            err.decode(),
            self._logged()[len(known) :],
        )

    def _run_here(self, arguments: Sequence[str], payload: object) -> Run:
        known = self._logged()
        stdin = self._bytes(payload)
        with broken_by(self.faults, self.reached):
            ran = run_here(
                "hardwon-hook",
                arguments,
                stdin=stdin,
                env=self.variables,
                folder=self.folder,
                reached=self.reached,
            )
        return Run(*ran, log=self._logged()[len(known) :])

    def _bytes(self, payload: object) -> bytes:
        if isinstance(payload, bytes):
            return payload
        return json.dumps(self.session_start() if payload is None else payload).encode()

    def session_start(self) -> dict[str, object]:
        """Return the host's JSON for a session in `project`."""
        return {
            "session_id": "4e1079b4-1075-4398-9c17-024ebe214a8d",
            "cwd": str(self.project),
            "hook_event_name": "SessionStart",
            "source": "startup",
        }

    def _logged(self) -> tuple[str, ...]:
        return (
            tuple(self.log.read_text(encoding="utf-8").splitlines()) if self.log.is_file() else ()
        )

    def write_bank(self, category: str, text: str, *, of_all_projects: bool = False) -> None:
        """Write one knowledge-bank file."""
        folder = self.store if of_all_projects else self.project / "docs" / "knowledge-bank"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{category}.md").write_text(text, encoding="utf-8")

    def write_feature(self, name: str, meta: Mapping[str, object] | str, **documents: str) -> None:
        """Write a feature's `.meta.json` and its documents."""
        folder = self.project / "docs" / "features" / name
        folder.mkdir(parents=True)
        (folder / ".meta.json").write_text(
            meta if isinstance(meta, str) else json.dumps(meta), encoding="utf-8"
        )
        for document, text in documents.items():
            (folder / f"{document}.md").write_text(text, encoding="utf-8")

    def commit(self, *names: str) -> None:
        """Change files of the project and commit them."""
        self.git("init", "--quiet")
        for name in names:
            (self.project / name).write_text("x", encoding="utf-8")
        self.commit_all()

    def commit_all(self, author: str = "x@example.invalid") -> None:
        """Commit all changes of the project."""
        self.git("add", "--all")
        person = ("-c", "user.name=x", "-c", f"user.email={author}")
        self.git(*person, "commit", "--quiet", "--message=x")

    def git(self, *arguments: str) -> str:
        """Run git in the project and return what it prints."""
        command = ["git", *arguments]
        return subprocess.run(
            command,
            cwd=self.project,
            env=self.variables,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def give_address(self, email: str) -> None:
        """Give the user an address, which git knows in every repository."""
        config = self.folder / "gitconfig"
        config.write_text(f"[user]\n\tname = Me\n\temail = {email}\n", encoding="utf-8")
        self.variables["GIT_CONFIG_GLOBAL"] = str(config)

    def configure(self, **settings: str) -> None:
        """Write the project's settings."""
        self.write_configuration(
            "".join(f"memory_{key}: {value}\n" for key, value in settings.items()).encode()
        )

    def write_configuration(self, content: bytes) -> None:
        """Write `.claude/iflow-dev.local.md` as it is."""
        folder = self.project / ".claude"
        folder.mkdir()
        (folder / "iflow-dev.local.md").write_bytes(content)

    def put_program(self, name: str, script: str) -> None:
        """Put a shell script first on PATH."""
        folder = self.folder / "programs"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
        self.variables["PATH"] = f"{folder}{os.pathsep}{self.variables['PATH']}"

    def put_package(self, name: str, **modules: str | bytes) -> Path:
        """Put a package before the installed ones; return its folder."""
        folder = self.folder / "packages" / name
        folder.mkdir(parents=True)
        for module, source in {"__init__": "", **modules}.items():
            (folder / f"{module}.py").write_bytes(
                source if isinstance(source, bytes) else source.encode()
            )
        self.variables["PYTHONPATH"] = str(folder.parent)
        return folder

    @contextlib.contextmanager
    def opened(self, *, warn: Warn = ignore, **settings: Any) -> Iterator[Memory]:
        """Open the store in this process, with these settings alone."""
        memory = open_memory(Settings(global_store=str(self.store), **settings), warn)
        with contextlib.closing(memory):
            yield memory

    def remember(self, *entries: Entry) -> None:
        """Put entries into the store: of this project, unless their label or project names another one."""
        with self.opened() as memory:
            here = read_workplace(memory, str(self.project))
            for entry in entries:
                memory.repository.put(belonging(entry, here))

    def import_bank(self) -> None:
        """Fill the store from the knowledge bank."""
        with self.opened() as memory:
            here = read_workplace(memory, str(self.project))
            build_import_knowledge(memory, str(self.project), here).everything()

    def embed(self) -> None:
        """Give every entry its vector."""
        with self.opened() as memory:
            assert fill_spaces(memory.spaces, None).problems == ()

    def connect(self) -> sqlite3.Connection:
        """Open the database beside the hook, until the test ends."""
        return self.cleanup.enter_context(
            contextlib.closing(sqlite3.connect(self.database, isolation_level=None, timeout=0))
        )

    def query(self, sql: str, parameters: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
        """Run one statement on the store."""
        with contextlib.closing(sqlite3.connect(self.database, isolation_level=None)) as connection:
            return connection.execute(sql, tuple(parameters)).fetchall()


class Original:
    """A project with a small bank, an active feature and commits, and a store that knows the bank."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder, contextlib.ExitStack())
        for path in GOLDEN.glob("hook-bank-*.md"):
            self.world.write_bank(
                path.stem.removeprefix("hook-bank-"), path.read_text(encoding="utf-8")
            )
        self.world.write_feature(
            "007-csv-reader",
            {"slug": "csv-reader", "status": "active", "lastCompletedPhase": "design"},
            spec="# Spec\n\nRead partner feeds line by line and report malformed records.\n\n## Scope\n\nNo export.\n",
        )
        for names in (
            ("README.md",),
            ("feeds.py",),
            ("reader.py",),
            ("quotes.py", "reader_test.py"),
        ):
            self.world.commit(*names)
        self.world.import_bank()
        self._embedded = folder / "embedded"
        self._files = {*self._written()}

    def copy(self, folder: Path, cleanup: contextlib.ExitStack, *, embedded: bool = False) -> World:
        """
        Return a world with a copy of the store.

        The project stays where it is, as the store knows it by its path: what a test adds there is
        removed after it; what it changes there must be in a project of its own.
        """
        world = World(folder, cleanup)
        cleanup.callback(self._remove_added)
        world.project.rmdir()
        world.project = self.world.project
        shutil.copytree(self._embedded_store() if embedded else self.world.store, world.store)
        return world

    def _written(self) -> Iterator[Path]:
        for path in self.world.project.rglob("*"):
            if ".git" not in path.relative_to(self.world.project).parts:
                yield path

    def _remove_added(self) -> None:
        for path in sorted(set(self._written()) - self._files):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def _embedded_store(self) -> Path:
        if not self._embedded.exists():
            world = self.copy(self._embedded, contextlib.ExitStack())
            world.embed()
        return self._embedded / "store"
