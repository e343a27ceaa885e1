"""Keeping the spaces up to date: what every write and every bulk command does after it has stored."""

import time

import attrs

from hardwon.domain.model.deadline import Deadline
from hardwon.domain.model.entry_filter import EVERYTHING
from hardwon.domain.model.errors import EmbedderError
from hardwon.domain.use_cases.keeping.embed_pending import Patience, Progress
from hardwon.entrypoints.composition import Memory


@attrs.frozen
class Filled:
    """
    What became of the vectors.

    Attributes:
        made: How many were made in the spaces of the active provider.
        troubles: Why a space could not be filled, one line each.

    """

    made: int = 0
    troubles: tuple[str, ...] = ()


def fill_spaces(
    memory: Memory, limit: int | None, progress: Progress | None = None, patience: Patience | None = None
) -> Filled:
    """
    Embed at most *limit* pending entries in each space, all of them for None.

    A space whose embedder gives up does not stop the next one.

    Raises:
        StorageError: the store can't be written now.

    """
    made, troubles = 0, list[str]()
    for embed_pending in memory.embed_pending:
        before = embed_pending.store.count_pending(EVERYTHING)
        try:
            embed_pending(limit, Deadline(time.monotonic), progress, patience)
        except EmbedderError as error:
            troubles.append(str(error))
        if memory.is_of_active_provider(embed_pending.store.space):
            made += before - embed_pending.store.count_pending(EVERYTHING)
        progress = None  # the bar tells of the active space only
    if memory.vectors and memory.vectors.count(EVERYTHING):
        memory.vectors.activate()
        memory.settle_provider()
    return Filled(made, tuple(dict.fromkeys(troubles)))
