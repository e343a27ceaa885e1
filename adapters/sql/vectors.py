"""The vectors of an embedding space, and the texts that wait for one."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from hardwon.adapters.sql.database import D, Role
from hardwon.domain.model.embedding import Space, Vector
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.model.identity import searchable_text
from hardwon.domain.model.vocabulary import KINDS, Kind
from hardwon.ports.override import override
from hardwon.ports.vectors import PendingText, VectorStore


class SqlVectorStore(Role[D], VectorStore):
    """
    The vectors of one embedding space.

    Args:
        kinds: The kinds of entries that are embedded in this space.
        is_active: Whether the store's metadata names this space.

    """

    HAS_ANY: str
    COUNT: str
    PENDING: str
    TEXTS: str
    MEMBERS: str
    IN_TIE_ORDER: str

    def __init__(
        self, database: D, space: Space, *, kinds: tuple[Kind, ...] = KINDS, is_active: bool = True
    ) -> None:
        super().__init__(database)
        self._space = space
        self._served = EntryFilter(kinds=kinds, ranked=True)
        self._is_active = is_active

    @property
    @override
    def space(self) -> Space:
        return self._space

    @property
    @override
    def dimensions(self) -> int:
        return self._space.dimensions

    @property
    @override
    def kinds(self) -> tuple[Kind, ...]:
        return self._served.kinds

    @property
    @abstractmethod
    def number(self) -> int:
        """The store's number of the space, 0 before its first vector."""

    @override
    def has_any(self, only: EntryFilter) -> bool:
        return bool(self._counted(self.HAS_ANY, only))

    @override
    def count(self, only: EntryFilter) -> int:
        return self._counted(self.COUNT, only)

    def _counted(self, statement: str, only: EntryFilter) -> int:
        within = self._database.where(only)
        found = self._database.value(
            statement.format(within=within.sql), space=self.number, **within.parameters
        )
        return int(found or 0)

    @override
    def pending(self, limit: int) -> list[PendingText]:
        return self._texts(self.PENDING, self._served, limit, space=self.number)

    @override
    def texts(
        self, limit: int, after: int = 0, only: EntryFilter = EVERYTHING
    ) -> list[PendingText]:
        return self._texts(self.TEXTS, self._served_of(only), limit, after=after)

    def _texts(
        self, statement: str, only: EntryFilter, limit: int, **parameters: object
    ) -> list[PendingText]:
        within = self._database.where(only)
        rows = self._database.rows(
            statement.format(within=within.sql),
            limit=max(0, limit),
            **parameters,
            **within.parameters,
        )
        return [
            PendingText(number, searchable_text(*texts), text_hash)
            for number, *texts, text_hash in rows
        ]

    @override
    def put(self, vectors: Iterable[tuple[PendingText, Vector]]) -> None:
        given = [*vectors]
        with self._database.transaction(() if self.number else None):
            space = self._register()
            self._insert(space, given)
            self._database.note_change()

    def activate(self) -> None:
        """Make this the active space of the store's metadata."""
        with self._database.transaction():
            self._note_as_active(self._register())

    @abstractmethod
    def _register(self) -> int:
        """Return the number of the space, which is made if it is missing."""

    @abstractmethod
    def _note_as_active(self, number: int) -> None:
        """Let the store's metadata name the space of this number."""

    @abstractmethod
    def _insert(self, space: int, given: Sequence[tuple[PendingText, Vector]]) -> None:
        """Store the vectors of texts that did not change meanwhile."""

    @override
    def version(self) -> int:
        return self._database.version()

    @override
    def members(self, only: EntryFilter) -> Mapping[str | None, str]:
        within = self._database.where(only._replace(ranked=True))  # answered by an index
        return dict(
            self._database.rows(self.MEMBERS.format(within=within.sql), **within.parameters)
        )

    @override
    def in_tie_order(self, numbers: Sequence[int]) -> list[int]:
        rows = self._database.rows(self.IN_TIE_ORDER, numbers=[*numbers])
        return [number for (number,) in rows]

    def _served_of(self, only: EntryFilter) -> EntryFilter:
        return only._replace(
            kinds=tuple(kind for kind in only.kinds if kind in self.kinds), ranked=True
        )
