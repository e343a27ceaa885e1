"""
Statements of a tenant, in few round trips to the server.

Every statement gets the tenant as a parameter. All texts in parameters are redacted.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from hardwon.adapters.postgres.server import Column, Rows, parameters_of, shown
from hardwon.adapters.postgres.session import (
    LOCK_SECONDS,
    LONGEST_WAIT,
    MemberSession,
    Row,
    Statement,
)
from hardwon.adapters.sql.database import COUNT_BUSY_SECONDS
from hardwon.domain.model.errors import StorageError

if TYPE_CHECKING:
    from hardwon.adapters.sql.filter import Where
    from hardwon.domain.model.filters import EntryFilter


from psycopg.types.json import Jsonb

from hardwon.domain.model.redaction import SHORTEST_SECRET, may_hold_secret, redact

T = TypeVar("T")

LOCK_CONTENTS = "SELECT pg_advisory_xact_lock(hashtextextended('entries', %(tenant)s))"
LOCK_NUMBER = "SELECT last_number FROM hardwon.state WHERE tenant = %(tenant)s FOR UPDATE"
"""Locked as well: clients of earlier versions lock only this row."""

RESERVE_NUMBERS = """
    UPDATE hardwon.state SET last_number = last_number + missing.entries FROM (
        SELECT count(*) AS entries FROM unnest(%(ids)s::text[]) AS given (id)
        WHERE NOT EXISTS (SELECT 1 FROM hardwon.entry e WHERE e.tenant = %(tenant)s AND e.id = given.id)
    ) AS missing
    WHERE tenant = %(tenant)s AND missing.entries > 0
    RETURNING last_number - missing.entries + 1, last_number + 1
"""
"""Reserves numbers for new entries, in a transaction of its own."""

SHARE_CONTENTS = "SELECT pg_advisory_xact_lock_shared(hashtextextended('entries', %(tenant)s))"
LOCK_ENTRIES = """
    SELECT pg_advisory_xact_lock(hashtextextended(id, %(tenant)s))
    FROM (SELECT id FROM unnest(%(ids)s::text[]) AS given (id) ORDER BY id) AS sorted
"""
LOCK_REWORDED = """
    SELECT pg_advisory_xact_lock(hashtextextended(e.id, %(tenant)s)) FROM hardwon.entry_alias a
    JOIN hardwon.entry e ON e.tenant = a.tenant AND e.number = a.number WHERE a.tenant = %(tenant)s AND a.old_id = ANY(%(ids)s)
"""
KNOWN_IDS = """
    SELECT id FROM hardwon.entry WHERE tenant = %(tenant)s AND id = ANY(%(ids)s)
    UNION SELECT old_id FROM hardwon.entry_alias WHERE tenant = %(tenant)s AND old_id = ANY(%(ids)s)
"""
IS_MEMBER = "SELECT 1 FROM hardwon.state WHERE tenant = %(tenant)s"

CHANGING = ("INSERT INTO ", "UPDATE hardwon.", "DELETE FROM ", "SELECT hardwon.")
CHANGE = """
    UPDATE hardwon.state SET version = version + 1, last_number = greatest(last_number, %(last_number)s)
    WHERE tenant = %(tenant)s
"""
AHEAD_SECONDS = 2.0
"""How long a prefetched answer stays valid."""

MANY_IDS = 10
"""Ids from which on a further round trip finds out which ones exist."""

MAX_REMEMBERED = 64
"""Answers cached within a snapshot: enough for one session start. Reading everything exceeds it."""

MAX_KNOWN = 5_000
"""Entries whose rows are kept within a snapshot at most."""

MANY_STATEMENTS = 200
"""Changing statements after which the server's statistics may be stale."""

Question = tuple[str, str]
"""A statement, and its parameters as text."""


class PostgresDatabase:
    """
    A connection to a tenant of a server, with nested transactions.

    Args:
        dsn: The server's address, such as `postgresql://ann@db.example.org/memory`.
        busy_seconds: Longest wait for other writers.
        longest_wait: Timeout of a statement, in seconds.

    Attributes:
        path: The store's name in messages; without a password.
        entries_at_first: Number of searchable entries at the time of connecting.
        index_version: The version of this member's keyword index, as last seen.

    Raises:
        StorageError: the server can't be reached, the role is no member, or the schema does not
            fit.
    """

    def __init__(
        self, dsn: str, busy_seconds: float = LOCK_SECONDS, longest_wait: float = LONGEST_WAIT
    ) -> None:
        parameters = parameters_of(dsn)
        self.path = shown(parameters)
        self.session = MemberSession(parameters, self.path, longest_wait)
        member = self.session.member
        self.tenant, self.role = member.tenant, member.role
        self.is_read_only, self.entries_at_first = member.is_read_only, member.entries
        self.warn: Callable[[str], None] = _ignore
        self.own_changes = self.index_version = 0
        self._busy_seconds = busy_seconds
        self._noted: dict[Question, Mapping[str, object]] | None = None
        self._answered: dict[Question, tuple[float, list[Row]]] = {}
        self._foreseen: dict[Question, list[Row]] = {}
        self._remembered: dict[Question, list[Row]] | None = None
        self._by_number: dict[str, dict[int, list[Row]]] = {}
        self._locks_all = False
        self._has_changed = False
        self._reserved: list[int] | None = None
        self._last_number: int | None = None  # of the entries, None if it was not asked for
        self._written = 0

    def rows(self, statement: str, /, **parameters: object) -> list[Row]:
        """Run one statement, with parameter `tenant`, and return its rows."""
        values = self._values(parameters)
        asked = statement, repr(values)
        if asked in self._foreseen:
            return self._foreseen[asked]
        if self._noted is not None:
            self._noted[asked] = values
            return self._known.get(asked, [])
        until, answer = self._answered.pop(asked, (0.0, []))
        if time.monotonic() < until:
            return answer
        if self.session.makes_changes and _only_changes(statement):
            self._hold([(statement, values)])
            return []
        if self._remembered is None or not _only_reads(statement):
            return self._ask([(statement, values)])[0]
        if asked not in self._remembered:
            if len(self._remembered) == MAX_REMEMBERED:
                del self._remembered[next(iter(self._remembered))]
            self._remembered[asked] = self._ask([(statement, values)])[0]
        return self._remembered[asked]

    def _ask(self, statements: Sequence[Statement]) -> list[list[Row]]:
        only_reads = all(_only_reads(statement) for statement, _ in statements)
        if not only_reads:
            self._foreseen.clear()
        return self.session.run(statements, only_reads=only_reads)

    def value(self, statement: str, /, **parameters: object) -> Any:
        """Return the first column of the first row, None without rows."""
        rows = self.rows(statement, **parameters)
        return rows[0][0] if rows else None

    @property
    def is_ahead(self) -> bool:
        """Whether reads are prefetched now."""
        return self._noted is not None

    @contextmanager
    def ahead(self) -> Iterator[None]:
        """
        Prefetch the reads issued within, in one round trip.

        Within the block a read returns no rows, unless they are known. The same read afterwards,
        soon, is answered from the prefetch, once. Within a transaction or snapshot the answers
        last: until it ends, or changes what they are about. For reads that are known to follow. A
        nested block joins the outer one.
        """
        if self.is_ahead:
            yield
            return
        noted: dict[Question, Mapping[str, object]] = {}
        self._noted = noted
        try:
            yield
        finally:
            self._noted = None
        known = self._known
        missing = {asked: values for asked, values in noted.items() if asked not in known}
        reads = [asked for asked in missing if not asked[0].startswith("SET LOCAL")]
        if not reads:
            return
        if self.session.makes_changes:
            self._foreseen |= self._answers_about_entries(missing)
            return
        answers = self._answers(missing)
        if self._remembered is None:
            until = time.monotonic() + AHEAD_SECONDS
            self._answered |= {asked: (until, answers[asked]) for asked in reads}
            return
        for asked in reads:
            self._remembered[asked] = answers[asked]
            if isinstance(numbers := missing[asked].get("numbers"), list):
                self._know(asked[0], numbers, answers[asked])

    def _answers(
        self, questions: Mapping[Question, Mapping[str, object]]
    ) -> dict[Question, list[Row]]:
        statements = [(statement, values) for (statement, _), values in questions.items()]
        return dict(zip(questions, self._ask(statements) if statements else (), strict=True))

    def _answers_about_entries(
        self, questions: Mapping[Question, Mapping[str, object]]
    ) -> dict[Question, list[Row]]:
        """Answer *questions*, without asking about many ids that no entry has or had."""
        of_ids = {
            asked: values["id"]
            for asked, values in questions.items()
            if "id" in values and "FROM hardwon.entry" in asked[0]
        }
        if len(ids := {*of_ids.values()}) < MANY_IDS:
            return self._answers(questions)
        [rows] = self._ask([(KNOWN_IDS, self._values({"ids": [*ids]}))])
        absent = ids - {entry_id for (entry_id,) in rows}
        nothing = {asked: list[Row]() for asked, entry_id in of_ids.items() if entry_id in absent}
        return nothing | self._answers(
            {asked: values for asked, values in questions.items() if asked not in nothing}
        )

    @property
    def _known(self) -> Mapping[Question, list[Row]]:
        """The answers that need no round trip."""
        now = time.monotonic()
        ahead = {asked: rows for asked, (until, rows) in self._answered.items() if now < until}
        return ahead | (self._remembered or {})

    def rows_of(self, statement: str, numbers: Sequence[int]) -> list[Row]:
        """
        Return a statement's rows about entries, whose numbers come first, in that order.

        Within a snapshot each number is asked for once.
        """
        if self._remembered is None:
            return self.rows(statement, numbers=[*numbers]) if numbers else []
        known = self._by_number.setdefault(statement, {})
        if len(known) > MAX_KNOWN:
            known.clear()
        if unknown := [number for number in numbers if number not in known]:
            self._know(statement, unknown, self.rows(statement, numbers=unknown))
        return [row for number in dict.fromkeys(numbers) for row in known.get(number, ())]

    def _know(self, statement: str, numbers: Sequence[int], rows: Iterable[Row]) -> None:
        known = self._by_number.get(statement)
        if known is not None and self._noted is None:
            known |= {number: [] for number in numbers}
            for row in rows:
                known[row[0]].append(row)

    def together(
        self, statements: Iterable[Statement], about: Collection[str] | None = None
    ) -> None:
        """
        Run *statements* without result rows in one round trip.

        Within a transaction they are sent with its next read, or with its end.

        Args:
            statements: With their parameters.
            about: The ids of the only entries that they change, if these are known.
        """
        if sent := [(statement, self._values(given)) for statement, given in statements]:
            self._written += len(sent)
            if self.session.makes_changes:
                self._hold(sent, about)
            else:
                self.session.run(sent)

    def add_rows(self, statements: Iterable[Statement], new: str) -> None:
        """
        Add rows of the entry *new*, sent with those of others.

        To be called within a transaction. Lists in the parameters are columns.
        """
        given = [(statement, self._values(columns)) for statement, columns in statements]
        self._written += len(given)
        self._outdate([new])
        self.session.hold_rows(given)

    def _hold(self, statements: Sequence[Statement], about: Collection[str] | None = None) -> None:
        self._outdate(about)
        self.session.hold(statements)

    def _outdate(self, about: Collection[str] | None) -> None:
        """Drop prefetched answers about the changed entries, without their ids all."""
        self._answered.clear()
        if about is None:
            self._foreseen.clear()
        for changed in about or ():
            for asked in [asked for asked in self._foreseen if changed in asked[1]]:
                del self._foreseen[asked]

    def stream(self, statement: str, /, **parameters: object) -> Iterator[Row]:
        """Yield one statement's rows, which are all read at once."""
        yield from self.rows(statement, **parameters)

    def run_many(self, statement: str, /, parameters: Iterable[Mapping[str, object]]) -> None:
        """Run one statement for each of *parameters*, in one round trip."""
        self.together((statement, given) for given in parameters)

    @contextmanager
    def transaction(self, of: Collection[str] | None = None) -> Iterator[None]:
        """
        Make the changes within atomic.

        The contents of the tenant are locked or, with *of*, only the entries of these ids, until
        the changes are sent. A nested transaction joins the outer one.
        """
        if self.session.is_within:
            yield
            return
        self._answered.clear()
        self._last_number, self._reserved = None, None
        given: dict[str, object] = {"tenant": self.tenant}
        if of is None:
            locks, before = [(LOCK_CONTENTS, given), (LOCK_NUMBER, given)], None
        else:
            about = given | {"ids": sorted({*of})}
            entries = [(LOCK_ENTRIES, about), (LOCK_REWORDED, about)] if of else []
            locks = [(SHARE_CONTENTS, given), *entries, (IS_MEMBER, given)]
            before = (RESERVE_NUMBERS, about) if of else None
        self._locks_all = of is None
        try:
            with self._changes(locks, self._busy_seconds, before):
                yield
        finally:
            self._foreseen.clear()
        if self._written >= MANY_STATEMENTS:
            self._renew_statistics()

    def _renew_statistics(self) -> None:
        """Let the server plan by what is stored now."""
        self._written = 0
        with suppress(StorageError), self.counting():  # others may do it now, or the server later
            self.session.run([("SELECT hardwon.renew_statistics()", {})])

    @contextmanager
    def counting(self) -> Iterator[None]:
        """
        Make changes of counters within atomic, without locking the contents.

        Waits only `COUNT_BUSY_SECONDS` for other writers of counters.
        """
        if self.session.is_within:
            yield
            return
        with self._changes((), COUNT_BUSY_SECONDS):
            yield

    @contextmanager
    def _changes(
        self, locks: Sequence[Statement], busy_seconds: float, before: Statement | None = None
    ) -> Iterator[None]:
        self._has_changed = False
        with self.session.changes(locks, busy_seconds, before):
            yield
            if self._has_changed:  # once, and last, as other writers wait for it
                self.session.hold([self._change()])

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads within see one state, and cache their answers."""
        if self.session.is_within:
            yield
            return
        self._remembered = {}
        try:
            with self.session.snapshot():
                yield
        finally:
            self._remembered = None
            self._by_number.clear()

    def tuned_rows(
        self, settings: Sequence[str], statement: str, /, **parameters: object
    ) -> list[Row]:
        """
        Run one read under *settings*, each a `SET LOCAL`, and return its rows.

        Settings are literals, since only those reach the workers of Citus.
        """
        with self.snapshot():
            with self.ahead():
                for setting in settings:
                    self.rows(setting)
                self.rows(statement, **parameters)
            return self.rows(statement, **parameters)

    def readable(self, _table: str, rows: Iterable[Row], decode: Callable[[Row], T]) -> Iterator[T]:
        """Decode each row, without a check: the server has made it."""
        return map(decode, rows)

    def where(self, only: "EntryFilter") -> "Where":
        """Return the condition for `hardwon.entry e` to pass *only* in this tenant."""
        from hardwon.adapters.postgres.query import where  # noqa: PLC0415  # a hook that counts needs no filter

        return where(only)

    def patiently(self) -> AbstractContextManager[None]:
        """Return a context without the usual timeout, for statements over all contents."""
        return self.session.patiently()

    def savepoint(self) -> AbstractContextManager[None]:
        """Return a savepoint, to which a server error within rolls back."""
        return self.session.savepoint()

    def note_change(self) -> None:
        """
        Increment the contents' version, by which caches notice changes.

        To be called within the transaction of the change, which does so at its end.
        """
        self.own_changes += 1
        if self.session.makes_changes:
            self._has_changed = True
        else:
            self.session.run([self._change()])

    def _change(self) -> Statement:
        return CHANGE, {"tenant": self.tenant, "last_number": self._last_number}

    def next_number(self) -> int:
        """
        Return a number for a new entry.

        To be called within a transaction, which must note a change.
        """
        if self._reserved is None:
            self._reserved = self._reserved_numbers()
        if self._reserved:
            return self._reserved.pop(0)
        self._last_number = self._highest_number() + 1
        return self._last_number

    def _reserved_numbers(self) -> list[int]:
        if self._locks_all:
            return []
        return [number for first, end in self.session.opened.before for number in range(first, end)]

    def _highest_number(self) -> int:
        if self._last_number is None:
            [(number,)] = self.session.opened.locked if self._locks_all else self.rows(LOCK_NUMBER)
            return int(number)
        return self._last_number

    def reserve(self, number: int) -> None:
        """
        Make the next new entry's number at least *number*.

        To be called within a transaction.
        """
        self._last_number = max(self._highest_number(), number - 1)
        self.note_change()

    def version(self) -> int:
        """Return the contents' version: the number of changes so far."""
        return int(self.value("SELECT version FROM hardwon.state WHERE tenant = %(tenant)s"))

    def close(self) -> None:
        """Close the connection, idempotently."""
        self.session.close()

    def _values(self, parameters: Mapping[str, object]) -> dict[str, object]:
        return {
            "tenant": self.tenant,
            **{name: public(value) for name, value in parameters.items()},
        }


def _only_changes(statement: str) -> bool:
    return statement.lstrip().startswith(("INSERT", "UPDATE", "DELETE")) and (
        "RETURNING" not in statement
    )


def _only_reads(statement: str) -> bool:
    return statement.lstrip().startswith(("SELECT", "WITH", "SET LOCAL")) and not any(
        word in statement for word in CHANGING
    )


def _ignore(_: str) -> None:
    pass


def public(value: Any) -> Any:
    """Return a parameter without secrets, as text that PostgreSQL can store."""
    match value:
        case str():
            text = value.replace("\0", "\ufffd")
            return redact(text) if len(text) >= SHORTEST_SECRET and may_hold_secret(text) else text
        case Rows():
            return Rows({name: public(item) for name, item in row.items()} for row in value)
        case list() | tuple() if not isinstance(value, Column):
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
