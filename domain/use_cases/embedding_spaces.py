"""The embedding spaces of an open store."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from hardwon.domain.model.filters import EntryFilter
from hardwon.domain.model.settings import Settings
from hardwon.domain.model.vocabulary import Kind
from hardwon.domain.use_cases.retrieve import SemanticSearch
from hardwon.ports.models import Embedder
from hardwon.ports.store import ActiveVectors, Store, Warn

if TYPE_CHECKING:
    from hardwon.domain.model.embedding import Space
    from hardwon.ports.vectors import VectorIndex


class EmbeddingSpace(NamedTuple):
    """An embedder, its vectors in the store, and their index, which keeps loaded ones."""

    embedder: Embedder
    vectors: ActiveVectors
    vector_index: "VectorIndex"

    def served(self, only: EntryFilter) -> EntryFilter:
        """Return the filter for entries that get their vectors here."""
        return only._replace(kinds=tuple(kind for kind in only.kinds if kind in self.vectors.kinds))

    @property
    def search(self) -> SemanticSearch:
        """The search among these vectors."""
        return SemanticSearch(
            embedder=self.embedder, store=self.vectors, vector_index=self.vector_index
        )


class Spaces:
    """
    The spaces that an open store searches and keeps up to date.

    The active space is the first; there is none for keyword search only.
    """

    def __init__(
        self, store: Store, settings: Settings, warn: Warn, spaces: "Sequence[EmbeddingSpace]"
    ) -> None:
        self.store = store
        self.settings = settings
        self.warn = warn
        self._spaces = spaces

    def __iter__(self) -> Iterator[EmbeddingSpace]:
        return iter(self._spaces)

    def __len__(self) -> int:
        return len(self._spaces)

    @property
    def provider(self) -> str | None:
        """The chosen provider, None without a space."""
        return self._spaces[0].embedder.space.provider if self._spaces else None

    @property
    def vectors(self) -> ActiveVectors | None:
        """The vectors of the active space."""
        return self._spaces[0].vectors if self._spaces else None

    def vectors_for(self, kind: Kind) -> ActiveVectors | None:
        """Return the vectors of *kind*, in the first space that serves it."""
        return next((space.vectors for space in self if kind in space.vectors.kinds), None)

    def is_of_active_provider(self, space: "Space") -> bool:
        """Return whether the chosen provider, not the fallback, fills *space*."""
        return space.provider == self.provider

    def in_use(self, only: EntryFilter) -> list[EmbeddingSpace]:
        """
        Return the spaces of the chosen provider that hold or await vectors of *only*.

        There are several only where collections have models of their own. Without such entries, the
        first space that could serve *only* is returned.
        """
        active = [space for space in self if self.is_of_active_provider(space.embedder.space)]
        serving = [space for space in active if space.served(only).kinds]
        return [
            space for space in serving if self.store.entries.count(space.served(only))
        ] or serving[:1]

    def count_embedded(self, only: EntryFilter) -> int:
        """Return how many of *only* have the chosen provider's vector."""
        return sum(space.vectors.count(space.served(only)) for space in self.in_use(only))

    def count_pending(self, only: EntryFilter) -> int:
        """Return how many of *only* lack the chosen provider's vector."""
        return sum(space.vectors.count_pending(only) for space in self.in_use(only))

    def settle_provider(self, *, force: bool = False) -> None:
        """
        Store the provider that `auto` means here.

        It is that of the first process that embeds; *force* replaces it.
        """
        if self.settings.embedding_provider == "auto" and self.provider:
            self.store.metadata.decide_provider(self.provider, force=force)

    def with_embedders(self, wrapped: Callable[[Embedder], Embedder]) -> "Spaces":
        """Return the same spaces with *wrapped* embedders."""
        return self._of([space._replace(embedder=wrapped(space.embedder)) for space in self])

    def first(self, count: int) -> "Spaces":
        """Return the first *count* spaces."""
        return self._of(self._spaces[:count])

    def _of(self, spaces: "Sequence[EmbeddingSpace]") -> "Spaces":
        return Spaces(self.store, self.settings, warn=self.warn, spaces=spaces)
