"""A connection with at most one open transaction, renewed when lost."""

import logging
import threading
import time
from array import array
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from typing import Any, Literal, NamedTuple, TypeVar, cast

import psycopg
from psycopg.generators import send

from hardwon.adapters.postgres.server import (
    Column,
    ColumnDumper,
    LostConnectionError,
    NoAnswerError,
    Rows,
    RowsDumper,
    VectorDumper,
    translated,
)
from hardwon.domain.model.errors import NewerSchemaError, StorageError
from hardwon.ports.override import override

NEWEST = 12
"""This program's schema version: the number of the last file in `migrations/`."""

LONGEST_WAIT = 30.0
"""Timeout of a statement in seconds, by which a stalled server is noticed."""

LONGEST_WORK = 3600.0
"""Timeout in seconds of a statement over all contents."""

LOCK_SECONDS = 2.0
"""Longest wait for a lock, since any member can hold one."""

HELD_SECONDS, HELD_LOCK_SECONDS = 10.0, 0.1
"""How long a lock counts as held after a refusal, with the wait then."""

ALIVE_SECONDS = 1.0
"""How long after an answer the connection counts as not lost."""

CONNECT_SECONDS = 5
ASLEEP_SECONDS = 10
"""Longest idle time in a transaction, whose locks others wait for."""

NETWORK: Mapping[str, int] = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""Limits by which a vanished server is noticed within half a minute."""

MAX_HELD = 400
"""Changes that are held back at most, until they are sent together."""

SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

# For one transaction, as a pooler shares sessions. No table is read as a whole: a tenant is a part of it.
BOUNDED = """
    SELECT set_config('lock_timeout', %(locks)s, true), set_config('statement_timeout', %(work)s, true),
        set_config('idle_in_transaction_session_timeout', %(asleep)s, true), set_config('enable_seqscan', 'off', true)
"""

# Locks that all writers of a tenant need are not held while the disk writes.
CHANGING = f"{BOUNDED}, set_config('synchronous_commit', 'off', true)"

# A transaction of its own waits for the disk. Only then is the change acknowledged.
WRITTEN = "SELECT pg_logical_emit_message(true, 'hardwon', '')"
COMMIT: "Sequence[Statement]" = (("COMMIT", {}), (WRITTEN, {}))

# Its warnings would repeat an exception's message on standard error.
logging.getLogger("psycopg").setLevel(logging.CRITICAL)

BEFORE = 2
"""The place of a transaction's first own statement, after those that begin it."""

Row = tuple[Any, ...]
Statement = tuple[str, Mapping[str, object]]
"""A statement with its parameters, by name."""

T = TypeVar("T")

# In one round trip; a pooler keeps the time zone of a session.
HANDSHAKE = f"""
    SET LOCAL lock_timeout = '{LOCK_SECONDS:.0f}s';
    SET TIME ZONE 'UTC';
    SELECT m.tenant, current_user, pg_is_in_recovery(), (SELECT max(version) FROM hardwon.migration),
        (SELECT coalesce(sum(c.entries), 0)::bigint FROM hardwon.corpus c WHERE c.tenant = m.tenant),
        pg_backend_pid()
    FROM (SELECT 1) AS one LEFT JOIN hardwon.member m ON m.role = current_user
"""


class Member(NamedTuple):
    """
    A login role, as the server knows it.

    Attributes:
        process: The server's process, which a pooler hides behind a number of its own.
    """

    tenant: int
    role: str
    is_read_only: bool
    schema: int
    entries: int
    process: int


class Opened(NamedTuple):
    """The rows of the statements that began a transaction."""

    before: Sequence[Row] = ()
    locked: Sequence[Row] = ()


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
            self._cancel_later()
            self.pgconn.finish()  # the answer may still come: nothing else may take it for its own
            raise NoAnswerError from error

    def _cancel_later(self) -> None:
        """Cancel the statement without waiting for a server that may be stalled."""
        with suppress(psycopg.Error):
            is_safe = psycopg.capabilities.has_cancel_safe()
            cancel = (
                self.pgconn.cancel_conn().blocking if is_safe else self.pgconn.get_cancel().cancel
            )
            threading.Thread(target=_quietly, args=(cancel,), daemon=True).start()


class _Pipeline(psycopg.Pipeline):
    """
    Statements that are sent together with their Sync.

    psycopg sends each alone, and a Flush after the Sync, which stops the server's clock for idle
    transactions.
    """

    @override
    def _communicate_gen(self) -> Generator[Any, Any, None]:
        while self.command_queue:
            self.command_queue.popleft()()  # libpq keeps up to 64 KB
        if self.result_queue and self.result_queue[-1] is None:  # the Sync
            yield from send(self.pgconn)

    @override
    def _fetch_gen(self, *, flush: bool) -> Generator[Any, Any, None]:
        del flush
        return super()._fetch_gen(flush=False)


def _quietly(cancel: Callable[[], None]) -> None:
    with suppress(psycopg.Error):
        cancel()


class _Held:
    """
    Changes that wait to be sent, in their order.

    The rows of new entries are sent in one statement a table, so before changes that were held
    since. Those are of other entries: an entry that was changed is read before it is added again, and
    a read sends what is held.

    Attributes:
        size: The number of changes, that of an entry's rows counted as one.
    """

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.size = 0
        self._rows: dict[str, dict[str, object]] = {}

    def add(self, statements: Sequence[Statement]) -> None:
        self.statements.extend(statements)
        self.size += len(statements)

    def add_rows(self, statements: Sequence[Statement]) -> None:
        """Add the rows of a new entry, whose lists are columns."""
        for statement, columns in statements:
            if statement not in self._rows:
                self._rows[statement] = {name: copy(column) for name, column in columns.items()}
                self.statements.append((statement, self._rows[statement]))
                continue
            for name, column in self._rows[statement].items():
                if isinstance(column, list):
                    column.extend(cast("list[object]", columns[name]))
        self.size += 1


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
        self._open: Literal["nothing", "a snapshot", "changes"] = "nothing"
        self._opening: Sequence[Statement] = ()
        self._opened = Opened()
        self._held = _Held()
        self._locked_until = self._alive_until = 0.0
        self.connection, self.member = self._connect()

    def _connect(self) -> tuple[_Connection, Member]:
        with translated(self._path):
            usual: dict[str, Any] = {**NETWORK, "application_name": "hardwon"}
            connection = _Connection.connect(**usual | dict(self._parameters), autocommit=True)
            connection.longest_wait = self._longest_wait
            connection.adapters.register_dumper(array, VectorDumper)
            connection.adapters.register_dumper(Rows, RowsDumper)
            connection.adapters.register_dumper(Column, ColumnDumper)
            try:
                answers = connection.execute(HANDSHAKE)
            except psycopg.errors.InsufficientPrivilege as error:
                role = connection.info.user
                connection.close()
                raise StorageError(self._not_a_member(role)) from error
            except psycopg.Error:
                connection.close()
                raise
            answers.set_result(-1)
            [row] = answers.fetchall()
        member = Member(*row)
        if member.process != connection.info.backend_pid:
            connection.prepare_threshold = None
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

        The first ones of a transaction begin it, and follow the changes that were held back.

        Args:
            statements: Several are atomic: if one fails, none has an effect.
            only_reads: Allows to repeat them on a new connection, if the old one was lost before a
                transaction began.
        """
        with translated(self._path):
            if self._has_begun and self.connection.closed:
                raise LostConnectionError
            try:
                return self._send(statements)
            except psycopg.OperationalError as error:
                is_lost = self.connection.closed and not isinstance(error, NoAnswerError)
                if not (is_lost and (only_reads or self._opening)) or self._has_begun:
                    raise
                self.connection, self.member = self._connect()
                return self._send(statements)

    def hold(self, statements: Sequence[Statement]) -> None:
        """
        Hold back changes, to be sent with the next read or at the end.

        To be called within a transaction of changes.
        """
        self._held.add(statements)
        self._send_many()

    def hold_rows(self, statements: Sequence[Statement]) -> None:
        """Hold back the rows of a new entry, sent with those of others."""
        self._held.add_rows(statements)
        self._send_many()

    def _send_many(self) -> None:
        if self._held.size > MAX_HELD:
            self.run([])

    @property
    def opened(self) -> Opened:
        """The rows by which this transaction began."""
        if not self._has_begun:
            self.run([])
        return self._opened

    @property
    def makes_changes(self) -> bool:
        """Whether a transaction of changes is open, or about to begin."""
        return self._open == "changes"

    @property
    def _has_begun(self) -> bool:
        return self.is_within and not self._opening

    def _send(self, statements: Sequence[Statement]) -> list[list[Row]]:
        opening, sent = self._opening, [*self._opening, *self._held.statements, *statements]
        if not sent:
            return []
        if not self.is_within:
            sent = [self._bounded(LOCK_SECONDS), *sent]
        try:
            answers = self._answers(sent)
        except psycopg.Error as error:
            if not self.connection.closed:  # else they may be sent again
                self._held = _Held()
            if isinstance(error, psycopg.errors.LockNotAvailable):
                self._locked_until = time.monotonic() + HELD_SECONDS
            self._leave_failed_snapshot()
            raise
        if opening:
            self._opening = ()
            before, locked = answers[min(BEFORE, len(opening) - 1)], answers[len(opening) - 1]
            self._opened = Opened(before, locked)
            if not self._opened.locked:  # the role was removed since it connected
                raise StorageError(self._not_a_member(self.member.role))
        self._held = _Held()
        self._alive_until = time.monotonic() + ALIVE_SECONDS
        return answers[len(sent) - len(statements) :]

    def _answers(self, statements: Sequence[Statement]) -> list[list[Row]]:
        # Those of changes look up a few rows: their plans can be kept.
        prepare = None if self.makes_changes else False
        if len(statements) == 1:
            return [_rows_of(self.connection.execute(*statements[0], prepare=prepare))]
        self.connection._pipeline = _Pipeline(self.connection)  # noqa: SLF001  # until psycopg lets choose it
        with self.connection.pipeline():
            cursors = [
                self.connection.execute(*statement, prepare=prepare) for statement in statements
            ]
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
            self._opening = self._snapshot

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
        self._open, self._opening = "a snapshot", self._snapshot
        with self._ended():
            yield

    @property
    def _snapshot(self) -> Sequence[Statement]:
        return (SNAPSHOT, {}), self._bounded(min(self._longest_wait, LOCK_SECONDS))

    @contextmanager
    def changes(
        self, locks: Sequence[Statement], busy_seconds: float, before: Statement | None = None
    ) -> Iterator[None]:
        """
        Make changes within atomic, from the first statement on.

        To be entered outside of a transaction.

        Args:
            locks: Statements that lock rows; the last has a row for a member only.
            busy_seconds: Longest wait for them, and for rows that others change.
            before: A statement in a transaction of its own before, in the same round trip.

        """
        begin = [("BEGIN", {}), self._bounded(busy_seconds, CHANGING)]
        self._open = "changes"
        self._opening = [*([*begin, before, ("COMMIT", {})] if before else ()), *begin, *locks]
        with self._ended():
            yield

    def _bounded(self, busy_seconds: float, statement: str = BOUNDED) -> Statement:
        if time.monotonic() < self._locked_until:
            busy_seconds = min(busy_seconds, HELD_LOCK_SECONDS)
        seconds = {"locks": busy_seconds, "work": self._longest_wait, "asleep": ASLEEP_SECONDS}
        return statement, {
            name: f"{max(1, round(given * 1000))}" for name, given in seconds.items()
        }

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
            self._open, self._opening = "nothing", ()
            self._held = _Held()

    def _commit(self) -> None:
        if self._opening:
            if not self._held.size:
                return
            if time.monotonic() > self._alive_until:
                held, self._held = self._held, _Held()
                self.run([])  # alone: if the connection is lost now, nothing was committed
                self._held = held
        self._ensure_connected()
        if self.connection.info.transaction_status == psycopg.pq.TransactionStatus.INERROR:
            raise psycopg.errors.InFailedSqlTransaction
        self._send(COMMIT if self._open == "changes" else [("COMMIT", {})])

    def _ensure_connected(self) -> None:
        """
        Notice a server that has ended the transaction, while nothing is committed yet.

        Its last words come before the end of the connection, so both are read.
        """
        try:
            for _ in range(2):
                self.connection.pgconn.consume_input()
        except psycopg.Error as error:
            raise LostConnectionError from error

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """
        Roll back only the work within after a server error.

        To be entered within a transaction.
        """
        self.run([])
        with self.connection.transaction():
            yield
            self.run([])

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
