"""Errors of the server and of the way to it in words, each with the way out."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg

from hardwon.domain.model.errors import StorageError

NO_ANSWER = "no answer in time"


class NoAnswerError(psycopg.OperationalError):
    """The server did not answer in time; it may still do what it was asked."""


class LostConnectionError(psycopg.OperationalError):
    """The connection was lost within a transaction, of which nothing is stored."""


REFUSED = "the server refuses this role or its password"
NO_DATABASE = "there is no such database; create it, then run: hardwon store migrate"
POOLER = "the pooler has no connection to the server: try again"

MESSAGES: tuple[tuple[tuple[type[psycopg.Error], ...], str], ...] = (
    ((pg.InvalidPassword, pg.InvalidAuthorizationSpecification), REFUSED),
    ((pg.InvalidCatalogName,), NO_DATABASE),
    (
        (pg.InvalidSchemaName, pg.UndefinedTable),
        "there is no store in this database yet; its owner runs: hardwon store migrate",
    ),
    ((pg.LockNotAvailable, pg.DeadlockDetected), "another program is writing: try again"),
    (
        (pg.ReadOnlySqlTransaction,),
        "this server, or role, can only be read now: a standby needs its primary, a full disk more room",
    ),
    ((pg.InsufficientPrivilege,), "this role may not do that; ask its owner"),
    ((pg.DiskFull, pg.OutOfMemory), "the server is out of space: nothing was stored"),
    ((pg.TooManyConnections,), "the server has no connection left: try again"),
    ((pg.QueryCanceled, pg.ConnectionTimeout, NoAnswerError), NO_ANSWER),
    ((LostConnectionError,), "the connection was lost: nothing was stored; try again"),
    ((pg.InFailedSqlTransaction,), "an earlier step failed: nothing was stored"),
    ((pg.AdminShutdown, pg.CrashShutdown, pg.CannotConnectNow), "the server is restarting: try again"),
)

PARTS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("authentication failed",), REFUSED),
    (("no password supplied",), REFUSED),
    (("pg_hba.conf",), REFUSED),
    (("query_wait_timeout",), POOLER),
    (("server_login_retry",), POOLER),
    (("server login has been failing",), POOLER),
    (("role ", "does not exist"), "the server knows no such role"),
    (('database "', "does not exist"), NO_DATABASE),
)
"""Messages of errors without a code, by parts of their text."""


@contextmanager
def translated(path: str) -> Iterator[None]:
    """
    Translate errors within into `StorageError`, which names the server at *path*.

    Raises:
        StorageError: the way to the server, or the server, failed.
    """
    try:
        yield
    except psycopg.Error as error:
        raise StorageError(f"{path}: {reason_of(error)}") from error
    except UnicodeEncodeError as error:
        raise StorageError(f"{path}: text that is not Unicode can't be stored") from error


def reason_of(error: psycopg.Error) -> str:
    """Return what went wrong in one line."""
    for kinds, message in MESSAGES:
        if isinstance(error, kinds):
            return message
    line = " ".join(str(error).split())
    for parts, message in PARTS:
        if all(part in line for part in parts):
            return message
    if error.sqlstate is None and isinstance(error, psycopg.OperationalError):
        return f"the server can't be reached ({_first_cause(line)})"
    return line


def _first_cause(line: str) -> str:
    """Return why a connection failed; psycopg lists a cause for each address that it tried, and libpq asks a question."""
    first = line.partition(" Multiple connection attempts failed")[0].partition(" Is the server running")[0]
    for beginning in ("connection failed: ", "connection is bad: "):
        first = first.removeprefix(beginning)
    return first.strip() or "no answer"
