"""An engine's connection, as the roles of both engines use it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from hardwon.adapters.sql.filter import Where
    from hardwon.domain.model.filters import EntryFilter

T = TypeVar("T")
Row = tuple[Any, ...]
Statement = tuple[str, Mapping[str, object]]
"""A statement with its parameters, by name."""

COUNT_BUSY_SECONDS = 0.25
"""Upper bound of the wait for other writers, for counters."""


class Database(Protocol):
    """
    A connection with named parameters.

    Parameters are Python values: timestamps, and lists for statements that unfold them.
    """

    def rows(self, statement: str, /, **parameters: object) -> list[Row]:
        """Run one statement and return its rows."""
        ...

    def value(self, statement: str, /, **parameters: object) -> Any:
        """Run one statement and return its first value, None without a row."""
        ...

    def stream(self, statement: str, /, **parameters: object) -> Iterator[Row]:
        """Run one statement and yield its rows."""
        ...

    def together(
        self, statements: Iterable[Statement], about: Collection[str] | None = None
    ) -> None:
        """
        Run all *statements* in order, ignoring their rows.

        Args:
            statements: With their parameters.
            about: The ids of the only entries that they change, if these are known.
        """
        ...

    def run_many(self, statement: str, /, parameters: Iterable[Mapping[str, object]]) -> None:
        """Run one statement for each of *parameters*."""
        ...

    def transaction(self, of: Collection[str] | None = None) -> AbstractContextManager[None]:
        """
        Hold the write lock and make changes within atomic.

        With *of*, only entries of these ids are changed. A nested transaction joins the outer one.
        """
        ...

    def counting(self) -> AbstractContextManager[None]:
        """
        Make changes of counters within atomic.

        Waits only briefly for other writers.
        """
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all reads within see the same state."""
        ...

    def note_change(self) -> None:
        """
        Renew the content version, by which caches notice changes.

        Call it in the transaction of the change.
        """
        ...

    def version(self) -> int:
        """Return the content version, which `note_change` renews."""
        ...

    def where(self, only: "EntryFilter") -> "Where":
        """Return the condition that a row of `entry e` passes *only*."""
        ...

    def readable(self, table: str, rows: Iterable[Row], decode: Callable[[Row], T]) -> Iterator[T]:
        """
        Yield the decoded rows.

        A row that can't be decoded is left out and reported by its first column.
        """
        ...


D = TypeVar("D", bound=Database)
"""The connection of an engine, or of either."""


class Decoder(Protocol):
    """
    Decodes a row to Python values.

    Raises ValueError if that is not possible.
    """

    def __call__(self, row: Sequence[Any], /) -> Sequence[Any]:  # noqa: D102  # the class says it
        ...


class _AsGiven:
    """Returns the driver's values, lists as tuples."""

    def __call__(self, row: Sequence[Any], /) -> Sequence[Any]:
        return [tuple(value) if isinstance(value, list) else value for value in row]


class _Unchanged:
    def __call__(self, row: Sequence[Any], /) -> Sequence[Any]:
        return row


as_given = _AsGiven()
unchanged = _Unchanged()


class Role(Generic[D]):
    """A role of the store, with statements in its engine's SQL."""

    def __init__(self, database: D) -> None:
        self._database = database
