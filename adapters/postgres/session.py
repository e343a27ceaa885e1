"""A connection with at most one open transaction, renewed when lost."""

import logging
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Literal, NamedTuple, TypeVar

import psycopg
from psycopg import sql as composed

from hardwon.adapters.postgres.server import LostConnectionError, NoAnswerError, translated
from hardwon.domain.model.errors import NewerSchemaError, StorageError
from hardwon.ports.override import override

NEWEST = 8
"""This program's schema version: the number of the last file in `migrations/`."""

LONGEST_WAIT = 30.0
"""Timeout of a statement in seconds, by which a stalled server is noticed."""

LONGEST_WORK = 3600.0
"""Timeout in seconds of a statement over all contents."""

CONNECT_SECONDS = 5
SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

# Its warnings would repeat an exception's message on standard error.
logging.getLogger("psycopg").setLevel(logging.CRITICAL)

Row = tuple[Any, ...]
Statement = tuple[str, Mapping[str, object]]
"""A statement with its parameters, by name."""

T = TypeVar("T")

# In one round trip; a pooler keeps the time zone of a session.
HANDSHAKE = """
    SET TIME ZONE 'UTC';
    SELECT m.tenant, current_user, pg_is_in_recovery(), (SELECT max(version) FROM hardwon.migration),
        (SELECT coalesce(sum(c.entries), 0)::bigint FROM hardwon.corpus c WHERE c.tenant = m.tenant)
    FROM (SELECT 1) AS one LEFT JOIN hardwon.member m ON m.role = current_user
"""


class Member(NamedTuple):
    """A login role, as the server knows it."""

    tenant: int
    role: str
    is_read_only: bool
    schema: int
    entries: int


class _Connection(psycopg.Connection[Row]):
    """A connection with bounded waits, even for a stalled server."""

    longest_wait = LONGEST_WAIT

    @override
    def wait(
        self, gen: Generator[Any, Any, T], interval: float = 0.1, timeout: float | None = None
    ) -> T:
        try:
            return super().wait(gen, interval, self.longest_wait if timeout is None else timeout)
        except psycopg.errors._WaitTimeout as error:  # noqa: SLF001  # public in its documentation only
            self.pgconn.finish()  # the answer may still come: nothing else may take it for its own
            raise NoAnswerError from error


class MemberSession:
    """
    A member's connection with at most one open transaction.

    Args:
        parameters: Of the connection.
        path: The server's name in messages.
        longest_wait: Timeout of a statement, in seconds.

    Attributes:
        connection: The current connection, replaced after a loss.

    Raises:
        StorageError: the server can't be reached, the role is no member, or the schema does not
            fit.
    """

    def __init__(
        self, parameters: Mapping[str, Any], path: str, longest_wait: float = LONGEST_WAIT
    ) -> None:
        self._parameters = parameters
        self._path = path
        self._longest_wait = longest_wait
        self._open: Literal["nothing", "a snapshot to begin", "a snapshot", "changes"] = "nothing"
        self.connection, self.member = self._connect()

    def _connect(self) -> tuple[_Connection, Member]:
        with translated(self._path):
            usual: dict[str, Any] = {
                "connect_timeout": CONNECT_SECONDS,
                "application_name": "hardwon",
            }
            connection = _Connection.connect(
                **usual | dict(self._parameters), autocommit=True, prepare_threshold=None
            )
            connection.longest_wait = self._longest_wait
            try:
                answers = connection.execute(HANDSHAKE)
            except psycopg.errors.InsufficientPrivilege as error:
                role = connection.info.user
                connection.close()
                raise StorageError(self._not_a_member(role)) from error
            except psycopg.Error:
                connection.close()
                raise
            answers.nextset()
            [row] = answers.fetchall()
        member = Member(*row)
        if member.schema != NEWEST or member.tenant is None:
            connection.close()
            raise self._refusal(member)
        return connection, member

    def _refusal(self, member: Member) -> StorageError:
        version = member.schema or 0
        if version > NEWEST:
            return NewerSchemaError(
                f"{self._path} has schema version {version}, this hardwon knows {NEWEST}: install"
                " the newest hardwon"
            )
        if version < NEWEST:
            return StorageError(
                f"{self._path} has schema version {version}, this hardwon needs {NEWEST}; its owner"
                " runs: hardwon store migrate"
            )
        return StorageError(self._not_a_member(member.role))

    def _not_a_member(self, role: str) -> str:
        return (
            f"{self._path}: the role {role!r} is a member of no tenant; its owner runs: hardwon"
            f" store add-member {role}"
        )

    @property
    def is_within(self) -> bool:
        """Whether a transaction is open, or about to begin."""
        return self._open != "nothing"

    def run(self, statements: Sequence[Statement], *, only_reads: bool = False) -> list[list[Row]]:
        """
        Run *statements* in one round trip and return their rows.

        Args:
            statements: Several are atomic: if one fails, none has an effect.
            only_reads: Allows to repeat them on a new connection, if the old one was lost before a
                transaction began.
        """
        with translated(self._path):
            if self._open in {"a snapshot", "changes"} and self.connection.closed:
                raise LostConnectionError
            try:
                return self._send(statements)
            except psycopg.OperationalError as error:
                is_lost = self.connection.closed and not isinstance(error, NoAnswerError)
                if not (is_lost and only_reads) or self._open in {"a snapshot", "changes"}:
                    raise
                self.connection, self.member = self._connect()
                return self._send(statements)

    def _send(self, statements: Sequence[Statement]) -> list[list[Row]]:
        if not statements:
            return []
        try:
            if len(statements) == 1 and self._open != "a snapshot to begin":
                return [_rows_of(self.connection.execute(*statements[0]))]
            with self.connection.pipeline():
                if self._open == "a snapshot to begin":
                    self.connection.execute(SNAPSHOT)
                cursors = [self.connection.execute(*statement) for statement in statements]
        except psycopg.Error:
            self._leave_failed_snapshot()
            raise
        if self._open == "a snapshot to begin":
            self._open = "a snapshot"
        return [_rows_of(cursor) for cursor in cursors]

    def _leave_failed_snapshot(self) -> None:
        """
        Start a new snapshot for the reads after a failed one.

        A search goes on without the failed read.
        """
        if self._open == "changes" or self.connection.closed:
            return
        if self._is_in_transaction:
            self.connection.execute("ROLLBACK")
        if self._open == "a snapshot":
            self._open = "a snapshot to begin"

    @property
    def _is_in_transaction(self) -> bool:
        return self.connection.info.transaction_status not in {
            psycopg.pq.TransactionStatus.IDLE,
            psycopg.pq.TransactionStatus.UNKNOWN,  # it is closed
        }

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """
        Let all reads within see the state of the first one.

        To be entered outside of a transaction.
        """
        self._open = "a snapshot to begin"
        with self._ended():
            yield

    @contextmanager
    def changes(self, lock: composed.Composed | None, busy_seconds: float) -> Iterator[list[Row]]:
        """
        Make changes within atomic.

        To be entered outside of a transaction.

        Args:
            lock: A statement that locks rows, and whose rows are yielded.
            busy_seconds: Longest wait for them, and for rows that others change.

        """
        with translated(self._path):
            locked = self._begin(lock, busy_seconds)
        self._open = "changes"
        with self._ended():
            if lock and not locked:  # the role was removed since it connected
                raise StorageError(self._not_a_member(self.member.role))
            yield locked

    def _begin(self, lock: composed.Composed | None, busy_seconds: float) -> list[Row]:
        """
        Begin a transaction and return the rows of *lock*.

        Reconnects if the connection is gone.
        """
        milliseconds = composed.Literal(max(1, int(busy_seconds * 1000)))
        together = composed.SQL("; ").join(
            (
                composed.SQL("BEGIN"),
                composed.SQL("SET LOCAL lock_timeout = {}").format(milliseconds),
                *((lock,) if lock else ()),
            )
        )
        try:
            begun = self.connection.execute(together)
        except NoAnswerError:
            raise
        except psycopg.Error:
            if not self.connection.closed:
                with suppress(psycopg.Error):
                    self.connection.execute("ROLLBACK")
                raise
            self.connection, self.member = self._connect()
            begun = self.connection.execute(together)
        for _ in begun.results():
            pass  # to the last
        return _rows_of(begun)

    @contextmanager
    def _ended(self) -> Iterator[None]:
        """
        Commit at the end, or roll back after an error.

        Raises an error as well if the transaction was lost or failed within.
        """
        try:
            yield
            with translated(self._path):
                self._commit()
        except BaseException:
            with suppress(psycopg.Error):
                if self._is_in_transaction:
                    self.connection.execute("ROLLBACK")
            raise
        finally:
            self._open = "nothing"

    def _commit(self) -> None:
        if self._open == "a snapshot to begin":
            return
        if self.connection.closed:
            raise LostConnectionError
        if self.connection.info.transaction_status == psycopg.pq.TransactionStatus.INERROR:
            raise psycopg.errors.InFailedSqlTransaction
        self.connection.execute("COMMIT")

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """
        Roll back only the work within after a server error.

        To be entered within a transaction.
        """
        with self.connection.transaction():
            yield

    @contextmanager
    def patiently(self) -> Iterator[None]:
        """Raise the timeout of statements within, which run over all contents."""
        self._longest_wait, usual = LONGEST_WORK, self._longest_wait
        self.connection.longest_wait = self._longest_wait
        try:
            yield
        finally:
            self._longest_wait = self.connection.longest_wait = usual

    def close(self) -> None:
        """Close the connection, idempotently."""
        self.connection.close()


def _rows_of(cursor: psycopg.Cursor[Row]) -> list[Row]:
    return cursor.fetchall() if cursor.description else []
