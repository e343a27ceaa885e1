"""The embedding spaces that the settings choose, each with its embedder, its vectors and the search in them."""

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hardwon.adapters.sqlite.database import Database
from hardwon.adapters.sqlite.vector_store import SqliteVectorStore
from hardwon.domain.model.entry_filter import EntryFilter
from hardwon.domain.model.errors import EmbedderUnavailableError
from hardwon.domain.model.settings import Settings
from hardwon.domain.use_cases.retrieving.retrieve import SemanticSearch
from hardwon.entrypoints.providers import build_embedders, providers_in_order
from hardwon.ports.embedder import Embedder

Warn = Callable[[str], None]


class EmbeddingSpace(NamedTuple):
    """An embedder, and its vectors in the store."""

    embedder: Embedder
    vectors: SqliteVectorStore

    def served(self, only: EntryFilter) -> EntryFilter:
        """Return the entries of *only* that get their vectors here."""
        return only._replace(kinds=tuple(kind for kind in only.kinds if kind in self.vectors.kinds))

    @property
    def search(self) -> SemanticSearch:
        """Search among these vectors; worth keeping, as it keeps those it has loaded."""
        from hardwon.adapters.numpy_index.vector_index import NumpyVectorIndex

        return SemanticSearch(embedder=self.embedder, store=self.vectors, vector_index=NumpyVectorIndex(self.vectors))


def open_spaces(settings: Settings, automatic: str, database: Database, warn: Warn) -> Sequence[EmbeddingSpace]:
    """
    Return the spaces to search and to keep up to date, the active one first.

    Args:
        settings: What the user set.
        automatic: The provider that `auto` means.
        database: Where the vectors are.
        warn: Told in one line of a provider that can't be used.

    """
    spaces: list[EmbeddingSpace] = []
    for provider in providers_in_order(settings, automatic):
        try:
            embedders = build_embedders(provider, settings, os.environ)
        except EmbedderUnavailableError as error:
            warn(f"no vector search: {error}")
            continue
        for embedder, kinds in embedders:
            vectors = SqliteVectorStore(database, embedder.space, warn, kinds=kinds, is_active=not spaces)
            spaces.append(EmbeddingSpace(embedder, vectors))
    return spaces
