"""Address, TLS and error messages of a PostgreSQL server."""

import ipaddress
import json
import os
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg import errors as pg
from psycopg.adapt import Dumper
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Conninfo

from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.errors import ServerAwayError, StorageError
from hardwon.ports.override import override

ENCRYPTED = ("require", "verify-ca", "verify-full")
"""TLS modes without a fallback to plain text."""

PORTS = frozenset("0123456789,")


UNREADABLE = "the address of the server can't be read: write postgresql://ROLE@HOST/DATABASE"


def text_of(vector: Vector) -> str:
    """Return *vector* as pgvector's text, in nine digits for float32."""
    return f"[{','.join(['%.9g'] * len(vector))}]" % tuple(vector)


class VectorDumper(Dumper):
    """Writes a vector as a parameter."""

    @override
    def dump(self, obj: Vector) -> bytes:
        return text_of(obj).encode()


class Column(list[int]):
    """Numbers that are sent as one array."""


class ColumnDumper(Dumper):
    """Writes a column as an array, quicker than psycopg writes a list."""

    @override
    def dump(self, obj: Column) -> bytes:
        return f"{{{','.join(map(str, obj))}}}".encode()


class Rows(list[Mapping[str, object]]):
    """Rows for `json_populate_recordset`, with their values by column."""


class RowsDumper(Dumper):
    """Writes rows as JSON."""

    @override
    def dump(self, obj: Rows) -> bytes:
        return json.dumps(obj, ensure_ascii=False, default=_as_text).encode()


def _as_text(value: object) -> str:
    return text_of(value) if isinstance(value, array) else str(value)


def parameters_of(dsn: str) -> dict[str, Any]:
    """
    Return the connection parameters of *dsn*, with TLS across a network.

    Connections to other machines are encrypted, and verified unless *dsn* weakens that.
    """
    try:
        given = {name: value for name, value in conninfo_to_dict(dsn).items() if value is not None}
    except Exception as error:
        raise StorageError(UNREADABLE) from error
    if not all(map(_is_name, str(given.get("host", "")).split(","))):
        raise StorageError(UNREADABLE)
    if (
        any("@" in str(given.get(name, "")) for name in ("dbname", "host"))
        or set(str(given.get("port", ""))) - PORTS
    ):
        raise StorageError(
            "the address of the server can't be read: write / as %2F, @ as %40, ? as %3F and # as"
            " %23 in a password, or keep it in ~/.pgpass"
        )
    if "service" in given or "PGSERVICE" in os.environ:
        raise StorageError("the address of the server is a service: name the host itself")
    if _stays_here({**_elsewhere_by_default(), **given}):
        return given
    mode = given.setdefault("sslmode", "verify-full")
    if mode not in ENCRYPTED:
        raise StorageError(
            f"sslmode={mode} would send memories over a network in plain text: use one of"
            f" {', '.join(ENCRYPTED)}"
        )
    if mode == "verify-full":
        given.setdefault("sslrootcert", "system")
    return given


def with_database(dsn: str, name: str) -> str:
    """Return the address of another database on the same server."""
    return urlsplit(dsn)._replace(path=f"/{name}").geturl()


def shown(parameters: Mapping[str, Any]) -> str:
    """Return the server's name in messages, without a password."""
    host = str(parameters.get("host") or "localhost")
    port = f":{parameters['port']}" if parameters.get("port") else ""
    user = f"{parameters['user']}@" if parameters.get("user") else ""
    return f"postgresql://{user}{host}{port}/{parameters.get('dbname') or ''}"


def _is_name(host: str) -> bool:
    if not host.startswith("/"):
        try:
            host.encode("idna")
        except UnicodeError:
            return False
    return True


def _elsewhere_by_default() -> dict[str, str]:
    """
    Return the host options that libpq takes from the environment.

    They hold for an address without a host.
    """
    return {
        option.keyword.decode(): option.val.decode()
        for option in Conninfo.get_defaults()
        if option.val and option.keyword in {b"host", b"hostaddr"}
    }


def _stays_here(parameters: Mapping[str, Any]) -> bool:
    hosts = str(parameters.get("hostaddr") or parameters.get("host") or "").split(",")
    return all(_is_here(host.strip()) for host in hosts)


def _is_here(host: str) -> bool:
    if not host or host == "localhost" or host.startswith(("/", "@")):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


NO_ANSWER = "no answer in time"


class NoAnswerError(psycopg.OperationalError):
    """
    The server did not answer in time.

    It may still complete the statement.
    """


class LostConnectionError(psycopg.OperationalError):
    """The connection was lost within a transaction, which was rolled back."""


REFUSED = "the server refuses this role or its password"
NO_DATABASE = "there is no such database; create it, then run: hardwon store migrate"
TOO_MANY = "too many agents at once: use a pooler (deploy/pgbouncer.ini)"
POOLER = "the pooler has no connection to the server: try again"
READ_ONLY = (
    "this server, or role, can only be read now: a standby needs its primary, a full disk more room"
)
OUT_OF_SPACE = "the server is out of space: nothing was stored"
LOST = "the connection was lost: nothing was stored; try again"
RESTARTING = "the server is restarting: try again"
NOT_REACHED = "the server can't be reached"

AWAY = (NO_ANSWER, TOO_MANY, POOLER, READ_ONLY, OUT_OF_SPACE, LOST, RESTARTING, NOT_REACHED)
"""The beginnings of the messages after which a later try may succeed."""

MESSAGES: tuple[tuple[tuple[type[psycopg.Error], ...], str], ...] = (
    ((pg.InvalidPassword, pg.InvalidAuthorizationSpecification), REFUSED),
    ((pg.InvalidCatalogName,), NO_DATABASE),
    (
        (pg.InvalidSchemaName, pg.UndefinedTable),
        "there is no store in this database yet; its owner runs: hardwon store migrate",
    ),
    ((pg.LockNotAvailable, pg.DeadlockDetected), "another program is writing: try again"),
    ((pg.ReadOnlySqlTransaction,), READ_ONLY),
    ((pg.InsufficientPrivilege,), "this role may not do that; ask its owner"),
    ((pg.DiskFull, pg.OutOfMemory), OUT_OF_SPACE),
    ((pg.TooManyConnections,), TOO_MANY),
    ((pg.QueryCanceled, pg.ConnectionTimeout, NoAnswerError), NO_ANSWER),
    ((LostConnectionError, pg.IdleInTransactionSessionTimeout), LOST),
    ((pg.InFailedSqlTransaction,), "an earlier step failed: nothing was stored"),
    ((pg.AdminShutdown, pg.CrashShutdown, pg.CannotConnectNow), RESTARTING),
)

PARTS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("authentication failed",), REFUSED),
    (("no password supplied",), REFUSED),
    (("pg_hba.conf",), REFUSED),
    (("too many clients already",), TOO_MANY),
    (("connection slots are reserved",), TOO_MANY),
    (("too many connections for",), TOO_MANY),
    (("no more connections allowed",), TOO_MANY),
    (("query_wait_timeout",), POOLER),
    (("server_login_retry",), POOLER),
    (("server login has been failing",), POOLER),
    (("role ", "does not exist"), "the server knows no such role"),
    (('database "', "does not exist"), NO_DATABASE),
)
"""Messages of errors without a code, by parts of their text."""


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Translate errors within into `StorageError`, which names the server by *path*."""
    try:
        yield
    except psycopg.Error as error:
        reason = reason_of(error)
        kind = ServerAwayError if reason.startswith(AWAY) else StorageError
        raise kind(f"{path}: {reason}") from error
    except UnicodeEncodeError as error:
        raise StorageError(f"{path}: text that is not Unicode can't be stored") from error


def reason_of(error: psycopg.Error) -> str:
    """Return the cause of an error in one line."""
    for kinds, message in MESSAGES:
        if isinstance(error, kinds):
            return message
    line = " ".join(str(error).split())
    for parts, message in PARTS:
        if all(part in line for part in parts):
            return message
    if error.sqlstate is None and isinstance(error, psycopg.OperationalError):
        return f"{NOT_REACHED} ({_first_cause(line)})"
    return line


def _first_cause(line: str) -> str:
    """
    Return the first cause of a failed connection.

    psycopg lists one for each address that it tried, and libpq appends a question.
    """
    first = line.partition(" Multiple connection attempts failed")[0].partition(
        " Is the server running"
    )[0]
    for beginning in ("connection failed: ", "connection is bad: "):
        first = first.removeprefix(beginning)
    return first.strip() or "no answer"
