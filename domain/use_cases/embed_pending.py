"""Embed entries that have no vector yet, or all of them again."""

from collections.abc import Callable, Sequence

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.embedding import Vector
from hardwon.domain.model.errors import RateLimitedError, UnusableVectorError
from hardwon.domain.model.filters import EVERYTHING, EntryFilter
from hardwon.domain.use_cases.retrieve import embed_documents
from hardwon.ports.models import Embedder
from hardwon.ports.vectors import PendingText, VectorStore

BATCH = 50
"""The maximum number of pending entries that a write embeds."""

BATCH_IN_TIME = 8
"""The batch size where time is short."""

LONGEST_PAUSE = 120.0
"""
The maximum wait for a provider, in seconds.

After a longer one the run gives up.
"""

UNUSABLE_IN_A_ROW = 3
"""The number of unusable vectors in a row that marks an embedder as broken."""

Progress = Callable[[int], None]
Reached = Callable[[int], None]
"""Called with an entry's number when all up to it have new vectors."""

Pairs = list[tuple[PendingText, Vector]]


@attrs.frozen(kw_only=True)
class Patience:
    """
    The retries of a long run when the provider limits the rate.

    Attributes:
        pause: Waits the given seconds, and may print the reason.
        when_limited: Seconds, if the provider gives none.
        tries: The maximum number of rate-limit refusals of a batch in a row.
    """

    pause: Callable[[float, str], None]
    between_batches: float = 1.0
    when_limited: float = 10.0
    tries: int = 5


@attrs.frozen
class EmbedPending:
    """
    Embed entries that have no vector yet, the newest first.

    Attributes:
        warn: Called with one line for each entry that can't be embedded.
        only: The entries that are embedded again.
        embedded: Called with the vectors of each batch once they are stored.
    """

    embedder: Embedder
    store: VectorStore
    warn: Callable[[str], None] = lambda _: None
    only: EntryFilter = EVERYTHING
    embedded: Callable[[Pairs], None] = lambda _: None

    def embed(
        self,
        limit: int | None,
        deadline: Deadline,
        progress: Progress | None = None,
        patience: Patience | None = None,
        batch: int = BATCH,
    ) -> int:
        """
        Embed pending entries, and return their number.

        Each batch is stored before the next one begins: an interrupted run loses nothing and embeds
        nothing twice. A text without a usable vector is reported and skipped.

        Args:
            limit: The maximum number of entries; None for all.
            deadline: The time limit of the embedder; no batch begins after it.
            progress: Called with the number done after each batch.
            patience: The retries when the provider limits the rate; None for no retry.
            batch: The entries that are embedded at once.

        Raises:
            EmbedderError: the embedder failed; earlier batches are stored.
        """
        return _Run(self, deadline, patience=patience, batch=batch).embed(
            limit, progress or (lambda _: None)
        )

    def embed_again(
        self,
        after: int,
        reached: Reached,
        deadline: Deadline,
        progress: Progress | None = None,
        patience: Patience | None = None,
    ) -> int:
        """
        Embed the entries of `only` above number *after* again.

        They are embedded in the order of their numbers. A vector is replaced in one transaction: an
        interrupted run leaves every entry its old or its new vector. An entry without a usable new
        one keeps the old one.

        Raises:
            EmbedderError: the embedder failed; earlier batches are stored.
        """
        return _Run(self, deadline, patience=patience, batch=BATCH).embed_again(
            after, reached, progress or (lambda _: None)
        )


class _Run:
    def __init__(
        self, tools: EmbedPending, deadline: Deadline, patience: Patience | None, batch: int
    ) -> None:
        self._tools = tools
        self._deadline = deadline
        self._patience = patience
        self._batch = batch
        self._unusable: set[int] = set()
        self._in_a_row = 0

    def embed(self, limit: int | None, progress: Progress) -> int:
        done = 0
        while batch := self._next(self._batch if limit is None else min(self._batch, limit - done)):
            if done and self._deadline.passed():
                break
            done += self._store(batch, is_first=not done)
            progress(done)
        return done

    def embed_again(self, after: int, reached: Reached, progress: Progress) -> int:
        done = 0
        while batch := self._tools.store.texts(self._batch, after, self._tools.only):
            done += self._store(batch, is_first=not done)
            after = batch[-1].number
            reached(after)
            progress(done)
        return done

    def _store(self, batch: Sequence[PendingText], *, is_first: bool) -> int:
        if self._patience and not is_first:
            self._patience.pause(self._patience.between_batches, "")
        pairs = self._patiently(batch)
        self._tools.store.put(pairs)
        self._tools.embedded(pairs)
        return len(pairs)

    def _next(self, size: int) -> list[PendingText]:
        if size <= 0:
            return []
        pending = self._tools.store.pending(size + len(self._unusable))
        return [text for text in pending if text.number not in self._unusable][:size]

    def _patiently(self, batch: Sequence[PendingText]) -> Pairs:
        refused = 0
        while True:
            try:
                return self._vectors(batch)
            except RateLimitedError as error:
                refused += 1
                if self._patience is None or refused >= self._patience.tries:
                    raise
                pause = error.retry_after or self._patience.when_limited
                if pause > LONGEST_PAUSE:
                    raise RateLimitedError(
                        f"{error}; run it again later", error.retry_after
                    ) from error
                self._patience.pause(pause, str(error))

    def _vectors(self, batch: Sequence[PendingText]) -> Pairs:
        """Embed *batch*, bisecting it to isolate a text without a usable vector."""
        try:
            vectors = embed_documents(
                self._tools.embedder, [text.text for text in batch], self._deadline
            )
        except UnusableVectorError as error:
            if len(batch) > 1:
                half = len(batch) // 2
                return self._vectors(batch[:half]) + self._vectors(batch[half:])
            self._in_a_row += 1
            if self._in_a_row == UNUSABLE_IN_A_ROW:
                raise
            self._unusable.add(batch[0].number)
            self._tools.warn(f"no vector for the entry that begins {batch[0].text[:40]!r}: {error}")
            return []
        self._in_a_row = 0
        return list(zip(batch, vectors, strict=True))
