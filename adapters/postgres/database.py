"""
The tenant of a member on a server: its statements, asked as few times as possible.

Every statement gets the tenant as a parameter. No secret passes: every text in the parameters of a statement is redacted.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from psycopg import sql as composed

from hardwon.adapters.postgres.server import parameters_of, shown
from hardwon.adapters.postgres.session import LONGEST_WAIT, Row, Session, Statement
from hardwon.domain.model.errors import StorageError

if TYPE_CHECKING:
    from hardwon.adapters.sql.filter import Where
    from hardwon.domain.model.filters import EntryFilter


from psycopg.types.json import Jsonb

from hardwon.domain.model.redaction import redact

T = TypeVar("T")

BUSY_SECONDS = 5.0
COUNT_BUSY_SECONDS = 0.25
"""Upper bounds of the wait for other writers: for changes, and for counters, which are locked for two round trips."""

CHANGING = ("INSERT INTO ", "UPDATE hardwon.", "DELETE FROM ")
CHANGE = """
    UPDATE hardwon.state SET version = version + 1, last_number = greatest(last_number, %(last_number)s)
    WHERE tenant = %(tenant)s
"""
AHEAD_SECONDS = 2.0
"""How long what was asked ahead is an answer."""

MAX_REMEMBERED = 64
"""Answers that are remembered within a snapshot: those of one session start; a read of everything asks for more."""

MANY_STATEMENTS = 200
"""Statements that change something, after which the server may lack statistics."""

Question = tuple[str, str]
"""A statement, and its parameters as text."""


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

    def __init__(self, dsn: str, busy_seconds: float = BUSY_SECONDS, longest_wait: float = LONGEST_WAIT) -> None:
        parameters = parameters_of(dsn)
        self.path = shown(parameters)
        self.session = Session(parameters, self.path, longest_wait)
        member = self.session.member
        self.tenant, self.role = member.tenant, member.role
        self.is_read_only, self.entries_at_first = member.is_read_only, member.entries
        self.warn: Callable[[str], None] = _ignore
        self.own_changes = 0
        self._busy_seconds = busy_seconds
        self._noted: dict[Question, Mapping[str, object]] | None = None
        self._answered: dict[Question, list[Row]] = {}
        self._answered_until = 0.0
        self._remembered: dict[Question, list[Row]] | None = None
        self._last_number = 0  # of the entries, as it was when the transaction began
        self._written = 0

    def rows(self, statement: str, /, **parameters: object) -> list[Row]:
        """Run one statement and return its rows; `tenant` is among its parameters."""
        values = self._values(parameters)
        asked = statement, repr(values)
        if self._noted is not None:
            self._noted[asked] = values
            return []
        if asked in self._answered and time.monotonic() < self._answered_until:
            return self._answered.pop(asked)
        if self._remembered is None or not _only_reads(statement):
            return self._run(statement, values)
        if asked not in self._remembered:
            if len(self._remembered) == MAX_REMEMBERED:
                del self._remembered[next(iter(self._remembered))]
            self._remembered[asked] = self._run(statement, values)
        return self._remembered[asked]

    def _run(self, statement: str, values: Mapping[str, object]) -> list[Row]:
        return self.session.run([(statement, values)], only_reads=_only_reads(statement))[0]

    def value(self, statement: str, /, **parameters: object) -> Any:
        """Run one statement and return the first column of its first row, None without a row."""
        rows = self.rows(statement, **parameters)
        return rows[0][0] if rows else None

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
        statements = [(statement, values) for (statement, _), values in noted.items()]
        answers = dict(zip(noted, self.session.run(statements, only_reads=True), strict=True))
        if self._remembered is None:
            self._answered, self._answered_until = answers, time.monotonic() + AHEAD_SECONDS
        else:
            self._remembered |= answers

    def together(self, statements: Iterable[Statement]) -> None:
        """Run all *statements* in one round trip; none of them returns rows."""
        if sent := [(statement, self._values(given)) for statement, given in statements]:
            self._written += len(sent)
            self.session.run(sent)

    def stream(self, statement: str, /, **parameters: object) -> Iterator[Row]:
        """Run one statement and yield its rows, which are all read at once."""
        yield from self.rows(statement, **parameters)

    def run_many(self, statement: str, /, parameters: Iterable[Mapping[str, object]]) -> None:
        """Run one statement for each of *parameters*, in one round trip."""
        self.together((statement, given) for given in parameters)

    @contextmanager
    def transaction(self, busy_seconds: float | None = None) -> Iterator[None]:
        """Lock the tenant's contents; changes within are atomic. A nested transaction joins the outer one."""
        if self.session.is_within:
            yield
            return
        self._answered.clear()
        lock = composed.SQL("SELECT last_number FROM hardwon.state WHERE tenant = {} FOR UPDATE").format(
            composed.Literal(self.tenant)
        )
        seconds = self._busy_seconds if busy_seconds is None else busy_seconds
        with self.session.changes(lock, seconds) as [(self._last_number,)]:
            yield

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Let changes of counters within be atomic, without locking the contents, or waiting long for another counter."""
        if self.session.is_within:
            yield
            return
        with self.session.changes(None, COUNT_BUSY_SECONDS):
            yield

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads within see the same state; what was asked before is not asked again, as the answer is the same."""
        if self.session.is_within:
            yield
            return
        self._remembered = {}
        try:
            with self.session.snapshot():
                yield
        finally:
            self._remembered = None

    @contextmanager
    def tuned(self, settings: Sequence[str]) -> Iterator[None]:
        """Let statements within run with *settings*, each a `SET LOCAL`; literals, as only those reach the workers of Citus."""
        with self.snapshot():
            self.session.run([(setting, {}) for setting in settings], only_reads=True)
            yield

    def readable(self, _table: str, rows: Iterable[Row], decode: Callable[[Row], T]) -> Iterator[T]:
        """Yield what *decode* makes of each row: the server has checked what it holds."""
        return map(decode, rows)

    def where(self, only: "EntryFilter") -> "Where":
        """Return the condition that a row of the table `hardwon.entry e` is of the tenant and passes *only*."""
        from hardwon.adapters.postgres.query import where  # noqa: PLC0415  # a hook that counts needs no filter

        return where(only)

    def patiently(self) -> AbstractContextManager[None]:
        """Return a context in which statements may take long, as they are over all contents."""
        return self.session.patiently()

    def savepoint(self) -> AbstractContextManager[None]:
        """Return a context within a transaction, in which an error of the server undoes only what was done in it."""
        return self.session.savepoint()

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
        if self._written >= MANY_STATEMENTS and not self.session.is_within:
            self._written = 0
            with suppress(StorageError):  # the server makes them itself, later
                self.session.run([("SELECT hardwon.renew_statistics()", {})])
        self.session.close()

    def _values(self, parameters: Mapping[str, object]) -> dict[str, object]:
        return {"tenant": self.tenant, **{name: public(value) for name, value in parameters.items()}}


def _only_reads(statement: str) -> bool:
    return statement.lstrip().startswith(("SELECT", "WITH")) and not any(word in statement for word in CHANGING)


def _ignore(_: str) -> None:
    pass


SHORTEST_SECRET = 8


def public(value: Any) -> Any:
    """Return a parameter of a statement without secrets, and as text that PostgreSQL can store."""
    match value:
        case str():
            text = value.replace("\0", "\ufffd")
            return redact(text) if len(value) >= SHORTEST_SECRET else text
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
