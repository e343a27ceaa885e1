from collections.abc import Callable

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.use_cases.embedding import embed_documents
from hardwon.ports.embedder import Embedder
from hardwon.ports.vector_store import VectorStore

BATCH = 50
"""How many pending entries any write fills (requirement A-C7.1)."""

Progress = Callable[[int], None]


@attrs.frozen
class EmbedPending:
    """Give entries that lack one their vector, the newest first."""

    embedder: Embedder
    store: VectorStore

    def __call__(self, limit: int | None, deadline: Deadline, progress: Progress | None = None) -> int:
        """
        Embed at most *limit* pending entries, all of them for None; return how many.

        Each batch is stored before the next one begins, so that work cut off
        is not lost and nothing is embedded twice.

        Args:
            limit: How many entries at most.
            deadline: When the embedder must have answered.
            progress: Called with the number done after each batch.

        Raises:
            EmbedderError: the embedder gave up; what was done before is stored.
            StorageError: the store can't be written now.

        """
        done = 0
        while batch := self.store.pending(BATCH if limit is None else min(BATCH, limit - done)):
            vectors = embed_documents(self.embedder, [pending.text for pending in batch], deadline)
            self.store.put(zip(batch, vectors, strict=True))
            done += len(batch)
            if progress:
                progress(done)
        return done
