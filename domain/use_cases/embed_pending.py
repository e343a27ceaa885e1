"""Give entries that lack one their vector."""

from collections.abc import Callable, Sequence

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.errors import RateLimitedError, UnusableVectorError
from hardwon.domain.use_cases.retrieve import embed_documents
from hardwon.ports.embedder import Embedder
from hardwon.ports.vectors import PendingText, VectorStore

BATCH = 50
"""Pending entries that any write fills at most."""

UNUSABLE_IN_A_ROW = 3
"""So many texts without a usable vector, and it is the embedder that is to blame."""

Progress = Callable[[int], None]
Pairs = list[tuple[PendingText, Vector]]


@attrs.frozen(kw_only=True)
class Patience:
    """
    How a long run treats a provider that wants fewer requests.

    Attributes:
        pause: Waits so many seconds, and may tell why.
        between_batches: Seconds.
        when_limited: Seconds, where the provider does not say how long.
        tries: How often in a row a batch may be refused before the run gives up.

    """

    pause: Callable[[float, str], None]
    between_batches: float = 1.0
    when_limited: float = 10.0
    tries: int = 5


@attrs.frozen
class EmbedPending:
    """
    Give entries that lack one their vector, the newest first.

    Attributes:
        embedder: Makes the vectors.
        store: Keeps them.
        warn: Told in one line of an entry that can't have a vector.

    """

    embedder: Embedder
    store: VectorStore
    warn: Callable[[str], None] = lambda _: None

    def embed(
        self,
        limit: int | None,
        deadline: Deadline,
        progress: Progress | None = None,
        patience: Patience | None = None,
    ) -> int:
        """
        Embed at most *limit* pending entries, all of them for None; return how many.

        Each batch is stored before the next one begins, so that work cut off
        is not lost and nothing is embedded twice. A text that no usable vector
        can be made of is told and left out; it does not hold up the others.

        Args:
            limit: How many entries at most.
            deadline: When the embedder must have answered.
            progress: Called with the number done after each batch.
            patience: How to go on when the provider limits us; None gives up at once.

        Raises:
            EmbedderError: the embedder gave up; what was done before is stored.
            StorageError: the store can't be written now.

        """
        return _Run(self, deadline, patience).embed(limit, progress or (lambda _: None))


class _Run:
    """One run, which knows the texts that it has tried in vain."""

    def __init__(self, tools: EmbedPending, deadline: Deadline, patience: Patience | None) -> None:
        self._tools = tools
        self._deadline = deadline
        self._patience = patience
        self._unusable: set[int] = set()
        self._in_a_row = 0

    def embed(self, limit: int | None, progress: Progress) -> int:
        done = 0
        while batch := self._next(BATCH if limit is None else min(BATCH, limit - done)):
            if done and self._patience:
                self._patience.pause(self._patience.between_batches, "")
            pairs = self._patiently(batch)
            self._tools.store.put(pairs)
            done += len(pairs)
            progress(done)
        return done

    def _next(self, size: int) -> list[PendingText]:
        if size <= 0:
            return []
        pending = self._tools.store.pending(size + len(self._unusable))
        return [text for text in pending if text.seq not in self._unusable][:size]

    def _patiently(self, batch: Sequence[PendingText]) -> Pairs:
        refused = 0
        while True:
            try:
                return self._vectors(batch)
            except RateLimitedError as error:
                refused += 1
                if self._patience is None or refused >= self._patience.tries:
                    raise
                self._patience.pause(error.retry_after or self._patience.when_limited, str(error))

    def _vectors(self, batch: Sequence[PendingText]) -> Pairs:
        """Embed *batch*; when its answer is unusable, in ever smaller parts until the culprit stands alone."""
        try:
            vectors = embed_documents(self._tools.embedder, [text.text for text in batch], self._deadline)
        except UnusableVectorError as error:
            if len(batch) > 1:
                half = len(batch) // 2
                return self._vectors(batch[:half]) + self._vectors(batch[half:])
            self._in_a_row += 1
            if self._in_a_row == UNUSABLE_IN_A_ROW:
                raise
            self._unusable.add(batch[0].seq)
            self._tools.warn(f"no vector for the entry that begins {batch[0].text[:40]!r}: {error}")
            return []
        self._in_a_row = 0
        return list(zip(batch, vectors, strict=True))
