"""
The connection to the server: transactions, bounded waits, and errors in words.

Every statement gets the tenant as a parameter. No secret passes: every text in the parameters of a statement is redacted.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import psycopg
from psycopg import sql as composed
from psycopg.types.json import Jsonb

from hardwon.adapters.postgres.errors import NoAnswerError, translated
from hardwon.adapters.postgres.server import parameters_of, shown
from hardwon.domain.model.errors import NewerSchemaError, StorageError
from hardwon.domain.model.redaction import redact
from hardwon.ports.override import override

NEWEST = 1
"""The version of the schema that this program works with: the number of the last file in `migrations/`."""

BUSY_SECONDS = 5.0
COUNT_BUSY_SECONDS = 0.05
"""Upper bounds of the wait for other writers: for changes, and for counters."""

LONGEST_WAIT = 30.0
"""Seconds that a statement may take; a server that stopped answering is noticed after them."""

CHANGING = ("INSERT INTO ", "UPDATE hardwon.", "DELETE FROM ")
CHANGE = """
    UPDATE hardwon.state SET version = version + 1, last_number = greatest(last_number, %(last_number)s)
    WHERE tenant = %(tenant)s
"""
CONNECT_SECONDS = 5
SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
AHEAD_SECONDS = 2.0
"""How long what was asked ahead is an answer."""

MANY_STATEMENTS = 200
SHORTEST_SECRET = 8
MAX_REMEMBERED = 64
"""Answers that are remembered within a snapshot: those of one session start; a read of everything asks for more."""

Row = tuple[Any, ...]
Question = tuple[str, str]
"""A statement, and its parameters as text."""
Statement = tuple[str, Mapping[str, object]]
"""A statement with its parameters, by name."""

T = TypeVar("T")

# One round trip; a pooler keeps the time zone of a session.
HANDSHAKE = """
    SET TIME ZONE 'UTC';
    SELECT current_user, pg_is_in_recovery(), (SELECT max(version) FROM hardwon.migration), m.tenant,
        (SELECT coalesce(sum(c.entries), 0)::bigint FROM hardwon.corpus c WHERE c.tenant = m.tenant)
    FROM (SELECT 1) AS one LEFT JOIN hardwon.member m ON m.role = current_user
"""


class _Connection(psycopg.Connection[Row]):
    """A connection whose waits are bounded, also by a server that is stopped but still connected."""

    longest_wait = LONGEST_WAIT

    @override
    def wait(self, gen: Generator[Any, Any, T], interval: float = 0.1, timeout: float | None = None) -> T:
        try:
            return super().wait(gen, interval, self.longest_wait if timeout is None else timeout)
        except psycopg.errors._WaitTimeout as error:  # noqa: SLF001  # public in its documentation only
            self.pgconn.finish()  # the answer may still come: nothing else may take it for its own
            raise NoAnswerError from error


class Database:
    """
    A connection to a tenant of a server, with nested transactions.

    Args:
        dsn: The address of the server, such as `postgresql://ann@db.example.org/memory`.
        busy_seconds: Upper bound of the wait for other writers.
        longest_wait: Seconds after which a statement without an answer fails.

    Attributes:
        path: How messages name the store; without a password.
        tenant: The number of the member's tenant.
        role: The login role, by which the server knows the member.
        is_read_only: Whether the server is a standby.
        entries_at_first: How many entries were searchable when the connection was made.
        warn: Called with one line about a problem.

    Raises:
        StorageError: the server can't be reached, knows no such member, or its schema does not fit.

    """

    role: str

    def __init__(self, dsn: str, busy_seconds: float = BUSY_SECONDS, longest_wait: float = LONGEST_WAIT) -> None:
        self._parameters = parameters_of(dsn)
        self._busy_seconds = busy_seconds
        self._longest_wait = longest_wait
        self._noted: dict[Question, Mapping[str, object]] | None = None
        self._answered: dict[Question, list[Row]] = {}
        self._answered_until = 0.0
        self._remembered: dict[Question, list[Row]] | None = None
        self._is_due = False  # the begin of a snapshot, which is sent with the first read in it
        self.path = shown(self._parameters)
        self.warn: Callable[[str], None] = _ignore
        self.own_changes = 0
        self._last_number = 0  # of the entries, as it was when the transaction began
        self._written = 0
        self.connection = self._connect()

    def _connect(self) -> _Connection:
        with translated(self.path):
            wait = {"connect_timeout": CONNECT_SECONDS} | self._parameters
            connection = _Connection.connect(
                **wait, autocommit=True, prepare_threshold=None, application_name="hardwon"
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
            [(self.role, self.is_read_only, version, tenant, entries)] = answers.fetchall()
        if version != NEWEST or tenant is None:
            connection.close()
            self._refuse(version or 0)
        self.tenant: int = tenant
        self.entries_at_first: int = entries
        return connection

    def _refuse(self, version: int) -> None:
        if version > NEWEST:
            raise NewerSchemaError(
                f"{self.path} has schema version {version}, this hardwon knows {NEWEST}: install the newest hardwon"
            )
        if version < NEWEST:
            raise StorageError(
                f"{self.path} has schema version {version}, this hardwon needs {NEWEST}; its owner runs: hardwon store migrate"
            )
        raise StorageError(self._not_a_member(self.role))

    def _not_a_member(self, role: str) -> str:
        return (
            f"{self.path}: the role {role!r} is a member of no tenant; its owner runs: hardwon store add-member {role}"
        )

    def rows(self, statement: str, **parameters: object) -> list[Row]:
        """Run one statement and return its rows; `tenant` is among its parameters."""
        values = self._values(parameters)
        asked = statement, repr(values)
        if self._noted is not None:
            self._noted[asked] = values
            return []
        if asked in self._answered and time.monotonic() < self._answered_until:
            return self._answered.pop(asked)
        if self._remembered is None or not _only_reads(statement):
            return self._answer(statement, values)
        if asked not in self._remembered:
            if len(self._remembered) == MAX_REMEMBERED:
                del self._remembered[next(iter(self._remembered))]
            self._remembered[asked] = self._answer(statement, values)
        return self._remembered[asked]

    def _answer(self, statement: str, values: Mapping[str, object]) -> list[Row]:
        with translated(self.path):
            try:
                return self._run(statement, values)
            except psycopg.OperationalError as error:
                is_lost = self.connection.closed and not isinstance(error, NoAnswerError)
                if not (is_lost and self._may_repeat(statement)):
                    raise
                self.connection = self._connect()
                return self._run(statement, values)

    def _run(self, statement: str, values: Mapping[str, object]) -> list[Row]:
        if self._is_due:
            return self._run_together([(statement, values)])[0]
        return _rows_of(self.connection.execute(statement, values))

    def _run_together(self, statements: Iterable[Statement]) -> list[list[Row]]:
        """Run *statements* in one round trip, after the begin of a snapshot that is due; return the rows of each."""
        with self.connection.pipeline():
            if self._is_due:
                self.connection.execute(SNAPSHOT)
            cursors = [self.connection.execute(*given) for given in statements]
        self._is_due = False
        return [_rows_of(cursor) for cursor in cursors]

    def _may_repeat(self, statement: str) -> bool:
        """Return whether a statement that failed with the connection changed nothing: it only reads, outside of a transaction."""
        return not self._has_begun and _only_reads(statement)

    def value(self, statement: str, **parameters: object) -> Any:
        """Run one statement and return the first column of its first row, None without a row."""
        rows = self.rows(statement, **parameters)
        return rows[0][0] if rows else None

    def run_many(self, statement: str, parameters: Iterable[Mapping[str, object]]) -> None:
        """Run one statement for each of *parameters*, in one round trip."""
        values = [self._values(given) for given in parameters]
        if not values:
            return
        self._written += len(values)
        with translated(self.path), self.connection.cursor() as cursor:
            cursor.executemany(statement, values)

    @contextmanager
    def ahead(self) -> Iterator[None]:
        """
        Ask in one round trip, at the end, what is asked within, where every answer is none.

        The same question is answered at once, the first time and soon: for reads that are known to follow.
        """
        noted: dict[Question, Mapping[str, object]] = {}
        self._noted = noted
        try:
            yield
        finally:
            self._noted = None
        with translated(self.path):
            answers = dict(zip(noted, self._run_together((asked[0], noted[asked]) for asked in noted), strict=True))
        if self._remembered is None:
            self._answered, self._answered_until = answers, time.monotonic() + AHEAD_SECONDS
        else:
            self._remembered |= answers

    def together(self, statements: Iterable[Statement]) -> None:
        """Run all *statements* in one round trip; none of them returns rows."""
        sent = [(statement, self._values(given)) for statement, given in statements]
        self._written += len(sent)
        with translated(self.path):
            self._run_together(sent)

    @property
    def _is_within(self) -> bool:
        """Whether a transaction is open, or about to begin."""
        return self._is_due or self._has_begun

    @property
    def _has_begun(self) -> bool:
        idle = psycopg.pq.TransactionStatus.IDLE, psycopg.pq.TransactionStatus.UNKNOWN  # unknown when it is closed
        return self.connection.info.transaction_status not in idle

    @contextmanager
    def transaction(self, busy_seconds: float | None = None) -> Iterator[None]:
        """Lock the tenant's contents; changes within are atomic. A nested transaction joins the outer one."""
        lock = composed.SQL("SELECT last_number FROM hardwon.state WHERE tenant = {} FOR UPDATE").format(
            composed.Literal(self.tenant)
        )
        with self._atomic(lock, self._busy_seconds if busy_seconds is None else busy_seconds):
            yield

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Let changes of counters within be atomic, without locking the contents, or waiting long for another counter."""
        with self._atomic(None, COUNT_BUSY_SECONDS):
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads within see the same state; what was asked before is not asked again, as the answer is the same."""
        if self._is_within:
            yield
            return
        self._is_due, self._remembered = True, {}
        try:
            with self._ended():
                yield
        finally:
            self._is_due, self._remembered = False, None

    @contextmanager
    def _atomic(self, lock: composed.Composed | None, busy_seconds: float) -> Iterator[None]:
        if self._is_within:
            yield
            return
        self._answered.clear()
        with translated(self.path):
            locked = self._begin(lock, busy_seconds)
        with self._ended():
            if lock:
                self._last_number = self._last_of(locked)
            yield

    def _last_of(self, locked: list[Row]) -> int:
        """Return the last number of an entry so far; no row is locked for a role that was removed meanwhile."""
        for (number,) in locked:
            return int(number)
        raise StorageError(self._not_a_member(self.role))

    @contextmanager
    def _ended(self) -> Iterator[None]:
        """End the transaction that is open at the end: commit it, or roll it back after an error."""
        try:
            yield
            if self._has_begun:
                with translated(self.path):
                    self.connection.execute("COMMIT")
        except BaseException:
            with suppress(psycopg.Error):
                if self._has_begun:
                    self.connection.execute("ROLLBACK")
            raise

    def _begin(self, lock: composed.Composed | None, busy_seconds: float) -> list[Row]:
        """Begin a transaction in one round trip, over a new connection if the old one is gone; return what *lock* selects."""
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
        except psycopg.Error:
            if not self.connection.closed:
                with suppress(psycopg.Error):
                    self.connection.execute("ROLLBACK")
                raise
            self.connection = self._connect()
            begun = self.connection.execute(together)
        for _ in begun.results():
            pass  # to the last
        return _rows_of(begun)

    @contextmanager
    def tuned(self, settings: Sequence[str]) -> Iterator[None]:
        """Let statements within run with *settings*, each a `SET LOCAL`; literals, as only those reach the workers of Citus."""
        with self.snapshot():
            self.together((setting, {}) for setting in settings)
            yield

    def note_change(self) -> None:
        """Count a change of the contents, by which caches see any change, within the transaction of the change."""
        self.together([self.change()])

    def change(self) -> Statement:
        """Return the statement that counts a change of the contents; it is to be run in the same transaction."""
        self.own_changes += 1
        return CHANGE, {"last_number": self._last_number}

    def next_number(self) -> int:
        """Return a number for a new entry; within a transaction, which is to note a change."""
        self._last_number += 1
        return self._last_number

    def reserve(self, number: int) -> None:
        """Let new entries have *number* or a higher one; within a transaction."""
        self._last_number = max(self._last_number, number - 1)
        self.note_change()

    def version(self) -> int:
        """Return the number of changes of the contents so far."""
        return int(self.value("SELECT version FROM hardwon.state WHERE tenant = %(tenant)s"))

    def close(self) -> None:
        """Close the connection, after new statistics for the server if much was stored; idempotent."""
        if self._written >= MANY_STATEMENTS and not self.connection.closed and not self._has_begun:
            with suppress(psycopg.Error):  # the server makes them itself, later
                self.connection.execute("SELECT hardwon.renew_statistics()")
        self.connection.close()

    def _values(self, parameters: Mapping[str, object]) -> dict[str, object]:
        return {"tenant": self.tenant, **{name: public(value) for name, value in parameters.items()}}


def _rows_of(cursor: psycopg.Cursor[Row]) -> list[Row]:
    return cursor.fetchall() if cursor.description else []


def _only_reads(statement: str) -> bool:
    return statement.lstrip().startswith(("SELECT", "WITH")) and not any(word in statement for word in CHANGING)


def _ignore(_: str) -> None:
    pass


def public(value: Any) -> Any:
    """Return a parameter of a statement without secrets, and as text that PostgreSQL can store."""
    match value:
        case str():
            return (
                redact(value.replace("\0", "\ufffd"))
                if len(value) >= SHORTEST_SECRET
                else value.replace("\0", "\ufffd")
            )
        case list() | tuple():
            return [public(item) for item in value]
        case dict():
            return Jsonb(_public_json(value))
        case Jsonb():
            return Jsonb(_public_json(value.obj))
        case _:
            return value


def _public_json(value: Any) -> Any:
    match value:
        case str():
            return public(value)
        case list() | tuple():
            return [_public_json(item) for item in value]
        case dict():
            return {public(name): _public_json(item) for name, item in value.items()}
        case _:
            return value
