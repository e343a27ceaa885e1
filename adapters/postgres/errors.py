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


MESSAGES: tuple[tuple[tuple[type[psycopg.Error], ...], str], ...] = (
    ((pg.InvalidPassword, pg.InvalidAuthorizationSpecification), "the server refuses this role or its password"),
    ((pg.InvalidCatalogName,), "there is no such database; create it, then run: hardwon store migrate"),
    ((pg.InvalidSchemaName, pg.UndefinedTable), "there is no store in this database yet; run: hardwon store migrate"),
    ((pg.LockNotAvailable, pg.DeadlockDetected), "another program is writing: try again"),
    ((pg.ReadOnlySqlTransaction,), "this server is a standby that can only be read: use the primary"),
    ((pg.InsufficientPrivilege,), "this role may not do that; ask its owner"),
    ((pg.DiskFull, pg.OutOfMemory), "the server is out of space: nothing was stored"),
    ((pg.TooManyConnections,), "the server has no connection left: try again"),
    ((pg.QueryCanceled, pg.ConnectionTimeout, NoAnswerError), NO_ANSWER),
    ((LostConnectionError,), "the connection was lost: nothing was stored; try again"),
    ((pg.InFailedSqlTransaction,), "an earlier step failed: nothing was stored"),
    ((pg.AdminShutdown, pg.CrashShutdown, pg.CannotConnectNow), "the server is restarting: try again"),
)

OF_AUTHENTICATION = ("password authentication failed", "no password supplied", "pg_hba.conf", "authentication failed")
OF_POOLER = ("query_wait_timeout", "server_login_retry", "server login has been failing")
UNKNOWN_ROLE = ("role ", "does not exist")


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
    if any(part in line for part in OF_AUTHENTICATION):
        return "the server refuses this role or its password"
    if any(part in line for part in OF_POOLER):
        return "the pooler has no connection to the server: try again"
    if all(part in line for part in UNKNOWN_ROLE):
        return "the server knows no such role"
    if 'database "' in line and "does not exist" in line:
        return "there is no such database; create it, then run: hardwon store migrate"
    return _without_retries(line)


def _without_retries(line: str) -> str:
    """Return the first cause of a failed connection; psycopg lists one for each address it tried."""
    first = line.partition(" Multiple connection attempts failed")[0]
    return first.removeprefix("connection failed: ").strip() or "the server can't be reached"
