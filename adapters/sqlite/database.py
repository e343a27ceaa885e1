"""The connection to the store's file, with its errors and metadata."""

import datetime as dt
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, cast

from hardwon.adapters.folder import OWN_NAMES, PRIVATE_FOLDER, Folder, opened_store, refuse_planted
from hardwon.adapters.sql.database import COUNT_BUSY_SECONDS
from hardwon.adapters.sqlite.file_errors import (
    COMPANIONS,
    OF_THE_FILE,
    REPAIR,
    address_option,
    has_room,
    primary_code,
    reserve,
    translated,
)
from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.errors import HardwonError
from hardwon.domain.model.redaction import SHORTEST_SECRET, may_hold_secret, redact, redact_values

if TYPE_CHECKING:
    from hardwon.adapters.sql.filter import Where
    from hardwon.domain.model.filters import EntryFilter


def to_text(timestamp: dt.datetime) -> str:
    """
    Return *timestamp* as ISO 8601 in UTC with microseconds.

    The width is fixed, so that texts sort by time.
    """
    return timestamp.astimezone(dt.UTC).isoformat(timespec="microseconds")


from_text = dt.datetime.fromisoformat
"""The inverse of `to_text`."""

GIT = ".git"
IGNORE = ".gitignore"


def create_private(path: str) -> None:
    """
    Create an empty file at *path* and its folder, unless they exist.

    In a work tree, git is made to ignore them.

    Raises:
        StorageError: the file, its folder or a companion file is a link or another user's.
    """
    folder, name = os.path.split(path)
    with opened_store(folder) as store:
        _refuse_planted(store, name)
        if _create(store, name):
            _let_git_ignore(store)


def _create(folder: Folder, name: str) -> bool:
    # Closing an existing file would drop this process's locks on it (POSIX), and lose its log.
    try:
        os.close(folder.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def _refuse_planted(store: Folder, name: str) -> None:
    for ending in COMPANIONS:
        refuse_planted(store, name + ending)


def _let_git_ignore(folder: Folder) -> None:
    """
    Write a `.gitignore` unless there is one.

    It covers the whole *folder*, or only hardwon's files if there are others.
    """
    if not _is_in_work_tree(folder.path):
        return
    is_exclusive = all(name.startswith(OWN_NAMES) for name in folder.names())
    ignored = "*\n" if is_exclusive else "".join(f"/{name}*\n" for name in OWN_NAMES)
    with suppress(OSError):  # the store works without it
        number = folder.open(IGNORE, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(number, ignored.encode())
        os.close(number)


def _is_in_work_tree(folder: str) -> bool:
    while not os.path.lexists(os.path.join(folder, GIT)):
        if folder == os.path.dirname(folder):
            return False
        folder = os.path.dirname(folder)
    return True


FILE_NAME = "memory.db"
CONTENT_VERSION = "content_version"
"""The metadata key by which caches notice any change."""

# Random, as a failed transaction would already have used the next number.
CHANGE = (
    "INSERT OR REPLACE INTO _metadata (key, value) VALUES (:key, CAST(random() & 0x7fffffffffffffff"
    " AS TEXT))"
)

IN_MEMORY = ":memory:"
TEMPORARY = ""
"""A database that SQLite keeps in a file only when memory is short."""

BUSY_SECONDS = 5.0
QUEUE_SECONDS = 60.0
"""How long a writer waits behind others that get on."""

COUNT_QUEUE_SECONDS = 1.0
"""The same for counters: the watchdog of a hook ends the wait earlier."""

INSTRUCTIONS_BETWEEN_CHECKS = 2_000
NOT_UTF_8 = "Could not decode to UTF-8"
"""The beginning of sqlite3's message about a text that can't be decoded."""

UNREADABLE = (
    TypeError,
    ValueError,
    ArithmeticError,
    LookupError,
    AttributeError,
    OSError,
    HardwonError,
)
"""Errors of decoding a row."""

T = TypeVar("T")
Row = tuple[Any, ...]
Parameters = Sequence[object] | Mapping[str, object]


class SqliteDatabase:
    """
    A connection with nested transactions, whose errors name the file.

    No secret passes it: each text parameter of a statement is redacted, of queries too.

    Args:
        path: The database file, created with its folder if missing.
            `IN_MEMORY` and `TEMPORARY` leave no file.
        busy_seconds: Upper bound of the wait for other writers.
        read_only: Read an existing file without writing.
        durable: A committed change survives a power failure. Hooks do without, as their
            counters may be lost.
        anywhere: The file may lie outside a store's folder, as a backup may.

    Attributes:
        is_read_only: Whether it can only be read.
        warn: Called with one line about rows that can't be read.

    Raises:
        StorageError: the file can't be opened, or is not a database.

    """

    def __init__(
        self,
        path: str,
        busy_seconds: float = BUSY_SECONDS,
        *,
        read_only: bool = False,
        durable: bool = True,
        anywhere: bool = False,
    ) -> None:
        self.path = path
        self.warn: Callable[[str], None] = _ignore
        self._reported = set[str]()
        self._identity: tuple[int, int] | None = None
        self._synchronous = "FULL" if durable else "NORMAL"
        self._busy_ms = int(busy_seconds * 1000)
        self._rolled_back = 0
        self._kept = dict[str, tuple[tuple[int, ...], object]]()
        with self.translated():
            if path not in {IN_MEMORY, TEMPORARY}:
                _prepare(path, anywhere=anywhere, create=not read_only)
            self._connect(read_only=read_only or not _is_writable(path))
            self._identity = _identity(path)

    def _connect(self, *, read_only: bool) -> None:
        """
        Connect, read-only if SQLite can't create its companion files.

        This happens on a full disk.
        """
        self.is_read_only = read_only
        address = _address(self.path, read_only=read_only)
        seconds, uri = self._busy_ms / 1000, address.startswith("file:")
        self.connection = sqlite3.connect(
            address, timeout=seconds, isolation_level=None, cached_statements=64, uri=uri
        )
        try:
            self._configure()
            self.connection.execute("PRAGMA schema_version")  # the first access to the file
            self.reserve_index()
        except (sqlite3.Error, OSError) as error:
            self.connection.close()
            if read_only or (
                isinstance(error, sqlite3.Error) and primary_code(error) not in OF_THE_FILE
            ):
                raise
            self._connect(read_only=True)

    def reserve_index(self) -> None:
        """
        Allocate all blocks of the log's shared index.

        Otherwise a disk that gets full later would end the process.

        Raises:
            OSError: the disk has no room for it.
        """
        if not (self.is_read_only or self.path in {IN_MEMORY, TEMPORARY}):
            [(pages,)] = self.connection.execute("PRAGMA page_count").fetchall()
            reserve(self.path, pages)

    def _configure(self) -> None:
        for pragma in (
            f"busy_timeout = {self._busy_ms}",
            f"synchronous = {self._synchronous}",
            "secure_delete = ON",
            "foreign_keys = ON",
            "cache_size = -8000",
        ):
            self.connection.execute(f"PRAGMA {pragma}")

    def rows(self, sql: str, parameters: Parameters = (), /, **named: object) -> list[Row]:
        """
        Run one statement and return its rows.

        Parameters are given in order or by name.
        """
        values = public(named or parameters)
        with self.translated():
            try:
                return self.connection.execute(sql, values).fetchall()
            except sqlite3.OperationalError as error:
                self._decode_leniently(error)
                return self.connection.execute(sql, values).fetchall()

    def stream(self, sql: str, parameters: Parameters = (), /, **named: object) -> Iterator[Row]:
        """Run one statement and yield its rows one by one."""
        values, given = public(named or parameters), 0
        with self.translated():
            try:
                for row in self.connection.execute(sql, values):
                    yield row
                    given += 1
            except sqlite3.OperationalError as error:
                self._decode_leniently(error)
                yield from islice(self.connection.execute(sql, values), given, None)

    def _decode_leniently(self, error: sqlite3.OperationalError) -> None:
        """
        Replace bytes that are not UTF-8 by U+FFFD from now on.

        Raises *error* if it has another cause.
        """
        if not str(error).startswith(NOT_UTF_8):
            raise error
        self.connection.text_factory = lambda value: value.decode("utf-8", "replace")

    def value(self, sql: str, parameters: Parameters = (), /, **named: object) -> Any:
        """Run one statement and return its first value, None without a row."""
        rows = self.rows(sql, parameters, **named)
        return rows[0][0] if rows else None

    def together(
        self,
        statements: Iterable[tuple[str, Mapping[str, object]]],
        about: Collection[str] | None = None,
    ) -> None:
        """Run all *statements* in order."""
        del about
        for sql, parameters in statements:
            self.rows(sql, parameters)

    def run_many(self, sql: str, /, parameters: Iterable[Parameters]) -> None:
        """Run one statement for each of *parameters*."""
        with self.translated():
            self.connection.executemany(sql, map(public, parameters))

    @contextmanager
    def transaction(
        self,
        _of: Collection[str] | None = None,
        *,
        busy_seconds: float | None = None,
        queue_seconds: float = QUEUE_SECONDS,
    ) -> Iterator[None]:
        """
        Hold the write lock and make changes within atomic.

        A nested transaction joins the outer one.
        """
        if self.connection.in_transaction:
            yield
            return
        with self.translated(), self.waiting(busy_seconds):
            self._begin(queue_seconds)
        try:
            yield
            self.rows("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    def _begin(self, queue_seconds: float) -> None:
        """
        Take the write lock.

        While other writers get on, as many do beside a slow disk, it waits up to *queue_seconds*. A
        program that holds the lock all the time is waited for once.
        """
        end = time.monotonic() + queue_seconds
        while True:
            seen = self.value("PRAGMA data_version")
            try:
                self.connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                others_wrote = self.value("PRAGMA data_version") != seen
                is_busy = primary_code(error) == sqlite3.SQLITE_BUSY
                if not (is_busy and others_wrote and time.monotonic() < end):
                    raise
            else:
                return

    def counting(self) -> AbstractContextManager[None]:
        """
        Return a transaction for counters.

        It waits only briefly for other writers, a little longer while they get on.
        """
        return self.transaction(busy_seconds=COUNT_BUSY_SECONDS, queue_seconds=COUNT_QUEUE_SECONDS)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all reads within see the same state."""
        self.rows("BEGIN")
        try:
            yield
            if self.connection.in_transaction:  # an interrupted search may have ended it
                self.rows("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[None]:
        """Interrupt the statements within when *deadline* passes."""
        self.connection.set_progress_handler(deadline.passed, INSTRUCTIONS_BETWEEN_CHECKS)
        try:
            yield
        finally:
            self.connection.set_progress_handler(None, 0)

    def report(self, problem: str) -> None:
        """Warn once of a problem with the store's contents."""
        if problem not in self._reported:
            self._reported.add(problem)
            self.warn(problem)

    def readable(self, table: str, rows: Iterable[Row], decode: Callable[[Row], T]) -> Iterator[T]:
        """
        Yield the decoded rows.

        A row that can't be decoded is left out and reported by its first column.
        """
        for row in rows:
            try:
                value = decode(row)
            except UNREADABLE as error:
                self.report(
                    f"{table} {row[0]!r:.40} can't be read, and is left out ({error}); run: hardwon"
                    " doctor --repair"
                )
            else:
                yield value

    def where(self, only: "EntryFilter") -> "Where":
        """Return the condition that a row of `entry e` passes *only*."""
        from hardwon.adapters.sqlite.query import where  # noqa: PLC0415  # a hook that counts needs no filter

        return where(only)

    def note_change(self) -> None:
        """
        Renew the content version, by which caches notice changes.

        Call it in the transaction of the change.
        """
        self.together([(CHANGE, {"key": CONTENT_VERSION})])

    def version(self) -> int:
        """Return the content version, 0 for a store never written."""
        return int(
            self.value(
                "SELECT CAST(value AS INTEGER) FROM _metadata WHERE key = ?", (CONTENT_VERSION,)
            )
            or 0
        )

    def state(self) -> tuple[int, ...]:
        """Return what differs after any change of the file, by whomever it was made."""
        seen = self.value("PRAGMA data_version")
        return seen, self.connection.total_changes, self._rolled_back

    def kept(self, name: str, read: Callable[[], T]) -> T:
        """Return what *read* returned for *name*, read again after any change of the file."""
        state = self.state()
        if name not in self._kept or self._kept[name][0] != state:
            self._kept[name] = state, read()
        return cast("T", self._kept[name][1])

    def is_in_place(self) -> bool:
        """Return whether the opened file is still the one at its path."""
        return self._identity is None or self._identity == _identity(self.path)

    def close(self) -> None:
        """Close the connection, idempotently."""
        self.connection.close()

    def _roll_back(self) -> None:
        with self.translated():
            if self.connection.in_transaction:
                self._rolled_back += 1
                self.connection.execute("ROLLBACK")

    @contextmanager
    def waiting(self, busy_seconds: float | None) -> Iterator[None]:
        """Set the wait for other writers within, unchanged for None."""
        if busy_seconds is None:
            yield
            return
        self.connection.execute(f"PRAGMA busy_timeout = {int(busy_seconds * 1000)}")
        try:
            yield
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {self._busy_ms}")

    def translated(self) -> AbstractContextManager[None]:
        """Translate errors within into `StorageError`."""
        return translated(self.path, REPAIR)


def _ignore(_: str) -> None:
    pass


NUMBERS = frozenset((int, float, bool, type(None)))
"""Types that are stored as they are, NULL too."""


def public(parameters: Parameters) -> Parameters:
    """
    Return the parameters of a statement as SQLite stores them.

    Secrets in them are redacted.
    """
    if isinstance(parameters, Mapping):
        return {
            name: value if value.__class__ in NUMBERS else without_secrets(_stored(value))
            for name, value in parameters.items()
        }
    return [
        value if value.__class__ in NUMBERS else without_secrets(_stored(value))
        for value in parameters
    ]


def _stored(value: object) -> object:
    match value:
        case dt.datetime():
            return to_text(value)
        case list() | tuple() | dict():
            return _to_json(value)
        case _:
            return value


def without_secrets(value: Any) -> Any:
    """
    Return *value* redacted if it is a text.

    In JSON each text is redacted. Other values are returned unchanged.
    """
    if not isinstance(value, str) or len(value) < SHORTEST_SECRET or isinstance(value, NumberList):
        return value
    if not may_hold_secret(value) or (clean := redact(value)) == value:
        return value
    return _redacted_json(value) if value[0] in "[{" else clean


def _to_json(value: Any) -> str:
    if isinstance(value, list) and all(item.__class__ is int for item in value):
        return in_list(value)
    import json  # noqa: PLC0415  # for the few parameters that are no numbers

    return json.dumps(value)


def _redacted_json(text: str) -> str:
    import json  # noqa: PLC0415  # for the few texts with secrets

    try:
        return json.dumps(redact_values(json.loads(text)), ensure_ascii=False)
    except ValueError:
        return redact(text)


def _prepare(path: str, *, anywhere: bool, create: bool) -> None:
    """
    Create the file if it is missing and *create* is set.

    In the store's folder, refuse one that is a link or another user's.
    """
    if create and not anywhere:
        create_private(path)
        return
    place, name = os.path.split(path)
    if create:
        with Folder(place, PRIVATE_FOLDER) as folder:
            _create(folder, name)
    elif not anywhere:
        with opened_store(place, make=False) as store:
            _refuse_planted(store, name)


def _is_writable(path: str) -> bool:
    if path in {IN_MEMORY, TEMPORARY}:
        return True
    folder = os.path.dirname(path)
    return os.access(path, os.W_OK) and os.access(folder, os.W_OK) and has_room(folder)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def _address(path: str, *, read_only: bool) -> str:
    """
    Return the address for SQLite, which creates no missing file.

    Such a file would follow a folder that was replaced by a link.
    """
    if path in {IN_MEMORY, TEMPORARY}:
        return path
    quoted = "".join(f"%{byte:02x}" for byte in os.fsencode(os.path.abspath(path)))
    return f"file:{quoted}?{_how_to_read(path) if read_only else 'mode=rw'}"


def _how_to_read(path: str) -> str:
    # SQLite can't create a log's index here. A log has one already, an immutable file needs none.
    log = f"{path}-wal"
    has_log = os.path.exists(log) and os.path.getsize(log)
    return f"mode=ro{address_option(path) if has_log else '&immutable=1'}"


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold the write lock of *connection* and make changes atomic."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")
        raise


@contextmanager
def unenforced_foreign_keys(connection: sqlite3.Connection) -> Iterator[None]:
    """
    Suspend foreign keys, so that referenced tables can be replaced.

    Enter it outside of a transaction.
    """
    [(enforced,)] = connection.execute("PRAGMA foreign_keys").fetchall()
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA foreign_keys = {enforced}")


class NumberList(str):
    """A JSON array of integers, which can't hold a secret."""

    __slots__ = ()


def in_list(numbers: Iterable[int]) -> NumberList:
    """Return *numbers* as the JSON array that `json_each(?)` reads."""
    return NumberList(f"[{','.join(map(str, numbers))}]")
