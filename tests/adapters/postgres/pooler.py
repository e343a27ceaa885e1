"""A PgBouncer before a server, with the settings of `deploy/pgbouncer.ini`."""

import configparser
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.adapters.postgres.servers import folder_of_a_server, until
from tests.waiting import LONGEST_WAIT

PROGRAM = shutil.which("pgbouncer", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))
SETTINGS = Path(__file__).parents[3] / "deploy" / "pgbouncer.ini"
POOL_SIZE = 2
"""Connections to the server for each role; many more clients share them."""

MAX_CONNECTIONS = 3
"""Connections to the server for all roles: fewer than four pools of that size have."""

STOP_SECONDS = 10

Through = Callable[[str], str]
"""Returns the address by which the pooler takes a role of that address to the server."""


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
    """Return the options for a user other than root, as whom it refuses to run: the user that may open the socket of the server."""
    if os.geteuid() != 0:
        return []
    user = Path(host).owner() if host.startswith("/") else "nobody"
    for path in (folder, *folder.iterdir()):
        shutil.chown(path, user)
    return ["-u", user]
