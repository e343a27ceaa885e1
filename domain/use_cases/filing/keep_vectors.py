"""Keep the vectors that an index brings, where they are of the model in use."""

from collections.abc import Iterable, Sequence

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry_filter import EVERYTHING
from hardwon.domain.model.errors import EmbedderError, UnusableVectorError
from hardwon.domain.model.files.memory_index import IndexedMemory
from hardwon.domain.model.vector import Vector, cosine, unit
from hardwon.domain.use_cases.retrieving.embedding import embed_documents
from hardwon.ports.embedder import Embedder
from hardwon.ports.entry_repository import EntryRepository
from hardwon.ports.vector_store import PendingText, VectorStore

AGREEMENT = 0.99
"""The least cosine similarity of two vectors that one model made of one text: platforms differ in the last digits."""


@attrs.frozen
class KeptVectors:
    """
    The outcome.

    Attributes:
        kept: How many vectors were stored.
        refused: Why others were not, one line each; their entries wait for a vector as before.

    """

    kept: int = 0
    refused: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class KeepVectors:
    """
    Give imported sessions the vectors that their index brings, instead of making new ones.

    Attributes:
        repository: The entries.
        embedder: Makes one vector again, to compare.
        store: The vectors of the embedder's space.

    """

    repository: EntryRepository
    embedder: Embedder
    store: VectorStore

    def __call__(self, memories: Iterable[IndexedMemory], deadline: Deadline) -> KeptVectors:
        """
        Store the vectors of those *memories* whose entries wait for one.

        An index does not name its model. So one text is embedded again: none of
        the vectors is kept unless that one agrees.

        Raises:
            StorageError: the store can't be written now; none was kept.

        """
        usable, refused = self._sorted_out(memories)
        if not usable:
            return KeptVectors(refused=refused)
        try:
            self._ensure_same_model(*usable[0], deadline)
        except EmbedderError as error:
            return KeptVectors(refused=(*(str(error) for _ in usable), *refused))
        self.store.put(usable)
        return KeptVectors(len(usable), refused)

    def _sorted_out(
        self, memories: Iterable[IndexedMemory]
    ) -> tuple[Sequence[tuple[PendingText, Vector]], tuple[str, ...]]:
        """Return the vectors that may be of this space, each with its text, and why others can't be."""
        waiting = {text.seq: text for text in self.store.pending(self.store.count_pending(EVERYTHING))}
        usable, refused = list[tuple[PendingText, Vector]](), list[str]()
        for memory in memories:
            entry = self.repository.with_file(memory.path)
            text = waiting.get(entry.number) if entry and entry.number is not None else None
            if text is None or not memory.brings_vector:
                continue
            try:
                usable.append((text, self._unit(memory, text)))
            except UnusableVectorError as error:
                refused.append(f"{memory.path!r}: {error}")
        return usable, tuple(refused)

    def _unit(self, memory: IndexedMemory, text: PendingText) -> Vector:
        if memory.vector is None:
            raise UnusableVectorError(memory.vector_trouble)
        if memory.description != text.text:
            raise UnusableVectorError("the index does not hold the text it was made of")
        return unit(memory.vector, self.store.space.dimensions)

    def _ensure_same_model(self, text: PendingText, brought: Vector, deadline: Deadline) -> None:
        [made] = embed_documents(self.embedder, [text.text], deadline)
        agreement = cosine(brought, made)
        if agreement < AGREEMENT:
            model = self.store.space.model
            raise UnusableVectorError(
                f"they are not by {model!r}: for {text.text[:40]!r} the similarity is {agreement:.3f}, {AGREEMENT} is wanted"
            )
