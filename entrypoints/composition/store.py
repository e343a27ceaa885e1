"""An open store, and the spaces it is searched in."""

from collections.abc import Sequence
from typing import NamedTuple

from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.entry_repository import SqliteEntryRepository
from hardwon.adapters.sqlite.metadata import SqliteMetadata
from hardwon.adapters.sqlite.vector_store import SqliteVectorStore
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.space import Space
from hardwon.domain.model.vocabulary import Kind
from hardwon.entrypoints.providers import AUTO
from hardwon.entrypoints.spaces import EmbeddingSpace, Warn
from hardwon.ports.clock import Clock


class OpenStore(NamedTuple):
    """
    One open store.

    Attributes:
        settings: What the user set.
        database: The open store.
        repository: Its entries.
        clock: The time.
        spaces: The spaces to search and to keep up to date, the active one first; none when search is by word only.
        warn: Told of trouble in one line.

    """

    settings: Settings
    database: Database
    repository: SqliteEntryRepository
    clock: Clock
    spaces: Sequence[EmbeddingSpace]
    warn: Warn

    @property
    def vectors(self) -> SqliteVectorStore | None:
        """The vectors of the active space."""
        return self.spaces[0].vectors if self.spaces else None

    def vectors_for(self, kind: Kind) -> SqliteVectorStore | None:
        """Return the vectors of the entries of *kind*, in the first space that is for them."""
        return next((space.vectors for space in self.spaces if kind in space.vectors.kinds), None)

    def is_of_active_provider(self, space: Space) -> bool:
        """Tell whether *space* is one that the chosen provider fills, not the fallback's."""
        return bool(self.spaces) and space.provider == self.spaces[0].embedder.space.provider

    def spaces_in_use(self, only: EntryFilter) -> list[EmbeddingSpace]:
        """
        Return the spaces of the chosen provider that hold or await vectors of *only*.

        There are several only where collections have models of their own. The
        first that could serve *only* is returned where there are no such entries.
        """
        active = [space for space in self.spaces if self.is_of_active_provider(space.embedder.space)]
        serving = [space for space in active if space.served(only).kinds]
        return [space for space in serving if self.repository.count(space.served(only))] or serving[:1]

    def count_embedded(self, only: EntryFilter) -> int:
        """Return how many entries of *only* have a vector of the chosen provider, over all spaces in use."""
        return sum(space.vectors.count(space.served(only)) for space in self.spaces_in_use(only))

    def count_pending(self, only: EntryFilter) -> int:
        """Return how many entries of *only* wait for a vector of the chosen provider, over all spaces in use."""
        return sum(space.vectors.count_pending(only) for space in self.spaces_in_use(only))

    def settle_provider(self, *, anew: bool = False) -> None:
        """Remember what `auto` means for this store: the first who embeds decides, unless it is decided *anew*."""
        if self.settings.embedding_provider == AUTO and self.spaces:
            SqliteMetadata(self.database).decide_provider(self.spaces[0].embedder.space.provider, anew=anew)
