"""An engine's connection, as the roles of both engines use it. Standard library only: the hooks import it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from hardwon.adapters.sql.filter import Where
    from hardwon.domain.model.filters import EntryFilter

T = TypeVar("T")
Row = tuple[Any, ...]
Statement = tuple[str, Mapping[str, object]]
"""A statement with its parameters, by name."""


class Database(Protocol):
    """A connection that takes parameters by name, and values of Python: timestamps, and lists for what its statements unfold."""

    def rows(self, statement: str, /, **parameters: object) -> list[Row]:
        """Run one statement and return its rows."""
        ...

    def value(self, statement: str, /, **parameters: object) -> Any:
        """Run one statement and return the first column of its first row, None without a row."""
        ...

    def stream(self, statement: str, /, **parameters: object) -> Iterator[Row]:
        """Run one statement and yield its rows."""
        ...

    def together(self, statements: Iterable[Statement]) -> None:
        """Run all *statements*; none of them returns rows that are wanted."""
        ...

    def run_many(self, statement: str, /, parameters: Iterable[Mapping[str, object]]) -> None:
        """Run one statement for each of *parameters*."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Hold the lock of the contents; changes within are atomic. A nested transaction joins the outer one."""
        ...

    def counting(self) -> AbstractContextManager[None]:
        """Let changes of counters within be atomic; they wait only briefly for other writers."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all reads within see the same state."""
        ...

    def change(self) -> Statement:
        """Return the statement of `note_change`; it is to be run in the same transaction."""
        ...

    def note_change(self) -> None:
        """Change the content version, by which caches see any change, within the transaction of the change."""
        ...

    def where(self, only: "EntryFilter") -> "Where":
        """Return the condition that a row of the table `entry e` passes *only*."""
        ...

    def readable(self, table: str, rows: Iterable[Row], decode: Callable[[Row], T]) -> Iterator[T]:
        """Yield what *decode* makes of each row; those that can't be decoded are reported, by their first column."""
        ...


class Decoder(Protocol):
    """Returns the values of a row in Python; raises ValueError for one that can't be decoded."""

    def __call__(self, row: Sequence[Any], /) -> Sequence[Any]:  # noqa: D102  # the class says it
        ...


class _AsGiven:
    """Returns the values of a row as the driver gave them, lists as tuples."""

    def __call__(self, row: Sequence[Any], /) -> Sequence[Any]:
        return [tuple(value) if isinstance(value, list) else value for value in row]


class _Unchanged:
    """Returns the values of a row as the driver gave them."""

    def __call__(self, row: Sequence[Any], /) -> Sequence[Any]:
        return row


as_given = _AsGiven()
unchanged = _Unchanged()


class Role:
    """A role of the store, whose statements are those of its engine."""

    def __init__(self, database: Database) -> None:
        self._database = database
